"""The index of items: what is found, that nothing remains of what was removed, and that repeating changes nothing."""

import sqlite3

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import examples

from graphmem.backends.text import fts5
from graphmem.backends.text.fts5 import Fts5Index
from graphmem.backends.text.words import compound_grams, fold_name, query_terms
from graphmem.model.changes import Item, Link
from graphmem.ports.text import ItemFilter


@pytest.fixture
def index(tmp_path):
    found = Fts5Index(tmp_path / "index.db")
    yield found
    found.close()


def item(name, text, kind="fact", title="", **fields):
    return Item(name, kind, title, text, fields.pop("at", 0), event=f"event-{name}", **fields)


def found(index, query, **where):
    matches = index.search(dict.fromkeys(index.terms(query), 1.0), ItemFilter(**where), 20)
    return [stored.item.id for stored in index.items([match.row for match in matches])]


def test_words_are_stemmed_and_titles_weigh_more(index):
    index.apply([], [item("a", "a long failure followed"), item("b", "nothing here", title="Failures")], [], {})
    assert found(index, "failure") == ["b", "a"]
    assert found(index, "absent") == []


def test_parts_of_identifiers_and_korean_pairs_are_found(index):
    index.apply(
        [], [item("a", "class HttpRequestFactory"), item("b", "배포가 실패했다"), item("c", "snake_case_name")], [], {}
    )
    assert found(index, "request factory") == ["a"]
    assert found(index, "배포 실패") == ["b"]
    assert found(index, "case") == ["c"]


def test_filters(index):
    index.apply([], [
        item("a", "one word", kind="turn", session="s", project="p", at=10),
        item("b", "one word", project="q", at=20),
        item("c", "one word", at=30),
    ], [], {})  # fmt: skip
    assert sorted(found(index, "word")) == ["a", "b", "c"]
    assert found(index, "word", kinds=("turn",)) == ["a"]
    assert found(index, "word", session="s") == ["a"]
    assert sorted(found(index, "word", project="p")) == ["a", "c"]  # what belongs to no project is everybody's
    assert found(index, "word", since=20, until=30) == ["b"]
    assert found(index, "word", kinds=("nothing",)) == []


def test_a_turn_is_found_by_the_words_around_it(index):
    turns = [item(f"t{i}", text, kind="turn", session="s", sequence=i)
             for i, text in enumerate(["hello", "how was the marathon", "great, thanks", "good", "fine", "nice", "bye"])]  # fmt: skip
    index.apply([], turns, [], {})
    assert found(index, "marathon")[0] == "t1"
    assert sorted(found(index, "marathon")) == ["t0", "t1", "t2", "t3", "t4", "t5"]
    index.apply(["t1"], [], [], {})
    assert found(index, "marathon") == []
    assert index.neighbours([1], 2) == [[0, 0, 1, 3, 4]]


def test_late_turns_take_their_place(index):
    index.apply([], [item(f"t{i}", f"word{i}", kind="turn", session="s", sequence=i) for i in (0, 2)], [], {})
    found(index, "word0")
    index.apply([], [item("t1", "middle", kind="turn", session="s", sequence=1)], [], {})
    assert index.neighbours([3], 1) == [[1, 3, 2]]
    assert [stored.item.id for stored in index.around(3, 5)] == ["t0", "t1", "t2"]


def test_turns_without_a_session_are_no_neighbours(index):
    index.apply([], [item("a", "one", kind="turn", sequence=1), item("b", "two", kind="turn", sequence=2)], [], {})
    assert index.neighbours([1, 2], 1) == [[0, 1, 0], [0, 2, 0]]
    assert [stored.item.id for stored in index.around(1, 3)] == ["a"]


def test_a_changed_item_is_found_by_its_new_words_only(index):
    index.apply([], [item("a", "old words")], [Link("a", "ent:x", "Thing")], {"events": 1})
    index.apply([], [item("a", "new terms")], [], {"events": 2})
    assert found(index, "old") == []
    assert found(index, "terms") == ["a"]
    assert [stored.item.text for stored in index.find(["a"])] == ["new terms"]
    assert [entity for entity, _ in index.mentions.mentioning(["ent:x"], ItemFilter(), 5)] == ["ent:x"]
    assert index.cursors() == {"events": 2}


