"""Where sources read variables of the environment: by their names, through functions that are given a name, and through variables
and parameters that hold the whole environment."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from graphmem.ask import environment_patterns as written
from graphmem.ask.environment_holders import find_held_reads, rows_not_held
from graphmem.ask.evidence import Sources
from graphmem.ask.function_texts import FunctionTexts, argument_at, arguments_of, position_of
from graphmem.model.code_answers import TextMatch

_LINES = 2_000  # lines that read a variable
_LINES_OF_ALL_KINDS = 4_000  # with those of tests and documents, which are left out
_READERS = 30  # functions that are given a name
_CODE_KINDS = frozenset({"code", "example"})
_SPELT = re.compile(r"[\"'`]([A-Za-z_]\w*)[\"'`]")
_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]*(?:(?:\.|::)[A-Za-z_$][\w$]*){0,4}")
_PIECES = re.compile(r"[frbu]?[\"'`]([^\"'`]*)[\"'`]|([A-Za-z_$][\w$.:]*)")  # of a composed name: texts and identifiers
_FIXED = re.compile(r"[A-Z]|[a-z]{2}")
_PLAIN = frozenset(
    "get read fetch load value find lookup string bool int str opt option".split()
)  # others have that name, too
_CONSTANTS = 60  # identifiers that may be constants


class Read(NamedTuple):
    """A line that reads a variable, with the default that it gives and the function through which it reads it, or ""."""

    row: TextMatch
    default: str = ""
    through: str = ""


@dataclass(slots=True)
class EnvironmentReads:
    """The reads of each variable; what settings put before names; the lines that read a name composed at run time, with the part of
    it that is known; those that hand on all variables; and how many lines were not looked at."""

    places: defaultdict[str, list[Read]] = field(default_factory=lambda: defaultdict(list))
    prefixes: list[tuple[str, TextMatch]] = field(default_factory=list)
    composed: list[tuple[str, TextMatch]] = field(default_factory=list)
    whole: list[TextMatch] = field(default_factory=list)
    left: int = 0

    def add(self, name: str, read: Read) -> None:
        """Add a read unless its line is there already."""
        if not any((one.row.path, one.row.line) == (read.row.path, read.row.line) for one in self.places[name]):
            self.places[name].append(read)


class _Reader(NamedTuple):
    """A function that reads the variable whose name is one of its parameters."""

    name: str
    position: int
    parameter: str
    path: str


def read_environment(sources: Sources, *, is_of_folder: bool) -> EnvironmentReads:
    """Return what sources read. Asked of a folder, its examples count, too."""
    kind, most = (None, _LINES_OF_ALL_KINDS) if is_of_folder else ("code", _LINES)
    found = sources.code.text(written.READS_ENVIRONMENT, is_regex=True, kind=kind, limit=most)
    importing = sources.code.text(written.IMPORTS_ENVIRON, is_regex=True, limit=_LINES).matches
    imported = {row.path for row in importing}
    rows = [row for row in found.matches if row.kind in _CODE_KINDS and _is_of_process(row, imported)]
    reads = EnvironmentReads(left=found.total - len(found.matches))
    texts = FunctionTexts(sources)
    held = find_held_reads(texts, sources)
    unknown = _read_further(rows_not_held(read_spelt(rows, reads), held), reads, texts)
    for name, row, end in held.named:
        reads.add(name, Read(row, default_behind(row.text, end)))
    _follow_readers([*unknown, *held.unknown], reads, texts, sources)
    _read_libraries(reads, sources)
    handing = sources.code.text(written.WHOLE, is_regex=True, kind="code", limit=_LINES).matches
    reads.whole += [row for row in handing if not is_mention(row) and (row.path, row.line) not in held.lines]
    reads.prefixes += _prefixes(sources)
    return reads


def read_spelt(rows: Iterable[TextMatch], reads: EnvironmentReads) -> list[TextMatch]:
    """Add what lines spell out; return the lines that read an unknown name."""
    unknown = []
    for row in rows:
        spelt = [
            each
            for each in (*written.NAME.finditer(row.text), *written.MEMBER.finditer(row.text))
            if _is_spelt(row.text, each.start(1), each[1]) and not written.PLUS.match(row.text, each.end())
        ]
        for each in spelt:
            if not written.SETS.match(row.text, each.end()):
                reads.add(each[1], Read(row, default_behind(row.text, each.end())))
        is_known = spelt or is_mention(row) or written.LISTS.search(row.text) or written.OF_BUNDLERS.search(row.text)
        if not is_known and (written.CALLED.search(row.text) or row.path.endswith(".py")):
            unknown.append(row)
    return unknown


def is_mention(row: TextMatch) -> bool:
    """Return whether a line only speaks of what it holds."""
    return bool(written.COMMENT.match(row.text) or written.IMPORT.match(row.text))


def default_behind(line: str, end: int) -> str:
    """Return the default that a line gives to the variable whose name ends there, as it is written."""
    if found := written.DEFAULT.match(line, end):
        return found[1]
    is_argument = line[end : end + 1] in "\"'`" or written.PARSES.search(line, 0, end)
    found = written.ARGUMENT.match(line, end) if is_argument and end < len(line) else None
    return found[1] if found else ""


def _is_spelt(line: str, start: int, name: str) -> bool:
    """Return whether a line spells out the name of a variable at this place: in quotes, behind a dot, or in capitals. Anything
    else is a parameter or constant that holds the name."""
    return any(map(str.isupper, name)) and (name.isupper() or line[start - 1] in "\"'`.")


def _is_of_process(row: TextMatch, imported: set[str]) -> bool:
    """Return whether a line reads the environment of the process. In Python, a bare `environ` that is not imported is that of a
    request."""
    is_bare = row.path.endswith(".py") and not written.OF_OS.search(row.text)
    return not is_bare or row.path in imported


def _follow_readers(
    unknown: Sequence[tuple[str, TextMatch]], reads: EnvironmentReads, texts: FunctionTexts, sources: Sources
) -> None:
    """Add what is read through functions that are given a name, and by the names of constants; what is left is composed."""
    readers = dict[_Reader, list[str]]()
    affixed, constants = list[tuple[_Reader, str, TextMatch]](), list[tuple[str, TextMatch]]()
    for argument, row in unknown:
        reader = _reader_at(row, argument, texts)
        if reader is not None:
            readers.setdefault(reader, [])
            if argument != reader.parameter:
                affixed.append((reader, argument, row))
        else:
            constants.append((argument, row))
    waiting = list(readers)
    while waiting and len(readers) <= _READERS:
        reader = waiting.pop()
        for row, arguments in _calls_of(reader, texts, sources):
            given = argument_at(arguments, reader.position, reader.parameter)
            if spelt := _SPELT.fullmatch(given):
                readers[reader].append(spelt[1])
                reads.add(spelt[1], Read(row, _default_among(arguments, given), reader.name))
            elif (further := _reader_at(row, given, texts)) is not None:
                if further not in readers and given == further.parameter:
                    readers[further] = []
                    waiting.append(further)
                elif given != further.parameter:
                    affixed.append((further, given, row))
                    readers.setdefault(further, [])
            elif given:
                constants.append((given, row))
    values = _values_of([*constants, *((argument, row) for _, argument, row in affixed)], sources)
    for reader, argument, row in affixed:
        shape = _shape(argument, row.path, values, reader.parameter)
        given = f" for each name that {reader.name} is given ({', '.join(dict.fromkeys(readers[reader]))})"
        reads.composed.append((shape + given * bool(shape and readers[reader]), row))
    for argument, row in constants:
        name = _value(argument, row.path, values) if _IDENTIFIER.fullmatch(argument) else ""
        if name:
            reads.add(name, Read(row, default_behind(row.text, row.text.find(argument) + len(argument))))
        else:
            reads.composed.append((_shape(argument, row.path, values), row))


def short_name(symbol: str) -> str:
    """Return the last part of a dotted name."""
    return re.split(r"[.:#]", symbol)[-1]


def _read_further(
    rows: Iterable[TextMatch], reads: EnvironmentReads, texts: FunctionTexts
) -> Iterator[tuple[str, TextMatch]]:
    """Add the reads whose name stands on the next line; yield the other lines with what they read the environment by."""
    for row in rows:
        text = texts.from_line(row)
        arguments = _arguments_behind(text)
        spelt = _SPELT.fullmatch(arguments[0]) if arguments else None
        if spelt:
            reads.add(spelt[1], Read(row, _default_among(arguments, arguments[0])))
        elif arguments or "(" not in row.text:
            yield next(iter(arguments), ""), row


def _arguments_behind(text: str) -> list[str]:
    """Return what a text reads the environment by: the arguments of the call, what is in brackets, or a name."""
    found = written.BEHIND.search(text)
    if found is None:
        return []
    if found[0].rstrip()[-1:] in "([":
        return arguments_of(text[found.end() :])
    name = _IDENTIFIER.match(text, found.end())
    return [name[0]] if name else []


def _reader_at(row: TextMatch, argument: str, texts: FunctionTexts) -> _Reader | None:
    """Return the function of a line if one of its parameters is in an argument."""
    symbol = texts.function_at(row)
    if symbol is None:
        return None
    parameters = texts.parameters(symbol)
    for name in re.findall(r"[A-Za-z_$][\w$]*", re.sub(r"(?<![\w{])[fr]?[\"'][^\"'{]*[\"']", "", argument)):
        position = position_of(parameters, name)
        if position is not None:
            return _Reader(symbol.name, position, name, symbol.file)
    return None


def _calls_of(reader: _Reader, texts: FunctionTexts, sources: Sources) -> Iterator[tuple[TextMatch, list[str]]]:
    """Yield the lines that call a function, with the arguments, which may stand on the next lines."""
    call = rf"(?<![\w$]){re.escape(reader.name)}(?:<[^<>()]{{0,60}}>|\[[^\[\]()]{{0,60}}\])?!?\("
    is_plain = reader.name.lower() in _PLAIN
    own = {(symbol.file, symbol.line) for symbol in texts.functions(reader.name)}
    for row in sources.code.text(call, is_regex=True, kind="code", limit=_LINES).matches:
        if is_mention(row) or (row.path, row.line) in own or (is_plain and row.path != reader.path):
            continue
        for found in re.finditer(call, row.text):
            if not re.search(r"\b(?:def|func|fn|function|fun)\s+(?:\([^()]*\)\s*)?$", row.text[: found.start()]):
                yield row, arguments_of(texts.from_line(row)[found.end() :])


def _default_among(arguments: Sequence[str], name: str) -> str:
    """Return the literal behind a name in a list of arguments."""
    rest = arguments[arguments.index(name) + 1 :] if name in arguments else arguments[1:]
    found = written.ARGUMENT.match(f", {rest[0]})") if rest else None
    return found[1] if found else ""


def _shape(argument: str, path: str, values: Mapping[str, Mapping[str, set[str]]], given: str = "") -> str:
    """Return the fixed parts of a composed name, * for the others and for what is given; "" if nothing is fixed.

    >>> [_shape(text, "", {}) for text in ('key + "_FILE"', "f'SHOP_{name}'", '"A_%s", x', "name")]
    ['*_FILE', 'SHOP_*', 'A_*', '']
    """

    def known(name: str | None) -> str:
        return (_value(name, path, values) if name != given else "") or "*"

    def said(part: re.Match[str]) -> str:
        if part[1] is not None:  # a text, perhaps with places for values
            return re.sub(r"%[sdv]|\$?\{([A-Za-z_]\w*)?[^{}]*\}", lambda one: known(one[1]), part[1])
        return known(part[2])

    shape = "".join(map(said, _PIECES.finditer(argument)))
    shape = re.sub(r"\*+", "*", shape)
    return shape if _FIXED.search(shape) else ""


def _values_of(found: Sequence[tuple[str, TextMatch]], sources: Sources) -> Mapping[str, Mapping[str, set[str]]]:
    """Return the texts that constants hold whose names are in arguments, by name and file."""
    values: defaultdict[str, defaultdict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    wanted = sorted({short_name(part) for argument, _ in found for part in _IDENTIFIER.findall(argument)})
    if names := wanted[:_CONSTANTS]:
        assigned = re.compile(
            rf"(?<!\w)({'|'.join(map(re.escape, names))})(?:\s*:[^=]+|\s+&?\w+)?\s*:?=\s*[\"'`](\w+)[\"'`]"
        )
        for row in sources.code.text(assigned.pattern, is_regex=True, kind="code", limit=_LINES).matches:
            for each in assigned.finditer(row.text):
                values[each[1]][row.path].add(each[2])
    return values


def _value(name: str | None, path: str, values: Mapping[str, Mapping[str, set[str]]]) -> str:
    """Return the one text that a constant of a file, else of the whole tree, holds."""
    here = values.get(short_name(name), {}) if name else {}
    found = here[path] if path in here else {text for some in here.values() for text in some}
    return next(iter(found)) if len(found) == 1 else ""


def _read_libraries(reads: EnvironmentReads, sources: Sources) -> None:
    """Add the variables that tags, options and readers of libraries name."""
    for row in sources.code.text(written.LIBRARIES, is_regex=True, kind="code", limit=_LINES).matches:
        if is_mention(row):
            continue
        for found in written.NAMED_BY_LIBRARIES.finditer(row.text):
            name = next(filter(None, found.groups()))
            tagged = written.TAG_DEFAULT.search(row.text) if "`" in row.text else None
            default = (tagged[1] or tagged[2]) if tagged else default_behind(row.text, found.end() - 1)
            reads.add(name, Read(row, default))


def _prefixes(sources: Sources) -> Iterator[tuple[str, TextMatch]]:
    """Yield what settings put before the names of variables, with the lines that say so."""
    found = sources.code.text(written.PREFIX.pattern, is_regex=True, ignore_case=True, kind="code", limit=_LINES)
    for row in found.matches:
        said = None if is_mention(row) else written.PREFIX.search(row.text)
        if said is not None:
            yield said[1] or f"{said[2].upper()}_", row
