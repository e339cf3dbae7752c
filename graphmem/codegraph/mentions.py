"""Finds where the names of symbols occur in the text of a tree, outside of their own lines and of comments: an attribute of an
unknown object, a template or a string may mean them. Who only assigns an attribute of that name does not count."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Literal

from graphmem.codegraph.languages import MANIFEST
from graphmem.codegraph.name_scopes import OFFERING, NameScopes
from graphmem.codegraph.pasted_names import LANGUAGES as PASTING
from graphmem.codegraph.pasted_names import PastedNames
from graphmem.codegraph.tests_of import is_outside_sources
from graphmem.codegraph.view import View, of_type
from graphmem.model.code import Symbol

_WORD = re.compile(r"[^\W\d]\w*")
_DOLLAR_WORD = re.compile(r"(?:[^\W\d]\w*)?\$[\w$]*")
_BEGINNING = re.compile(r"[\"'`]([^\W\d]\w{2,}_)(?:[%{\"'`]|[$#]\{)")
_SHORT_STEM = 3
_COMMENT = ("//", "/*", "*/", "* ")
_HASH_COMMENT = frozenset({"python", "ruby", "bash"})

Kind = Literal["source", "test", "offer"]
Place = tuple[str, int]  # path and line


@dataclass(slots=True)
class Mentions:
    """Where a name occurs first: in sources, in tests or examples, and in files that only pass it on; None if nowhere. `lines` is
    in how many lines in all."""

    source: Place | None = None
    test: Place | None = None
    offer: Place | None = None
    lines: int = 0

    def add(self, kind: Kind, place: Place) -> None:
        """Count a line of this kind."""
        self.lines += 1
        if getattr(self, kind) is None:
            setattr(self, kind, place)


def find_mentions(view: View, wanted: Iterable[Symbol], texts: Iterable[tuple[str, str]]) -> dict[str, Mentions]:
    """Return by key where the names of symbols occur, or prefixes from which they are computed (`get_` in `"get_%s"`). `texts` are
    files of the tree with contents."""
    by_name = _by_name(wanted)
    families = _families(symbol for symbols in by_name.values() for symbol in symbols)
    defined = _definition_lines(view, by_name)
    spans = {symbol.key: list(_own_lines(view, symbol)) for symbols in by_name.values() for symbol in symbols}
    found = {symbol.key: Mentions() for symbols in by_name.values() for symbol in symbols}
    pasted, scopes = PastedNames(), NameScopes(view)
    for path, text in texts:
        record = view.index.records.get(path)
        if record is not None and record.language == MANIFEST:
            continue  # a script of `package.json` with the name of a function does not run it
        own = view.by_file.get(path)
        language = own[0].language if own else ""
        if language in PASTING:
            pasted.read(text, _words(text))
        is_test = own is not None and (own[0].key in view.tests or is_outside_sources(path, language))
        for key, line in _in_file(path, text, language, by_name, families.get(path, {}), defined, scopes):
            if path == key.partition(":")[0] and any(line in span for span in spans[key]):
                continue
            kind: Kind = "test" if is_test else "offer" if _passes_on(path, key) else "source"
            found[key].add(kind, (path, line))
    for symbols in by_name.values():
        for symbol in symbols:
            if symbol.language in PASTING and found[symbol.key].source is None and pasted.may_make(symbol.name):
                found[symbol.key].source = (symbol.file, symbol.line)
    return found


def _in_file(
    path: str,
    text: str,
    language: str,
    by_name: Mapping[str, list[Symbol]],
    families: Mapping[str, Collection[str]],
    defined: Collection[tuple[str, str, int]],
    scopes: NameScopes,
) -> Iterator[tuple[str, int]]:
    """Yield (key, line) of each name that a file has."""
    for stem, members in families.items():
        if f'"{stem}"' in text or f"'{stem}'" in text:
            yield from ((key, 1) for key in members)
    beginnings = tuple({match[1] for match in _BEGINNING.finditer(text)})
    for name in by_name if beginnings else ():
        if name.startswith(beginnings):
            yield from ((symbol.key, 1) for symbol in by_name[name])
    if by_name.keys().isdisjoint(_words(text)):
        return
    is_comment, trailing = (("#", *_COMMENT), " # ") if language in _HASH_COMMENT else (_COMMENT, " // ")
    for number, whole in enumerate(text.splitlines(), 1):
        if whole.lstrip().startswith(is_comment) and language:
            continue
        line = whole.partition(trailing)[0] if language else whole
        for name in by_name.keys() & _words(line):
            if (name, path, number) not in defined and not _is_write(name, line):
                meant = (s for s in by_name[name] if not language or scopes.may_mean(s, path, whole))
                yield from ((s.key, number) for s in meant)


def _is_write(name: str, line: str) -> bool:
    """Return whether a line does nothing with an attribute but assign it."""
    written = re.search(rf"\.{re.escape(name)}\s*[-+*/|&]?=(?![=>])", line)
    return written is not None and len(re.findall(rf"\b{re.escape(name)}\b", line)) == 1


def is_offering(path: str) -> bool:
    """Return whether a file, by its name, passes on what other files define."""
    return PurePosixPath(path).stem in OFFERING


def _passes_on(path: str, key: str) -> bool:
    return is_offering(path) and key.partition(":")[0] != path


def _own_lines(view: View, symbol: Symbol) -> Iterator[range]:
    """Yield the lines of a symbol, and of its members, which some languages define elsewhere in the file."""
    yield range(symbol.line, symbol.end_line + 1)
    for edge in of_type(view.outgoing.get(symbol.key, []), "DEFINES"):
        member = view.symbols[edge.target]
        if member.file == symbol.file and not symbol.line <= member.line <= symbol.end_line:
            yield range(member.line, member.end_line + 1)


def _definition_lines(view: View, names: Collection[str]) -> set[tuple[str, str, int]]:
    """Return (name, path, line) of functions with these names outside of tests: to define one is no use of another. Methods of one
    name in several classes may be those of an interface that is defined elsewhere."""
    return {
        (symbol.name, symbol.file, symbol.line)
        for name in names
        for symbol in view.named.get(name, ())
        if symbol.kind == "function" and symbol.key not in view.tests
    }


def _by_name(found: Iterable[Symbol]) -> dict[str, list[Symbol]]:
    by_name: dict[str, list[Symbol]] = {}
    for symbol in found:  # in Ruby, the mark at the end of `empty?` is no part of a word
        name = symbol.name.rstrip("?!=") if symbol.language == "ruby" else symbol.name
        by_name.setdefault(name, []).append(symbol)
    return by_name


def _words(text: str) -> set[str]:
    """Return the names in a text. A dollar may belong to one (`$reset`) or precede it (`"$name"` in Kotlin): both count."""
    words = set(_WORD.findall(text))
    return words.union(_DOLLAR_WORD.findall(text)) if "$" in text else words


def _families(found: Iterable[Symbol]) -> dict[str, dict[str, set[str]]]:
    """Return by file and prefix the keys of methods of a class with a common prefix, such as `_lost_IDLE` and
    `_lost_BUSY`: if the prefix occurs in quotes, their names are probably computed."""
    families: dict[str, dict[str, set[str]]] = {}
    for symbol in found:
        stem = symbol.name.lstrip("_").partition("_")[0]
        if symbol.kind == "method" and len(stem) > _SHORT_STEM and stem != symbol.name.lstrip("_"):
            families.setdefault(symbol.file, {}).setdefault(stem, set()).add(symbol.key)
    return families
