"""A damaged graph: found, named, and made again from the log; never a silently wrong answer. Here are also the stores that the tests
of other damage take."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from support import ENGINE, with_deep
from typer.testing import CliRunner

from graphmem import Memory
from graphmem.backends.graph.engines import NATIVE
from graphmem.backends.graph.writer import GraphWriter
from graphmem.errors import BufferFull, StoreDamaged, StoreError
from graphmem.interfaces.cli.main import build
from graphmem.operations.pipeline import ReleaseMemory

QUIET = {"embedding.provider": "none", "graph.buffer_pool_mb": 64}
COUNT = "MATCH (t:Turn) RETURN count(*)"
UNCLEAN = """
import os, signal, sys
from graphmem import Memory
from graphmem.backends.log.sqlite_errors import as_store_error
from graphmem.backends.text.fts5 import open_index
mem = Memory.open(sys.argv[1], project="demo", settings={"embedding.provider": "none", "graph.buffer_pool_mb": 64})
for batch in range(4):
    mem.observe_many([{"content": f"turn {batch} {n} keeps the parser", "ref": f"{batch}-{n}"} for n in range(10)])
    mem.process()
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store whose owner was killed: the write-ahead logs are full."""
    store = tmp_path_factory.mktemp("killed") / "store"
    done = subprocess.run(
        [sys.executable, "-c", UNCLEAN, store], env={**os.environ, "XDG_RUNTIME_DIR": str(store.parent)}
    )
    assert done.returncode == -signal.SIGKILL
    assert not [file for file in store.iterdir() if file.stat().st_mode & 0o77]
    return store


@pytest.fixture(scope="module")
def processed(killed: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same store, repaired, processed and closed."""
    store = Path(shutil.copytree(killed, tmp_path_factory.mktemp("processed") / "store", copy_function=shutil.copy2))
    with open_store(store) as mem:
        mem.process()
    assert not list(store.glob("graph-*.wal"))
    return store


@pytest.fixture
def store(killed: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(killed, tmp_path / "store", copy_function=shutil.copy2))


@pytest.fixture
def closed(processed: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(processed, tmp_path / "closed", copy_function=shutil.copy2))


def open_store(store: Path) -> Memory:
    return Memory.open(store, project="demo", settings=QUIET)


def graph_of(store: Path) -> Path:
    return next(file for name in (f"graph-*.{ENGINE}", f"graph-*.{ENGINE}.zst") for file in store.glob(name))


def wal_of(store: Path) -> Path:
    return next(store.glob(f"graph-*.{ENGINE}.wal"))


def garble(file: Path, seed: int, start: int = 0) -> None:
    chance = random.Random(seed)
    data = bytearray(file.read_bytes())
    place = chance.randrange(start, len(data))
    data[place : place + 40] = chance.randbytes(len(data[place : place + 40]))
    file.write_bytes(data)


def shorten(file: Path, seed: int) -> None:
    os.truncate(file, random.Random(seed).randrange(file.stat().st_size))


def delete(store: Path, files: str) -> None:
    for file in store.glob(files):
        file.unlink()


def test_an_unclean_end_alone_costs_nothing(store: Path) -> None:
    assert wal_of(store).stat().st_size > 1000
    with open_store(store) as mem:
        assert mem.cypher(COUNT).rows == [[40]] and mem.health()["repaired"] == []


HARM: dict[str, Callable[[Path, int], None]] = {
    "wal shortened": lambda store, seed: shorten(wal_of(store), seed),
    "wal garbled": lambda store, seed: garble(wal_of(store), seed),
    "wal gone": lambda store, seed: wal_of(store).unlink(),
    "graph shortened": lambda store, seed: shorten(graph_of(store), seed),
    "graph garbled": lambda store, seed: garble(graph_of(store), seed),
    "graph gone": lambda store, seed: graph_of(store).unlink(),
    "graph replaced": lambda store, seed: graph_of(store).write_bytes(b"nothing of it is left" * 500),
    "graph a folder": lambda store, seed: (file := graph_of(store)).unlink() or file.mkdir(),  # type: ignore[func-returns-value]
    "seal gone": lambda store, seed: next(store.glob("graph-*.seal")).unlink(),
    "seal garbled": lambda store, seed: next(store.glob("graph-*.seal")).write_bytes(b"\xff{"),
}
DAILY_HARM = ["wal shortened", "wal gone", "graph garbled", "graph gone", "graph a folder", "seal garbled"]
LATER_HARM = {harm for harm in HARM if not harm.startswith("wal")}  # a closed graph has no write-ahead log


