"""Whatever happens, in whatever order, with whatever clocks: what was built up step by step equals a replay."""

from __future__ import annotations

import os
import pickle
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from subprocess import PIPE, Popen
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support import STOP_S

from graphmem import Memory
from graphmem.backends.remote import client
from graphmem.errors import GraphmemError
from graphmem.model.events import Draft
from graphmem.settings import load_settings
from graphmem.store import Store
from graphmem.sync import pipeline

sys.path.insert(0, str(Path(__file__).parent.parent.parent / "e2e"))
from workload import QUIET, state

TEXTS = st.sampled_from(
    [
        "We decided to keep the parser",
        "The cache must never block",
        "한국어 메모리",
        "src/app.py because of `run`",
        "ok",
    ]
)
REFS = st.sampled_from([None, "r1", "r2", "r3"])
SESSIONS = st.sampled_from(["a", "b"])
PATHS = st.sampled_from(["docs/a.md", "docs/b.md"])
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("observe"), TEXTS, SESSIONS, REFS),
        st.tuples(st.just("observe_many"), st.lists(st.tuples(TEXTS, SESSIONS, REFS), min_size=1, max_size=4)),
        st.tuples(st.just("remember"), TEXTS, REFS, st.lists(st.sampled_from(["x", "y"]), max_size=2), st.integers(0, 3)),
        st.tuples(st.just("document"), PATHS, st.lists(TEXTS, max_size=3)),
        st.tuples(st.just("task"), st.integers(0, 3), st.sampled_from(["new", "start", "block", "label", "done"])),
        st.tuples(st.just("forget"), st.sampled_from(["r1", "r2", "r3", "a", "fact"])),
        st.tuples(st.just("clock"), st.integers(-(10**10), 10**10)),
        st.tuples(st.just("process")),
    ),
    max_size=25,
)  # fmt: skip


class Turning:
    """A clock that jumps."""

    time = 1_700_000_000_000_000

    def now(self) -> int:
        return self.time

    def random(self, size: int) -> bytes:
        return os.urandom(size)


class Play:
    """The steps on a store."""

    def __init__(self, folder: Path) -> None:
        self.clock = Turning()
        self.mem = Memory(Store(folder, load_settings(None, QUIET), "demo", self.clock))
        self.turns: list[str] = []
        self.sections: dict[str, int] = {}

    def step(self, name: str, *arguments: Any) -> None:
        try:
            getattr(self, name)(*arguments)
        except GraphmemError as error:
            assert type(error).__name__ in ("NotFound", "UsageError"), error

    def observe(self, text: str, session: str, ref: str | None) -> None:
        self.turns.append(self.mem.observe(text, session=session, ref=ref))

    def observe_many(self, turns: list[tuple[str, str, str | None]]) -> None:
        self.turns += self.mem.observe_many([{"content": t, "session": s, "ref": r} for t, s, r in turns])

    def remember(self, text: str, ref: str | None, tags: list[str], evidence: int) -> None:
        at = datetime.fromtimestamp(1_600_000_000, UTC)
        self.mem.remember(text, ref=ref, tags=tags, files=["src/app.py"], evidence=self.turns[:evidence], at=at)

    def document(self, path: str, texts: list[str]) -> None:
        payload = {"path": path, "digest": str(texts), "replaced": self.sections.get(path, 0),
                   "sections": [[f"T{n}", text, n + 1] for n, text in enumerate(texts)]}  # fmt: skip
        self.sections[path] = len(texts)
        self.mem._store.recorder.record(
            [Draft("document_observed", payload, self.clock.now(), "", "demo", "import", None)]
        )

    def task(self, number: int, act: str) -> None:
        known = [task for task in self.mem.tasks.find() if task.title == f"Task {number}"]
        if act == "new" or not known:
            self.mem.tasks.create(f"Task {number}", labels=["x"])
        elif act == "block":
            self.mem.tasks.update(known[0].id, status="blocked", blocked_by=[f"Task {number + 1}"])
        elif act == "label":
            self.mem.tasks.update(known[0].id, labels=["y"], files=["src/app.py"])
        else:
            facts = [row[0] for row in self.mem.cypher("MATCH (f:Fact) RETURN f.id ORDER BY f.id LIMIT 1").rows]
            self.mem.tasks.update(known[0].id, status="in_progress")
            if act == "done":
                self.mem.tasks.update(known[0].id, status="done", facts=facts)

    def forget(self, target: str) -> None:
        if target == "a":
            self.mem.forget(session=target)
        elif target == "fact":
            rows = self.mem.cypher("MATCH (f:Fact) WHERE f.stage = 'working' RETURN f.id ORDER BY f.id LIMIT 1").rows
            self.mem.forget(rows[0][0] if rows else "nothing")
        else:
            self.mem.forget(target)

    def process(self) -> None:
        self.mem.process()


