"""Operations about what is done with a name: who reads or writes a field, who makes an object of a class, who overrides a
method. The relations of the code say which functions use it; their lines say how."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from shlex import quote

from graphmem.ask.evidence import (
    Evidence,
    Operation,
    Sources,
    evidence_of,
    find_subject,
    name_of,
    place_of,
    rest_line,
    shortened,
    show_rows,
)
from graphmem.ask.operations import find_callers, find_definition, find_impact, find_introduction
from graphmem.ask.types import Question
from graphmem.code.text_search import kind_of_file
from graphmem.codegraph.view import CLASSES, FUNCTIONS
from graphmem.model.answers import Calls, join_places
from graphmem.model.code import Symbol
from graphmem.model.code_answers import TextMatch
from graphmem.model.results import Hit

_LINES = 2_000  # lines with the name that are looked at
_MEANINGS = 4  # symbols of one name that are answered
_OTHERS = 8  # fields of the same name whose uses are left out
_ROWS = 40
_QUOTED = 16  # accesses, of which each is shown with its line
_OPEN = 8  # accesses on unknown objects that are named
_VALUES = frozenset({"field", "variable", "constant", "property"})
_COMMENT = re.compile(r"\s*(?://|/?\*|--|;|\"\"\"|'''|#(?!\s*(?:if|el|define|undef|pragma|\[)))")
_BY_KEY = (".go", ".rs", ".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx")  # literals give fields a value with a colon
_DOTTED = (*_BY_KEY, ".py")
_BY_NAME = r"(?:\b(?:[gs]et|has|del)attr\([^()]*,|\battrgetter\(|\[)\s*[\"']{}[\"']"
_AS_CALL = frozenset({"uses", "refers to", "extends", "implements", "imports"})  # relations that are no call


def find_reads(question: Question, sources: Sources, hits: Sequence[Hit]) -> Evidence | None:
    """Return where a field or variable is read, with the reads on unknown objects that may be one more."""
    return _find_accesses(question, sources, "read", _reads) or _find_else(question, sources, hits, find_callers)


def find_writes(question: Question, sources: Sources, hits: Sequence[Hit]) -> Evidence | None:
    """Return where a field or variable is given a value; of another symbol, who wrote it."""
    return _find_accesses(question, sources, "written", _writes) or _find_else(
        question, sources, hits, find_introduction
    )


_WHERE = re.compile(r"\W*where\b", re.I)


def _find_else(question: Question, sources: Sources, hits: Sequence[Hit], otherwise: Operation) -> Evidence | None:
    """Return what is said of what is no field: where it is, if the question asks that, otherwise by another operation."""
    return (find_definition if _WHERE.match(question.text) else otherwise)(question, sources, hits)


def find_dependents(question: Question, sources: Sources, hits: Sequence[Hit]) -> Evidence | None:
    """Return what depends on the symbol; on a field who reads it and who gives it a value, each with the line: whoever reads it
    fails without it, whoever only sets it does not."""
    subject = find_subject(question, sources)
    if subject is None or subject.kind not in _VALUES:
        return find_impact(question, sources, hits)
    read = _find_accesses(question, sources, "read", _reads)
    written = _find_accesses(question, sources, "given a value", _writes)
    if read is None or written is None:
        return find_impact(question, sources, hits)
    depend = find_impact(question, sources, hits)
    further = [f"in all, {depend.lines[0]}"] if depend is not None and depend.lines else []
    tests = [line for line in depend.lines if line.startswith("tests: ")] if depend is not None else []
    commands = (*read.commands, *(depend.commands if depend is not None else ()))
    return read._replace(lines=(*read.lines, *written.lines, *further, *tests), commands=commands)


def find_constructions(question: Question, sources: Sources, hits: Sequence[Hit]) -> Evidence | None:
    """Return where objects of a class are made."""
    symbol = find_subject(question, sources)
    if symbol is None or symbol.kind not in CLASSES:
        return find_callers(question, sources, hits)
    found = sources.code.callers(name_of(symbol, sources), limit=10_000)
    is_called = any(call.strategy not in _AS_CALL for call in found.calls)
    own = _constructs(symbol.name)
    rows = [
        (row.path, row.line, _short(found, row), row.text)
        for row in _lines_of(sources, symbol.name, found)
        if own(row) and not _defines(row, symbol)
    ]
    known = {(path, line) for path, line, *_ in rows}
    if is_called:  # constructors that the line does not spell out: `new()`, `Self { … }`, `cls()`
        named = {(path, name) for path, _, name, _ in rows}
        rows += [
            (call.symbol.file, call.line, call.symbol.short_name, call.text)
            for call in found.calls
            if call.strategy not in _AS_CALL
            and (call.symbol.file, call.line) not in known
            and (call.symbol.file, call.symbol.short_name) not in named
        ]
    rows = _in_order(rows, found)
    lines = [f"{len(rows)} place{'s' * (len(rows) != 1)} make{'s' * (len(rows) == 1)} an object of {place_of(symbol)}"]
    lines += _shown(rows, _ROWS)
    return evidence_of(question, symbol, sources, lines, "code callers")


def find_overrides(question: Question, sources: Sources, hits: Sequence[Hit]) -> Evidence | None:
    """Return the methods that override or implement a method; of a class, its subclasses with their methods."""
    if (symbol := find_subject(question, sources)) is None:
        return None
    found = sources.code.implementations(name_of(symbol, sources), limit=10_000)
    rows = [
        (method.file, method.line, method.short_name)
        for row in found.implemented_by
        for method, _ in row.methods
        if symbol.kind in FUNCTIONS
    ] or [(row.symbol.file, row.symbol.line, row.symbol.short_name) for row in found.implemented_by]
    rows = list(dict.fromkeys(rows))
    what = "method overrides" if len(rows) == 1 else "methods override"
    lines = [f"{len(rows)} {what} {place_of(symbol)}", *show_rows(rows, len(rows), _ROWS)]
    above = [f"{row.symbol.short_name} ({row.symbol.file}:{row.symbol.line})" for row in found.implements]
    lines += [f"it is declared in {', '.join(above)}"] if above else []
    return evidence_of(question, symbol, sources, lines, "code implementations")


Matches = Callable[[TextMatch], object]
Rows = list[tuple[str, int, str, str]]  # file, line, function, text of the line


def _find_accesses(
    question: Question, sources: Sources, done: str, matching: Callable[[str], Matches]
) -> Evidence | None:
    subject = find_subject(question, sources)
    if subject is None or subject.kind not in _VALUES:
        return None
    named = next((name for name in question.exact if name.endswith(subject.name)), subject.key)
    same = [symbol for symbol in sources.code.known(named) if symbol.kind == subject.kind][:_MEANINGS] or [subject]
    is_meant = matching(subject.name)
    answers = [(symbol, *_accesses(sources, symbol, is_meant)) for symbol in same]
    lines, is_complete = list[str](), True
    for symbol, rows, unsure, others in [each for each in answers if each[1] or each[2]] or answers[:1]:
        lines.append(f"{place_of(symbol)} is {done} at {len(rows)} place{'s' * (len(rows) != 1)}")
        lines += _shown(rows, _ROWS)
        is_complete = is_complete and bool(rows or not unsure)
        if unsure:
            lines.append(f"{len(unsure)} more on objects of unknown type could be of it:")
            lines += _shown(unsure, _QUOTED)
        if others:
            lines.append(f"lines with the name that are of something else: {join_places(others)}")
    evidence = evidence_of(question, subject, sources, lines, "code callers", is_complete=is_complete)
    return evidence._replace(commands=(f"graphmem code callers {quote(named)}",))


def _shown(rows: Rows, most: int) -> list[str]:
    """Return rows with their lines, of many by file without these; those in tests always so."""
    own = [row for row in rows if kind_of_file(row[0]) != "test"]
    tests = [row[:3] for row in rows if row not in own]
    if len(own) > _QUOTED:
        lines = show_rows([row[:3] for row in own], len(own), most)
    else:
        lines = [f"{file}:{line} {name}: {shortened(text)}" for file, line, name, text in own[:most]]
        lines += rest_line(len(own), most)
    return lines + [f"in tests: {line}" for line in show_rows(tests, len(tests), max(most - len(own), _OPEN))]


def _accesses(sources: Sources, symbol: Symbol, is_meant: Matches) -> tuple[Rows, Rows, list[str]]:
    """Return the accesses that a pattern recognises in the users of a field, those on unknown objects, and the places of those that
    are of another type's field."""
    found = sources.code.callers(symbol.key, limit=10_000)
    named = _lines_of(sources, symbol.name, found)
    lines = [row for row in named if not _defines(row, symbol) and _is_member(row, symbol) and is_meant(row)]
    own = {(call.symbol.file, call.line) for call in found.calls}
    opened, users = set(found.open_places), {(call.symbol.file, call.symbol.name) for call in found.calls}
    rows, unsure, of_others = Rows(), Rows(), list[str]()
    by_name = re.compile(_BY_NAME.format(re.escape(symbol.name)))
    others = _lines_of_others(sources, symbol) if lines else set()
    for row in lines:
        is_own = (row.path, row.line) in own
        is_of_other = (row.path, row.line) in others
        is_single = len(re.findall(rf"(?<!\w){re.escape(symbol.name)}(?!\w)", row.text)) == 1
        if is_of_other and not is_own and is_single:
            of_others.append(f"{row.path}:{row.line}")  # another type's field of that name
            continue
        is_open = not is_own and f"{row.path}:{row.line}" in opened
        is_looked_up = (row.path, row.symbol) not in users and by_name.search(row.text)
        if is_of_other or is_open or is_looked_up:
            unsure.append((row.path, row.line, row.symbol.rpartition(".")[2], row.text))
        elif (row.path, row.symbol) in users:
            rows.append((row.path, row.line, _short(found, row), row.text))
    return _in_order(rows, found), unsure, of_others


