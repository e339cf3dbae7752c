"""Symbols of SCIP: `scheme manager package version descriptors`, where each descriptor ends with a sign that says what it is,
as in `scip-python python click 8.2 `click.core`/Command#invoke().`. The grammar is in scip.proto."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

LOCAL = "local "  # start of a symbol that only its own document knows
NAMESPACE, TYPE, TERM, METHOD, MACRO = "/", "#", ".", "().", "!"
CONSTRUCTORS = frozenset({"__init__", "__new__", "constructor", "<constructor>", "<init>", ".ctor", "init"})
_PART = r"((?:[^ ]|  )*+)"  # a space within a part is doubled
_SYMBOL = re.compile(rf"{_PART} {_PART} {_PART} {_PART} (.+)", re.DOTALL)
_NAME = r"(?:`((?:[^`]|``)++)`|([\w$+\-]++))"
_DESCRIPTOR = re.compile(rf"{_NAME}(?:([/#.:!])|(\([\w$+\-]*+\)\.))|\[{_NAME}\]|\({_NAME}\)", re.ASCII)
_SIMPLE = re.compile(r"[\w$+\-]+", re.ASCII)


class Descriptor(NamedTuple):
    """One step of a qualified name. `suffix` is "/", "#", ".", "().", "!" or ":"; "" for parameters."""

    name: str
    suffix: str


class ScipSymbol(NamedTuple):
    """A symbol that other documents can name."""

    scheme: str
    manager: str
    package: str
    version: str
    path: str  # the descriptors, as written
    descriptors: tuple[Descriptor, ...]


def parse_symbol(text: str) -> ScipSymbol | None:
    """Return a symbol that is not local; None if local or malformed."""
    found = None if text.startswith(LOCAL) else _SYMBOL.fullmatch(text)
    descriptors = parse_descriptors(found[5]) if found else ()
    if not found or not descriptors:
        return None
    return ScipSymbol(found[1], found[2], found[3], found[4], found[5], descriptors)


def parse_descriptors(path: str) -> tuple[Descriptor, ...]:
    """Return the descriptors of a path; none if malformed."""
    out, at = [], 0
    while at < len(path):
        found = _DESCRIPTOR.match(path, at)
        if found is None:
            return ()
        name = next(part for n in (1, 2, 5, 6, 7, 8) if (part := found[n]) is not None)
        out.append(Descriptor(name.replace("``", "`"), found[3] or (METHOD if found[4] else "")))
        at = found.end()
    return tuple(out)


def format_descriptor(name: str, suffix: str, disambiguator: str = "") -> str:
    """Return a descriptor as text; methods of one name differ by their disambiguator."""
    simple = name if _SIMPLE.fullmatch(name) else f"`{name.replace('`', '``')}`"
    return f"{simple}({disambiguator})." if suffix == METHOD else f"{simple}{suffix}"


def format_symbol(scheme: str, package: Sequence[str], path: str) -> str:
    """Return a symbol as text. `package` is manager, name and version; an empty one is written as a dot."""
    parts = (part.replace(" ", "  ") or "." for part in (scheme, *package))
    return " ".join((*parts, path))
