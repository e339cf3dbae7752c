"""The comparison of graph engines is also their soak: it checks what it reads."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from support import ENGINE

from graphmem.backends.graph.engines import EMBEDDED
from graphmem.bench import capacity, engines
from graphmem.errors import SourceError


@pytest.mark.deep
def test_each_engine_is_measured_and_what_it_reads_is_checked(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engines, "CHECKPOINTS", 2)
    engines.main(200)
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [row["engine"] for row in rows] == [name for name, engine in EMBEDDED.items() if engine.is_installed]
    assert all(
        row["nodes"] == 200 and row["checkpoints"] == engines.CHECKPOINTS and row["closed_mb"] > 0 for row in rows
    )


def test_an_engine_that_answers_wrongly_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines._Run, "_change", lambda run, number: run._versions.update({0: number}))
    with pytest.raises(SourceError, match=r"answers wrongly: .*nodes differ"):
        engines.measure_engine(ENGINE, 50, 2, tmp_path)


@pytest.mark.deep
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("engine", sorted(EMBEDDED))
def test_a_thousand_checkpoints_with_readers_meanwhile(engine: str) -> None:
    words = [sys.executable, "-m", "graphmem.bench.engines", engine, "60000", "1000"]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    print(done.stdout)


def test_a_log_and_the_nodes_of_a_graph_are_measured_alone(tmp_path: Path) -> None:
    log, columns = capacity.measure_log(1_200, tmp_path), capacity.measure_columns(ENGINE, 300, tmp_path)
    assert (log["what"], log["count"]) == ("log", 1_200) and log["disk_mb"] > 0
    assert (columns["what"], columns["count"]) == (ENGINE, 300) and columns["lookup_ms"] >= 0
