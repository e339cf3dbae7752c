"""The benchmark of sizes, memory and whole processes measures what it says, and runs real commands."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from support import Repository

from graphmem.bench import footprint, weight
from graphmem.errors import NotFound, UsageError
from graphmem.interfaces.cli.benchmarks import measure, print_weight


def test_an_installation_is_all_that_is_required_and_nothing_else() -> None:
    sizes = footprint.installed_sizes()
    assert {"graphmem", "kuzu", "numpy", "spacy", "tree-sitter-python"} <= set(sizes)
    assert not {"pytest", "langchain-core", "playwright"} & set(sizes)  # of extras
    assert sizes["graphmem"] > 1_000_000 and list(sizes.values()) == sorted(sizes.values(), reverse=True)


def test_an_extra_of_a_requirement_is_counted() -> None:
    assert "httptools" in footprint.installed_sizes("nicegui")  # it requires uvicorn[standard]
    assert "httptools" not in footprint.installed_sizes("uvicorn")
    assert footprint.installed_sizes("no-such-package") == {}


def test_files_of_a_store_belong_to_parts(tmp_path: Path) -> None:
    for name, size in {"log.db": 5_000, "log.db-wal": 9_000, "graph-1.kuzu": 4_096, "copy-graph-1.kuzu": 4_096}.items():
        (tmp_path / name).write_bytes(os.urandom(size))
    with (tmp_path / "index.db").open("wb") as file:
        file.truncate(1 << 24)  # a hole
    found = footprint.store_sizes(tmp_path)
    assert found["log"] >= 14_000 and found["graph"] >= 4_096 and found["copy of the graph"] >= 4_096
    assert found["text"] < 1 << 20


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_the_memory_of_a_process_is_told_from_that_of_its_children() -> None:
    held = f"import sys; held = bytearray({50 << 20}); print(flush=True); sys.stdin.read()"
    program = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {held!r}]).wait()"
    with subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        found = footprint.process_memory(process.pid)
        assert found.helpers > 50 << 20 > found.pss >= found.uss > 0
        assert footprint.processor_seconds(process.pid) > 0
        process.communicate()


@pytest.mark.deep
def test_all_figures_are_those_of_real_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(weight, "_SEARCHES", 2)
    monkeypatch.setattr(weight, "_COLD", 1)
    monkeypatch.setattr(weight, "_LISTED", 1_000)
    monkeypatch.setattr(weight.run, "__defaults__", (None, 0.0))
    harbour = Repository(tmp_path / "harbour")
    harbour.write("crane.py", "def lift_load(load):\n    return load\n\n\ndef unload_ship():\n    lift_load(1)\n")
    harbour.commit("The crane lifts loads")
    before = dict(os.environ)
    measure("weight", tmp_path / "harbour", 2, False)
    assert dict(os.environ) == before
    found = json.loads(capsys.readouterr().out)
    print_weight(found)
    printed = capsys.readouterr().out
    for told in ("installed:", "numpy", "after init", "after 2 searches", "init, first code answer", "tasks ready"):
        assert told in printed
    assert found["stores"]["in use"]["log"] > 0 and found["stores"]["empty"]["all"] > 0
    assert found["steps"]["init, first code answer"][0] <= found["steps"]["init, whole"][0]
    for commands in found["commands"].values():
        assert commands.pop(weight._PYTHON_NAME)["ratio"] == 1
        assert all(each["median_ms"] >= each["cpu_ms"] / os.cpu_count() > 0 for each in commands.values())


def test_a_folder_that_cannot_be_measured_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        weight.run(2, tmp_path)
    notes = Repository(tmp_path / "notes")
    notes.write("notes.md", "# Notes\n")
    notes.commit("Begin the notes")
    with pytest.raises(UsageError, match="no function that can be asked about"):
        weight.run(2, tmp_path / "notes")