@pytest.mark.parametrize("harm", with_deep(DAILY_HARM, [harm for harm in HARM if harm not in DAILY_HARM]))
def test_a_damaged_graph_is_named_and_made_again(store: Path, harm: str) -> None:
    HARM[harm](store, 1)
    with open_store(store) as mem:
        assert mem.cypher(COUNT).rows == [[40]]
        report = mem.health()
        assert report["sound"]  # a write-ahead log is not even read: the graph goes on from its last checkpoint
        assert harm.startswith("wal") or any("graph" in line for line in report["repaired"])
        assert not any("run `graphmem" in line for line in report["repaired"])  # it was done


@pytest.mark.skipif(ENGINE not in NATIVE, reason="it has no buffer")
def test_a_graph_without_memory_at_a_checkpoint_is_made_again(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checkpoint, failures = GraphWriter.checkpoint, [RuntimeError("Buffer manager exception: the buffer pool is full")]

    def fails_once(writer: GraphWriter) -> None:
        if failures:
            raise failures.pop()
        checkpoint(writer)

    with open_store(store) as mem:
        mem.observe("one more turn keeps the parser")
        mem.process()
        monkeypatch.setattr(GraphWriter, "checkpoint", fails_once)
        with pytest.raises(BufferFull, match="made again from the log"):
            mem.cypher(COUNT)
        mem.process()  # an owner that runs for others does this by itself
        assert mem.cypher(COUNT).rows == [[41]]
        report = mem.health()
        assert report["sound"] and any("no memory left" in line for line in report["repaired"])


def test_a_graph_that_is_gone_is_made_again_and_who_asks_later_is_told(closed: Path) -> None:
    delete(closed, "graph-*")
    for when in ("the graph was missing", "the graph was missing: rebuilt from the log on"):
        with open_store(closed) as mem:
            assert mem.cypher(COUNT).rows == [[40]]
            assert any(line.startswith(when) for line in mem.health()["repaired"]) and mem.health()["sound"]


@pytest.mark.parametrize(
    "harm", with_deep(["seal gone", "graph shortened"], sorted(LATER_HARM - {"seal gone", "graph shortened"}))
)
def test_a_damaged_graph_that_was_closed_is_named_and_made_again(closed: Path, harm: str) -> None:
    HARM[harm](closed, 1)
    with open_store(closed) as mem:
        assert mem.cypher(COUNT).rows == [[40]]
        assert mem.health()["sound"] and any("graph" in line for line in mem.health()["repaired"])


@pytest.mark.parametrize(
    ("harm", "asleep"),
    with_deep(
        [("gone", True), ("garbled", False)],
        [
            ("replaced", False),
            ("garbled", True),
            ("gone", False),
            ("replaced", True),
            ("cut off", True),
            ("cut off", False),
        ],
    ),
)
def test_a_graph_that_is_lost_while_its_owner_runs_is_made_again(closed: Path, harm: str, asleep: bool) -> None:
    with open_store(closed) as owner:
        owner.process()
        if asleep:
            owner._store.run(ReleaseMemory())
        file = graph_of(closed)
        if harm == "garbled":
            garble(file, 5)
        elif harm == "cut off":
            os.truncate(file, 5_000)
        else:
            file.rename(file.with_name("away"))
        if harm == "replaced":
            shutil.copy(closed / "away", file)
            garble(file, 5)
        done = CliRunner().invoke(build(), ["cypher", COUNT, "--store", str(closed), "--json"])
        assert json.loads(done.stdout)["data"]["rows"] == [[40]]
        assert any(line.startswith("the graph") for line in owner.health()["repaired"])
        owner.observe("one more")
        owner.process()
        assert owner.cypher(COUNT).rows == [[41]] and owner.health()["sound"]
    with open_store(closed) as mem:
        assert mem.cypher(COUNT).rows == [[41]] and mem.health()["sound"]


@pytest.mark.parametrize("harm", with_deep(["garbled"], ["cut off"]))
def test_nothing_is_read_from_a_graph_that_another_program_wrote_to(closed: Path, harm: str) -> None:
    """Its engine would end the process, or never answer."""
    with open_store(closed) as mem:
        assert mem.health()["sound"] and mem._store.graph.cursors()
        file = graph_of(closed)
        if harm == "garbled":
            file.write_bytes(os.urandom(file.stat().st_size))
        else:
            os.truncate(file, 5_000)
        with pytest.raises(StoreDamaged, match="written to by another program: run `graphmem process`"):
            mem.cypher("MATCH (t:Turn) RETURN max(t.content)")
        mem.process()
        assert mem.cypher(COUNT).rows == [[40]] and mem.health()["sound"]


def test_a_store_that_is_read_only_is_searched_and_stays_as_it_is(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    unclosed = Path(shutil.copytree(store, tmp_path / "unclosed"))
    with open_store(store) as mem:
        mem.process()
        found = mem.search("parser", k=5).hits
    files = {file.name: file.read_bytes() for file in store.iterdir()}
    access = os.access  # the superuser may write whatever the mode is, but on no medium that is read-only
    monkeypatch.setattr(os, "access", lambda path, mode, **more: mode != os.W_OK and access(path, mode, **more))
    for folder in (store, unclosed):
        folder.chmod(0o500)
    try:
        with open_store(store) as mem:
            assert mem.search("parser", k=5).hits == found and mem.details(["0-1"]) and len(mem.history()) == 40
            assert mem.cypher(COUNT).rows == [[40]] and mem.stats()["nodes"]["Turn"] == 40 and mem.show("0-1")["node"]
            for form in ("log", "jsonld"):
                assert mem.export(tmp_path / form, format=form).records >= 40
            for write in (
                lambda: mem.observe("one more"),
                lambda: mem.tasks.create("Mend the gate"),
                lambda: mem.process(),
                lambda: mem.rebuild(),
                lambda: mem.forget("0-1"),
            ):
                with pytest.raises(
                    StoreError, match=rf"{store} is read-only.*run `chmod -R u\+rwX {store}`, or copy the store"
                ):
                    write()
            report = mem.health()
            assert report["problems"] == [f"permissions: {store} is read-only"]
            assert (
                len(report["advice"]) == 1 and "chmod" in report["advice"][0] and "rebuild" not in report["advice"][0]
            )
        assert {file.name: file.read_bytes() for file in store.iterdir()} == files
        with open_store(unclosed) as mem:
            with pytest.raises(StoreError, match=r"was not closed.*copy the store"):
                mem.search("parser")
            with pytest.raises(StoreError, match=r"the graph was not closed.*copy the store"):
                mem.cypher(COUNT)
            assert "rebuild" not in str(mem.health()["advice"])
    finally:
        for folder in (store, unclosed):
            folder.chmod(0o700)


@pytest.mark.deep
@pytest.mark.parametrize("seed", range(25))
@pytest.mark.parametrize("harm", ["wal shortened", "wal garbled", "graph garbled"])
def test_wherever_a_graph_is_damaged(store: Path, harm: str, seed: int) -> None:
    HARM[harm](store, seed)
    with open_store(store) as mem:
        assert mem.cypher(COUNT).rows == [[40]]


def test_a_copy_of_a_closed_store_is_trusted_a_changed_one_is_not(closed: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(closed, tmp_path / "copy", copy_function=shutil.copy))  # other times
    with open_store(copy) as mem:
        assert mem.cypher(COUNT).rows == [[40]] and mem.health()["repaired"] == []
    garble(graph_of(copy), 3)
    with open_store(copy) as mem:
        assert mem.cypher(COUNT).rows == [[40]] and mem.health()["repaired"]


def test_a_damaged_graph_on_a_log_that_lost_its_end_answers_nothing(store: Path) -> None:
    os.truncate(store / "log.db-wal", (store / "log.db-wal").stat().st_size // 2)
    garble(wal_of(store), 1)
    with open_store(store) as mem:
        with pytest.raises(StoreDamaged):
            mem.cypher(COUNT)
        with pytest.raises(StoreDamaged, match="lost its end"):
            mem.tasks.find()
        assert not mem.health()["sound"]
        mem.rebuild(accept_loss=True)
        assert mem.cypher(COUNT).rows == [[len(mem.history(limit=1000))]]
