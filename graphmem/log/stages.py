"""How far `init` is: a small file in the store. `status` reads it without opening the store, and an owner finds in it what
it has to complete. Commands without much time import this module, so its own imports are minimal."""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Callable, Mapping
from typing import NamedTuple

from graphmem.plurals import counted

FILE = "init.json"
CODE, HISTORY, TEXT, VECTORS, FACTS = STAGES = ("code", "history", "text", "vectors", "facts")
_WORK = {CODE: "indexing the code", HISTORY: "reading the history", TEXT: "indexing texts", FACTS: "deriving facts",
         VECTORS: "computing vectors"}  # fmt: skip
_BEGUN_BY = {"deriving": FACTS, "embedding": VECTORS}  # progress of `process` that starts a stage
_READY_BY = {"linked": CODE}  # progress of a stage from which it is ready, before all of its work is done
TO_PARSE = "to parse"  # progress that tells the number of files, before they are parsed
_COUNTED = {"parsing": CODE, "reading git": HISTORY, "projecting": TEXT, "embedding": VECTORS}
_SOONEST_S, _LEAST_SHARE = 2.0, 0.02  # of a stage, before its remaining time is told: the first steps say nothing
_WRITE_S = 0.2  # between two updates of the file
_STALLED_S = 900.0  # without an update, after which nobody seems to be at work; facts are derived without any
_QUIET_S = 5.0  # without an update, after which nobody waits any longer
_POLL_S = 0.05
_ATTEMPTS = 3  # by owners that ended during it


class Stage(NamedTuple):
    """A part of `init`: the steps done, the steps expected (0: unknown), and the seconds from the start until it was ready
    (None: it is not)."""

    name: str
    done: int = 0
    total: int = 0
    ready_s: float | None = None


class InitState(NamedTuple):
    """What the file says: the arguments of `init`, its stages in order, when it began and when the stage at work did (seconds
    since 1970), why it failed, how often an owner resumed it, and when that was written."""

    folder: str
    sessions: str
    stages: tuple[Stage, ...]
    begun: float
    stage_begun: float
    failure: str = ""
    attempts: int = 0
    at: float = 0.0

    @property
    def current(self) -> Stage | None:
        """Return the first stage that is not ready."""
        return next((stage for stage in self.stages if stage.ready_s is None), None)

    @property
    def is_pending(self) -> bool:
        """Return whether something is left to do that did not fail."""
        return self.current is not None and not self.failure

    @property
    def is_stalled(self) -> bool:
        """Return whether nobody has worked on it for a while."""
        return self.is_pending and time.time() - self.at > _STALLED_S

    def is_ready(self, name: str) -> bool:
        """Return whether a stage is ready."""
        return any(stage.name == name and stage.ready_s is not None for stage in self.stages)

    @property
    def remaining_s(self) -> float | None:
        """Return the seconds that the stage at work will still take, None if too little of it is done to know."""
        stage = self.current
        passed = self.at - self.stage_begun
        if (
            stage is None
            or not stage.done < stage.total
            or stage.done < max(1, _LEAST_SHARE * stage.total)
            or passed < _SOONEST_S
        ):
            return None
        return passed / stage.done * max(0, stage.total - stage.done)


def read_state(store: str) -> InitState | None:
    """Return the state of the last `init` of a store, None if there was none or the file is damaged."""
    try:
        with open(os.path.join(store, FILE), encoding="utf-8") as file:  # noqa: PTH118
            told = json.load(file)
        stages = tuple(sorted((Stage(*stage) for stage in told.pop("stages")), key=_place))
        return InitState(stages=stages, **told)
    except (OSError, ValueError, TypeError, AttributeError, KeyError):
        return None


def _place(stage: Stage) -> int:
    return STAGES.index(stage.name)  # earlier versions wrote them in another order


def describe(state: InitState, *, has_owner: bool = True) -> str:
    """Return one line: what is ready, what is being done with its total and remaining time, and what follows. Without an owner
    nobody is at work."""
    stage = state.current
    if stage is None:
        return "ready: " + ", ".join(f"{one.name} after {one.ready_s:.1f} s" for one in state.stages)
    ready = ", ".join(one.name for one in state.stages if one.ready_s is not None) or "nothing"
    rest = [one.name for one in state.stages[state.stages.index(stage) + 1 :]]
    if state.failure or state.is_stalled or not has_owner:
        why = state.failure or "it was interrupted"
        who = "`graphmem init`" if state.failure else "the next hook or `graphmem init`"
        return f"ready: {ready}; stopped while {_WORK[stage.name]}: {why}; {who} continues"
    counts = f": {stage.done:,} of {stage.total:,}" if stage.total else ""
    if counts and stage.name not in _COUNTED.values():  # only its size is known
        counts = f" of {counted(stage.total, 'event')}"
    left = f", {state.remaining_s:.0f} s left" if state.remaining_s is not None else ""
    return f"ready: {ready}; {_WORK[stage.name]}{counts}{left}" + (f"; then {', '.join(rest)}" if rest else "")


