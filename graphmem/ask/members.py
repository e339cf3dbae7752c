"""What one more field of a type needs: the places that mention several of the fields it has (constructors, serialisers,
migrations, documents, tests), and what the commits changed that brought the newest ones."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from pathlib import PurePath
from shlex import quote

from graphmem.ask.commits import find_additions
from graphmem.ask.evidence import ROWS, Evidence, Sources, place_of, ref_of, rest_line, shortened
from graphmem.ask.options_like import find_options_like, options_named
from graphmem.ask.places_like import find_places_like
from graphmem.ask.spellings import spelling_pattern
from graphmem.ask.types import Question
from graphmem.code import authors
from graphmem.codegraph.view import CLASSES
from graphmem.errors import GraphmemError
from graphmem.model.code import Symbol
from graphmem.model.results import Hit
from graphmem.plurals import counted

_OF_TYPE = re.compile(  # "to add a crontab option": what there is several of in one type
    r"\b(?:add|support|introduce) (?:an? |one |another |new |more |yet )*((?:[A-Za-z-]+ ){1,3})"
    r"(option|setting|flag|parameter|argument|attribute|property|field|column)s?\b",
    re.I,
)
_WORD = re.compile(r"[A-Za-z_][\w.]*\w")
_FIELDS = frozenset({"field", "property", "variable", "constant"})
_LINES = 4_000  # lines with a field's name that are looked at
_MOST_FIELDS = 40
_MEANINGS = 8  # types of one name that are looked at; the one with most fields is meant
_SHARED = 2  # fields that a place mentions at least
_PART = 8  # and of many fields, this part of them
_NEWEST = 2  # commits that brought fields
_FILES = 30  # of a commit; one that changes more says nothing about a field


def find_new_member(question: Question, sources: Sources, hits: Sequence[Hit]) -> Evidence | None:
    """Return the places that know several fields of the type, those that know most first, sources before documents and tests."""
    words = dict.fromkeys((*question.subjects, *_WORD.findall(question.text)))
    known = [symbol for name in words for symbol in sources.code.known(name, no_tests=True)]
    types = [each for each in known if each.kind in CLASSES and each.name in question.text][:_MEANINGS]
    fields, symbol = max(
        ((_fields_of(each, sources), each) for each in types), key=lambda one: len(one[0]), default=({}, None)
    )
    if symbol is None or len(fields) < _SHARED:
        return find_additions(question, sources, hits)
    lines = describe_fields(symbol, fields, sources)
    is_exact = symbol.name in question.text and len(lines) > 1
    return Evidence(tuple(lines), (f"graphmem code callers {quote(symbol.name)}",), is_exact, (ref_of(symbol),))


def find_one_more(question: Question, sources: Sources, hits: Sequence[Hit]) -> Evidence | None:
    """Return what one more option, setting, field, ... needs, if a type has those that there are as its fields; otherwise what
    commits added one more of the kind. Where the question gives an option as an example, what names those beside it; of any other
    example, what names it."""
    if alike := find_options_like(question, sources):
        return alike
    for name in options_named(question.text):
        if places := find_places_like(name, sources):
            return places
    if found := _OF_TYPE.search(question.text):
        words = [word.lower().removeprefix("per-").removesuffix("s") for word in (*found[1].split(), found[2])]
        if named := sources.code.named_members(words) or sources.code.named_members(words[:-1]):
            symbol, members = named
            fields = {field.name: field.line for field in sorted(members, key=lambda one: one.line)}
            lines = describe_fields(symbol, fields, sources)
            return Evidence(tuple(lines), (f"graphmem code callers {quote(symbol.name)}",), False, (ref_of(symbol),))
    return find_additions(question, sources, hits)


def describe_fields(symbol: Symbol, fields: dict[str, int], sources: Sources) -> list[str]:
    """Return the places that know several fields of a type, in any spelling, and the commits that brought the newest ones."""
    names = list(fields)[-_MOST_FIELDS:]
    forms = {name: spelling_pattern(name) for name in names}
    found = sources.code.text("|".join(forms.values()), is_regex=True, limit=_LINES)
    named, first = defaultdict[tuple[str, str, str], set[str]](set), dict[tuple[str, str, str], int]()
    words = {name: re.compile(form) for name, form in forms.items()}
    for row in found.matches:
        if row.path == symbol.file and symbol.line <= row.line <= symbol.end_line and row.line in fields.values():
            continue
        owner = row.symbol.rpartition(".")[2] if row.kind in ("code", "test") else ""
        if any(
            word.search(owner) for word in words.values()
        ):  # a constant or another type's field; they stand side by side
            above = row.symbol.rpartition(".")[0].rpartition(".")[2]
            owner = "" if above == PurePath(row.path).stem else above
        place = (row.kind, row.path, owner)
        named[place].update(name for name, word in words.items() if word.search(row.text))
        first.setdefault(place, row.line)
    least = max(_SHARED, len(names) // _PART)
    shared = {place: some for place, some in named.items() if len(some) >= least}
    ranks = {"code": 0, "other": 1, "config": 1, "document": 2, "example": 3, "test": 4, "vendored": 5}
    order = sorted(shared, key=lambda place: (ranks[place[0]] > 2, -len(shared[place]), ranks[place[0]], place))
    lines = [
        f"{counted(len(order), 'place mentions', 'places mention')} {least} or more of the {counted(len(names), 'field')}"
        f" of {place_of(symbol)}, most first"
    ]
    for place in order[: 2 * ROWS]:
        kind, path, owner = place
        what = owner or ("the file" if kind in ("code", "test") else kind)
        lines.append(f"{path}:{first[place]} {what}: {len(shared[place])}")
    lines += rest_line(len(order), 2 * ROWS)
    return lines + _examples(symbol, fields, sources)


def _fields_of(symbol: Symbol, sources: Sources) -> dict[str, int]:
    """Return the fields of a type with their lines."""
    inside = [
        place
        for place in sources.code.outline(symbol.file).symbols
        if place.kind in _FIELDS and place.name.rpartition(".")[0] == symbol.qualified_name
    ]
    return {place.short_name.rpartition(".")[2]: place.line for place in sorted(inside, key=lambda each: each.line)}


def _examples(symbol: Symbol, fields: dict[str, int], sources: Sources) -> list[str]:
    """Return the newest commits that brought a field, with the files that they changed."""
    by_line = {line: name for name, line in fields.items()}
    try:
        rows = [row for row in sources.code.blame(symbol.file).rows if row[0] in by_line and row[1]]
    except GraphmemError:
        return []
    newest = dict.fromkeys(row[1] for row in sorted(rows, key=lambda row: row[2], reverse=True))
    changed = authors.find_changed_files(sources.code.root(), list(newest)[: 3 * _NEWEST])
    lines = list[str]()
    for hash_ in newest:
        files = changed.get(hash_, [])
        if 1 < len(files) <= _FILES and len(lines) < _NEWEST:
            brought = [row for row in rows if row[1] == hash_]
            names = ", ".join(by_line[row[0]] for row in brought)
            paths = ", ".join(path for _, path in files)
            said = f"{hash_[:10]} {brought[0][2]:%Y-%m-%d} {shortened(brought[0][4])}"
            lines.append(f"`{names}` came with {said}, which changed {paths}")
    return lines