def play(steps: list[tuple[Any, ...]]) -> None:
    with tempfile.TemporaryDirectory() as name:
        playing = Play(Path(name))
        with playing.mem:
            for step, *arguments in steps:
                if step == "clock":
                    playing.clock.time += arguments[0]
                else:
                    playing.step(step, *arguments)
            playing.mem.process()
            grown = state(playing.mem, Path(name))
            playing.mem.process()
            assert state(playing.mem, Path(name)) == grown  # nothing is done twice
            playing.mem.rebuild()
            assert state(playing.mem, Path(name)) == grown


@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(steps=STEPS)
def test_growing_equals_replaying(steps: list[tuple[Any, ...]]) -> None:
    play(steps)


@pytest.mark.deep
@pytest.mark.timeout(7_200)
@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
@given(steps=STEPS)
def test_growing_equals_replaying_many_times(steps: list[tuple[Any, ...]]) -> None:
    play(steps)


def test_a_lost_index_gets_everything_back_and_nothing_else(tmp_path: Path) -> None:
    said = ["We decided to use pnpm instead of npm.", "We decided to use pnpm instead of npm!", "Should the cart stay?"]
    with Memory.open(tmp_path, project="demo", settings=QUIET) as mem:
        mem.observe_many([{"content": text, "role": "assistant", "session": "s"} for text in said])
        made = {"command": "git commit", "writes": ["src/app.py"], "commits": [["abc1234", "Fix"]]}
        mem.observe_many([{"content": "done", "role": "tool", "session": "s", "metadata": made}])
        mem.process()
        whole = state(mem, tmp_path)
    assert any("'summary'" in item for item in whole["items"])
    for file in tmp_path.glob("index.db*"):
        file.unlink()
    with Memory.open(tmp_path, project="demo", settings=QUIET) as mem:
        mem.process()
        assert state(mem, tmp_path) == whole


def test_an_index_filled_beside_is_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Memory.open(tmp_path, project="demo", settings=QUIET) as mem:
        for number in range(40):
            mem.observe(f"We decided to keep word{number % 7} in src/app{number % 3}.py", session=f"s{number % 2}")
        mem.forget(session="s1")
        mem.process()
        whole = state(mem, tmp_path)
        filled = []
        start = client.start_worker
        monkeypatch.setattr(pipeline, "MIN_EVENTS_FOR_HELPER", 0)
        monkeypatch.setattr(client, "start_worker", lambda *what: filled.append(start(*what)) or filled[-1])
        mem.rebuild()
        assert state(mem, tmp_path) == whole and [one.returncode for one in filled] == [0, 0]
        lost = [sys.executable, "-c", "import os; os.close(1); os.read(0, 1)"]
        monkeypatch.setattr(
            client, "start_worker", lambda *what: Popen(lost, stdin=PIPE, stdout=PIPE)
        )  # where they die
        mem.rebuild()
        assert state(mem, tmp_path) == whole
        monkeypatch.setattr(client, "start_worker", lambda *what: None)  # where no process can be started
        mem.rebuild()
        assert state(mem, tmp_path) == whole


@pytest.mark.parametrize("said", [b"", pickle.dumps(([], ["half an order" * 100]))[:500]])
def test_what_writes_the_index_ends_with_the_owner(tmp_path: Path, said: bytes) -> None:
    with Memory.open(tmp_path, project="demo", settings=QUIET) as mem:
        mem.observe("We decided to keep the parser")
    helper = client.start_worker("fill", tmp_path)
    assert helper is not None and helper.stdin is not None
    with helper:
        helper.stdin.write(said)
        helper.stdin.close()
        assert helper.wait(STOP_S) == 1