class StageTracker:
    """Writes the file while `init` runs. Itself a progress callback, which passes everything on to another one."""

    def __init__(
        self,
        store: str,
        folder: str,
        sessions: str,
        report: Callable[[str, int], None],
        totals: Mapping[str, Callable[[], int]],
        resumed: InitState | None = None,
    ) -> None:
        """`totals` returns the number of steps of a stage when it begins. What was ready in `resumed` stays ready."""
        now = time.time()
        self._store, self._report, self._totals = store, report, totals
        self._state = InitState(folder, sessions, tuple(Stage(name) for name in STAGES), now, now)
        if resumed is not None:
            self._state = resumed._replace(stage_begun=now, attempts=resumed.attempts + 1)
        self._write()

    def __call__(self, stage: str, count: int) -> None:
        """Count steps of the stage at work; some of them begin one."""
        current = self._state.current
        if (begins := _BEGUN_BY.get(stage)) and current and STAGES.index(begins) > STAGES.index(current.name):
            self.begin(begins)
            current = self._state.current
        if current is not None and stage == TO_PARSE and current.name == CODE:
            self._set(current._replace(done=0, total=count))
        elif current is not None and _READY_BY.get(stage) == current.name:
            self.finish(STAGES.index(current.name) + 1)
        elif current is not None and _COUNTED.get(stage) == current.name:
            done = current.done + count
            self._set(current._replace(done=min(done, current.total) if current.total else done))
        if time.time() - self._state.at > _WRITE_S:
            self._write()
        self._report(stage, count)

    def begin(self, name: str) -> None:
        """Begin a stage: all before it are ready."""
        self._finish(STAGES.index(name))
        total = self._totals[name]() if name in self._totals else 0
        self._set(Stage(name, total=total))
        self._state = self._state._replace(stage_begun=time.time())
        self._write()

    def finish(self, number: int = len(STAGES)) -> None:
        """Mark the first stages as ready; all by default."""
        self._finish(number)
        self._write()

    def fail(self, why: str) -> None:
        """Note that it failed: no owner tries again."""
        self._state = self._state._replace(failure=why)
        self._write()

    def _finish(self, number: int) -> None:
        now = round(time.time() - self._state.begun, 2)
        for stage in self._state.stages[:number]:
            if stage.ready_s is None:
                self._set(stage._replace(done=stage.total or stage.done, ready_s=now))

    def _set(self, changed: Stage) -> None:
        stages = tuple(changed if stage.name == changed.name else stage for stage in self._state.stages)
        self._state = self._state._replace(stages=stages)

    def _write(self) -> None:
        """Replace the file. A store that cannot be written has other problems, which `init` reports."""
        self._state = self._state._replace(at=time.time())
        path = os.path.join(self._store, FILE)  # noqa: PTH118
        fresh = f"{path}.{os.getpid()}"
        told = json.dumps(self._state._asdict()).encode()
        try:
            handle = os.open(fresh, os.O_CREAT | os.O_TRUNC | os.O_WRONLY | os.O_NOFOLLOW, 0o600)
            with open(handle, "wb") as file:
                file.write(told)
            os.replace(fresh, path)  # noqa: PTH105
        except OSError:
            with contextlib.suppress(OSError):
                os.unlink(fresh)  # noqa: PTH108
            if self._state.failure:
                _overwrite(path, told)


def _overwrite(path: str, told: bytes) -> None:
    """Write into the space that a file has: on a full disk there is no other, and `status` has to know of the failure."""
    try:
        with open(os.open(path, os.O_WRONLY | os.O_NOFOLLOW), "wb") as file:
            file.write(told)
            file.truncate()
    except OSError:
        return


def attempts_left(state: InitState) -> bool:
    """Return whether an owner should try to complete it: not after several that ended meanwhile."""
    return state.attempts < _ATTEMPTS


def wait_until_ready(store: str, name: str, longest_s: float) -> None:
    """Wait until `init` has completed a stage: while it makes progress, and at most so long. Does not wait if no `init` is
    at work."""
    deadline = time.monotonic() + longest_s
    while (state := read_state(store)) is not None and state.is_pending and not state.is_ready(name):
        if time.monotonic() > deadline or time.time() - state.at > _QUIET_S:
            return
        time.sleep(_POLL_S)
