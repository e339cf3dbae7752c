"""The whole pipeline over real backends: what is found, filtered, explained, measured, and that nothing makes it fail."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from retrieving import EMBEDDER, HOUR, START, Memory
from support import examples

from graphmem.errors import StoreError, UsageError
from graphmem.model.changes import Item, Link
from graphmem.retrieve.present import summarise_item, to_datetime, to_microseconds, truncate_text
from graphmem.retrieve.retriever import Retriever
from graphmem.text.tokens import count_tokens


def test_an_empty_store_gives_an_empty_result(memory):
    result = memory.retriever.search("anything at all")
    assert (result.hits, result.confidence, result.tokens, result.degraded) == ((), "none", 0, {})
    assert result.reason == "no_results"


def test_an_answer_is_found_by_the_words_of_its_question(memory):
    memory.turns("Bob: Where did you put the deployment key?", "Ann: It is in the drawer, under the maps.", session="a")
    memory.turns("Bob: You put away the deployment key.", "Ann: It is in the drawer, under the maps!", session="b")
    result = memory.retriever.search("where is the deployment key", project="p")
    assert {hit.id: "answer" in hit.why for hit in result.hits} == {"a0": False, "a1": True, "b0": False, "b1": False}


def test_who_said_it_counts(memory):
    memory.turns("Ann: I prefer tabs for indentation", session="a")
    memory.turns("Bob: I prefer tabs for indentation", session="b")
    assert memory.ask("what does Bob prefer")[0] == "b0"


@pytest.mark.parametrize("form", ["sensor-{}-{}", "rack.{}.{}", "bay_{}_{}", "hall/{}/{}"])
def test_an_identifier_as_it_is_written_wins(memory, form):
    names = [form.format(a, b) for a in range(1, 5) for b in range(1, 5)]
    memory.turns(*(f"The probe {name} was calibrated." for name in names), session="a")
    for at, name in enumerate(names):
        assert memory.ask(f"when was {name.upper()} calibrated")[0] == f"a{at}"
    memory.turns("the probe was one part-time job", "a part of the time the probe was one job", session="b")
    assert "verbatim" not in memory.retriever.search("a part-time job", project="p").hits[0].why


def test_a_question_for_a_time_prefers_what_tells_one(memory):
    memory.turns("the cluster migration was done", session="a")
    memory.turns("the cluster migration was done Tuesday", session="b")
    when, where = (
        memory.retriever.search(f"{word} was the cluster migration", project="p") for word in ("when", "where")
    )
    assert {hit.id: "dated" in hit.why for hit in when.hits} == {"a0": False, "b0": True}
    assert not any("dated" in hit.why for hit in where.hits)


def test_the_hop_follows_names_from_memory_to_memory(memory):
    memory.note("film", "Harbour Lights is a 1990 film directed by Mina Okafor.", kind="document")
    memory.note("person", "Mina Okafor (born 1950 in Lagos) studied physics before turning to cinema.", kind="document")
    for i in range(12):
        memory.note(
            f"noise{i}",
            f"Harbour report {i}: the birthplace of trade is a film of dust, said the director.",
            kind="document",
        )
    assert sorted(memory.ask("Where was the director of the film Harbour Lights born?")[:2]) == ["film", "person"]


def test_other_names_of_a_thing_are_found(memory):
    memory.note("k", "Kubernetes is what we deploy to.", title="Kubernetes")
    memory.note("n", "Nomad is what we deployed to before.", title="Nomad")
    assert memory.ask("k8s")[0] == "k"


def test_misspelt_words_and_parts_of_identifiers_are_found(memory):
    memory.note("a", "the reconciliation job of the ledger")
    memory.note("b", "class PaymentGatewayFactory lives in billing")
    assert memory.ask("reconcilation")[0] == "a"
    assert memory.ask("gateway factory")[0] == "b"


def test_korean_is_found_whatever_its_particles(memory):
    memory.note("a", "배포 파이프라인이 인증서 만료로 실패했다")
    memory.note("b", "점심 메뉴는 비빔밥으로 정했다")
    assert memory.ask("배포가 왜 실패했나요?") == ["a"] or memory.ask("배포가 왜 실패했나요?")[0] == "a"


def test_repetitions_stand_behind_everything_else(memory):
    for name in "abc":
        memory.note(name, "the nightly build needs the linker flag for big endian machines")
    memory.note("d", "the nightly build runs at two")
    ranked = memory.ask("nightly build")
    assert sorted(ranked[:2]) == ["a", "d"] and sorted(ranked) == ["a", "b", "c", "d"]


def test_kinds_sessions_and_scopes_limit_what_is_found(memory):
    memory.turns("shared word one", session="a")
    memory.turns("shared word two", session="b")
    memory.note("f", "shared word three")
    memory.put(Item("q", "fact", "", "shared word four", START, project="other"))
    assert memory.ask("shared word", kinds=["fact"]) == ["f"]
    assert memory.ask("shared word", session="a") == ["a0"]
    assert "q" not in memory.ask("shared word")
    assert "q" in memory.ask("shared word", scope="global")
    assert memory.ask("shared word", kinds=[]) == []


def test_as_of_shows_the_memory_as_it_was(memory):
    memory.turns("the port is 8080", "the port is 9090")
    assert memory.ask("which port", as_of=to_datetime(START)) == ["s0"]


def test_why_explains_the_score(memory):
    memory.turns("the retry limit is five", "nothing else here")
    (hit, *_) = memory.retriever.search("retry limit").hits
    assert hit.score == 1.0
    assert hit.why["words"] > 0
    assert sum(hit.why.values()) == pytest.approx(hit.score, abs=0.01)


def test_a_dead_channel_is_reported_and_the_others_answer(tmp_path):
    class Broken:
        name, dimensions = "broken", 256

        def embed(self, texts):
            raise StoreError("the model is gone")

    memory = Memory(tmp_path)
    memory.note("a", "words still work")
    broken = Retriever(
        type(memory.ports)(memory.index, memory.index.mentions, memory.ports.clock, memory.vectors, Broken())
    )
    result = broken.search("words work", project="p")
    assert [hit.id for hit in result.hits] == ["a"]
    assert result.degraded == {"vectors": "the model is gone"}


def test_without_an_embedder_words_answer_alone(tmp_path):
    memory = Memory(tmp_path, embedder=None)
    memory.note("a", "words still work")
    result = memory.retriever.search("words work", project="p")
    assert [hit.id for hit in result.hits] == ["a"] and not result.degraded


def test_confidence_tells_the_known_from_the_unknown(memory):
    for i, text in enumerate(["The release branch is cut every second Thursday.", "Ledger exports go to the cold bucket.",
                              "Ann owns the billing service.", "The parser drops trailing commas."]):  # fmt: skip
        memory.note(f"n{i}", text)
    known = memory.retriever.search("The release branch is cut every second Thursday", project="p")
    assert known.confidence == "high"
    unknown = memory.retriever.search("symptoms of feline influenza in kittens", project="p")
    assert unknown.confidence == "none"
    assert known.probability > 0.9 > 0.5 > unknown.probability


def test_a_number_that_occurs_nowhere_is_not_answered_with_others_of_its_kind(memory):
    memory.turns(
        "We closed the security hole CVE-2023-4863 in the image decoder.", "Deploys happen at noon.", session="a"
    )
    known = memory.retriever.search("what about the security hole CVE-2023-4863", project="p")
    other = memory.retriever.search("what about the security hole CVE-2024-3094", project="p")
    assert (known.degraded, other.degraded) == ({}, {"CVE-2024-3094": "it occurs nowhere"})
    assert known.confidence != "none" and other.confidence == "none"


def test_age_does_not_lower_confidence(tmp_path):
    results = []
    for name, at in (("new", START), ("old", START - 10_000 * HOUR)):
        folder = tmp_path / name
        folder.mkdir()
        memory = Memory(folder)
        memory.note("a", "The release branch is cut every second Thursday.", at=at)
        results.append(memory.retriever.search("when is the release branch cut", project="p").probability)
    assert results[0] == results[1]


@pytest.mark.parametrize("budget", [0, 5, 20, 60, 200, 1_000])
def test_the_budget_is_never_exceeded(memory, budget):
    memory.turns(*(f"배포 로그 {i}: the deployment of service number {i} 실패했다 " + "x1f9 " * 40 for i in range(12)))
    result = memory.retriever.search("deployment 배포", budget=budget, project="p")
    assert result.hits
    assert result.tokens == count_tokens(result.context) <= budget


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    texts=st.lists(st.text(alphabet="가나다 배포했다 abc/_-\n\t.`<>é日👩🏽‍💻x1", max_size=600), min_size=1, max_size=8),
    budget=st.integers(0, 700),
)
def test_no_text_in_any_script_exceeds_the_budget(tmp_path_factory, texts, budget):
    memory = Memory(tmp_path_factory.mktemp("budget"))
    memory.turns(*(f"배포 deployment {one}" for one in texts))
    result = memory.retriever.search("deployment 배포", budget=budget, project="p")
    assert result.tokens == count_tokens(result.context) <= budget


def test_a_named_budget_is_used_for_full_texts(memory):
    memory.turns(
        *(f"deployment {i} " + "with many more words than a summary would ever show to anyone " * 4 for i in range(3))
    )
    small, large = (memory.retriever.search("deployment", budget=budget, project="p") for budget in (150, 2_000))
    assert small.tokens < large.tokens
    assert large.expanded == 3
    assert memory.retriever.search("deployment", project="p").expanded == 0


def test_every_hit_is_cited_in_the_context(memory):
    memory.turns("deployment one", "deployment two")
    result = memory.retriever.search("deployment", project="p")
    assert all(hit.citation in result.context and hit.citation.startswith("[mem:") for hit in result.hits)
    assert [detail.id for detail in memory.retriever.details([result.hits[0].citation[5:-1]])] == [result.hits[0].id]


def test_what_is_forgotten_is_not_found_again(memory):
    memory.turns("the vault code is 4711", "ok")
    assert memory.ask("vault code")
    memory.index.apply(["s0"], [], [], {})
    assert "s0" not in memory.ask("vault code")


def test_timeline(memory):
    memory.turns(*(f"turn {i}" for i in range(9)))
    memory.turns("elsewhere", session="t")
    entries = memory.retriever.timeline(["s4"], window=2)
    assert [entry.id for entry in entries] == ["s2", "s3", "s4", "s5", "s6"]
    assert [entry.is_target for entry in entries] == [False, False, True, False, False]
    assert [entry.id for entry in memory.retriever.timeline(["s0", "s1"], window=1)] == ["s0", "s1", "s2"]
    assert memory.retriever.timeline(["unknown"]) == []


def test_details(memory):
    memory.note("a", "see ```code``` in parser", title="Parser", tags=("x",))
    memory.note("b", "about the parser too")
    memory.index.apply(
        [], [], [Link("a", "ent:library:parser", "parser"), Link("b", "ent:library:parser", "parser")], {}
    )
    (detail,) = memory.retriever.details(["a", "unknown"])
    assert detail.has_code and detail.tags == ("x",)
    assert detail.tokens == count_tokens(detail.content)
    assert detail.related == (memory.retriever.details(["b"])[0].citation,)


def test_summaries_are_one_short_line():
    item = Item("a", "fact", "", "First ```code\nblock``` sentence. Second one.\n" + "w" * 500, 0)
    assert summarise_item(item) == "First [code] sentence."
    assert len(summarise_item(Item("a", "fact", "", "word " * 100, 0))) <= 100
    assert truncate_text("x" * 300, 100).endswith("…") and len(truncate_text("x" * 300, 100)) == 100


def test_times_go_there_and_back():
    at = datetime(2025, 6, 1, 12, tzinfo=UTC) + timedelta(microseconds=7)
    assert to_datetime(to_microseconds(at)) == at


@settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(st.characters(), max_size=300), st.integers(-3, 60))
def test_no_query_makes_it_fail(memory, query, k):
    if not memory.index.find(["s0"]):
        memory.turns("one text", "두 번째 글", "third?")
    result = memory.retriever.search(query, k=k, project="p")
    assert len(result.hits) <= max(0, k)
    assert not result.degraded
    assert all(0 <= hit.score <= 1 and 0 <= hit.probability <= 1 for hit in result.hits)


def test_the_same_search_gives_the_same_answer(memory):
    memory.turns(*(f"word{i % 3} and word{i % 5}" for i in range(30)))
    assert memory.retriever.search("word1 word2", k=20) == memory.retriever.search("word1 word2", k=20)
    assert EMBEDDER.name


def test_a_kind_that_nothing_has_is_refused(memory):
    memory.note("own", "the cluster has three nodes", kind="ledger")
    memory.retriever.check_request("a", 1)
    memory.retriever.check_request("a", 1, ["turn", "memory", "ledger"])
    with pytest.raises(UsageError, match=r"no kind `facts`: choose among turn, fact, .*ledger"):
        memory.retriever.check_request("a", 1, ["fact", "facts"])


def test_a_hit_says_where_it_lies(memory):
    memory.note("s", "def moor(ship)", kind="symbol", title="harbour.moor", ref="harbour/quay.py:12")
    memory.note("d", "How to moor a ship at the quay.", kind="document", title="Mooring", ref="the mooring guide")
    memory.note("c", "Moor ships by the bow", kind="commit", ref="0123456789abcdef")
    hits = memory.retriever.search("moor a ship", project="p").hits
    assert {hit.kind: hit.place for hit in hits} == {
        "symbol": "harbour/quay.py:12", "document": "", "commit": "0123456789"
    }  # fmt: skip
    assert "(harbour/quay.py:12)" in memory.retriever.search("moor a ship", project="p").context


def test_a_symbol_is_found_by_words_of_its_body_behind_one_that_says_them(memory):
    said = {"kind": "symbol", "title": "store.evict", "ref": "store.py:1"}
    does = {"kind": "symbol", "title": "store.put", "ref": "store.py:9"}
    memory.note("a", "def evict()\nRemove the oldest entry.", **said)
    memory.note("b", "def put()", body="oldest entry overflow", **does)
    assert memory.ask("oldest entry", kinds=["symbol"]) == ["a", "b"]
    assert memory.ask("overflow", kinds=["symbol"])[0] == "b"
    assert "overflow" not in memory.retriever.details(["b"])[0].content
    memory.note("b", "def put()", body="calm", **does)
    assert memory.index.unknown(["overflow", "calm"]) == ["overflow"]


def test_a_commit_stands_before_the_merge_that_repeats_it(memory):
    memory.note("m", "Merge pull request #7 from mia/drop-anchor\n\nDrop the anchor crate", kind="commit",
                title="Merge pull request #7 from mia/drop-anchor", ref="a" * 40)  # fmt: skip
    memory.note("c", "Drop the use of the anchor crate, which nobody maintains", kind="commit",
                title="Drop the use of the anchor crate, which nobody maintains", ref="b" * 40)  # fmt: skip
    assert memory.ask("why was the anchor crate dropped?", kinds=["commit"])[0] == "c"
    assert memory.ask("which pull request dropped the anchor crate?", kinds=["commit"])[0] == "m"


def test_a_test_inside_of_a_source_file_stands_behind_what_it_tests(memory):
    place = {"kind": "symbol"}
    memory.note("t", "fn strips_control_characters()", title="src.clean.tests.strips_control_characters",
                ref="src/clean.rs:80", **place)  # fmt: skip
    memory.note(
        "s", "fn sanitize(name) Removes control characters.", title="src.clean.sanitize", ref="src/clean.rs:9", **place
    )
    assert memory.ask("where are control characters removed?", kinds=["symbol"])[0] == "s"
    assert memory.ask("which tests check control characters?", kinds=["symbol"])[0] == "t"


REPORT = """Orders of guests are lost when the shop restarts while the queue is being written, which we saw twice last week.
The traceback ends with File "/srv/shop/storage/queue.py", line 12, in flush, and the orders of these customers never come back
afterwards; a test of restarting shows it, too. Expected: everything that was accepted is there after starting again."""


def test_a_report_leads_to_the_file_that_it_quotes_and_not_to_the_test(memory):
    for number in range(8):
        memory.note(f"o{number}", f"def restart{number}()\nRestart the shop and write orders of guests.", kind="symbol",
                    title=f"shop.web.restart{number}", ref=f"shop/web.py:{number + 1}")  # fmt: skip
    memory.note("t", "def test_restart()\nOrders of guests are lost when the shop restarts while the queue is written.",
                kind="symbol", title="tests.test_shop.test_restart", ref="tests/test_shop.py:3")  # fmt: skip
    memory.note("q", "def flush()\nWrite the queue of orders.", kind="symbol", title="storage.queue.flush",
                ref="storage/queue.py:9")  # fmt: skip
    assert memory.ask(REPORT, kinds=["symbol"])[0] == "q"
