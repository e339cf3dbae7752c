"""Which settings the program reads, and where: attributes of a settings object (Django), keys of configuration (Flask, Rails,
Spring, viper, koanf, config packages), with the keys of a setting that is a dictionary itself."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from graphmem.ask.evidence import FEW, Evidence, Sources, rest_line, shortened
from graphmem.ask.types import Question
from graphmem.errors import GraphmemError
from graphmem.model.code_answers import TextMatch
from graphmem.model.results import Hit

_LINES = 2_000  # lines that read a setting
_PLACES = 8  # of one setting that are named
_QUOTED_PLACES = 30  # with so many in all, the line of each is shown
_KEYS = 30  # of one setting
_NAMES = 60  # settings that are named
_HOLDERS = r"(?:\w*[cC]onfig(?:uration)?(?:Service|Manager|Provider)?|[sS]ettings|conf|cfg|Conf|Cfg)"
_GETS = (
    r"(?:get|has|fetch|dig|value|require|exists|is_?set|Get|Has|Is|String|Int|Int64|Bool|Float64|Duration|Strings|Bytes|Exists"
    r"|MustString|MustInt|Time|Unmarshal|Cut|Sub|MapKeys|StringMap|Section)\w*"
)
_NAME = r"[\"'`]([A-Za-z_][\w.:/-]{0,80})[\"'`]"
_OBJECTS = r"(?:{holders})\s{{0,2}}(?:\[\s{{0,4}}:?|\.{gets}(?:::)?(?:<[^<>()]{{0,80}}>)?\(\s{{0,4}}:?){name}"
_READS = (
    r"(?<![\w$])(?:\w{1,60}\.){0,3}settings\.([A-Z][A-Z0-9_]+)\b",  # Django
    r"\b(?:get|has)attr\(\s{0,4}(?:\w{1,60}\.){0,3}settings\s{0,4},\s{0,4}[\"'](\w{1,80})[\"']",
    r"\bRails\.(?:application\.)?config(?:uration)?\.(x\.\w+(?:\.\w+){0,4})",
    r"(?<![\w.:])Settings\.([a-z_]\w*(?:\.[a-z_]\w*){0,5})",  # of Ruby's package config
    r"@Value\(\s{0,4}(?:value\s{0,4}=\s{0,4})?\"[$#]\{([\w.-]{1,80})",  # Spring
    r"\b(?:env|environment|System)\.(?:getProperty|getRequiredProperty)\(\s{0,4}\"([\w.-]{1,80})\"",
    r"(?<![\w$>:.])config\(\s{0,4}'([\w.-]{1,80})'",  # Laravel
    r"\bApplication\.(?:get_env|fetch_env!?|compile_env!?)\(\s{0,4}:\w{1,60},\s{0,4}:(\w{1,60})",  # Elixir
)
_MADE = (
    r"\b(\w{1,60})\s{0,4}(?::?=|:)\s{0,4}(?:koanf|viper)\.New\w*\(|\b(\w{1,60})\s{1,4}\*(?:koanf\.Koanf|viper\.Viper)\b"
)
_WRITTEN = re.compile(r"[\"'`]?\s{0,4}\]?(?:\[[^\[\]]{0,80}\]){0,3}\s{0,4}=(?![=>~])")
_KEY = r"\[\s{0,4}[\"']([\w.-]{1,80})[\"']\s{0,4}\]|\.(?:get|pop|setdefault|fetch|dig|delete|has)\(\s{0,4}[\"':]([\w.-]{1,80})"
_COMMENT = re.compile(r"\s*(?://|/?\*|--|;|%|<!--|\"\"\"|'''|#)")
_COMPUTED = re.compile(r"\bgetattr\(\s*(?:\w+\.)*settings\s*,\s*(?![\"'])(\w+)")
_ASSIGNED = re.compile(r"\s*(?:const |let |var )?(?:self\.)?(\w+)\s*(?::[^=]+)?:?=(?!=)")
_SPELT = re.compile(r"[A-Z][A-Z0-9_]{2,}|[\w-]+(?:\.[\w-]+)+")


class Read(NamedTuple):
    """Where a setting is read, and the keys of it that are named there: (key, line)."""

    row: TextMatch
    keys: tuple[tuple[str, int], ...]


def find_settings(question: Question, sources: Sources, hits: Sequence[Hit]) -> Evidence | None:
    """Return the settings that sources read, with their places and the keys of those that are dictionaries; those that only tests
    read, and the places where the name is composed. Of a named setting or a folder, only its own."""
    folder = next((name for name in question.exact if "/" in name), "")
    patterns = _patterns(sources)
    reads, computed = _read_settings(patterns, "code", sources)
    named = [name for name in question.exact if _SPELT.fullmatch(name) and name in reads]
    if named:
        reads = {name: reads[name] for name in named}
    if folder:
        inside = {name: [one for one in some if one.row.path.startswith(folder)] for name, some in reads.items()}
        reads = {name: some for name, some in inside.items() if some}
    of_tests, _ = _read_settings(patterns, "test", sources)
    only = {name: rows for name, rows in of_tests.items() if name not in reads and not (named or folder)}
    number = f"{len(reads)} setting{'s are' if len(reads) != 1 else ' is'} read{f' in {folder}' if folder else ''}"
    lines = [
        f"{number}, in sources without tests (attributes of settings objects, keys of objects that are called config)"
    ]
    is_quoted = sum(map(len, reads.values())) <= _QUOTED_PLACES
    for name, some in sorted(reads.items())[:_NAMES]:
        lines += _shown(name, some, is_quoted=is_quoted)
    lines += rest_line(len(reads), _NAMES)
    lines += [f"{row.path}:{row.line} reads a name that is composed: {shortened(row.text)}" for row in computed[:FEW]]
    if only:
        places = (f"{name} {rows[0].row.path}:{rows[0].row.line}" for name, rows in sorted(only.items())[: 2 * FEW])
        lines.append(f"{len(only)} more in tests alone: {', '.join(places)}{' …' * (len(only) > 2 * FEW)}")
    command = "graphmem code text 'settings\\.|config(\\.get)?[\\[(]' --regex --kind code"
    refs = tuple(dict.fromkeys(f"{one.row.path}:{one.row.line}" for some in reads.values() for one in some))[:FEW]
    return Evidence(tuple(lines), (command,), bool(reads), refs)


def _patterns(sources: Sources) -> list[re.Pattern[str]]:
    """Return what reads a setting, its name in the first group: also objects of Go's packages under the names that they have."""
    own = {"viper"}
    for row in sources.code.text(_MADE, is_regex=True, kind="code", limit=_LINES).matches:
        own |= {name for found in re.findall(_MADE, row.text) for name in found if name}
    of_config = _OBJECTS.format(holders=rf"(?<![\w$]){_HOLDERS}", gets=_GETS, name=_NAME)
    of_go = _OBJECTS.format(holders=rf"\b(?:{'|'.join(sorted(map(re.escape, own)))})", gets=r"\w{1,40}", name=_NAME)
    return [re.compile(pattern) for pattern in (*_READS, of_config, of_go)]


