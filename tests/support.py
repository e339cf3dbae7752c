"""What tests and their fixtures share: a git repository to write into, a clock that obeys, and ways to look at time that do
not depend on the machine. A module of its own, because `conftest` is a name that several folders have."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from graphmem.backends.remote import place

# The graph engine that this process tests: it can load only one of them (see `tests/contract/test_engines.py`).
ENGINE = os.environ.get("GRAPHMEM_GRAPH__ENGINE", "kuzu")
MEMORY_DISK = Path("/dev/shm")
EXPLORES = "GRAPHMEM_EXPLORE" in os.environ  # set before a release: new and many cases
STOP_S = 240.0  # no test waits longer for what takes a moment; no assertion on time is stricter


def examples(many: int) -> int:
    """Return how many cases a property test draws: an eighth of these daily, the same ones each day, all of them where new cases
    are looked for."""
    return many if EXPLORES else max(10, many // 8)


def with_deep(daily: Iterable[Any], deep: Iterable[Any]) -> list[Any]:
    """Return the values of a parameter: some every day, others before a release."""
    return [
        *daily,
        *(pytest.param(*each if isinstance(each, tuple) else (each,), marks=pytest.mark.deep) for each in deep),
    ]


def read_stored(file: Path) -> bytes:
    """What a file of a store holds, also if it is compressed."""
    if file.suffix != ".zst":
        return file.read_bytes()
    with pa.CompressedInputStream(pa.OSFile(str(file)), "zstd") as content:
        return bytes(content.read())


def another_disk(than: Path) -> Path | None:
    """A folder on another disk than this one, or None."""
    places = (MEMORY_DISK, Path(tempfile.gettempdir()), Path.cwd())
    return next((place for place in places if place.is_dir() and place.stat().st_dev != than.stat().st_dev), None)


def wait_until(done: Callable[[], object], seconds: float = STOP_S) -> None:
    """Look again and again until it is so."""
    deadline = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < deadline, f"it took more than {seconds:g} s"
        time.sleep(0.02)


def is_owned(store: Path) -> bool:
    """Whether a process has claimed the store."""
    claim = place.claim_ownership(store) if (store / place.LOCK).exists() else None
    if claim is not None:
        claim.release()
    return claim is None and (store / place.LOCK).exists()


def end_owner(store: Path, how: signal.Signals = signal.SIGTERM) -> int:
    """End the process that owns a store and wait until it is gone: the number of the process, or 0 if there was none. It may
    leave by itself at any moment, or have claimed the store and not yet said who it is. A store of this process stays."""
    ended = 0

    def is_free() -> bool:
        nonlocal ended
        if not is_owned(store):
            return True
        known = int(place.read_endpoint(store).get("pid", 0))
        if known not in (0, ended):
            ended = known
            if known != os.getpid():
                with suppress(ProcessLookupError):
                    os.kill(known, how)
        return ended == os.getpid()

    wait_until(is_free)
    return ended


def kill_owner(store: Path) -> None:
    """End the process that owns a store that nobody opens again: asked to end, it would first derive from what is new."""
    end_owner(store, signal.SIGKILL)


def kill_owners(home: Path) -> None:
    """Kill the owners of all stores below a folder that is no longer needed, also those that are about to start."""
    if not any(home.iterdir()):
        return
    for words in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            if all(word in words.read_bytes() for word in (b"graphmem.interfaces.daemon", os.fsencode(home))):
                os.kill(int(words.parent.name), signal.SIGKILL)
    for lock in [*home.glob(f"*/{place.LOCK}"), *home.glob(f"*/*/{place.LOCK}")]:
        kill_owner(lock.parent)


def processor_seconds(work: Callable[[], object], enough: float = 0.0, tries: int = 3) -> float:
    """The least processor time of this thread that a few runs took, without garbage collection. A run under `enough` is the
    last."""
    least = float("inf")
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        for _ in range(tries):
            started = time.thread_time()
            work()
            least = min(least, time.thread_time() - started)
            if least <= enough:
                break
    finally:
        if was_enabled:
            gc.enable()
    return least


def assert_about_linear(work: Callable[[int], object], large: int, enough: float = 1.0) -> None:
    """Sixteen times as much takes about sixteen times as long: four times that is granted to the machine, and what is quadratic
    takes sixteen times that. Where the large one takes less than `enough` seconds, nobody asks; only one that seems to take
    too long is run again. Daily, a quarter of it is measured: what is quadratic then takes a sixteenth."""
    if not EXPLORES:
        large, enough = large // 4, enough / 16
    took = processor_seconds(lambda: work(large), tries=1)
    if took > enough:
        small = processor_seconds(lambda: work(large // 16))
        if took >= 64 * small:
            took = processor_seconds(lambda: work(large), 64 * small, tries=2)
        assert took < 64 * small, f"{took:.2f} s, and {small:.3f} s for a sixteenth"


class Repository:
    """A git repository under the test's control."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.mkdir(parents=True, exist_ok=True)
        self.git("init", "-q", "-b", "main")

    def git(self, *arguments: str, at: int = 1_700_000_000) -> str:
        identity = {"NAME": "Ada", "EMAIL": "ada@example.org", "DATE": f"{at} +0000"}
        environment = {
            **os.environ,
            **{f"GIT_{who}_{key}": value for who in ("AUTHOR", "COMMITTER") for key, value in identity.items()},
        }
        done = subprocess.run(
            ["git", "-C", str(self.path), *arguments], check=True, capture_output=True, text=True,
            env=environment | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"},
        )  # fmt: skip
        return done.stdout.strip()

    def write(self, name: str, text: str | bytes) -> Path:
        file = self.path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode() if isinstance(text, str) else text)
        return file

    def commit(self, message: str, files: dict[str, str | bytes] | None = None, at: int = 1_700_000_000) -> str:
        for name, text in (files or {}).items():
            self.write(name, text)
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message, at=at)
        return self.git("rev-parse", "HEAD")


class Hands:
    """A clock that a test moves; its random bytes count up."""

    def __init__(self) -> None:
        self.time = 1_700_000_000_000_000
        self.drawn = 0

    def now(self) -> int:
        return self.time

    def random(self, size: int) -> bytes:
        self.drawn += 1
        return self.drawn.to_bytes(size, "big")
