"""Annotated programs: every `# ^ defined: LINE` (or FILE:LINE, or several) under a reference says where the name above the
caret, or what it calls, is defined; `# ^ unresolved` says that the call there must be reported as unresolved."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest

from graphmem.codegraph.python_frontend import link, parse
from graphmem.codegraph.records import FileFacts, Linked

FIXTURES = Path(__file__).parents[4] / "fixtures" / "code" / "python"
_MARK = re.compile(r"^\s*#\s*(?P<caret>\^)\s*(?:defined: (?P<where>.+)|(?P<none>unresolved))$")
_WORD = re.compile(r"\w+")
CASES = sorted(p.name for p in FIXTURES.iterdir() if p.is_dir())


@cache
def load(case: str) -> tuple[dict[str, FileFacts], Linked]:
    root = FIXTURES / case
    facts = {}
    for path in sorted(root.rglob("*.py")):
        name = path.relative_to(root).as_posix()
        facts[name] = parse(name, path.read_bytes())
    return facts, link(facts)


def marks(case: str) -> list[tuple[str, int, str, set[str] | None]]:
    """(file, line of the reference, the word above the caret, expected "file:line" or None) of every mark."""
    found = []
    for path in sorted((FIXTURES / case).rglob("*.py")):
        name = path.relative_to(FIXTURES / case).as_posix()
        code = (0, "")
        for number, text in enumerate(path.read_text().splitlines(), 1):
            mark = _MARK.match(text)
            if mark is None:
                code = (number, text)
                continue
            column = mark.start("caret")
            word = next(w[0] for w in _WORD.finditer(code[1]) if w.end() > column)
            where = mark["where"]
            expected = None if where is None else {w if ":" in w else f"{name}:{w}" for w in where.split(", ")}
            found.append((name, code[0], word, expected))
    return found


@pytest.mark.parametrize("case", CASES)
def test_references_lead_to_their_definitions(case: str) -> None:
    facts, linked = load(case)
    symbols = {s.key: s for f in facts.values() for s in f.symbols}
    named = defaultdict(set)
    any_name = defaultdict(set)
    for edge in linked.edges:
        target = symbols.get(edge.target)
        if target is not None and edge.type in ("CALLS", "REFERS_TO"):
            place = (symbols[edge.source].file, edge.line)
            named[*place, target.name].add(f"{target.file}:{target.line}")
            any_name[edge.type, place].add(f"{target.file}:{target.line}")
    unresolved = {(s.file, s.line, s.name) for s in linked.call_sites}
    expectations = marks(case)
    assert expectations
    wrong = []
    for file, line, word, expected in expectations:
        if expected is None:
            if not any(s[:2] == (file, line) for s in unresolved):
                wrong.append(f"{file}:{line} {word}: expected an unresolved call")
            continue
        ways = (named[file, line, word], any_name["CALLS", (file, line)], any_name["REFERS_TO", (file, line)])
        if expected not in ways:
            wrong.append(f"{file}:{line} {word}: expected {sorted(expected)}, got {ways}")
    assert not wrong, "\n".join(wrong)


def test_there_are_enough_cases() -> None:
    assert len(CASES) >= 12
    assert sum(len(marks(case)) for case in CASES) >= 100


def test_a_factory_that_also_decorates_by_itself_calls_no_class() -> None:
    _, linked = load("decorators")
    calls = {(e.source, e.target) for e in linked.edges if e.type == "CALLS"}
    assert ("both.py:both.make", "both.py:both.record.wrap") in calls
    assert not {target for source, target in calls if source == "both.py:both.make"} & {"both.py:both.Bare"}
