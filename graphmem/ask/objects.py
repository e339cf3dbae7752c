"""Object literals that implement a type without being a class: those written with it, or with a type that has it, as their own
(`const archive: Plugin = { hooks: { load() {} } }`)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from graphmem.ask.evidence import Sources, name_of
from graphmem.codegraph.view import CLASSES
from graphmem.errors import GraphmemError
from graphmem.model.code import Symbol
from graphmem.model.code_answers import TextMatch

LANGUAGES = frozenset({"typescript", "tsx", "javascript", "python"})
_LINES = 200  # with the name of a type
_MOST = 40  # objects
_OWNERS = 8  # types that have the type
_LONGEST = 400  # lines of an object
_MEMBERS = frozenset({"field", "property", "method", "function", "variable"})
_SAID = 4  # members of an object that are named
_COMMENT = re.compile(r"@(?:type|satisfies)\b")
_NAME = re.compile(r"\b(?:const|let|var|function\*?)\s+(\w+)|^\s*(?:[a-z]+\s+)*(\w+)\s*[:(]")


def find_objects(symbol: Symbol, sources: Sources) -> list[str]:
    """Return a row for each object literal that is written with a type, and for each that is written with a type which has this
    one and that names members of it, with these members."""
    members = _members_of(symbol, sources)
    rows = dict[tuple[str, int], str]()
    for kind in (symbol, *_types_with(symbol, sources)):
        for match in _typed(kind.name, sources):
            place, lines = _literal(match, sources)
            text = "\n".join(lines)
            has = [name for name in members if re.search(rf"(?<![\w.]){re.escape(name)}[\"']?\s*[:(,}}]", text)]
            if has or kind is symbol:
                found = _NAME.search(lines[0]) if lines else None
                name = next(filter(None, found.groups()), "") if found else ""
                more = " …" * (len(has) > _SAID)
                said = f"{match.path}:{place} {name or 'object'}, a {kind.name}"
                rows.setdefault((match.path, place), said + f", has {', '.join(has[:_SAID])}{more}" * bool(has))
    return [rows[place] for place in sorted(rows)][:_MOST]


def _members_of(symbol: Symbol, sources: Sources) -> list[str]:
    inside = f"{symbol.qualified_name}."
    outline = sources.code.outline(symbol.file).symbols
    return [place.short_name.rpartition(".")[2] for place in outline
            if place.name.startswith(inside) and place.kind in _MEMBERS]  # fmt: skip


def _types_with(symbol: Symbol, sources: Sources) -> list[Symbol]:
    """Return the types whose members are of a type."""
    calls = sources.code.callers(name_of(symbol, sources), no_tests=True, limit=_LINES).calls
    found = dict[str, Symbol]()
    for call in calls:
        for name in (call.symbol.name, call.symbol.name.rpartition(".")[0]):
            known = sources.code.known(name, no_tests=True) if name else []
            owners = [one for one in known if one.kind in CLASSES and one.file == call.symbol.file]
            found |= {one.key: one for one in owners[:1] if one.key != symbol.key}
    return list(found.values())[:_OWNERS]


def _typed(name: str, sources: Sources) -> Iterator[TextMatch]:
    """Yield the lines that give an object a type: of a declaration, of the result of a function, behind the object, or in a comment
    above it."""
    type_ = rf"(?:\w+\.)*{re.escape(name)}(?![\w.\[])"
    of_result = rf"\)\s*(?::|->)\s*{type_}\s*(?:=>|\{{|:)"
    pattern = (
        rf"\b\w+\s*:\s*{type_}\s*(?:<[^=]*>)?\s*=(?![=>])\s*(?:\{{|$)|{of_result}|^\s*\}}\s*(?:satisfies|as)\s+{type_}"
        rf"|@(?:type|satisfies)\s*\{{\s*{type_}\s*\}}"
    )
    yield from sources.code.text(pattern, is_regex=True, kind="code", limit=_LINES).matches


def _literal(match: TextMatch, sources: Sources) -> tuple[int, Sequence[str]]:
    """Return the first line of what is written with a type, and its lines, as far as brackets or deeper indentation go."""
    try:
        lines = sources.code.source(match.path).text.split("\n")
    except GraphmemError:
        return match.line, [match.text]
    first = match.line - 1
    if _COMMENT.search(match.text):
        first = min(first + 1, len(lines) - 1)
    while match.text.lstrip().startswith("}") and first > 0:
        first -= 1
        if _depth(lines[first]) <= _depth(match.text) and lines[first].strip():
            break
    end = first + 1
    while end < min(len(lines), first + _LONGEST) and (
        not lines[end].strip() or _depth(lines[end]) > _depth(lines[first])
    ):
        end += 1
    return first + 1, lines[first:end]


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())