def test_applying_twice_changes_nothing(index, tmp_path):
    batch = ([], [item("a", "some text", tags=("x", "y"))], [Link("a", "e", "name"), Link("gone", "e", "n")], {"c": 1})
    index.apply(*batch)
    before = dump(tmp_path)
    index.apply(*batch)
    assert dump(tmp_path) == before


def test_nothing_remains_of_a_removed_item(index, tmp_path):
    index.apply([], [item("keep", "plain text")], [], {})
    before = dump(tmp_path)
    secret = item("gone", "zanzibar HttpZanzibar 비밀번호", title="Zanzibar")
    index.apply([], [secret], [Link("gone", "ent:zanzibar", "Zanzibar")], {})
    index.apply(["gone", "unknown"], [], [], {})
    assert found(index, "zanzibar") == []
    assert index.similar("zanzib", 5) == []
    assert index.mentions.named(["zanzibar"]) == []
    assert dump(tmp_path) == before
    index.purge()
    for file in tmp_path.iterdir():
        assert b"zanzibar" not in file.read_bytes().lower(), file.name


def dump(folder):
    """Every row of the tables that hold something of items; numbers of removals and names apart."""
    with sqlite3.connect(folder / "index.db") as db:
        return {table: db.execute(f"SELECT * FROM {table} ORDER BY 1, 2").fetchall()
                for table in ("items", "contents", "spellings", "entities", "mentions", "jobs")}  # fmt: skip


def test_misspelt_and_partial_words(index):
    index.apply([], [item("a", "reconfigure the scheduler")], [], {})
    assert index.similar("shceduler", 3)[0][0] == "scheduler"
    assert index.similar("config", 3)[0][0] == "reconfigure"
    assert index.similar("ab", 3) == []


def test_items_are_found_by_id_ref_and_citation(index):
    index.apply([], [item("a", "x", ref="R1"), item("b", "y")], [], {})
    cite = index.items([1])[0].cite
    assert [stored.item.id for stored in index.find(["R1", "b", cite, "none"])] == ["a", "b", "a"]


def test_citations_that_collide_are_told_apart(index, monkeypatch):
    from graphmem.backends.text import cites

    monkeypatch.setattr(cites, "citation_id", lambda event, salt=0, length=6: f"same{salt}" if salt else "same")
    index.apply([], [item("a", "x"), item("b", "y")], [], {})
    index.apply([], [item("c", "z")], [], {})
    assert [index.find([name])[0].cite for name in "abc"] == ["same", "same1", "same2"]


def test_names_meet_regardless_of_case_accents_and_punctuation(index):
    index.apply(
        [], [item("a", "x"), item("b", "y")], [Link("a", "e1", "Café-Crème"), Link("b", "e1", "Café-Crème")], {}
    )
    (mention,) = index.mentions.named(["cafe creme"])
    assert (mention.entity, mention.items) == ("e1", 2)
    assert index.mentions.mentioned([1]) == [(1, mention)]


def test_who_expects_much_commits_many_items_at_once_or_when_told_to(index, tmp_path, monkeypatch):
    monkeypatch.setattr(fts5, "_TOGETHER", 3)
    other = Fts5Index(tmp_path / "index.db")
    index.expect_much()
    for number, name in enumerate("abcd", 1):
        index.apply([], [item(name, "shared words")], [], {"events": number})
        assert found(index, "shared") == list("abcd"[:number]) and index.cursors() == {"events": number}
        assert found(other, "shared") == (list("abc") if number > 2 else [])
    index.settle()
    assert found(other, "shared") == list("abcd") and other.cursors() == {"events": 4}
    index.apply([], [item("e", "shared words")], [], {"events": 5})
    with pytest.raises(AttributeError):
        index.apply([], [None], [], {"events": 6})
    assert other.cursors() == index.cursors() == {"events": 4}  # what waited is taken back, too
    other.close()


