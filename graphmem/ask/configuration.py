"""Questions about keys of configuration files ("what does `overrides` of package.json do, each entry?"): the lines of the key,
which commit brought each entry and why, and where code has the key as a literal."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from itertools import groupby
from shlex import quote
from textwrap import dedent

from graphmem.ask.evidence import FEW, ROWS, Evidence, Sources, rest_line, revision_line, shortened
from graphmem.ask.types import Question
from graphmem.code.authors import find_bringing_commit
from graphmem.code.commit_reasons import read_reasons
from graphmem.code.config_keys import CONFIG_ENDINGS, ConfigKey, find_config_keys, read_config_keys
from graphmem.errors import GraphmemError
from graphmem.model.code_answers import Revision
from graphmem.model.results import Hit
from graphmem.plurals import counted

_FILE = re.compile(r"(?<![\w@./-])[\w@.-]*(?:/[\w@.-]+)*\.[A-Za-z0-9]+")
_OWN_LINES = 16
_ELEMENT = re.compile(r"""\s*(?:- +)?("[^"]+"|'[^']+'|[\w.@/^~*-][^\s,#\]]*)""")  # of a list over several lines
_ENTRIES = 12  # entries of a key whose commits are looked up
_MEANINGS = 3  # keys of one name that are answered
_LOOKED_AT = 60  # lines with a key as a literal
_COMMON = 8  # lines of code with a literal, above which it says nothing


def find_configuration(question: Question, sources: Sources, hits: Sequence[Hit]) -> Evidence | None:
    """Return the keys that a question names with their lines, commits and readers; of a file alone, its outermost keys."""
    named = find_files(question.text)
    file = next((file for word in named if (file := sources.code.file(word))), None)
    if file is None:
        return None
    text = sources.code.source(file).text
    keys = read_config_keys(file, text)
    parts = {part for word in named for part in (word, *re.split(r"[/.]", word))}
    asked = [name for name in question.subjects if name not in parts]
    found = next((some for name in asked if (some := find_config_keys(keys, name))), [])
    if not found:
        outer = list(dict.fromkeys(key.path[0] for key in keys))
        missing = [name for name in question.exact if name not in parts]
        said = f"{file} has no key `{missing[0]}`; " if missing else ""
        named_keys = f"{said}{counted(len(outer), 'outermost key')} of {file}: {', '.join(outer[: 3 * ROWS])}"
        return (
            Evidence((named_keys,), (f"graphmem code source {quote(file)}",), not missing, (file,)) if outer else None
        )
    lines = list[str]()
    for key in found[:_MEANINGS]:
        lines += [*_own_lines(file, key, text), *_commits(file, key, keys, text, sources)]
    lines += rest_line(len(found), _MEANINGS)
    lines += _readers(found[0].path[-1], sources)
    place = f"{file}:{found[0].first}-{found[0].last}"
    return Evidence(tuple(lines), (f"graphmem code source {quote(place)}",), refs=(f"{file}:{found[0].first}", file))


def find_files(text: str) -> list[str]:
    """Return the names of configuration files in a text."""
    return [word for word in _FILE.findall(text) if word.lower().endswith(CONFIG_ENDINGS)]


def _own_lines(file: str, key: ConfigKey, text: str) -> list[str]:
    own = text.split("\n")[key.first - 1 : key.last]
    shown = dedent("\n".join(own[:_OWN_LINES])).split("\n")
    where = f"{file}:{key.first}" + (f"-{key.last}" if key.last > key.first else "")
    return [f"{where} `{key.dotted}`", *map(shortened, filter(str.strip, shown)), *rest_line(len(own), _OWN_LINES)]


def _commits(file: str, key: ConfigKey, keys: Sequence[ConfigKey], text: str, sources: Sources) -> list[str]:
    """Return the commit that brought each entry of a key with its value, or the key's own, with the reason that its message
    gives. Who changed the line last may only have added a comma."""
    root, entries = sources.code.root(), _entries(key, keys, text.split("\n"))
    rows: list[tuple[Revision, str]] = []
    for name, line in entries[:_ENTRIES]:
        with suppress(GraphmemError):
            found = find_bringing_commit(root, file, line)
            rows += [(found, name)] if found else []
    order = {hash_: place for place, hash_ in enumerate(dict.fromkeys(commit.hash for commit, _ in rows))}
    rows.sort(key=lambda row: order[row[0].hash])
    reasons = read_reasons(root, list(dict.fromkeys(commit.hash for commit, _ in rows)))
    said = []
    for commit, group in groupby(rows, lambda one: one[0]):
        names = ", ".join(name for _, name in group)
        reason = f" — {shortened(reasons[commit.hash])}" if reasons.get(commit.hash) else ""
        said.append(f"{names}: {revision_line(commit)}{reason}")
    return said + rest_line(len(entries), _ENTRIES)


def _entries(key: ConfigKey, keys: Sequence[ConfigKey], lines: Sequence[str]) -> list[tuple[str, str]]:
    """Return the entries of a key, each with the text that brought it: the keys in it, the lines of its list, or itself."""
    inner = [each for each in keys if each.path[:-1] == key.path and key.first <= each.first <= key.last]
    if inner or key.last == key.first:
        return [(each.path[-1], lines[each.first - 1].strip().removesuffix(",")) for each in inner or [key]]
    elements = (_ELEMENT.match(line) for line in lines[key.first : key.last])
    return [(found[1], found[1]) for found in elements if found]


def _readers(name: str, sources: Sources) -> list[str]:
    pattern = rf"[\"'`]{re.escape(name)}[\"'`]"
    found = sources.code.text(pattern, is_regex=True, kind="code", limit=_LOOKED_AT)
    rows = [row for row in found.matches if not row.path.lower().endswith(CONFIG_ENDINGS)]
    if len(rows) > _COMMON:
        return []
    return [
        *(f"in code: {row.path}:{row.line}: {shortened(row.text)}" for row in rows[:FEW]),
        *rest_line(len(rows), FEW),
    ]
