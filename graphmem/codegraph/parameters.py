"""The names of a function's parameters, from its signature."""

from __future__ import annotations

import re

from graphmem.model.code import Symbol

_TYPE_FIRST = frozenset({"java", "csharp", "c", "cpp", "php", "dart"})
_WORD = re.compile(r"[A-Za-z_]\w*")
_OPEN, _CLOSE = "([{<", ")]}>"
_LONGEST = 4_000  # characters of a signature


def parameter_names(symbol: Symbol) -> list[str]:
    """Return the names of a function's parameters, in order.

    >>> place = ("a", 1, 2)
    >>> parameter_names(Symbol("k", "m.f", "f", "function", *place, "def f(self, x: dict[str, int], *, size=1)", language="python"))
    ['self', 'x', 'size']
    >>> parameter_names(Symbol("k", "m.f", "f", "method", *place, "void f(List<String> names, int size)", language="java"))
    ['names', 'size']
    """
    text = symbol.signature[:_LONGEST]
    start = text.find("(", max(text.find(f"{symbol.name}("), 0) or max(text.find(symbol.name), 0))
    found = []
    for part in _parts(text[start + 1 :]) if start >= 0 else ():
        words = _WORD.findall(re.split(r"=|:(?!:)", part, maxsplit=1)[0])
        if words:
            found.append(words[-1] if symbol.language in _TYPE_FIRST else words[0])
    return found


def _parts(text: str) -> list[str]:
    """Return what commas separate before the bracket that closes the text."""
    depth, parts = 0, [""]
    for place, char in enumerate(text):
        if char in _OPEN:
            depth += 1
        elif char in _CLOSE and not (char == ">" and text[place - 1 : place] in ("-", "=")):
            depth -= 1
        if depth < 0:
            break
        if char == "," and not depth:
            parts.append("")
        else:
            parts[-1] += char
    return parts
