"""Reads which keys a configuration file has, and the lines of each: JSON (with comments), TOML, YAML, INI and `.properties`.
A file is only scanned, so one with errors yields what can be read of it."""

from __future__ import annotations

import re
from typing import NamedTuple

from graphmem.patterns import compile_later

CONFIG_ENDINGS = (".json", ".jsonc", ".json5", ".toml", ".yaml", ".yml", ".ini", ".cfg", ".conf", ".properties")
_MOST, _DEEPEST = 20_000, 200  # keys of a file, and brackets around one
# Each pattern reads a character a bounded number of times: what is never closed is one token, and no two parts can share spaces.
_TOKEN = compile_later(
    r"\"(?:[^\"\\\n]|\\.)*\"?|'(?:[^'\\\n]|\\.)*'?|//[^\n]*|/\*(?:.*?\*/|.*)|[{}\[\]:,]|[^\s{}\[\]:,\"']+", re.DOTALL
)
_SECTION = compile_later(r"\s*\[\[?([^\[\]]+)\]\]?\s*(?:[#;].*)?$")
_ASSIGNED = compile_later(r"\s*(\"[^\"]+\"|'[^']+'|[\w.$/@-]+)\s*[=:](?!=)")
_YAML_KEY = compile_later(
    r"(\s*(?:- +)*)((?:\"[^\"]+\"|'[^']+')\s*|[^\s#:\[\]{},&*!|>%@-][^:#]*|[^\s:#]+\s*):(?=\s|$)(.*)$"
)
_BLOCK = compile_later(r"[|>][+-]?\d?\s*(?:#.*)?$")
_QUOTED = compile_later(r"\"(?:[^\"\\]|\\.)*\"?|'[^']*'")
_PART = compile_later(r"\"[^\"]+\"|'[^']+'|[^.\s]+")


class ConfigKey(NamedTuple):
    """A key with those around it, outermost first, and its first and last line from 1."""

    path: tuple[str, ...]
    first: int
    last: int

    @property
    def dotted(self) -> str:
        """Return the key with those around it, as one name."""
        return ".".join(self.path)


def read_config_keys(path: str, text: str) -> list[ConfigKey]:
    """Return the keys of a configuration file in the order of their lines; none of another file.

    >>> [(key.dotted, key.first) for key in read_config_keys("a.toml", "[tool.x]\\ny = 1\\n")]
    [('tool.x', 1), ('tool.x.y', 2)]
    """
    name = path.lower()
    if not name.endswith(CONFIG_ENDINGS):
        return []
    lines = text.split("\n")
    if name.endswith((".json", ".jsonc", ".json5")):
        found = _json_keys(text)
    elif name.endswith((".yaml", ".yml")):
        found = _yaml_keys(lines)
    else:
        found = _assigned_keys(lines, splits=name.endswith(".toml"))
    return found[:_MOST]


def find_config_keys(keys: list[ConfigKey], name: str) -> list[ConfigKey]:
    """Return the keys with a name or the end of a dotted name, outermost first; any spelling if none has that one."""
    for meant in (name, name.casefold()):
        fold = str if meant == name else str.casefold
        found = [key for key in keys if f".{fold(key.dotted)}".endswith(f".{meant}")]
        if found:
            return sorted(found, key=lambda key: (len(key.path), key.first))
    return []


def key_at(keys: list[ConfigKey], line: int) -> str:
    """Return the innermost key around a line, "" if there is none. A key that starts there is on the line already."""
    around = [key for key in keys if key.first <= line <= key.last]
    inner = max(around, key=lambda key: (len(key.path), key.first), default=None)
    return "" if inner is None else ".".join(inner.path[:-1] if inner.first == line else inner.path)


