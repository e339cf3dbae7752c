"""Where one more of a kind has to be named that is like one that there is ("an integration like googlechat"): its own files, every
other place that names it, and the places that name others of its kind but not this one."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePosixPath
from shlex import quote
from typing import NamedTuple

from graphmem.ask.evidence import Evidence, Sources, rest_line, revision_line, shortened
from graphmem.ask.siblings import Siblings, siblings_of
from graphmem.ask.spellings import spelling_pattern
from graphmem.code import authors
from graphmem.code.text_search import find_names
from graphmem.errors import SourceError
from graphmem.model.code_answers import Revision, TextMatch
from graphmem.plurals import counted

_LINES = 3_000  # lines with the name
_LONG = 5  # letters of a name that stands for nothing else, whatever is before and behind it
_SHOWN = 60  # lines of other files that are shown
_PER_FILE = 6
_OWN_FILES = 30
_FEWEST = 2  # files that name it
_MOST_LINES = 600  # above which it is no name of one thing
_WITHOUT = 16  # places without it
_ALIKE = 4  # files of one folder and ending, above which one stands for the others
_COMMITS = 6
_GROUPS = (  # what the files are, with the kinds of files; templates and styles are of many endings
    ("code", frozenset({"code"})),
    ("templates, styles and other files", frozenset({"other", "document of the program", "config"})),
    ("documents", frozenset({"document"})),
    ("tests and examples", frozenset({"test", "example"})),
)  # fmt: skip
_TEMPLATE = re.compile(
    r"\.(?:html?|jinja2?|j2|ejs|hbs|erb|haml|pug|twig|liquid|tmpl|gohtml|mustache|vue|svelte)$", re.I
)
_OF_TESTS = re.compile(
    r"(?:^|/)(?:tests?|specs?|__tests__|testdata|fixtures)/|(?:^|/)test_[^/]*$|[._-](?:test|spec)\.[a-z]+$"
)
_LEFT_OUT = re.compile(rf"{_OF_TESTS.pattern}|\.min\.\w+$")


class _Naming(NamedTuple):
    """The lines of one file that name it, and how many of its kind the file names."""

    path: str
    group: str
    rows: list[TextMatch]


def find_places_like(name: str, sources: Sources) -> Evidence | None:
    """Return the places that name a thing, by what kind of file they are in, with how many of its kind each file names; then those
    that name others without it, and the commits that brought it into these files. None if hardly anything names it."""
    word = re.compile(_any_spelling(name), re.I if len(name) >= _LONG else 0)
    found = sources.code.text(word.pattern, is_regex=True, ignore_case=len(name) >= _LONG, limit=_LINES)
    files = authors.list_files(sources.code.root())
    own = [path for path in files if word.search(path)]
    outside = [row for row in found.matches if row.path not in own and row.kind != "vendored"]
    if len({row.path for row in outside}) + len(own) < _FEWEST or len(outside) > _MOST_LINES:
        return None
    kinds = siblings_of(files, own, word.search)
    naming = _by_file(outside)
    others = [one for one in kinds.paths if not word.search(one)] if kinds else []
    beside = find_names(sources.code.root(), others) if others else {}
    lines = [*_own_lines(name, own, kinds)]
    lines.append(f"{counted(len(naming), 'other file names', 'other files name')} `{name}`:")
    lines += _lines_of(naming, beside, len(others))
    if kinds is not None:
        known = {*own, *(one.path for one in naming)}
        folder = kinds.shape.partition("*")[0]
        lines += _without(name, {path: some for path, some in beside.items() if path not in known}, folder)
    lines += _history(name, own, [one.path for one in naming], sources)
    command = f"graphmem code text {quote(name)} --ignore-case"
    return Evidence(tuple(lines), (command,), False, tuple(f"{one.path}:{one.rows[0].line}" for one in naming))


def _any_spelling(name: str) -> str:
    """Return a pattern for a name in any case, in one word or several."""
    letters = re.sub(r"[\W_]", "", name)
    if len(name) < _LONG:
        return spelling_pattern(name, in_compounds=True)
    return "[ _-]?".join(map(re.escape, letters))


def _by_file(rows: Iterable[TextMatch]) -> list[_Naming]:
    """Return the files with their lines, in the order of the groups."""
    files = defaultdict[tuple[str, str], list[TextMatch]](list)
    for row in rows:
        kind = "test" if _OF_TESTS.search(row.path) else row.kind
        kind = "other" if kind == "document" and _TEMPLATE.search(row.path) else kind
        group = next((label for label, kinds in _GROUPS if kind in kinds), _GROUPS[1][0])
        files[row.path, group].append(row)
    order = [label for label, _ in _GROUPS]
    named = [_Naming(path, group, some) for (path, group), some in files.items()]
    return sorted(named, key=lambda one: (order.index(one.group), one.path))


def _own_lines(name: str, own: Sequence[str], kinds: Siblings | None) -> list[str]:
    """Return a line with the files that are called so, and one with the others of its kind."""
    lines = []
    if own:
        folders = defaultdict[str, list[str]](list)
        for path in own[:_OWN_FILES]:
            at = PurePosixPath(path)
            folders[f"{at.parent}/"].append(at.name)
        said = "; ".join(f"{folder} {', '.join(names)}" for folder, names in folders.items())
        more = " …" * (len(own) > _OWN_FILES)
        lines.append(
            f"{counted(len(own), 'file is', 'files are')} called `{name}` or in a folder of that name: {said}{more}"
        )
    if kinds is not None:
        lines.append(f"{len(kinds.paths)} of its kind are in {kinds.shape}: {', '.join(sorted(kinds.paths))}")
    return lines


def _lines_of(naming: Sequence[_Naming], beside: Mapping[str, set[str]], others: int) -> list[str]:
    """Return a line for each line that names it, under what its file is; of many files of one folder and ending, of the first."""
    lines, group, shown, left = list[str](), "", 0, 0
    alike = Counter((one.group, _shape(one.path)) for one in naming)
    told = set[tuple[str, str]]()
    for one in naming:
        if one.group != group:
            group = one.group
            lines.append(f"{group}:")
        shape = one.group, _shape(one.path)
        if shape in told:
            continue
        if shown >= _SHOWN:
            left += 1
            continue
        for row in one.rows[:_PER_FILE]:
            owner = f" {row.symbol.rpartition('.')[2]}" if row.symbol and one.group == "code" else ""
            number = len(beside.get(one.path, ())) if row is one.rows[0] else 0
            said = f" (the file names {number} of the other {others})" if number else ""
            lines.append(f"{row.path}:{row.line}{owner}: {shortened(row.text)}{said}")
            shown += 1
        if len(one.rows) > _PER_FILE:
            lines.append(f"{one.path}: {counted(len(one.rows) - _PER_FILE, 'more line')}")
        if alike[shape] > _ALIKE:
            told.add(shape)
            lines.append(f"{shape[1]}: {counted(alike[shape] - 1, 'more file names', 'more files name')} it")
    return lines + ([f"and {counted(left, 'more file')}"] if left else [])


def _shape(path: str) -> str:
    """Return the folder and the ending of a file."""
    at = PurePosixPath(path)
    return f"{at.parent}/*{at.suffix}"


def _without(name: str, beside: Mapping[str, set[str]], folder: str) -> list[str]:
    """Return the files outside of a folder that name several others of the kind but not this one: perhaps only some are needed."""
    several = sorted(((len(some), path) for path, some in beside.items() if len(some) >= _FEWEST), reverse=True)
    of_program = [
        (count, path)
        for count, path in several
        if not _LEFT_OUT.search(path) and not (folder and path.startswith(folder))
    ]
    alike = Counter(_shape(path) for _, path in of_program)
    lines = dict[str, None]()
    for count, path in of_program:
        shape = _shape(path)
        most = f"{shape}: {counted(alike[shape], 'file')}, up to" if alike[shape] > _ALIKE else f"{path}:"
        if not any(line.startswith(most) for line in lines):
            lines[f"{most} {count}"] = None
    number = counted(len(of_program), "file names", "files name")
    said = f"{number} two or more of its kind without `{name}`; perhaps only some have to be there:"
    return [said, *[*lines][:_WITHOUT], *rest_line(len(lines), _WITHOUT)] if lines else []


def _history(name: str, own: Sequence[str], naming: Sequence[str], sources: Sources) -> list[str]:
    """Return the commits that brought it, oldest first, with the files of each that are its own or name it."""
    root = sources.code.root()
    try:
        found = authors.find_text_changes(root, name, naming) if naming else []
        brought = authors.find_changes_of(root, own) if own else []
    except SourceError:
        return []
    commits = {commit.hash: commit for commit in (*brought[-1:], *found)}
    oldest = sorted(commits.values(), key=lambda commit: commit.at)[:_COMMITS]
    changed = authors.find_changed_files(root, [commit.hash for commit in oldest])
    lines = [_commit_line(commit, [path for _, path in changed.get(commit.hash, [])], own, naming) for commit in oldest]
    said = f"commits that brought `{name}` into these files, oldest first (what the first left out came later):"
    return [said, *lines, *rest_line(len(commits), _COMMITS)] if lines else []


def _commit_line(commit: Revision, changed: Sequence[str], own: Sequence[str], naming: Sequence[str]) -> str:
    named = [path for path in changed if path in naming]
    number = sum(path in own for path in changed)
    said = ", ".join(named[:_PER_FILE]) + " …" * (len(named) > _PER_FILE)
    of_own = f"{number} of its own files" if number else ""
    return f"{revision_line(commit)}; {' and '.join(filter(None, (of_own, said)))}"
