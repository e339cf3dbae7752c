"""`graphmem bench load` and `load-shared`: figures of sixteen clients, and what is checked at the end."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from graphmem import Memory
from graphmem.bench import load, load_shared
from graphmem.errors import SourceError


def test_memory_is_reported_by_minute() -> None:
    run = load.Run(1)
    run._memory = [(10.0 * at, {"owner": 100.0 + at, "server": 7.0}) for at in range(18)]
    assert run._memory_by_minute() == {"owner": [102, 108, 114], "server": [7, 7, 7]}


def test_memory_of_children_is_found_by_a_word_of_their_command() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()", "serve-a-test"], stdin=subprocess.PIPE) as child:
        assert load.children_mb("serve-a-test") > 0 and load.children_mb("serve-another") == 0
        child.communicate()


def test_what_is_missing_or_there_twice_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Memory.open(tmp_path / "store", project="load") as memory:
        for content in ("once", "twice", "twice"):
            memory.observe(content)
    found = load.verify_log([tmp_path / "store"], ["once", "twice", "never"])
    assert (found["lost"], found["twice"], found["sound"]) == (1, 1, True)
    with pytest.raises(SourceError):
        load.report(found, [])
    assert json.loads(capsys.readouterr().out) == found


@pytest.mark.deep
@pytest.mark.parametrize("suite", [load, load_shared], ids=["store", "shared server"])
def test_sixteen_clients_lose_nothing(suite: object, capsys: pytest.CaptureFixture[str]) -> None:
    suite.main(15)  # type: ignore[attr-defined]
    found = json.loads(capsys.readouterr().out)
    assert found["errors"] == 0 and found["acknowledged"] > 0 and found["all"]["count"] > 16
