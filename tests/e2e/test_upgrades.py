"""Upgrades: a store of every released version opens and answers; a store of a later version is refused with one sentence."""

from __future__ import annotations

import os
import re
import runpy
import sqlite3
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from support import STOP_S, with_deep

from graphmem import Memory
from graphmem.errors import NotFound

ROOT = Path(__file__).parents[2]
STORES = ROOT / "fixtures" / "stores"
RELEASES = re.findall(r"^## (\d+\.\d+\.\d+) - \d{4}-\d\d-\d\d$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.M)
CALLERS = "MATCH (s:Symbol)-[:CALLS]->(t:Symbol) WHERE t.name = 'check' RETURN s.name"
GRAPHMEM = [sys.executable, "-m", "graphmem.interfaces.entry"]


def unpack(version: str, folder: Path) -> Path:
    store = folder / "store"
    with zipfile.ZipFile(STORES / f"{version}.zip") as archive:
        archive.extractall(store)
    store.chmod(0o700)
    for file in store.iterdir():
        file.chmod(0o600)
    return store


def finds(mem: Memory, query: str, words: str, k: int = 3) -> bool:
    return any(words in hit.content for hit in mem.search(query, k=k).hits)


def test_each_release_has_a_fixture_and_a_date() -> None:
    headings = re.findall(r"^## \d.*$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.M)
    assert len(headings) == len(RELEASES) >= 2 and all(re.search(r" - \d{4}-\d\d-\d\d$", line) for line in headings)
    assert {path.stem for path in STORES.glob("*.zip")} == set(RELEASES)


@pytest.mark.parametrize("version", RELEASES)
def test_a_store_of_each_release_opens_and_answers(version: str, tmp_path: Path) -> None:
    with Memory.open(unpack(version, tmp_path), project="ledger") as mem:
        mem.process()
        assert finds(mem, "why does the ledger count whole cents", "We decided that the ledger counts whole cents")
        assert finds(mem, "how are exports signed", "minisign")
        assert finds(mem, "결제 모듈은 어떤 데이터베이스를 사용하나요", "PostgreSQL")
        assert not finds(mem, "what is the old server called", "walnut", 50)  # forgotten before the upgrade
        with pytest.raises(NotFound):
            mem.show("server")
        assert [turn.ref for turn in mem.timeline(["turn-1"], window=1)] == ["turn-0", "turn-1", "turn-2"]
        assert {task.ref for task in mem.tasks.ready()} == {"T-1"}
        assert mem.tasks.blocked()[0].blockers[0].title == "the changelog review"
        assert mem.cypher("MATCH (c:Commit)-[:TOUCHES]->(f:File) RETURN f.path ORDER BY f.path").rows == [
            ["README.md"],
            ["ledger.py"],
        ]
        if not mem.cypher(CALLERS).rows:  # a code index of an earlier format is made again by the next `graphmem index`
            root = tmp_path / "ledger"
            root.mkdir()
            runpy.run_path(str(STORES / "make.py"))["make_repository"](root)
            mem.index_code(root)
        assert mem.cypher(CALLERS).rows == [["post"]]
        new = mem.remember("Imports are checked twice.")
        mem.process()
        assert mem.search("are imports checked").hits[0].id == new
        report = mem.health()
        assert report["sound"], report["problems"]
        kinds = ("Turn", "Fact", "Task", "Commit")  # symbols of a folder that is gone are not made again
        before = [mem.stats()["nodes"][kind] for kind in kinds]
        mem.rebuild()
        assert [mem.stats()["nodes"][kind] for kind in kinds] == before and mem.health()["sound"]


@pytest.mark.parametrize(
    "command", with_deep(["remember text", "rebuild"], ["search ledger", "process", "tasks ready", "stats"])
)
def test_a_store_of_a_later_version_is_refused_with_one_sentence(tmp_path: Path, command: str) -> None:
    store = unpack(RELEASES[0], tmp_path)
    with sqlite3.connect(store / "log.db") as db:
        db.execute("PRAGMA user_version = 99")
    db.close()
    before = (store / "log.db").read_bytes()
    done = subprocess.run(
        [*GRAPHMEM, *command.split(), "--store", str(store)],
        cwd=tmp_path, env=dict(os.environ), capture_output=True, text=True, timeout=STOP_S,
    )  # fmt: skip
    assert done.returncode == 1 and not done.stdout
    assert done.stderr == "graphmem: log.db was written by a later version of graphmem: update graphmem\n"
    assert (store / "log.db").read_bytes() == before
