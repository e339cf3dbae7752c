"""Compares the calls that ran in the programs of a JavaScript tree with the graph: `python tests/oracles/score_trace.py TREE CALLS.json`.

`CALLS.json` is what trace_calls.js prints. A call that the graph knows and that did not run counts as wrong, so a program should
run all of its code. `-v` names each call that differs. Prints one line: precision and recall over all programs in which a call
ran, and how many of these are exact.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from pathlib import Path

from graphmem.codegraph.build import Index, build

Function = tuple[
    str, int
]  # file, number of the function in it in the order of its text; -1: the code outside of functions
Call = tuple[Function, Function]


def functions_of(index: Index, traced: dict[str, list[list[int]]]) -> dict[str, Function]:
    """Return which symbol is which traced function: both have the same first and last line, and stand in the same order."""
    found: dict[str, Function] = {}
    for file, facts in index.facts.items():
        numbers: dict[tuple[int, int], list[int]] = defaultdict(list)
        for number, (first, last) in enumerate(traced.get(file, [])):
            numbers[first, last].append(number)
        scopes = {scope.symbol for scope in facts.summary.scopes if scope.kind == "function"}
        for at, symbol in enumerate(facts.symbols):
            if at == 0:
                found[symbol.key] = (file, -1)
            elif at in scopes and numbers[symbol.line, symbol.end_line]:
                found[symbol.key] = (file, numbers[symbol.line, symbol.end_line].pop(0))
    return found


def calls_of(index: Index, functions: dict[str, Function]) -> set[Call]:
    """Return the calls of the graph between traced functions; making an object calls its constructor."""
    symbols = {symbol.key: symbol for facts in index.facts.values() for symbol in facts.symbols}
    found = set()
    for link in index.links.values():
        for edge in link.edges:
            if edge.type != "CALLS" or edge.target not in symbols:
                continue
            target = f"{edge.target}.constructor" if symbols[edge.target].kind == "class" else edge.target
            source = edge.source
            while source not in functions and "." in source.rpartition(":")[2]:
                source = source.rpartition(".")[0]
            caller = functions.get(source, (symbols[edge.source].file, -1))
            if target in functions:
                found.add((caller, functions[target]))
    return found


def main(tree: Path, calls: Path, verbose: bool) -> None:
    """Print the score, and what differs."""
    traced = json.loads(calls.read_text())
    index = build(tree)
    functions = functions_of(index, traced["functions"])
    names = {function: key.partition(":")[2] for key, function in functions.items()}
    known = calls_of(index, functions)
    right = wrong = missed = exact = programs = 0
    for file, rows in sorted(traced["programs"].items()):
        ran = {((a, b), (c, d)) for a, b, c, d in rows if a == file}
        if not rows:
            continue
        said = {call for call in known if call[0][0] == file}
        programs, exact = programs + 1, exact + (said == ran)
        right, wrong, missed = right + len(said & ran), wrong + len(said - ran), missed + len(ran - said)
        for word, differing in (("wrong", said - ran), ("missed", ran - said)):
            for caller, called in sorted(differing) if verbose else ():
                print(f"{file}  {word}  {names.get(caller, caller)} -> {names.get(called, called)}")
    precision, recall = right / max(right + wrong, 1), right / max(right + missed, 1)
    print(f"precision {precision:.3f}  recall {recall:.3f}  exact {exact} of {programs}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), "-v" in sys.argv[3:])
