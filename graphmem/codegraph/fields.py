"""Finds uses of a field that no relation records: constructor calls that set it without naming it, and accesses to an
attribute of its name on objects of unknown type."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from string import ascii_letters, digits

from graphmem.codegraph.tests_of import FROM_TESTS
from graphmem.codegraph.view import View, of_type, symbol_at
from graphmem.model.code import CodeEdge, Symbol

CONSTRUCTS = "constructs"
_RECORD = re.compile(r"^(\w+\.)*(dataclass|define|frozen|mutable|attrs|s)\b")
_RECORD_BASES = (".NamedTuple", ".TypedDict", ".BaseModel", ".Struct")
_NOT_GIVEN = re.compile(r"\bClassVar\b|\binit\s*=\s*False\b")
_COMMENT = ("#", "//", "*", "/*", "--")
_CONSTRUCTOR = "__init__"
_RECEIVER = f"{ascii_letters}{digits}_.:?->"  # characters of a chain of names
_DYNAMIC = frozenset(
    {"python", "javascript", "ruby", "php", "lua", "bash"}
)  # any object may have an attribute of a name
_DESTRUCTURING = frozenset({"javascript", "typescript", "tsx"})
_NAMES = r"\{(?P<names>[^{}();]*)\}"
_TYPE = r"(?:\s*:\s*(?P<type>[\w.]+(?:<[^>(){}]*>)?))?"
_BOUND = re.compile(rf"\b(?:const|let|var)\s*{_NAMES}{_TYPE}\s*(?:=(?!=)|\bof\b)")
_PARAMETER = re.compile(
    rf"[(,]\s*{_NAMES}{_TYPE}\s*(?:=\s*\{{\s*\}}\s*)?(?:,[^(){{}}]*)?\)\s*(?::[^;{{}}=()]*)?(?:=>|\{{)"
)
_BY_TYPE = 0.9  # confidence of a pattern that is annotated with the field's type
_BY_NAME = 0.6  # confidence of an access to the only field with its name


def constructor_calls(view: View, field: Symbol) -> list[CodeEdge]:
    """Return the constructor calls that set a field, as relations to the field. Only for classes whose constructor
    takes all fields, such as dataclasses."""
    owner = view.parent.get(field.key, "")
    if field.kind != "field" or _NOT_GIVEN.search(field.signature) or not _takes_fields(view, owner):
        return []
    made = [owner]
    for key in made:  # grows
        below = (e.source for e in of_type(view.incoming.get(key, []), "EXTENDS"))
        made += [k for k in below if k not in made and f"{k}.{_CONSTRUCTOR}" not in view.symbols]
    calls = (edge for key in made for edge in of_type(view.incoming.get(key, []), "CALLS"))
    return [e._replace(target=field.key, strategy=CONSTRUCTS) for e in calls if e.strategy != FROM_TESTS]


def _takes_fields(view: View, key: str) -> bool:
    """Return whether a class has no explicit constructor and gets one generated from its fields."""
    seen, rest = {key}, [key]
    is_record = False
    while rest:
        each = rest.pop()
        symbol = view.symbols.get(each)
        if symbol is None or f"{each}.{_CONSTRUCTOR}" in view.symbols:
            return False
        is_record = is_record or any(map(_RECORD.match, symbol.decorators))
        is_record = is_record or (symbol.external and each.endswith(_RECORD_BASES))
        fresh = {e.target for e in of_type(view.outgoing.get(each, []), "EXTENDS")} - seen
        seen |= fresh
        rest += fresh
    return is_record


def unresolved_accesses(view: View, field: Symbol, texts: Iterable[tuple[str, str]]) -> Iterator[tuple[str, int]]:
    """Yield (path, line) of each access to an attribute with the name of a field on an object of unknown type. `texts`
    are (path, text) of the files of the tree. Attributes of imported modules are skipped."""
    pattern = re.compile(rf"(\w*)\s*(?:\?\.|\.|->)\s*{re.escape(field.name)}\b(?!\s*\()")
    known = _known_places(view, field.name)
    for path, text in texts:
        record = view.index.records.get(path)
        if record is None or record.language != field.language or field.name not in text:
            continue
        modules = _imported(view, path)
        lines = text.split("\n")
        resolved = _resolved_receivers(view, field.name, path, lines, known)
        for number, line in enumerate(lines, 1):
            if field.name not in line or line.lstrip().startswith(_COMMENT) or (path, number) in known:
                continue
            if resolved and (_scope_at(view, path, number), receiver_before(line, field.name)) in resolved:
                continue
            if any(found[1] not in modules for found in pattern.finditer(line)):
                yield path, number


def destructured(view: View, field: Symbol, texts: Iterable[tuple[str, str]]) -> Iterator[tuple[str, int, bool]]:
    """Yield (path, line, sure) of each pattern that takes a field out of an object: `const { cost } = row`,
    `for (const { cost } of rows)`, `({ cost }: Row) => …`. It is sure if the pattern is annotated with the field's type; one
    with another type is left out."""
    if field.language not in _DESTRUCTURING:
        return
    owner = view.symbols.get(view.parent.get(field.key, ""))
    word = re.compile(rf"(?:^|,)\s*({re.escape(field.name)})\s*(?=$|[,:=])")
    known = _known_places(view, field.name)
    for path, text in texts:
        record = view.index.records.get(path)
        if record is None or record.language not in _DESTRUCTURING or field.name not in text:
            continue
        for pattern in (_BOUND, _PARAMETER):
            line, counted = 1, 0
            for found in pattern.finditer(text):
                named = word.search(found["names"])
                type_ = (found["type"] or "").split("<")[0].rpartition(".")[2].strip()
                if named is None or (type_ and owner is not None and type_ != owner.name):
                    continue
                place = found.start("names") + named.start(1)
                line, counted = line + text.count("\n", counted, place), place
                if (path, line) not in known:
                    yield path, line, bool(type_)


def accesses_by_name(view: View, field: Symbol, places: Iterable[tuple[str, int]]) -> list[CodeEdge]:
    """Return accesses on objects of unknown type as uses of a field, if it is the only symbol with its name in a language
    whose types declare their fields; otherwise nothing."""
    others = (s for s in view.named.get(field.name, ()) if s.language == field.language and s.key != field.key)
    if field.language in _DYNAMIC or any(not other.external for other in others):
        return []
    return uses_at(view, field, places, "unique name", _BY_NAME)


def uses_of_type(view: View, field: Symbol, places: Iterable[tuple[str, int]]) -> list[CodeEdge]:
    """Return patterns that are annotated with the field's type as uses of it."""
    return uses_at(view, field, places, "type", _BY_TYPE)