def _read_settings(
    patterns: Sequence[re.Pattern[str]], kind: str, sources: Sources
) -> tuple[dict[str, list[Read]], list[TextMatch]]:
    """Return the settings that files of a kind read, by name, and the lines that compute one."""
    every = "|".join(pattern.pattern for pattern in patterns)
    found = sources.code.text(rf"{every}|{_COMPUTED.pattern}", is_regex=True, kind=kind, limit=_LINES).matches
    texts, reads, computed = dict[str, list[str]](), dict[str, list[Read]](), list[TextMatch]()
    for row in found:
        if _COMMENT.match(row.text) or _is_prose(row, texts, sources):
            continue
        named = [each for pattern in patterns for each in pattern.finditer(row.text)]
        for each in named:
            if _WRITTEN.match(row.text, each.end()):
                continue
            some = reads.setdefault(each[1], [])
            keys = tuple(_keys(each, row, texts, sources))
            if some and (some[-1].row.path, some[-1].row.line) == (row.path, row.line):
                keys = tuple(dict.fromkeys((*some.pop().keys, *keys)))
            some.append(Read(row, keys))
        if _COMPUTED.search(row.text):
            computed.append(row)
    inner = {(one.row.path, line, key) for some in reads.values() for one in some for key, line in one.keys}
    own = {
        name: [one for one in some if (one.row.path, one.row.line, name) not in inner] for name, some in reads.items()
    }
    return {name: some for name, some in own.items() if some}, computed