def test_another_connection_sees_what_was_written_removed_and_emptied(index, tmp_path):
    other = Fts5Index(tmp_path / "index.db")
    index.apply([], [item("a", "shared words")], [], {})
    assert found(other, "shared") == ["a"]
    index.apply(["a"], [item("b", "shared words")], [], {})
    assert found(other, "shared") == ["b"]
    index.clear()
    assert found(other, "shared") == []
    index.apply([], [item("c", "shared words")], [], {})
    assert found(other, "shared") == ["c"]
    other.close()


def test_lone_surrogates_stop_nothing(index):
    broken = item("a", "half \ud83d an emoji", title="\udc00")
    index.apply([], [broken], [], {})
    index.apply([], [broken], [], {})
    assert found(index, "emoji") == ["a"]
    assert index.items([1])[0].item.text == "half ? an emoji"


def test_queries_are_never_syntax(index):
    index.apply([], [item("a", 'say "hello" AND NOT (world) NEAR title:x')], [], {})
    for query in ('"', "AND", 'he"llo', "NEAR(", "title:x", "*", "\0", "-a ^b", "(" * 50):
        found(index, query)
    assert found(index, 'hello" OR "world') == ["a"]


texts = st.lists(st.sampled_from("alpha beta gamma Delta HttpClient 배포 실패 the a".split()), max_size=6).map(" ".join)
steps = st.lists(st.tuples(st.sampled_from(["put", "drop"]), st.integers(0, 5), texts), max_size=25)


@settings(max_examples=examples(40), deadline=None)
@given(steps)
def test_any_history_equals_the_index_built_at_once(tmp_path_factory, history):
    folder = tmp_path_factory.mktemp("history")
    live, fresh = Fts5Index(folder / "live.db"), Fts5Index(folder / "fresh.db")
    state = {}
    for act, number, text in history:
        name = f"i{number}"
        if act == "put":
            state[name] = item(name, text, kind="turn", session="s", sequence=number)
            live.apply([], [state[name]], [], {})
        else:
            state.pop(name, None)
            live.apply([name], [], [], {})
        found(live, "alpha")  # keeps the caches in use
    fresh.apply([], list(state.values()), [], {})
    for query in ("alpha", "beta client", "배포", "http gamma delta"):
        assert scores(live, query) == scores(fresh, query)
    for index in (live, fresh):
        index.close()


def scores(index, query):
    matches = index.search(dict.fromkeys(index.terms(query), 1.0), ItemFilter(), 20)
    names = {stored.row: stored.item.id for stored in index.items([match.row for match in matches])}
    return {names[match.row]: (round(match.score, 3), round(match.coverage, 3)) for match in matches}


def test_a_version_is_found_as_one_word(index):
    titles = {"new": "5.1.0", "old": "1.0.5", "pin": "0.5.1 < 1.5.0", "newer": "5.1.2"}
    index.apply([], [item(name, "bread", title=title) for name, title in titles.items()], [], {})
    assert found(index, "5.1.0")[0] == "new"
    assert sorted(found(index, "v5.1")[:2]) == ["new", "newer"]
    assert compound_grams("5.1.0-rc1, 1.2.3.4.5.6, 10.5%.") == ["5v1", "5v1v0", "10v5"]


def test_a_latin_name_is_found_before_any_particle(index):
    index.apply([], [item("ttl", "캐시 TTL을 90초로 바꿨습니다."), item("port", "grpc 포트는 50051이야.")], [], {})
    assert [found(index, query) for query in ("TTL", "ttl이", "50051")] == [["ttl"], ["ttl"], ["port"]]


@given(st.text(max_size=200))
def test_terms_never_fail_and_folding_is_idempotent(text):
    assert all(query_terms(text)) and isinstance(compound_grams(text), list)
    assert fold_name(fold_name(text)) == fold_name(text)
