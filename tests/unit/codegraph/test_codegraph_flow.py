"""Small programs of JavaScript and TypeScript, each with all calls between its own functions that a reader finds. A program of
fixtures/flow begins with `=== name`, `--- file` begins a further file, `--- truth` the calls by caller."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from graphmem.codegraph.build import build
from graphmem.codegraph.view import View

PROGRAMS = Path(__file__).parents[3] / "fixtures" / "flow" / "programs.txt"


def _programs() -> dict[str, str]:
    blocks = re.split(r"^=== ", PROGRAMS.read_text("utf-8"), flags=re.M)[1:]
    return {name: body for name, _, body in (block.partition("\n") for block in blocks)}


def _calls(root: Path) -> set[str]:
    view = View(build(root))
    names = {symbol.qualified_name for symbol in view.symbols.values() if not symbol.external}
    found = set()
    for symbol in list(view.symbols.values()):
        for edge in view.calls([symbol.key], of=False):
            target = view.symbols[edge.target]
            name = target.qualified_name
            if target.kind == "class":  # to make an instance runs the constructor, if there is one
                name += ".constructor"
            if not target.external and name in names:
                found.add(f"{symbol.qualified_name} -> {name}")
    return found


@pytest.mark.parametrize(("name", "body"), _programs().items(), ids=_programs())
def test_the_calls_of_a_program_are_all_found_and_no_others(tmp_path: Path, name: str, body: str) -> None:
    sources, _, truth = body.partition("--- truth\n")
    first, *others = re.split(r"^--- (\S+)\n", sources, flags=re.M)
    (tmp_path / ("main.ts" if name.startswith("ts_") else "main.js")).write_text(first)
    for file, text in zip(others[::2], others[1::2], strict=True):
        (tmp_path / file).write_text(text)
    rows = (line.split(": ", 1) for line in truth.strip().splitlines())
    assert _calls(tmp_path) == {f"{caller} -> {callee}" for caller, callees in rows for callee in callees.split()}