def _text_of(path: str, texts: dict[str, list[str]], sources: Sources) -> list[str]:
    if path not in texts:
        try:
            texts[path] = sources.code.source(path).text.split("\n")
        except GraphmemError:
            texts[path] = []
    return texts[path]


def _is_prose(row: TextMatch, texts: dict[str, list[str]], sources: Sources) -> bool:
    """Return whether a line of Python is part of a text over several lines."""
    if not row.path.endswith(".py"):
        return False
    before = "\n".join(_text_of(row.path, texts, sources)[: row.line - 1])
    return before.count('"""') % 2 == 1 or before.count("'''") % 2 == 1


def _keys(
    found: re.Match[str], row: TextMatch, texts: dict[str, list[str]], sources: Sources
) -> Iterator[tuple[str, int]]:
    """Yield the keys of a setting that its line names, or that are named of the variable that holds it or a copy of it."""
    rest = row.text[found.end() :]
    while key := re.match(rf"\)?(?:{_KEY})", rest):
        yield key[1] or key[2], row.line
        rest = rest[key.end() :]
    holder = _ASSIGNED.match(row.text)
    if holder is None or (rest and not re.match(r"\s*(?:,[^,()]*)?\)?\s*(?:or\b.*)?$", rest)):
        return
    lines, holders = _text_of(row.path, texts, sources), [holder[1]]
    first = _depth(lines[row.line - 1]) if row.line <= len(lines) else 0
    for number, line in enumerate(lines[row.line :], row.line + 1):
        if first and line.strip() and _depth(line) < first:
            return
        yield from ((key, number) for key in _keys_in(line, holders))
        held = "|".join(holders)
        if copy := re.match(rf"\s*(\w+)\s*:?=\s*(?:dict\()?(?:{held})(?:\.copy\(\)|\.dup)?\)?\s*(?:[#/].*)?$", line):
            holders.append(copy[1])


def _keys_in(line: str, holders: Iterable[str]) -> Iterator[str]:
    held = "|".join(map(re.escape, holders))
    if re.search(rf"(?<![\w.])(?:{held})\b", line) and not _COMMENT.match(line):
        for found in re.finditer(rf"(?<![\w.])(?:{held})(?:{_KEY})", line):
            yield found[1] or found[2]
        yield from re.findall(rf"[\"']([\w.-]{{1,80}})[\"']\s+(?:not\s+)?in\s+(?:{held})\b", line)


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())


def _shown(name: str, reads: Sequence[Read], *, is_quoted: bool) -> Iterator[str]:
    """Yield a line for a setting with its places, or one for each with its text, and one with its keys."""
    places = [f"{one.row.path}:{one.row.line} {one.row.symbol.rpartition('.')[2]}".strip() for one in reads]
    if is_quoted:
        yield from (f"{name} {place}: {shortened(one.row.text)}" for place, one in zip(places, reads, strict=True))
    else:
        more = f" and {len(places) - _PLACES} more" * (len(places) > _PLACES)
        yield f"{name} {', '.join(places[:_PLACES])}{more}"
    keys: dict[str, list[str]] = {}
    for one in reads:
        for key, line in one.keys:
            keys.setdefault(key, []).append(f"{one.row.path}:{line}")
    if keys:
        said = ", ".join(f"{key} {where[0]}" for key, where in list(keys.items())[:_KEYS])
        yield f"  keys of {name} that code names: {said}{' …' * (len(keys) > _KEYS)}"