def _is_member(row: TextMatch, symbol: Symbol) -> bool:
    """Return whether a line has the name of a field as a member or key; where these need a dot, a bare name is a variable."""
    if symbol.kind != "field" or not row.path.endswith(_DOTTED):
        return True
    name = re.escape(symbol.name)
    return (
        re.search(
            rf"(?:\.|->)\s*{name}(?!\w)|{_BY_NAME.format(name)}|(?:[{{(,]|^)\s*{name}\s*[:=](?![:=])|\{{[^}}]*{name}",
            row.text,
        )
        is not None
    )


def _lines_of_others(sources: Sources, symbol: Symbol) -> set[tuple[str, int]]:
    """Return the lines that use another field of the same name."""
    others = [each for each in sources.code.known(symbol.name) if each.kind == symbol.kind and each.key != symbol.key]
    calls = [call for each in others[:_OTHERS] for call in sources.code.callers(each.key, limit=10_000).calls]
    return {(call.symbol.file, call.line) for call in calls}


def _lines_of(sources: Sources, name: str, found: Calls) -> list[TextMatch]:
    """Return the lines of code that have a name, without those of files that do not use the symbol."""
    files = {call.symbol.file for call in found.calls} | {place.rpartition(":")[0] for place in found.open_places}
    matches = sources.code.text(rf"(?<![\w$]){re.escape(name)}(?![\w$])", is_regex=True, limit=_LINES).matches
    return [row for row in matches if row.path in files and not _COMMENT.match(row.text)]


