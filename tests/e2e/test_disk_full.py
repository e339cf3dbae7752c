"""Where the disk is full, an append is durable or says so, and the projections catch up later."""

from __future__ import annotations

import errno
import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

from graphmem import Memory
from graphmem.backends.log.sqlite_errors import translate_errors
from graphmem.errors import StoreDamaged, StoreError
from graphmem.interfaces.cli.main import describe

QUIET = {"embedding.provider": "none", "graph.buffer_pool_mb": 64}
FULL = """
import resource, signal, sys
from graphmem import Memory
from graphmem.errors import GraphmemError
mem = Memory.open(sys.argv[1], project="demo", settings={"embedding.provider": "none", "graph.buffer_pool_mb": 64})
mem.observe("first")
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, resource.RLIM_INFINITY))
refused = 0
for n in range(200):
    try:
        print(mem.observe(f"turn {n} " + "x" * 5000), flush=True)
    except GraphmemError as error:
        assert type(error).__name__ == "StoreError", error
        refused += 1
assert refused
print("refused", file=sys.stderr)
"""


def test_a_full_disk_refuses_and_loses_nothing(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", FULL, tmp_path / "s"], capture_output=True, text=True)
    assert done.returncode == 0 and "refused" in done.stderr, done.stderr
    said = done.stdout.split()
    assert said
    with Memory.open(tmp_path / "s", project="demo", settings=QUIET) as mem:
        mem.process()
        assert {event.id for event in mem.history(limit=1000)} >= set(said)
        assert mem.cypher("MATCH (t:Turn) RETURN count(*)").rows == [[len(said) + 1]]
        assert mem.health()["sound"]


def test_a_full_disk_is_reported_with_the_next_step(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "log.db")) as db:
        db.execute("CREATE TABLE kept (text)")
        db.execute("PRAGMA max_page_count = 2")
        expected = r"is full: free some space, then run the same command again; .* not lost"
        with pytest.raises(StoreError, match=expected), translate_errors("the event was not stored"):
            db.execute("INSERT INTO kept VALUES (zeroblob(100000))")
    said, status = describe(OSError(errno.ENOSPC, "No space left on device", "/disk/file"))
    assert said.startswith("/disk/file: no space left on device: free some space") and status == 1


