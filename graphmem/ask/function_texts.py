"""The text of functions and their calls, read line by line: which function a line stands in, its parameters, and the arguments of a
call, which may stand on several lines."""

from __future__ import annotations

import re
from collections.abc import Sequence

from graphmem.ask.evidence import Sources
from graphmem.codegraph.view import FUNCTIONS
from graphmem.errors import GraphmemError
from graphmem.model.code import Symbol
from graphmem.model.code_answers import TextMatch

_LONGEST = 1_500  # characters of the arguments of one call
_FURTHER = 12  # lines on which the arguments of a call or the parameters of a function may go on
_OPENS, _CLOSES, _QUOTES = "([{", ")]}", "\"'`"
_OWN = frozenset({"self", "cls", "this", "&self", "&mut self", "mut self"})


class FunctionTexts:
    """Reads files of the tree once for each."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        self._lines: dict[str, list[str]] = {}

    def lines(self, path: str) -> list[str]:
        """Return the lines of a file, none if it cannot be read."""
        if path not in self._lines:
            try:
                self._lines[path] = self._sources.code.source(path).text.split("\n")
            except GraphmemError:
                self._lines[path] = []
        return self._lines[path]

    def from_line(self, row: TextMatch) -> str:
        """Return the text of a line and of some that follow it."""
        return "\n".join((row.text, *self.lines(row.path)[row.line : row.line + _FURTHER]))

    def function_at(self, row: TextMatch) -> Symbol | None:
        """Return the innermost function in which a line stands."""
        name = row.symbol
        while name:
            for symbol in self._sources.code.known(name):
                is_here = symbol.file == row.path and symbol.line <= row.line <= symbol.end_line
                if is_here and symbol.kind in FUNCTIONS:
                    return symbol
            name = name.rpartition(".")[0]
        return None

    def functions(self, name: str) -> list[Symbol]:
        """Return the functions outside of tests with a name."""
        return [
            each
            for each in self._sources.code.known(name, no_tests=True)
            if each.kind in FUNCTIONS and each.name == name
        ]

    def parameters(self, symbol: Symbol) -> list[str]:
        """Return the parameters of a function as they are written, without the receiver."""
        head = "\n".join(self.lines(symbol.file)[symbol.line - 1 : symbol.line + _FURTHER])
        name = re.escape(symbol.name)
        if bare := re.search(rf"{name}\s*=\s*(?:async\s+)?(\w+)\s*=>", head):
            return [bare[1]]
        opened = re.search(rf"(?<![\w$]){name}(?![\w$])[^(]{{0,80}}\(", head)
        return [each for each in arguments_of(head[opened.end() :]) if each not in _OWN] if opened else []


def arguments_of(text: str) -> list[str]:
    """Return the parts between the commas of a text that begins behind a bracket, up to the one that closes it.

    >>> arguments_of('"A", f(1, 2), x: [3, 4]) + g(5)')
    ['"A"', 'f(1, 2)', 'x: [3, 4]']
    """
    parts, start, depth, quote = list[str](), 0, 0, ""
    text = text[:_LONGEST]
    end = len(text)
    for at, char in enumerate(text):
        if quote:
            quote = "" if char == quote and text[at - 1] != "\\" else quote
        elif char in _QUOTES:
            quote = char
        elif char in _OPENS:
            depth += 1
        elif char in _CLOSES and depth == 0:
            end = at
            break
        elif char in _CLOSES:
            depth -= 1
        elif char == "," and depth == 0:
            parts.append(text[start:at])
            start = at + 1
    return [part.strip() for part in (*parts, text[start:end]) if part.strip()]


def position_of(parameters: Sequence[str], name: str) -> int | None:
    """Return the place of a parameter by its name.

    >>> position_of(["ctx Context", "key: str = ''", "String other"], "other")
    2
    """
    word = re.compile(rf"(?<![\w$]){re.escape(name)}(?![\w$])")
    return next((at for at, each in enumerate(parameters) if word.search(re.split(r"[:=]", each)[0])), None)


def name_at(parameters: Sequence[str], position: int) -> str:
    """Return the name of a parameter by its place, "" if there is none."""
    if position >= len(parameters):
        return ""
    words = re.findall(r"[A-Za-z_$][\w$]*", re.split(r"[:=]", parameters[position])[0])
    return words[-1] if words else ""


def argument_at(arguments: Sequence[str], position: int, parameter: str) -> str:
    """Return what a call gives to a parameter, by its name or its place, "" if nothing.

    >>> argument_at(["1", "key='A'"], 0, "key"), argument_at(["'B'"], 0, "key")
    ("'A'", "'B'")
    """
    for each in arguments:
        if named := re.match(rf"{re.escape(parameter)}\s*[:=](?![:=])\s*", each):
            return each[named.end() :]
    return arguments[position] if position < len(arguments) else ""
