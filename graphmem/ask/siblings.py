"""Where one more of a kind has to be named: the kinds that there are lie in paths of one shape (`readers/*.py`, `*/client.go`), and
some places name several of them together (a switch, a table, imports, configuration, documents)."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from graphmem.ask.evidence import ROWS, Sources, rest_line
from graphmem.ask.spellings import spelling_pattern
from graphmem.plurals import counted

_FEWEST = 3  # of a kind
_MOST = 60  # of a kind; a folder with more holds anything
_LINES = 4_000  # lines with a name that are looked at
_LEAST, _PART = 2, 3  # of a kind that a place names: so many, and of many one in so many
_GENERIC = frozenset(
    {"__init__", "index", "mod", "main", "lib", "base", "common", "util", "utils", "test", "tests", "types"}
)
_OF_TESTS = re.compile(r"(?:^|[/_.-])(?:tests?|specs?|testdata|fixtures?)(?=$|[/_.-])", re.I)
_RANKS = {"code": 0, "other": 1, "config": 1, "document": 2, "example": 3, "test": 4, "vendored": 5}
_SHARED = 0.6  # of a kind that use something, for one more to need it
_NAMED = 6  # functions and types that most of a kind use


class Siblings(NamedTuple):
    """Things of one kind: the shape of their paths, with * for the name, and the path of each by its name."""

    shape: str
    paths: dict[str, str]


def find_siblings(files: Iterable[str], new: Sequence[Sequence[str]]) -> Siblings | None:
    """Return the things of the kind that some commits added, from the files of the tree and the new files of each commit: those in
    paths of the shape that most commits have, and of these the rarest.

    >>> found = find_siblings(["readers/a.py", "readers/b.py", "readers/c.py", "x.py"], [["readers/c.py"]])
    >>> found.shape, sorted(found.paths)
    ('readers/*.py', ['a', 'b', 'c'])
    """
    of_shape: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for file in files:
        if not _OF_TESTS.search(file):
            for shape, name in _shapes(file):
                if name.lower() not in _GENERIC:
                    of_shape[shape].setdefault(name, file)
    commits = Counter(shape for paths in new for shape in {shape for path in paths for shape, _ in _shapes(path)})
    several = [shape for shape in commits if _FEWEST <= len(of_shape.get(shape, ())) <= _MOST]
    if not several:
        return None
    shape = min(several, key=lambda one: (-commits[one], len(of_shape[one]), one))
    return Siblings(shape, of_shape[shape])


def siblings_of(files: Iterable[str], own: Iterable[str], is_it: Callable[[str], object]) -> Siblings | None:
    """Return the things of the kind of one whose files are given: those in the shape of a path of its own of which there are most.

    >>> files = ["readers/a/x.py", "readers/b/x.py", "readers/c/x.py", "readers/c/y.py", "readers/c/z.py"]
    >>> found = siblings_of(files, files[2:], "c".__eq__)
    >>> found.shape, sorted(found.paths)
    ('readers/*/x.py', ['a', 'b', 'c'])
    """
    wanted = {shape for path in own if not _OF_TESTS.search(path) for shape, name in _shapes(path) if is_it(name)}
    of_shape: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for file in files:
        for shape, name in _shapes(file):
            if shape in wanted and name.lower() not in _GENERIC:
                of_shape[shape].setdefault(name, file)
    several = [shape for shape, named in of_shape.items() if _FEWEST <= len(named) <= _MOST]
    if not several:
        return None
    shape = max(several, key=lambda one: (len(of_shape[one]), -len(one), one))
    return Siblings(shape, of_shape[shape])


def _shapes(path: str) -> list[tuple[str, str]]:
    """Return the shapes of a path, each with what stands for the star: the name of the file, or of one of its folders."""
    *folders, file = path.split("/")
    stem, dot, ending = file.partition(".")
    found = [("/".join((*folders, f"*{dot}{ending}")), stem)]
    for number, folder in enumerate(folders):
        found.append(("/".join((*folders[:number], "*", *folders[number + 1 :], file)), folder))
    return [(shape, name) for shape, name in found if name and shape != f"*{dot}{ending}"]


def describe_siblings(found: Siblings, sources: Sources) -> list[str]:
    """Return the kinds that there are, what most of them use, and the places that name several of them, most first, sources before
    documents and tests."""
    names = sorted(found.paths)
    lines = [f"{len(names)} in {found.shape}: {', '.join(names)}"]
    shared = sources.code.shared_uses(list(found.paths.values()), _SHARED)
    lines += [
        f"most of them {relation} {place.short_name} ({place.file}:{place.line})" for place, relation in shared[:_NAMED]
    ]
    named, first = _places(found, names, sources)
    least = max(_LEAST, len(names) // _PART)
    several = {place: some for place, some in named.items() if len(some) >= least}
    order = sorted(several, key=lambda place: (_RANKS[place[0]] > 2, -len(several[place]), _RANKS[place[0]], place))
    lines.append(f"{counted(len(order), 'place names', 'places name')} {least} or more of them, most first:")
    for place in order[: 2 * ROWS]:
        kind, path, owner = place
        what = owner or ("outside of functions" if kind in ("code", "test") else kind)
        missing = [name for name in names if name not in several[place]]
        lacks = f" (not {', '.join(missing)})" if 0 < len(missing) <= 2 else ""
        lines.append(f"{path}:{first[place]} {what}: {len(several[place])}{lacks}")
    return lines + rest_line(len(order), 2 * ROWS)


def _places(
    found: Siblings, names: Sequence[str], sources: Sources
) -> tuple[dict[tuple[str, str, str], set[str]], dict[tuple[str, str, str], int]]:
    """Return the places with the names in them, and the first line of each."""
    forms = {name: spelling_pattern(name, in_compounds=True) for name in names}
    lines = sources.code.text("|".join(forms.values()), is_regex=True, limit=_LINES)
    words = {name: re.compile(form) for name, form in forms.items()}
    own = set(found.paths.values())
    named, first = defaultdict[tuple[str, str, str], set[str]](set), dict[tuple[str, str, str], int]()
    for row in lines.matches:
        if row.path not in own:
            place = (row.kind, row.path, row.symbol.rpartition(".")[2] if row.kind in ("code", "test") else "")
            named[place].update(name for name, word in words.items() if word.search(row.text))
            first.setdefault(place, row.line)
    return named, first
