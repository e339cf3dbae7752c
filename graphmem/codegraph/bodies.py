"""The words of a symbol's body: names, comments and literals of its lines, without nested symbols. A question about
behaviour often shares no word with a name or docstring, and error messages occur only here."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache

from graphmem.codegraph.records import FileFacts
from graphmem.model.code import TITLED_TEST, Symbol

KINDS = frozenset(
    {"module", "class", "interface", "struct", "trait", "enum", "type", "function", "method", "macro"}
)  # kinds of symbols that have a body
_VALUES = frozenset(
    {"constant", "field", "variable"}
)  # kinds that are searchable if they say what they hold or are for
_TEST_FUNCTION = re.compile(r"test(?:_|[A-Z]|\b)")
_MOST = 300  # maximum words per symbol; more are tables of data
_WORD = re.compile(r"[^\W\d_]{2,}")
_HUMP = re.compile(r"[a-z][A-Z]")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_SYNTAX = frozenset(
    "and as async await bool break case catch class const continue def default del do elif else end enum err except export extends"
    " false final finally fn for from func function go if impl implements import in int interface is it let match mut nil none"
    " not null of or package pass private protected public pub raise return self static str string struct super switch the then"
    " this throw to true try type undefined use var void while with yield".split()
)


def is_searchable(symbol: Symbol) -> bool:
    """Return whether a symbol is found by its own words: not a lambda, a group of tests, a field without a value, nor what a
    test function defines for itself, which is part of that test."""
    return has_body(symbol) or (
        symbol.kind in _VALUES and _is_named(symbol) and bool(symbol.doc or "=" in symbol.signature)
    )


def has_body(symbol: Symbol) -> bool:
    """Return whether the words of its lines belong to a symbol; those of others belong to the symbol around them."""
    return symbol.kind in KINDS and _is_named(symbol)


def _is_named(symbol: Symbol) -> bool:
    if symbol.external or "<lambda" in symbol.name:
        return False
    if symbol.has_title:
        return symbol.decorators[0] == TITLED_TEST
    above = symbol.qualified_name.split(".")[symbol.file.count("/") + 1 : -1]
    return not any(_TEST_FUNCTION.match(each) or " > " in each for each in above)


def with_words(facts: FileFacts, source: bytes) -> FileFacts:
    """Return the facts of a file with the words of its symbols; `source` is its text without secrets."""
    own = [at for at, symbol in enumerate(facts.symbols) if has_body(symbol)]
    if not own:
        return facts
    lines = source.decode("utf-8", "replace").split("\n")
    symbols = list(facts.symbols)
    owner = [-1] * (len(lines) + 1)
    for at in sorted(own, key=lambda at: (symbols[at].kind != "module", symbols[at].line, -symbols[at].end_line)):
        first, last = (1, len(lines)) if symbols[at].kind == "module" else (symbols[at].line, symbols[at].end_line)
        last = min(last, len(lines))
        if 0 < first <= last:
            owner[first : last + 1] = [at] * (last + 1 - first)
    found: dict[int, dict[str, None]] = {at: {} for at in own}
    for number, line in enumerate(lines, 1):
        if (at := owner[number]) >= 0 and line:
            found[at].update(dict.fromkeys(_WORD.findall(line)))
    for at, said in found.items():
        if words := _telling(symbols[at], said):
            symbols[at] = symbols[at]._replace(words=words)
    return replace(facts, symbols=tuple(symbols))


def _telling(symbol: Symbol, said: dict[str, None]) -> str:
    """Return the words that are not in its name, signature or docstring, in lower case; compound words also as parts."""
    known = set(_WORD.findall(f"{symbol.qualified_name} {symbol.signature} {symbol.doc}".lower()))
    words = dict.fromkeys(part for word in said for part in _lowered(word))
    return " ".join([word for word in words if word not in known and word not in _SYNTAX][:_MOST])


@lru_cache(maxsize=65_536)  # identifiers of a project come again and again
def _lowered(word: str) -> tuple[str, ...]:
    if not _HUMP.search(word):
        return (word.lower(),)
    return (word.lower(), *(part.lower() for part in _PART.findall(word) if len(part) > 1))
