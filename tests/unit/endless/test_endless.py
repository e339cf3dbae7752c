"""Endless mode: nothing leaves the working set before a memory keeps it, whatever happens and in however many processes;
what goes on is handed to the agent; what was compacted comes back."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import count as numbered
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support import Hands

from graphmem import Memory
from graphmem.endless.consolidate import consolidate_due, join_singles
from graphmem.endless.trail import read_trail
from graphmem.endless.working import Context, continuity, continuity_label, working_set
from graphmem.hooks.endless import endless_context
from graphmem.hooks.endless_gate import endless_injection
from graphmem.hooks.respond import respond
from graphmem.model.events import Draft
from graphmem.settings import load_settings
from graphmem.store import Store
from graphmem.tree.sensor import Sensed

MINUTE = 60_000_000
QUIET = {"embedding.provider": "none"}
SAID = [
    "Move the billing service to the new invoice table.",
    "The tokenizer of the parser drops quotes in src/parse.py.",
    "Deploy the harbour crane firmware 2.4 on Friday with Ada.",
    "송장 테이블을 새 서버로 옮겨 주세요.",
    "ok",
]


def opened(folder: Path, clock: Hands) -> Store:
    return Store(folder, load_settings(None, QUIET), "demo", clock)


@pytest.fixture
def store(tmp_path: Path, clock: Hands) -> Iterator[Store]:
    made = opened(tmp_path / "store", clock)
    yield made
    made.close()


def hook(store: Store, event: str, session: str = "s1", **given_: Any) -> str:
    answer = respond(store, event, {"session_id": session} | given_, extras=(endless_injection,))
    return str(answer.get("hookSpecificOutput", {}).get("additionalContext", ""))


def act(store: Store, number: int, session: str) -> None:
    """Turns as an agent makes them."""
    if number % 3 == 2:
        hook(store, "PostToolUse", session, tool_name="Edit", tool_use_id=f"t{number}", tool_response="ok",
             tool_input={"file_path": f"src/part{number % 7}.py", "new_string": "x"})  # fmt: skip
    else:
        hook(store, "UserPromptSubmit", session, prompt=f"{SAID[number // 20 % 4]} Step {number}.")


def switch_on(store: Store) -> None:
    """As `enable` does, without a past to load and a graph to write."""
    payload = {"mode": "endless", "upto": store.clock.now(), "days": 0}
    store.recorder.record([Draft("endless_changed", payload, store.clock.now(), "", "demo", "user")])


def groups(store: Store) -> list[list[str]]:
    return [group for event in store.log.read(types=["turns_consolidated"]) for group in event.payload["groups"]]


def turns(store: Store) -> list[str]:
    return [event.id for event in store.log.read(types=["user_prompt", "tool_observation", "agent_response"])]


def check(store: Store, every: list[str]) -> None:
    seen = read_trail(store)
    kept = Counter(one for group in groups(store) for one in group)
    pending = [event.id for event in seen.pending]
    assert sorted([*kept.elements(), *pending]) == sorted(every)  # in a memory or waiting, once
    shown = {one.id for one in working_set(seen)}
    assert set(pending) <= shown and len(shown) <= max(100, len(pending))


@settings(max_examples=6, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.tuples(st.integers(1, 30), st.sampled_from(["s1", "s2"]), st.sampled_from([1, 1, 1, 20, 45, 800, 2000]),
                          st.sampled_from(["", "", "SessionEnd", "PreCompact", "manual"])), max_size=10))  # fmt: skip
def test_nothing_leaves_before_a_memory_keeps_it(
    tmp_path_factory: pytest.TempPathFactory, plan: list[tuple[int, str, int, str]]
) -> None:
    clock = Hands()
    store = opened(tmp_path_factory.mktemp("endless"), clock)
    switch_on(store)
    number = 0
    for count, session, pause, end in plan:
        clock.time += pause * MINUTE
        for _ in range(count):
            clock.time += 7_000_000
            act(store, number, session)
            number += 1
        if end == "manual":
            consolidate_due(store, "manual")
            assert not read_trail(store).pending
        elif end:
            hook(store, end, session)
        check(store, turns(store))
    store.close()


def test_the_mode_is_switched_and_loads_the_past(store: Store, clock: Hands) -> None:
    memory = Memory(store)
    for number in range(30):
        clock.time += MINUTE
        act(store, number, "old")
    assert hook(store, "SessionStart", "s2") == "" and memory.endless.status().mode == "session"
    report = memory.endless.enable()
    assert report.loaded == 30 and report.events == 30
    status = memory.endless.status()
    assert (
        status.mode == "endless" and status.session == "endless_2023-11-14" and status.consolidated == report.memories
    )
    assert status.files and 0 < status.working_set <= 100 and status.pending == 0
    told = hook(store, "SessionStart", "s3")
    assert "invoice table" in told and "continuity" in told
    assert memory.endless.enable().loaded == 0
    memory.endless.disable()
    assert "continuity" not in hook(store, "SessionStart", "s4") and memory.endless.memories()  # it keeps what it knows


def test_a_prompt_gets_what_has_to_do_with_it_once(store: Store, clock: Hands) -> None:
    switch_on(store)
    for number in range(24):
        clock.time += MINUTE
        act(store, number, "one")
    told = hook(store, "UserPromptSubmit", "two", prompt="Where does the tokenizer of the parser drop quotes?")
    assert "src/parse.py" in told and "billing" not in told
    assert (
        hook(store, "UserPromptSubmit", "two", prompt="Where does the tokenizer of the parser drop its quotes?") == ""
    )
    assert hook(store, "UserPromptSubmit", "two", prompt="What is the capital of Portugal, please?") == ""


def test_memories_are_in_the_graph_and_forget(store: Store, clock: Hands) -> None:
    memory = Memory(store)
    memory.endless.enable()
    for text in ("The vault code is heliotrope.", "The vault is behind the mill.", "The mill has a red door."):
        clock.time += MINUTE
        hook(store, "UserPromptSubmit", prompt=text)
    assert memory.endless.consolidate().events == 3
    rows = "MATCH (s:Summary)-[:SUMMARIZES]->(t:Turn) RETURN s.content, count(t)"
    ((content, count),) = memory.cypher(rows).rows
    assert "heliotrope" in content and count == 3 and "heliotrope" in memory.endless.memories("vault code")[0].summary
    memory.forget(turns(store)[0])
    ((content, count),) = memory.cypher(rows).rows
    assert "heliotrope" not in content and "mill" in content and count == 2
    assert "heliotrope" not in hook(store, "SessionStart", "next")
    memory.rebuild()
    assert memory.cypher(rows).rows == [[content, count]] and memory.endless.status().mode == "endless"


def test_summaries_of_sessions_outlive_what_is_forgotten(store: Store, clock: Hands) -> None:
    memory = Memory(store)
    made = {"command": "git commit -m Fix", "commits": [["abc1234", "Fix the parser"]]}
    memory.observe("The parser drops quotes, please mend it.", session="s1")
    memory.observe("[main abc1234] Fix the parser", session="s1", role="tool", metadata=made)
    gone = memory.observe("The vault code is heliotrope.", session="s2")
    memory.forget(gone)
    rows = "MATCH (s:Summary) RETURN s.id"
    summaries = memory.cypher(rows).rows
    assert summaries == [["summary:demo:s1"]]
    memory.rebuild()
    assert memory.cypher(rows).rows == summaries


def test_what_was_in_context_before_a_compaction_comes_back(store: Store, clock: Hands) -> None:
    for number in range(12):
        clock.time += MINUTE
        act(store, number, "s1")
    hook(store, "UserPromptSubmit", prompt="Our plan is <private>the merger</private> port 8443 for db-03.")
    hook(
        store,
        "PostToolUse",
        tool_name="Bash",
        tool_use_id="b",
        tool_input={"command": "make test"},
        error="Exit code 2\nboom",
    )
    hook(store, "PreCompact")
    told = hook(store, "SessionStart", source="compact")
    assert "Move the billing service" in told and "8443" in told and "make test" in told and "src/part2.py" in told
    assert "merger" not in told and "[mem_" in told
    assert "billing" not in hook(store, "SessionStart", "s1", source="resume")


def test_continuity_is_honest() -> None:
    def of(topics: str, files: str = "", begin: int = 0) -> Context:
        return Context(frozenset(topics.split()), frozenset(files.split()), frozenset(), begin, begin)

    same = continuity(of("parser quotes"), of("parser quotes"))
    assert continuity_label(same) == "seamless" and same == 1.0  # what neither side has does not count
    assert continuity_label(continuity(of("parser quotes"), of("billing", begin=10 * 86_400_000_000))) == "break"
    assert continuity(of("parser", begin=5), of("parser", begin=1)) == 1.0  # a clock that went back
    assert continuity_label(None) == "none"


SCRIPT = """
import json, sys
from pathlib import Path
sys.path[:0] = json.loads(sys.argv[3])
import test_endless as t
t.play_part(Path(sys.argv[1]), *map(int, sys.argv[2].split(":")))
"""


def play_part(folder: Path, start: int, end: int) -> None:
    """Some of the events; each opens the store."""
    clock = Hands()
    for number in range(start, end):
        clock.time = 1_700_000_000_000_000 + number * 40_000_000 + (number // 60) * 2_400_000_000
        store = opened(folder, clock)
        act(store, number, f"s{number // 40}")
        store.close()


def play(folder: Path, total: int, each: int) -> None:
    """The same events through processes that handle `each` of them and end; all of them in this process if it is one."""
    clock = Hands()
    store = opened(folder, clock)
    switch_on(store)
    store.close()
    if each >= total:
        play_part(folder, 0, total)
        return
    here = Path(__file__).parent
    places = json.dumps([str(here), str(here.parent.parent)])
    for start in range(0, total, each):
        span = f"{start}:{min(total, start + each)}"
        subprocess.run([sys.executable, "-c", SCRIPT, str(folder), span, places], check=True, timeout=900)


def told_after(folder: Path, total: int) -> tuple[Any, ...]:
    clock = Hands()
    clock.time = 1_700_000_000_000_000 + total * 40_000_000 + (total // 60) * 2_400_000_000 + MINUTE
    store = opened(folder, clock)
    check(store, turns(store))
    assert len(turns(store)) == total
    found = (endless_context(store, "next", "", set()).text, groups(store), working_set(read_trail(store)))
    store.close()
    return found


def test_many_processes_say_what_one_says(tmp_path: Path) -> None:
    play(tmp_path / "one", 66, 66)
    play(tmp_path / "many", 66, 33)
    assert told_after(tmp_path / "many", 66) == told_after(tmp_path / "one", 66)


@pytest.mark.deep
@pytest.mark.timeout(7_200)
def test_a_thousand_events_through_a_thousand_processes(tmp_path: Path) -> None:
    play(tmp_path / "one", 1_000, 1_000)
    play(tmp_path / "many", 1_000, 1)
    assert told_after(tmp_path / "many", 1_000) == told_after(tmp_path / "one", 1_000)


@given(st.lists(st.lists(st.sampled_from("abc"), min_size=1, max_size=4), max_size=6))
def test_no_memory_is_made_of_a_single_turn_and_none_is_lost(groups: list[list[str]]) -> None:
    numbers = numbered()
    turns = [
        [
            Sensed(f"e{n}", session, "demo", n, n, "user", "", "", "", (), (), (), False, False, ())
            for session, n in zip(group, numbers, strict=False)
        ]
        for group in groups
    ]
    joined, alone = join_singles(turns)
    assert all(len(group) > 1 for group in joined)
    assert sorted(turn.event for group in (*joined, *alone) for turn in group) == sorted(
        turn.event for group in turns for turn in group
    )
    assert not (joined and alone)
    assert len(alone) <= 1


def test_the_same_question_is_not_handed_over_again(store: Store, clock: Hands) -> None:
    switch_on(store)
    question = "Which table does the billing service read its invoices from?"
    for session in ("s1", "s2"):
        hook(store, "UserPromptSubmit", session, prompt=question)
        clock.time += MINUTE
    hook(store, "Stop", "s2", message="The billing service reads its invoices from the table invoice_lines.")
    assert question not in hook(store, "UserPromptSubmit", "s3", prompt=question)
