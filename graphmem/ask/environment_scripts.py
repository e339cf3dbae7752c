"""Variables of the environment in shell scripts, and those that files of containers set or pass on."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from graphmem.ask.environment_patterns import COMMENT
from graphmem.ask.evidence import Sources, shortened
from graphmem.model.code_answers import TextMatch
from graphmem.patterns import compile_later

_LINES = 2_000
_SCRIPTS = ("*.sh", "*.bash", "*entrypoint*", "Procfile")
_CONTAINERS = ("*Dockerfile*", "*Containerfile*", "*compose*.yml", "*compose*.yaml")
_USE = r"\$\{?([A-Z][A-Z0-9_]*)"
_USES = compile_later(rf"(?<!\\){_USE}(?::?[-=]([^}}]{{0,80}})\}})?")
_ASSIGNS = compile_later(
    r"(?:^|[;&|]\s{0,2}|\b(?:export|local|readonly|declare|typeset)\s{1,2}(?:-\w{1,3}\s)?)([A-Z][A-Z0-9_]*)=|\bfor\s([A-Z][A-Z0-9_]*)\sin\b"
    r"|\bread\s(?:-\w{1,3}\s)?([A-Z][A-Z0-9_]*)"
)
_ALL = compile_later(r"(?<![\w./-])(?:env|printenv)\b[^|;]{0,40}\|[^|]{0,20}(?:grep|awk|sed|while)\b")
_SEARCHED = r"\$\{?[A-Z]|(?<![\w./-])(?:env|printenv)\b.*\|"
_OF_SHELL = frozenset(  # which the shell or the system sets
    "PATH HOME PWD OLDPWD IFS RANDOM SECONDS LINENO OPTARG OPTIND REPLY PPID UID EUID SHELL USER TERM TMPDIR HOSTNAME FUNCNAME"
    " PIPESTATUS BASH_SOURCE BASH_VERSION BASH_REMATCH BASHPID DIRSTACK GROUPS LANG LC_ALL SHLVL COLUMNS LINES".split()
)
_SET = compile_later(r"\s{0,20}(ENV|ARG)\s{1,4}([A-Za-z_]\w*)(?:[= ](\S{0,80}))?")


class ScriptRead(NamedTuple):
    """A variable that a script or a file of containers names, its line and its default. `how` is "reads", "sets" or "asks for"."""

    name: str
    row: TextMatch
    default: str
    how: str


def find_script_reads(sources: Sources) -> tuple[list[ScriptRead], list[TextMatch]]:
    """Return the first place of each variable that a script takes from the environment, and the lines that look through all."""
    reads, all_of_them, seen = list[ScriptRead](), list[TextMatch](), set[str]()
    for glob in _SCRIPTS:
        for path, rows in _by_file(_SEARCHED, glob, sources):
            if path in seen or any(row.kind in ("document", "vendored") for row in rows):
                continue
            seen.add(path)
            text = sources.code.text(r"=|\bfor\b|\bread\b", is_regex=True, path=path, limit=_LINES).matches
            given = _assigned(text)
            reads += _of_script(rows, given)
            all_of_them += [row for row in rows if _ALL.search(row.text) and not COMMENT.match(row.text)]
    return reads, all_of_them


def find_container_settings(sources: Sources) -> list[ScriptRead]:
    """Return what files of containers set (ENV, ARG), and what files of compositions take from the environment."""
    found = dict[tuple[str, str], ScriptRead]()
    for glob in _CONTAINERS:
        is_image = glob.endswith("file*")
        wanted = r"^\s*(?:ENV|ARG)\s" if is_image else _USE
        for path, rows in _by_file(wanted, glob, sources):
            for row in rows:
                for read in _of_image(row) if is_image else _of_composition(row):
                    found.setdefault((path, read.name), read)
    return list(found.values())


def _by_file(pattern: str, glob: str, sources: Sources) -> Iterator[tuple[str, list[TextMatch]]]:
    files = dict[str, list[TextMatch]]()
    for row in sources.code.text(pattern, is_regex=True, path=glob, limit=_LINES).matches:
        files.setdefault(row.path, []).append(row)
    yield from files.items()


def _assigned(rows: Iterable[TextMatch]) -> dict[str, int]:
    """Return the first line of a script that gives each name a value that does not come from itself."""
    found = dict[str, int]()
    for row in sorted(rows, key=lambda one: one.line):
        for each in _ASSIGNS.finditer(row.text):
            name = next(filter(None, each.groups()))
            if not re.search(rf"\$\{{?{name}\b", row.text[each.end() :]):
                found.setdefault(name, row.line)
    return found


def _of_script(rows: Iterable[TextMatch], assigned: dict[str, int]) -> Iterator[ScriptRead]:
    known = set(_OF_SHELL)
    for row in sorted(rows, key=lambda one: one.line):
        if COMMENT.match(row.text):
            continue
        for each in _USES.finditer(row.text):
            if each[1] not in known and assigned.get(each[1], row.line) >= row.line:
                yield ScriptRead(each[1], row, each[2] or "", "reads")
            known.add(each[1])


def _of_image(row: TextMatch) -> Iterator[ScriptRead]:
    if found := _SET.match(row.text):
        yield ScriptRead(found[2], row, found[3] or "", "sets" if found[1] == "ENV" else "asks for")


def _of_composition(row: TextMatch) -> Iterator[ScriptRead]:
    if not COMMENT.match(row.text):
        for each in _USES.finditer(row.text):
            yield ScriptRead(each[1], row, each[2] or "", "reads")


def describe_scripts(reads: Iterable[ScriptRead], all_of_them: Iterable[TextMatch]) -> list[str]:
    """Return a line for each file with its variables, and one for each line that looks through all of them."""
    files = dict[tuple[str, str], list[str]]()
    for read in reads:
        default = f" (default {read.default})" if read.default and read.how == "reads" else ""
        value = f"={shortened(read.default)}" if read.default and read.how != "reads" else ""
        files.setdefault((read.row.path, read.how), []).append(f"{read.name}{value} {read.row.line}{default}")
    lines = [f"{path} {how}: {', '.join(named)}" for (path, how), named in files.items()]
    return lines + [f"{row.path}:{row.line}: looks through all variables: {shortened(row.text)}" for row in all_of_them]