def _json_keys(text: str) -> list[ConfigKey]:
    found: list[ConfigKey] = []
    around: list[tuple[str, int | None]] = []  # open brackets, each with the key that it belongs to
    current: int | None = None
    line = last = 1
    at, name = 0, ""
    for token in _TOKEN.finditer(text):
        said = token[0]
        line += text.count("\n", at, token.start())
        at = token.start()
        if said[:2] in ("//", "/*"):
            continue
        if said == ":" and around and around[-1][0] == "{" and current is None:
            owner = next((key for _, key in reversed(around) if key is not None), None)
            found.append(ConfigKey((*(found[owner].path if owner is not None else ()), name), last, line))
            current = len(found) - 1
        elif said in ("{", "["):
            around.append((said, current))
            current = None
        elif said in ("}", "]", ","):
            if current is not None:
                found[current] = found[current]._replace(last=last)
            current = None
            if said != "," and around:
                _, owner = around.pop()
                if owner is not None:
                    found[owner] = found[owner]._replace(last=line)
                    current = None if not around else owner
        name, last = said.strip("\"'"), line
        if len(found) >= _MOST or len(around) > _DEEPEST:
            break
    return found


def _assigned_keys(lines: list[str], *, splits: bool) -> list[ConfigKey]:
    """Return sections and assignments (TOML, INI). With `splits`, a dotted name is a path."""
    found: list[ConfigKey] = []
    section: tuple[str, ...] = ()
    open_section: int | None = None
    number = 0
    while number < len(lines):
        line = lines[number]
        number += 1
        if match := _SECTION.match(line):
            if open_section is not None:
                found[open_section] = found[open_section]._replace(last=number - 1)
            section = _path(match[1].strip(), splits=splits)
            open_section = len(found)
            found.append(ConfigKey(section, number, len(lines)))
        elif not line.lstrip().startswith(("#", ";", "!")) and (match := _ASSIGNED.match(line)):
            first = number
            number += _continued(lines, number, match.end(), splits=splits)
            name = _path(match[1] if splits else match[1].strip("\"'"), splits=splits)
            found.append(ConfigKey((*section, *name), first, number))
    return found


def _continued(lines: list[str], number: int, start: int, *, splits: bool) -> int:
    """Return how many further lines the value of an assignment has that ends its first line at `number`."""
    value, further = lines[number - 1][start:], 0
    if not splits:
        while number + further < len(lines):
            line = lines[number + further]
            if line[:1] not in " \t" or not line.strip():
                break
            further += 1
        return further
    mark = next((each for each in ('"""', "'''") if value.lstrip().startswith(each) and value.count(each) == 1), "")
    depth = 0 if mark else _depth(value)
    while (mark or depth > 0) and number + further < len(lines):
        line = lines[number + further]
        further += 1
        if mark and mark in line:
            break
        depth += 0 if mark else _depth(line)
    return further


def _depth(line: str) -> int:
    bare = _QUOTED.sub("", line).partition("#")[0]
    return sum(bare.count(mark) for mark in "[{") - sum(bare.count(mark) for mark in "]}")


def _path(name: str, *, splits: bool) -> tuple[str, ...]:
    """Return the parts of a dotted name, or the name as the only one."""
    return tuple(part.strip("\"'") for part in _PART.findall(name)) if splits and name.strip(". ") else (name,)


def _yaml_keys(lines: list[str]) -> list[ConfigKey]:
    found: list[ConfigKey] = []
    around: list[tuple[int, int]] = []  # indentation and index of the keys around a line
    text_below = -1  # the indentation of a key whose value is a block of text
    last = 0
    for number, line in enumerate(lines, 1):
        bare = line.strip()
        if not bare or bare.startswith("#"):
            continue
        indent = len(line) - len(line.lstrip())
        if text_below >= 0 and indent > text_below:
            last = number
            continue
        text_below = -1
        match = _YAML_KEY.match(line)
        here = len(match[1]) if match else indent + bare.startswith("-")
        while around and around[-1][0] >= here:
            _, index = around.pop()
            found[index] = found[index]._replace(last=last)
        last = number
        if match is not None:
            owner = found[around[-1][1]].path if around else ()
            around.append((here, len(found)))
            found.append(ConfigKey((*owner, match[2].strip().strip("\"'")), number, number))
            text_below = here if _BLOCK.search(match[3]) else -1
    for _, index in around:
        found[index] = found[index]._replace(last=last)
    return found
