"""Reads of variables of the environment through what holds it whole: `const env = process.env`, a parameter of that type or that
default, a function that is handed it, and names that are unpacked from it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from graphmem.ask import environment_patterns as written
from graphmem.ask.evidence import Sources
from graphmem.ask.function_texts import FunctionTexts, arguments_of, name_at
from graphmem.codegraph.view import FUNCTIONS
from graphmem.model.code import Symbol
from graphmem.model.code_answers import TextMatch

_LINES = 2_000
_HOLDERS = 60  # variables and parameters that are followed
_NAMESAKES = 3  # functions of one name that may be handed it
_UNPACKED = 60  # lines of one unpacking


class _Holder(NamedTuple):
    """A name that holds the environment between two lines of a file."""

    name: str
    path: str
    first: int
    last: int


@dataclass(slots=True)
class HeldReads:
    """Names with their lines and where in these they end; lines that read an unknown name, with what they read it by; and the lines
    that only hold the environment or hand it on."""

    named: list[tuple[str, TextMatch, int]] = field(default_factory=list)
    unknown: list[tuple[str, TextMatch]] = field(default_factory=list)
    lines: set[tuple[str, int]] = field(default_factory=set)


def find_held_reads(texts: FunctionTexts, sources: Sources) -> HeldReads:
    """Return what is read through variables and parameters that hold the environment, also of functions that are handed it."""
    found, waiting, known = HeldReads(), list[_Holder](), set[_Holder]()
    for row in sources.code.text(written.HOLDER, is_regex=True, kind="code", limit=_LINES).matches:
        if written.COMMENT.match(row.text):
            continue
        for held in written.HOLDS.finditer(row.text):
            waiting.append(_holder(held[1] or held[2], row, texts))
            found.lines.add((row.path, row.line))
        if written.UNPACKS.search(row.text):
            found.lines.add((row.path, row.line))
            found.named += _unpacked(row, texts)
        for call in written.HANDED.finditer(row.text):
            before = len(arguments_of(f"{call[2]}x")) - 1
            if further := list(_handed(call[1], before, texts)):
                waiting += further
                found.lines.add((row.path, row.line))
    while waiting and len(known) < _HOLDERS:
        holder = waiting.pop()
        if holder not in known:
            known.add(holder)
            waiting += _read_scope(holder, found, texts, sources)
    return found


def _holder(name: str, row: TextMatch, texts: FunctionTexts) -> _Holder:
    """Return a holder with the function in which its line stands, else with the whole file."""
    symbol = texts.function_at(row)
    if symbol is None or symbol.name == name:
        return _Holder(name, row.path, 1, len(texts.lines(row.path)))
    return _in_function(name, symbol)


def _in_function(name: str, symbol: Symbol) -> _Holder:
    return _Holder(name, symbol.file, symbol.line, symbol.end_line)


def _handed(function: str, position: int, texts: FunctionTexts) -> Iterator[_Holder]:
    """Yield the parameters of the functions of a name at a place."""
    known = [each for each in texts.functions(function) if each.kind in FUNCTIONS]
    for symbol in known if len(known) <= _NAMESAKES else ():
        if name := name_at(texts.parameters(symbol), position):
            yield _in_function(name, symbol)


def _unpacked(row: TextMatch, texts: FunctionTexts) -> Iterator[tuple[str, TextMatch, int]]:
    """Yield the names in the braces before a line's `} = process.env`, with their lines."""
    lines, symbol = texts.lines(row.path), texts.function_at(row)
    for number in range(row.line, max(0, row.line - _UNPACKED), -1):
        text = lines[number - 1] if number <= len(lines) else ""
        inside = text.rpartition("}")[0] if number == row.line else text
        own = inside.rpartition("{")[2]
        for each in written.UNPACKED.finditer(own):
            if each[1].isupper():
                shown = TextMatch(row.path, number, text.strip(), symbol.qualified_name if symbol else "", row.kind)
                yield each[1], shown, shown.text.find(each[0]) + len(each[1])
        if "{" in inside:
            return


def _read_scope(holder: _Holder, found: HeldReads, texts: FunctionTexts, sources: Sources) -> list[_Holder]:
    """Add what the lines of a holder's scope read, and return what they hand it to."""
    name = re.escape(holder.name)
    spelt = re.compile(
        rf"(?<![\w.$]){name}(?:\??\.(?:get\(\s?[\"']([A-Za-z_]\w*)[\"']|([A-Z][A-Z0-9_]*)\b)|\[\s?[\"'`]([A-Za-z_]\w*)[\"'`]\s?\])"
    )
    unknown = re.compile(rf"(?<![\w.$]){name}(?:\[\s?|\.get\(\s?)(?![\"'`])([^\])]+)")
    handed = re.compile(rf"([A-Za-z_$][\w$]*)\(([^()]{{0,200}}?)(?<![\w.$]){name}\s?[,)]")
    further = list[_Holder]()
    lines = sources.code.text(rf"(?<![\w.$]){name}(?!\w)", is_regex=True, path=holder.path, limit=_LINES).matches
    for row in lines:
        if not holder.first <= row.line <= holder.last or written.COMMENT.match(row.text):
            continue
        for each in spelt.finditer(row.text):
            last = next(at for at in (1, 2, 3) if each[at])
            if not written.SETS.match(row.text, each.end(last)):
                found.named.append((each[last], row, each.end(last)))
        found.unknown += [(each[1].strip(), row) for each in unknown.finditer(row.text)]
        for call in handed.finditer(row.text):
            further += _handed(call[1], len(arguments_of(f"{call[2]}x")) - 1, texts)
    return further


def rows_not_held(rows: Sequence[TextMatch], found: HeldReads) -> list[TextMatch]:
    """Return the lines that do not only hold the environment."""
    return [row for row in rows if (row.path, row.line) not in found.lines]
