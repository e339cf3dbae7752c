"""Every turn is in exactly one memory, however turns come: whatever their order, sessions, roles and marks, whether they
are followed at once or bit by bit. And graph and index say what the forest says."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import Hands, examples

from graphmem import Memory
from graphmem.backends.log.sqlite import SqliteLog
from graphmem.cognify.steps import run_steps
from graphmem.log.append import Recorder
from graphmem.model.events import Draft
from graphmem.tree.forest import Forest
from graphmem.tree.projection import SENSOR

SAID = [
    "The parser must never read files.",
    "By the way, lunch is at 12:30 with Ada.",
    "ok",
    "We decided to use SQLite 3.40 for the log because Kuzu locks.",
    "배포는 금요일 14시에 합니다.",
    "x" * 3_000,
    "Deploy to db-03 failed: disk full, 340 ms, 12.5%, $1,200, v2.4.1, three retries, ratio 3:1, port 8080, 2026-01-22.",
]
STEP = st.tuples(
    st.sampled_from(["user", "assistant", "tool", "end", "compact"]),
    st.sampled_from(["s1", "s2", "s3"]),
    st.sampled_from(SAID) | st.text(min_size=1, max_size=40),
    st.integers(0, 3_600_000_000),
)
TYPES = {"user": "user_prompt", "assistant": "agent_response", "tool": "tool_observation"}


def draft(step: tuple[str, str, str, int], clock: Hands) -> Draft:
    role, session, text, pause = step
    clock.time += pause
    kind = {"end": "session_end", "compact": "memory_compacted"}.get(role, TYPES.get(role, ""))
    payload: dict[str, Any] = {"role": role, "content": text} if role in TYPES else {}
    return Draft(kind, payload, clock.time, session, "p", role)


def told(forest: Forest) -> list[tuple[Any, ...]]:
    return sorted((w.proto.id, w.proto.turns, w.proto.reason, w.proto.trigger, w.tags, w.links) for w in forest.nodes())


@settings(max_examples=examples(60), deadline=None)
@given(st.lists(STEP, max_size=40), st.integers(1, 12))
def test_every_turn_is_reachable_byte_for_byte(steps: list[tuple[str, str, str, int]], stride: int) -> None:
    clock = Hands()
    with tempfile.TemporaryDirectory() as folder:
        log = SqliteLog(Path(folder) / "log.db", clock)
        recorder, bit_by_bit = Recorder(log), Forest()
        given_texts: dict[str, str] = {}
        for start in range(0, len(steps), stride):
            drafts = [draft(step, clock) for step in steps[start : start + stride]]
            for one, appended in zip(drafts, recorder.record(drafts), strict=True):
                if one.type in TYPES.values():
                    given_texts[appended.id] = log.get([appended.id])[appended.id].payload["content"]
            run_steps(log, log.read(), (SENSOR,))
            bit_by_bit.follow(log)
        at_once = Forest()
        at_once.follow(log)
        assert told(bit_by_bit) == told(at_once)
        kept = [turn for woven in at_once.nodes() for turn in woven.proto.turns]
        assert sorted(kept) == sorted(given_texts)
        originals = log.get(kept)
        assert {one: originals[one].payload["content"] for one in kept} == given_texts
        assert all(1 <= len(woven.tags) <= 3 for woven in at_once.nodes())
        log.close()


def talk(memory: Memory, session: str, texts: list[str]) -> list[str]:
    return memory.observe_many([{"content": text, "session": session} for text in texts])


def dump(memory: Memory) -> list[Any]:
    rows = memory.cypher("MATCH (m:Memory) RETURN m.id, m.digest, m.originals, m.tags, m.links ORDER BY m.id").rows
    edges = memory.cypher(
        "MATCH (m:Memory)-[r:DERIVED_FROM|TAGGED|NEXT|SHARES_TAG|SIMILAR_TO|PART_OF]->(o) RETURN m.id, label(r), o.id ORDER BY m.id, label(r), o.id"
    ).rows
    return [rows, edges]


@pytest.mark.usefixtures("default_engine")
def test_the_tree_is_in_the_store_and_survives_a_rebuild(memory: Memory) -> None:
    ids = talk(
        memory,
        "a",
        [
            f"The {word} of the harbour has {n} cranes and 3 boats."
            for n, word in enumerate("north south east west upper lower".split())
        ],
    )
    memory.process()
    talk(memory, "b", ["Ada keeps bees in Lisbon.", "The hives are blue.", "Honey is sold on Sundays."])
    memory.process()
    before = dump(memory)
    assert sorted(turn for row in before[0] for turn in row[2]) == sorted(
        [*ids, *(e.id for e in memory.history(session="b"))]
    )
    memory.rebuild()
    assert dump(memory) == before
    node = next(one for one in memory.tree.index().nodes if one.session == "b")
    assert [turn.content for turn in memory.tree.read(node.id).originals] == [
        "Ada keeps bees in Lisbon.",
        "The hives are blue.",
        "Honey is sold on Sundays.",
    ]
    assert not any(hit.kind in ("memory", "trigger") for hit in memory.search("harbour cranes").hits)


def test_what_is_forgotten_is_in_no_memory(memory: Memory) -> None:
    ids = talk(
        memory, "a", ["The safe opens with the word heliotrope.", "The garden has a pond.", "The pond has 7 carp."]
    )
    memory.process()
    memory.forget(ids[0], purge=True)
    assert "heliotrope" not in str(memory.tree.index()) + str(memory.tree.retrieve("heliotrope safe"))
    assert sorted(
        turn for node in memory.tree.index().nodes for turn in [o.id for o in memory.tree.read(node.id).originals]
    ) == sorted(ids[1:])


def test_marks_and_compaction_are_kept_in_the_log(memory: Memory) -> None:
    talk(memory, "a", ["The lamp in the hall is green."])
    memory.process()
    (node,) = memory.tree.index().nodes
    memory.tree.compact("a")
    assert memory.tree.mark(node.id, "passive").recall_mode == "passive"
    talk(memory, "a", ["The cellar is dry."])
    memory.process()
    assert memory.tree.index().total == 2
    memory.rebuild()
    assert memory.tree.read(node.id).node.recall_mode == "passive" and memory.tree.index().total == 2


def test_consolidation_keeps_the_originals_of_both(memory: Memory) -> None:
    twice = [
        "The lighthouse keeper paints the lighthouse lamp room every spring.",
        "The lighthouse lamp room needs white paint.",
        "Paint for the lighthouse costs 80 euros.",
    ]
    first = talk(memory, "a", twice)
    second = talk(memory, "b", [*twice[:2], "Paint for the lighthouse costs 90 euros."])
    talk(
        memory, "c", ["The choir sings Bach in the chapel.", "Rehearsals are on Tuesday.", "The organ is out of tune."]
    )
    memory.process()
    assert memory.tree.index().total == 3
    ((kept, gone, similarity),) = memory.tree.consolidate().merged
    assert similarity > 0.8 and memory.tree.index().total == 2
    reading = memory.tree.read(kept)
    assert [one.id for one in reading.originals] == [*first, *second]
    assert "80 euros" in reading.node.trigger and "90 euros" in reading.node.trigger
    assert memory.tree.read(gone).node.id == kept  # an old citation still leads there
    before = dump(memory)
    memory.rebuild()
    assert dump(memory) == before and not memory.tree.consolidate().merged
