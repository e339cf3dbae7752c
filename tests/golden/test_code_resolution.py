"""Annotated sources: a comment under a reference says where it must lead.

    call()
    // ^ defined: 3                 line 3 of this file
    // ^ defined: other.go:7        line 7 of another file of the case
    // ^ called: 3                  the same, and by a CALLS relation
    // ^ external: fmt.Println      a name from outside
    // ^ unresolved                 a call site with a reason, and no guess

The mark `^` stands below the name that is meant; each folder of fixtures/code/<language>/ is a tree of its own."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from graphmem.codegraph.build import build
from graphmem.model.code import CodeGraph, Symbol

FIXTURES = Path(__file__).parents[2] / "fixtures" / "code"
OTHERS = {"python"}  # has a driver of its own
MARK = re.compile(r"^(\s*(?://|#|--)\s*)\^\s*(defined|called|external|unresolved)\s*:?\s*(.*?)\s*$")
RELATIONS = {"CALLS", "USES", "REFERS_TO", "EXTENDS", "IMPLEMENTS", "OVERRIDES", "IMPORTS"}
LEAST = 12  # claims of each language


class Claim(NamedTuple):
    case: str
    file: str
    line: int
    name: str
    verdict: str
    target: str


def claims() -> list[Claim]:
    found = []
    for case in sorted(p for p in FIXTURES.glob("*/*") if p.is_dir() and p.parent.name not in OTHERS):
        for path in sorted(p for p in case.rglob("*") if p.is_file()):
            lines = path.read_text("utf-8").splitlines()
            for number, text in enumerate(lines):
                mark = MARK.match(text)
                if not mark:
                    continue
                at = number - 1
                while MARK.match(lines[at]):
                    at -= 1
                column = len(mark[1])
                name = next((w[0] for w in re.finditer(r"[@$#]?\w+", lines[at]) if w.start() <= column < w.end()), "")
                found.append(
                    Claim(
                        str(case.relative_to(FIXTURES)),
                        path.relative_to(case).as_posix(),
                        at + 1,
                        name,
                        mark[2],
                        mark[3],
                    )
                )
    return found


@cache
def graph(case: str) -> CodeGraph:
    return build(FIXTURES / case).graph


def scopes(code: CodeGraph, file: str, line: int) -> set[str]:
    """The keys of the innermost symbols around a line: of the function or class, and of what is defined on the line."""
    around = [s for s in code.symbols if s.file == file and s.line <= line <= s.end_line]
    holders = [s for s in around if s.kind not in ("field", "variable", "constant", "type")]
    least = min(s.end_line - s.line for s in holders)
    return {s.key for s in holders if s.end_line - s.line == least} | {s.key for s in around if s.line == line}


ALL = claims()


@pytest.mark.parametrize("claim", ALL, ids=lambda c: f"{c.case}/{c.file}:{c.line}:{c.name}")
def test_reference_leads_where_the_source_says(claim: Claim) -> None:
    code = graph(claim.case)
    symbols: dict[str, Symbol] = {s.key: s for s in code.symbols}
    sources = scopes(code, claim.file, claim.line)
    types = {"CALLS"} if claim.verdict == "called" else RELATIONS
    edges = [e for e in code.edges if e.source in sources and e.type in types]
    sites = {(s.line, s.name) for s in code.call_sites if s.file == claim.file}
    reached = {
        f"{symbols[e.target].file}:{symbols[e.target].line}"
        if not symbols[e.target].external
        else symbols[e.target].qualified_name
        for e in edges
    }
    if claim.verdict == "unresolved":
        assert (claim.line, claim.name) in sites, f"no open call site; leads to {sorted(reached)}"
        assert not [
            e for e in edges if e.type == "CALLS" and symbols[e.target].name == claim.name and e.line == claim.line
        ]
    elif claim.verdict == "external":
        assert claim.target in reached, f"leads to {sorted(reached)}; open: {sorted(sites)}"
    else:
        expected = claim.target if ":" in claim.target else f"{claim.file}:{claim.target}"
        assert expected in reached, f"leads to {sorted(reached)}; open: {sorted(sites)}"
        assert (claim.line, claim.name) not in sites


def test_enough_cases() -> None:
    found = Counter(claim.case.split("/")[0] for claim in ALL)
    assert len(found) == 15 and min(found.values()) >= LEAST
