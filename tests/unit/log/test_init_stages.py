"""How far `init` is: what the file in the store says, and who completes what was interrupted."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest
from support import Repository

from graphmem import Memory
from graphmem.errors import UsageError
from graphmem.interfaces.noted import split_note
from graphmem.interfaces.verbs.general import cypher
from graphmem.log import stages
from graphmem.log.stages import (
    CODE,
    FACTS,
    HISTORY,
    TEXT,
    VECTORS,
    InitState,
    Stage,
    StageTracker,
    describe,
    read_state,
)
from graphmem.operations.reading import ResumeInit


def state(store: Path) -> InitState:
    found = read_state(str(store))
    assert found is not None
    return found


def test_each_stage_is_ready_once_the_next_one_begins(tmp_path: Path) -> None:
    passed: list[tuple[str, int]] = []
    tracker = StageTracker(str(tmp_path), "/here", "", lambda *step: passed.append(step), {HISTORY: lambda: 40})
    assert describe(state(tmp_path)).startswith("ready: nothing; indexing the code; then history")
    tracker("parsing", 3)
    tracker.begin(HISTORY)
    tracker("reading git", 10)
    tracker("projecting", 5)  # of a stage that has not begun
    tracker.finish(0)
    found = state(tmp_path)
    assert found.is_ready(CODE) and not found.is_ready(HISTORY) and found.current == (HISTORY, 10, 40, None)
    assert "ready: code; reading the history: 10 of 40; then" in describe(found)  # too early to know how long it takes
    tracker.begin(TEXT)
    tracker("embedding", 0)
    tracker("embedding", 7)
    assert state(tmp_path).is_ready(TEXT) and not state(tmp_path).is_ready(VECTORS)
    tracker("deriving", 0)
    tracker("embedding", 5)  # of what was derived: nothing goes back
    assert state(tmp_path).is_ready(VECTORS) and state(tmp_path).current == (FACTS, 0, 0, None)
    tracker.finish()
    found = state(tmp_path)
    assert not found.is_pending and all(found.is_ready(name) for name in (CODE, HISTORY, TEXT, FACTS, VECTORS))
    assert describe(found).startswith("ready: code after 0.0 s, history after") and passed[0] == ("parsing", 3)
    assert (tmp_path / stages.FILE).stat().st_mode & 0o77 == 0 and len(list(tmp_path.iterdir())) == 1


def test_the_remaining_time_is_told_once_some_of_the_work_is_done() -> None:
    def left(done: int, seconds: float) -> float | None:
        return InitState("/here", "", (Stage(HISTORY, done, 3_016),), 0.0, 100.0, at=100.0 + seconds).remaining_s

    assert left(1, 7.3) is None and left(60, 30.0) is None and left(2_000, 1.9) is None and left(0, 30.0) is None
    assert left(61, 2.0) == pytest.approx(2.0 * 2_955 / 61)


def test_a_failure_is_noted_where_no_file_can_be_made(tmp_path: Path) -> None:
    tracker = StageTracker(str(tmp_path), "/here", "", lambda stage, count: None, {})
    tracker.begin(HISTORY)
    (tmp_path / f"{stages.FILE}.{os.getpid()}").mkdir()  # as on a full disk
    tracker("reading git", 5)
    tracker.fail("the disk is full")
    assert "stopped while reading the history: the disk is full;" in describe(state(tmp_path))


def test_stages_in_the_order_of_an_earlier_version_are_understood(tmp_path: Path) -> None:
    StageTracker(str(tmp_path), "/here", "", lambda stage, count: None, {}).begin(TEXT)
    file = tmp_path / stages.FILE
    written = json.loads(file.read_text())
    written["stages"] = [*written["stages"][:3], *reversed(written["stages"][3:])]
    file.write_text(json.dumps(written))
    assert [stage.name for stage in state(tmp_path).stages] == list(stages.STAGES)
    assert StageTracker(str(tmp_path), "/here", "", lambda stage, count: None, {}, state(tmp_path)) is not None
    assert state(tmp_path).current == (TEXT, 0, 0, None)


def test_a_failure_and_an_interruption_say_how_to_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tracker = StageTracker(str(tmp_path), "/here", "", lambda stage, count: None, {})
    tracker.begin(HISTORY)
    monkeypatch.setattr(stages, "_STALLED_S", -1.0)
    assert describe(state(tmp_path)).endswith("it was interrupted; the next hook or `graphmem init` continues")
    tracker.fail("the disk is full")
    assert not state(tmp_path).is_pending
    assert describe(state(tmp_path)) == (
        "ready: code; stopped while reading the history: the disk is full; `graphmem init` continues"
    )


@pytest.mark.parametrize("text", ["", "{", "[]", '{"stages": 3}', '{"stages": [["code"]], "folder": 1}'])
def test_a_damaged_file_says_nothing(tmp_path: Path, text: str) -> None:
    (tmp_path / stages.FILE).write_text(text)
    assert read_state(str(tmp_path)) is None


def test_a_search_waits_as_long_as_there_is_progress(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tracker = StageTracker(str(tmp_path), "/here", "", lambda stage, count: None, {})
    begun = time.monotonic()
    stages.wait_until_ready(str(tmp_path), TEXT, 0.2)
    assert time.monotonic() - begun >= 0.2
    monkeypatch.setattr(stages, "_QUIET_S", -1.0)
    stages.wait_until_ready(str(tmp_path), TEXT, 3_600)  # nobody works on it
    tracker.begin(FACTS)
    stages.wait_until_ready(str(tmp_path), TEXT, 3_600)
    stages.wait_until_ready(str(tmp_path / "none"), TEXT, 3_600)


def test_what_was_interrupted_is_completed_but_not_for_ever(memory: Memory, repository) -> None:
    repository.commit(
        "Add the crane", {"crane.py": "def lift():\n    return 1\n", "README.md": "# Crane\n\nIt lifts.\n"}
    )
    with pytest.raises(UsageError, match="only an owner process continues by itself"):
        memory.init(repository.path, wait=False)
    memory.init(repository.path)
    whole = state(memory.location)
    assert whole.current is None
    interrupt(memory.location, whole, attempts=1)
    assert "init" in memory.search("crane").degraded and memory.stats()["init"]["stages"][1]["ready_s"] is None
    assert "rows may be missing (ready: code; " in split_note(cypher(memory, "RETURN 1 AS n"))[1]
    memory._store.run(ResumeInit())
    assert split_note(cypher(memory, "RETURN 1 AS n"))[1] == ""
    assert state(memory.location).current is None and state(memory.location).attempts == 2
    assert "init" not in memory.search("crane").degraded
    interrupt(memory.location, whole, attempts=3)
    memory._store.run(ResumeInit())
    assert state(memory.location).failure == "the owner ended unexpectedly each time"
    memory._store.run(ResumeInit())
    assert state(memory.location).current == whole.stages[1]._replace(ready_s=None)


def interrupt(store: Path, whole: InitState, attempts: int) -> None:
    """Write what an owner leaves that was killed while it read the history."""
    left = [stage if stage.name == CODE else stage._replace(ready_s=None) for stage in whole.stages]
    (store / stages.FILE).write_text(
        json.dumps(whole._replace(stages=left, attempts=attempts, at=time.time())._asdict())
    )


def test_the_summary_shows_the_sources_of_a_project_before_its_tests_and_lock_files(tmp_path: Path) -> None:
    code = "export function shared() {}\nexport function used() { shared() }\n"
    test = "import { shared } from '../a'\nclass Helper {}\ntest('one', () => { shared(); new Helper() })\ntest('two', () => { new Helper() })\n"
    repository = Repository(tmp_path / "app")
    repository.commit(
        "Start", {"a.ts": code, "tests/a.test.ts": test, "pnpm-lock.yaml": "a: 1\n", "package.json": "{}\n"}
    )
    for number in range(3):
        repository.commit(f"Bump {number}", {"pnpm-lock.yaml": f"a: {number + 2}\n"})
    with Memory.open(tmp_path / "store", project="app") as memory:
        report = memory.init(repository.path)
    assert [row[0] for row in report.central] == ["a.shared"]
    assert [row[0] for row in report.hot] == ["a.ts"]
    assert "Which files change together with a.ts?" in [example.question for example in report.examples]