def _defines(row: TextMatch, symbol: Symbol) -> bool:
    return row.path == symbol.file and row.line == symbol.line and symbol.kind != "variable" and "self." not in row.text


def _short(found: Calls, row: TextMatch) -> str:
    return next(
        (c.symbol.short_name for c in found.calls if (c.symbol.file, c.symbol.name) == (row.path, row.symbol)),
        row.symbol.rpartition(".")[2],
    )


def _in_order(rows: Iterable[tuple[str, int, str, str]], found: Calls) -> Rows:
    """Return rows by file in the order of the users, tests last."""
    ranks: dict[str, int] = {}
    for call in found.calls:
        ranks.setdefault(call.symbol.file, len(ranks))
    return sorted(dict.fromkeys(rows), key=lambda row: (ranks.get(row[0], len(ranks)), row[0], row[1]))


def _writes(name: str) -> Matches:
    word = rf"(?<![\w$]){re.escape(name)}"
    operator = r"(?:[-+*/%&|^]|<<|>>|\?\?|\|\||&&|//|\*\*)?:?=(?![=>~])"
    assigned = re.compile(
        rf"{word}(?:\[[^\]]*\])?\s*(?::[^=]+)?{operator}|{word}(?:\+\+|--)|(?:\+\+|--|\bdel )[\w.]*{word}\b"
        rf"|{word}\s*,[\w\s.,]*[^=!<>]=(?![=>])"
    )
    keyed = re.compile(rf"(?:^|[{{(,])\s*(?:\w+\s*:\s*)?{word}\s*:(?!:)")
    return lambda row: assigned.search(row.text) or (row.path.endswith(_BY_KEY) and keyed.search(row.text))


def _reads(name: str) -> Matches:
    is_written = _writes(name)
    changed = r"(?:[-+*/%&|^]|<<|>>|\?\?|\|\||&&|//|\*\*)="
    only_set = r"(?!\s*(?:\[[^\]]*\]\s*)?:?=(?![=>~]))(?!\s*:[^=:]+=(?![=>]))"
    member = re.compile(rf"(?:\.|->)\s*{re.escape(name)}(?![\w$]){only_set}")
    changes = re.compile(rf"{re.escape(name)}\s*{changed}|{re.escape(name)}(?:\+\+|--)")
    word = re.compile(rf"(?<![\w$]){re.escape(name)}(?![\w$])")

    def is_read(row: TextMatch) -> bool:
        if not is_written(row) or changes.search(row.text):
            return True
        if row.path.endswith(_DOTTED):  # `given=self.row.name` reads one and names another
            return member.search(row.text) is not None
        return len(word.findall(row.text)) > 1

    return is_read


def _constructs(name: str) -> Matches:
    word = re.escape(name)
    made = re.compile(
        rf"\bnew\s+(?:[\w.:]+[.:])?{word}\b|(?<![\w$*]){word}(?:::?<[^<>()]*>|<[^<>()]*>|\[[^\[\]()]*\])?(?:\(|\{{|\s\{{)|(?<!\w){word}(?:\.|::)new\b"
        rf"|\bnew\((?:\w+\.)?{word}\)"
    )
    declares = re.compile(
        rf"\b(?:class|struct|enum|interface|trait|record|impl|type|func|fn|def|extends|implements|for|case|is|as|where)\b[^(={{;]*?{word}\s*[({{<]"
        rf"|(?:->|\)|\])\s*[*&]?{word}\s*\{{"
    )
    return lambda row: made.search(row.text) and not declares.search(row.text)