def test_a_store_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    (tmp_path / "log.db").mkdir()
    with Memory.open(tmp_path, settings=QUIET) as mem:
        try:
            mem.observe("one")
        except Exception as error:  # noqa: BLE001
            assert type(error).__name__ in ("StoreError", "StoreDamaged") and "log.db" in str(error)
        else:
            raise AssertionError("it was accepted")
    assert list((tmp_path / "log.db").iterdir()) == []


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A folder on a disk of 6 MB."""
    disk = tmp_path / "disk"
    disk.mkdir()
    if os.getuid() or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=6m", "tmpfs", disk]).returncode:
        pytest.skip("only root can make a small disk")
    yield disk
    subprocess.run(["umount", "-l", disk], check=True)


def test_what_a_full_disk_cut_off_is_not_to_be_rebuilt_first(small_disk: Path, tmp_path: Path) -> None:
    said = "the graph cannot be trusted: a checkpoint was interrupted"
    elsewhere = StoreDamaged(f"{said}: run `graphmem rebuild`", path=str(tmp_path / "s" / "graph.kuzu"))
    assert str(elsewhere).endswith("run `graphmem rebuild`")
    here = StoreDamaged(f"{said}: run `graphmem rebuild`", path=str(small_disk / "s" / "graph.kuzu"))
    assert str(here).startswith(f"{said}: the disk is full: free some space, then run the same command again")


@pytest.mark.deep
def test_search_answers_on_a_full_disk_and_nothing_is_damaged(small_disk: Path) -> None:
    with Memory.open(small_disk / "s", project="demo", settings=QUIET) as mem:
        for n in range(20):
            mem.observe(f"turn {n} of the crane " + " ".join(f"w{n}x{m}" for m in range(8_000)))
        with pytest.raises(StoreError, match="full"):
            mem.process()
        (small_disk / "filler").write_bytes(b"x" * (os.statvfs(small_disk).f_bavail * 4096))
        found = mem.search("crane")
        assert "behind the log" in found.degraded["index"]
    with Memory.open(small_disk / "s", project="demo", settings=QUIET) as mem:
        assert "behind the log" in mem.search("crane").degraded["index"]
        with pytest.raises(StoreError):
            mem.process()
    subprocess.run(["mount", "-o", "remount,size=90m", small_disk], check=True)
    with Memory.open(small_disk / "s", project="demo", settings=QUIET) as mem:
        mem.process()
        assert mem.health()["problems"] == [] and mem.search("crane").hits
        assert mem.cypher("MATCH (t:Turn) RETURN count(*)").rows == [[20]]


def test_damage_that_only_a_rebuild_mends_has_that_advice_alone(tmp_path: Path) -> None:
    store = tmp_path / "s"
    with Memory.open(store, project="demo", settings=QUIET) as mem:
        mem.observe("The crane stops at noon.")
        mem.process()
        mem.observe("It goes on at one.")
    with (store / "index.db").open("r+b") as file:
        file.seek(5_000)
        file.write(b"damage")
    with Memory.open(store, project="demo", settings=QUIET) as mem:
        advice = mem.health()["advice"]
        assert len(advice) == 1 and "graphmem rebuild" in advice[0]


@pytest.mark.parametrize("used", [True, False], ids=["known", "fresh"])
def test_what_hooks_are_told_while_the_disk_is_full_is_recorded_later(small_disk: Path, used: bool) -> None:
    """Also where no hook ran before, so that nothing of the spool exists on the full disk."""
    store, repository = small_disk / "s", small_disk / "work"
    subprocess.run(["mount", "-o", "remount,size=90m", small_disk], check=True)
    subprocess.run(["git", "init", "-q", repository], check=True)

    def hook(prompt: str) -> tuple[int, str, str]:
        given = {"hook_event_name": "UserPromptSubmit", "session_id": "s", "prompt": prompt, "cwd": str(repository)}
        done = subprocess.run(
            [sys.executable, "-m", "graphmem.interfaces.entry", "hook", "UserPromptSubmit"],
            input=json.dumps(given), capture_output=True, text=True, cwd=repository,
            env={**os.environ, "GRAPHMEM_STORE": str(store), "GRAPHMEM_EMBEDDING__PROVIDER": "none", "GRAPHMEM_HOOK_LIMIT_S": "60"},
        )  # fmt: skip
        return done.returncode, done.stdout.strip(), done.stderr

    told = ["the crane stops"] if used else []
    for prompt in told:
        assert hook(prompt)[0] == 0
    with Memory.open(store, project="demo", settings=QUIET) as mem:
        kept = mem.remember("The crane weighs two tons.")
        mem.process()
        (repository / "long.md").write_text("# Manual\n\n" + "The crane turns. " * 5_000)
        with (small_disk / "filler").open("wb", buffering=0) as filler, suppress(OSError):
            while filler.write(bytes(4096)):
                pass
        for prompt in ("full one", "full two"):
            status, answer, said = hook(prompt)
            assert (status, said.count("\n") < 2, "Traceback" in said) == (0, True, False) and json.loads(answer) == {}
            told.append(prompt)
        for use in (lambda: mem.remember("x" * 30_000), lambda: mem.ingest("documents", repository), mem.rebuild):
            with pytest.raises(StoreError, match="full"):
                use()
        assert mem.search("crane").hits
    (small_disk / "filler").unlink()
    with Memory.open(store, project="demo", settings=QUIET) as mem:
        mem.process()
        assert [event.payload["content"] for event in mem.history(types=["user_prompt"])] == told
        assert mem.event(kept) and mem.search("two tons").hits and mem.health()["problems"] == []
        assert mem.cypher("MATCH (f:Fact) RETURN count(*)").rows == [[1]]
