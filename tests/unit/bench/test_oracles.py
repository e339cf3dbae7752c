"""The oracles of tests/oracles: what a compiler says about a fixture becomes an index of SCIP that `graphmem bench oracle` reads."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from graphmem.bench import oracle
from graphmem.errors import SourceError

ROOT = Path(__file__).parents[3]
ORACLES = ROOT / "tests" / "oracles"
CODE = ROOT / "fixtures" / "code"


def scored(tree: Path, rows: str, index: Path, *options: str) -> oracle.Score:
    words = [sys.executable, str(ORACLES / "rows_to_scip.py"), *options, str(tree), str(index)]
    subprocess.run(words, input=rows, text=True, check=True, capture_output=True)
    return oracle.run(index, tree)[0][-1]


def printed(*words: str) -> str:
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


def test_rows_become_an_index(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "a.c").write_text(
        "int one(void) { return 1; }\nint two(void) { return one(); }\nint three(void) { return two(); }\n"
    )
    found = [("D", 1, 4, "one"), ("D", 2, 4, "two"), ("D", 3, 4, "three"), ("R", 2, 23, "one"), ("R", 3, 25, "two")]
    rows = "".join(f"{role}\ta.c\t{line}\t{at}\ttree\tmethod\t{name}\t{name}\t\n" for role, line, at, name in found)
    score = scored(tree, rows, tmp_path / "index.scip")
    assert (score.edges, score.precision, score.recall) == (2, 1.0, 1.0)


def test_an_index_without_calls_within_the_tree_says_so_instead_of_scoring_nothing(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "a.c").write_text("int one(void) { return 1; }\n")
    (tree / "b.c").write_text("int two(void) { return one(); }\n")
    with pytest.raises(SourceError, match="covers 1 of 2 files"):
        scored(tree, "D\ta.c\t1\t4\ttree\tmethod\tone\tone\t\n", tmp_path / "index.scip")


@pytest.mark.deep
@pytest.mark.skipif(shutil.which("javac") is None, reason="a JDK")
def test_javac_agrees_about_a_fixture(tmp_path: Path) -> None:
    printed("javac", "-d", str(tmp_path / "build"), str(ORACLES / "JavaOracle.java"))
    tree = CODE / "java" / "listings"
    rows = printed("java", "-cp", str(tmp_path / "build"), "JavaOracle", str(tree))
    score = scored(tree, rows, tmp_path / "index.scip", "--utf16")
    assert score.edges >= 5 and score.precision == score.recall == 1.0


@pytest.mark.deep
def test_libclang_agrees_about_a_fixture(tmp_path: Path) -> None:
    pytest.importorskip("clang.cindex")
    tree = CODE / "c" / "renamed"
    rows = printed(
        sys.executable, str(ORACLES / "clang_oracle.py"), str(tree), "--only", "use.c", "--only", "inflate.c"
    )
    score = scored(tree, rows, tmp_path / "index.scip")
    assert score.edges >= 2 and score.precision == score.recall == 1.0


PROGRAM = """\
function greet(name) { return describe(name) }
const describe = (name) => `hello ${name}`
class Box { constructor(value) { this.value = value } open() { return greet(this.value) } }
function later() { greet('later') }
new Box('one').open()
setTimeout(later, 1)
Promise.resolve('two').then(greet)
"""


@pytest.mark.deep
@pytest.mark.skipif(shutil.which("npm") is None, reason="node and npm")
def test_calls_that_ran_are_the_calls_of_the_graph(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "program.js").write_text(PROGRAM)
    printed("npm", "install", "--silent", "--prefix", str(tmp_path), "acorn@8", "acorn-walk@8")
    environment = os.environ | {"NODE_PATH": str(tmp_path / "node_modules")}
    calls = tmp_path / "calls.json"
    words = ["node", str(ORACLES / "trace_calls.js"), str(tree), str(tmp_path / "work")]
    calls.write_bytes(subprocess.run(words, env=environment, check=True, capture_output=True).stdout)
    traced = json.loads(calls.read_text())
    assert len(traced["functions"]["program.js"]) == 5
    assert sorted(call[1::2] for call in traced["programs"]["program.js"]) == [
        [-1, 0], [-1, 2], [-1, 3], [-1, 4], [0, 1], [3, 0], [4, 0],
    ]  # fmt: skip
    score = printed(sys.executable, str(ORACLES / "score_trace.py"), str(tree), str(calls))
    assert score == "precision 1.000  recall 1.000  exact 1 of 1\n"