def uses_at(
    view: View, field: Symbol, places: Iterable[tuple[str, int]], strategy: str, confidence: float
) -> list[CodeEdge]:
    """Return the symbols around some places as users of a field."""
    found = [(symbol_at(view, path, line), line) for path, line in places]
    return [
        CodeEdge("USES", symbol.key, field.key, line, strategy, confidence)
        for symbol, line in found
        if symbol is not None and symbol.key != field.key
    ]


def _known_places(view: View, name: str) -> set[tuple[str, int]]:
    """Return (path, line) of the resolved uses of all symbols with this name."""
    edges = (edge for symbol in view.named.get(name, ()) for edge in view.incoming.get(symbol.key, ()))
    return {(view.symbols[edge.source].file, edge.line) for edge in edges if edge.type != "DEFINES"}


def _resolved_receivers(
    view: View, name: str, path: str, lines: list[str], known: set[tuple[str, int]]
) -> set[tuple[str, str]]:
    """Return (function, receiver) of the resolved uses of a name in a file: a relation has the line of only the first of several
    uses in one function."""
    own = (
        (number, receiver_before(lines[number - 1], name))
        for at, number in known
        if at == path and number <= len(lines)
    )
    return {(_scope_at(view, path, number), receiver) for number, receiver in own if receiver}


def _scope_at(view: View, path: str, line: int) -> str:
    found = symbol_at(view, path, line)
    return found.key if found else ""


def receiver_before(line: str, name: str) -> str:
    """Return what a name stands behind in a line; "" if it stands alone.

    >>> receiver_before("if !cart.rows.strict {", "strict"), receiver_before("strict = 1", "strict")
    ('cart.rows.', '')
    """
    before, named, _ = line.partition(name)
    chain = before[len(before.rstrip(_RECEIVER)) :] if named and before.endswith((".", "->", "::")) else ""
    return chain if chain[:1].isidentifier() else ""


def _imported(view: View, path: str) -> set[str]:
    """Return the names of the modules that a file imports."""
    return {
        view.symbols[edge.target].name
        for symbol in view.by_file.get(path, [])[:1]
        for edge in of_type(view.outgoing.get(symbol.key, []), "IMPORTS")
        if view.symbols[edge.target].external or view.symbols[edge.target].kind == "module"
    }
