"""A run as a whole, on a real store: what evolves is the same after a second run, after a year of days, and after a rebuild."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from graphmem import Memory, settings
from graphmem.errors import NotFound, UsageError
from graphmem.memify.passes import PASSES
from graphmem.memify.runs import NAMES, due_trigger
from graphmem.memify.usage import DAY, TYPES, fold_usage
from graphmem.store import Store
from tests.conftest import Hands

_TOPICS = {
    "database": "index query vacuum replica schema migration".split(),
    "interface": "button layout colour hover modal theme".split(),
    "pipeline": "runner docker artifact deploy stage cache".split(),
    "login": "token cookie password session oauth header".split(),
    "network": "socket retry timeout proxy latency dns".split(),
    "시험": "검사 결과 실패 목록 보고서 확인".split(),
}


@pytest.fixture
def mem(tmp_path: Path, clock: Hands) -> Iterator[Memory]:
    clock.time = 20_000 * DAY + DAY // 2
    with Memory(Store(tmp_path / "store", settings.load_settings(tmp_path), "demo", clock)) as memory:
        number = 0
        for topic, terms in _TOPICS.items():
            for place in range(8):
                number += 1
                text = (
                    f"The {topic} part: {terms[place % 6]} and {terms[(place + 1) % 6]} with {terms[(place + 3) % 6]}."
                )
                memory.observe(text, session=f"s{number % 4}", ref=f"t{number}", role="user")
        for session in ("s0", "s1", "s2"):
            memory.observe("We decided to use ruff instead of flake8 because it is faster.", session=session)
        memory.remember("Releases are tagged and built by the runner.", ref="tagging")
        memory.remember("Releases are tagged and built by the runner.", title="")
        memory.process()
        yield memory


def state(mem: Memory) -> dict[str, Any]:
    queries = {
        "facts": "MATCH (f:Fact) RETURN f.id, f.level, f.stage, f.importance, f.status",
        "turns": "MATCH (t:Turn) RETURN t.id, t.level, t.importance, t.status",
        "members": "MATCH (a:Turn)-[m:MEMBER_OF]->(c:Category) RETURN a.id, c.id, m.distance",
        "categories": "MATCH (c:Category) RETURN c.id, c.name, c.size, c.terms",
        "bonds": "MATCH (a:Fact)-[e:ASSOCIATED_WITH]->(b) RETURN a.id, b.id, e.weight",
        "told": "MATCH (s:Summary) RETURN s.id, s.kind, s.content",
    }
    return {name: sorted(map(str, mem.cypher(query).rows)) for name, query in queries.items()}


def fact(mem: Memory, part: str) -> list[Any]:
    rows = mem.cypher("MATCH (f:Fact) WHERE contains(f.content, $part) RETURN f.id, f.level, f.stage, f.status, f.importance",
                      {"part": part}).rows  # fmt: skip
    return list(min(rows))


def use(mem: Memory, item: str, times: int) -> None:
    for number in range(times):
        mem.used(shown=[item], chosen=[item], session=f"later{number % 4}")


def test_a_second_run_changes_nothing(mem: Memory) -> None:
    assert mem.memify().done
    once, events = state(mem), mem._store.log.head()
    assert not mem.memify().done and mem._store.log.head() == events
    forced = mem.memify(force=True)
    assert forced.done and state(mem) == once
    assert forced.counts["promoted"] == forced.counts["demoted"] == 0


def test_a_year_of_days_without_use_is_one_run_a_year_later(mem: Memory, clock: Hands, tmp_path: Path) -> None:
    use(mem, fact(mem, "ruff")[0], 12)
    mem.memify()
    mem.export(tmp_path / "log.jsonl")
    start = clock.time
    with Memory(Store(tmp_path / "other", settings.load_settings(tmp_path), "demo", clock)) as other:
        other.merge(tmp_path / "log.jsonl", trust=True)
        for day in range(1, 366, 28):
            clock.time = start + day * DAY
            other.memify(passes=["graduation", "importance", "association"])
        clock.time = start + 365 * DAY
        other.memify()
        daily = state(other)
    mem.memify()
    assert state(mem) == daily
    assert {row[0] for row in mem.cypher("MATCH (t:Turn) RETURN t.status").rows} == {"archived"}


def test_a_rebuild_gives_the_same(mem: Memory, clock: Hands) -> None:
    use(mem, fact(mem, "ruff")[0], 12)
    mem.memify()
    clock.time += 3 * DAY
    mem.observe("The network part: a proxy with latency and a socket.", session="s9")
    mem.memify(trigger="task_completion")
    mem.archive("t3")
    before, hits = state(mem), [hit.id for hit in mem.search("proxy latency socket").hits]
    mem.rebuild()
    assert state(mem) == before
    assert [hit.id for hit in mem.search("proxy latency socket").hits] == hits


def test_use_and_evidence_raise_a_fact_and_disuse_lowers_it(mem: Memory, clock: Hands) -> None:
    item = fact(mem, "ruff")[0]
    mem.memify()
    assert fact(mem, "ruff")[1:4] == [1, "working", "active"]
    use(mem, item, 12)
    report = mem.memify()
    assert report.counts["promoted"] == 1
    assert fact(mem, "ruff")[1:3] == [4, "certified"]
    (ledger,) = [event for event in mem.history() if event.type == "graduated"]
    assert [(move["item"], move["from"], move["to"]) for move in ledger.payload["moves"]] == [(item, 1, 4)]
    clock.time += 200 * DAY
    mem.memify()
    assert fact(mem, "ruff")[1] == 3


def test_what_is_wrong_is_not_found_until_it_is_restored(mem: Memory) -> None:
    item = fact(mem, "ruff")[0]
    assert mem.feedback(item, "wrong") == {"id": item, "verdict": "wrong"}
    assert item not in [hit.id for hit in mem.search("ruff or flake8").hits]
    assert mem.details([item]) and fact(mem, "ruff")[3] == "archived"
    mem.restore(item)
    assert item in [hit.id for hit in mem.search("ruff or flake8").hits] and fact(mem, "ruff")[3] == "active"
    with pytest.raises(NotFound):
        mem.archive("nobody")
    with pytest.raises(UsageError):
        mem.feedback(item, "nice")
    with pytest.raises(UsageError):
        mem.memify("whenever")
    with pytest.raises(UsageError):
        mem.memify(passes=["magic"])


def test_what_was_remembered_twice_is_found_once(mem: Memory) -> None:
    report = mem.memify()
    assert report.counts["duplicates"] == 1
    assert mem.cypher("MATCH (a:Fact)-[:DUPLICATES]->(b:Fact) RETURN count(*)").rows == [[1]]
    hits = [hit for hit in mem.search("how are releases tagged", kinds=["fact"]).hits if "tagged" in hit.content]
    assert len(hits) == 1


def test_categories_follow_the_content_and_keep_their_ids(mem: Memory, clock: Hands) -> None:
    mem.memify()
    first = {row[4]: row for row in mem.categories().rows}
    assert 5 <= len(first) <= 20 and all(row[1] >= 5 for row in first.values())
    topics = mem.cypher(
        "MATCH (t:Turn)-[:MEMBER_OF]->(c:Category) WHERE starts_with(t.content, 'The ') RETURN t.content, c.id"
    )
    pure = {}
    for content, category in topics.rows:
        pure.setdefault(category, []).append(content.split()[1])
    assert sum(max(map(names.count, names)) for names in pure.values()) / len(topics.rows) > 0.8
    assert {row[1] for row in mem.categories(history=True).rows} == {"born"}
    clock.time += DAY
    mem.observe("The login part: a password and a cookie with a token.", session="s8")
    mem.process()
    mem.memify()
    assert {row[4] for row in mem.categories().rows} == set(first)


def test_forgetting_reaches_what_was_concluded(mem: Memory) -> None:
    mem.memify()
    assert mem.cypher("MATCH (s:Summary {kind: 'recurring'}) RETURN s.content").rows
    for session in ("s0", "s1", "s2"):
        mem.forget(session=session)
    told = mem.cypher("MATCH (s:Summary) RETURN s.content").rows
    assert not [content for (content,) in told if "flake8" in content]


def test_the_names_of_passes_are_those_of_the_table() -> None:
    assert tuple(one.name for one in PASSES) == NAMES


def test_work_is_due_a_day_after_the_last_run(mem: Memory, clock: Hands) -> None:
    assert due_trigger(mem._store.log, mem._store.clock.now()) is None
    clock.time += DAY
    assert due_trigger(mem._store.log, mem._store.clock.now()) == "daily"
    mem.memify()
    assert due_trigger(mem._store.log, mem._store.clock.now()) is None
    assert mem.stats()["memify"]["categories"] >= 5
    task = mem.tasks.create("Write notes", status="in_progress")
    mem.tasks.update(task.id, status="done")
    clock.time += 2 * 3_600_000_000
    assert due_trigger(mem._store.log, mem._store.clock.now()) == "task_completion"


def test_a_proven_fact_ranks_before_an_equal_one_and_is_no_surer(mem: Memory) -> None:
    query = "what is decided on ruff"
    mem.remember("It was decided that ruff checks the imports.", ref="one")
    mem.remember("It was decided that ruff checks the imports too.", ref="two")
    mem.process()
    before = mem.search(query, kinds=["fact"])
    last = [hit for hit in before.hits if hit.ref in ("one", "two")][-1]
    use(mem, last.id, 40)
    mem.feedback(last.id, "useful")
    mem.memify()
    after = mem.search(query, kinds=["fact"])
    place = [hit.id for hit in after.hits].index(last.id)
    assert place < before.hits.index(last)
    assert after.hits[place].probability == pytest.approx(last.probability, abs=0.005)


@pytest.mark.parametrize("back", ["restore", "useful"])
def test_taking_back_a_rating_takes_back_what_it_decided_with_it(mem: Memory, back: str) -> None:
    """A fact that contradicts another one is contested again, and ranks as if it had never been rated."""
    texts = ("The ferry runs on port 4000.", "The ferry runs on port 5000.")
    mem.observe(texts[0], role="user", session="s0")
    mem.observe(texts[1], role="assistant", session="s1")
    mem.process()
    item = fact(mem, "port 5000")[0]
    contested = mem.query("facts_contested", {}).rows
    assert contested and fact(mem, "port 5000")[3] == "contested"
    mem.feedback(item, "wrong")
    assert not mem.query("facts_contested", {}).rows
    mem.restore(item) if back == "restore" else mem.feedback(item, "useful")
    assert mem.query("facts_contested", {}).rows == contested
    assert [fact(mem, text)[3] for text in texts] == ["contested", "contested"]
    assert item in [hit.id for hit in mem.search("ferry port").hits]
    mem.restore(item)
    assert mem.query("facts_contested", {}).rows == contested
    use = fold_usage(mem._store.log.read(types=TYPES)).items[item]
    assert use.wrong == 0
