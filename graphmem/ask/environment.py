"""Which variables of the environment a program reads, with every place, its function and its default."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from graphmem.ask import environment_patterns as written
from graphmem.ask.environment_reads import EnvironmentReads, Read, read_environment, read_spelt, short_name
from graphmem.ask.environment_scripts import describe_scripts, find_container_settings, find_script_reads
from graphmem.ask.evidence import Evidence, Sources, shortened
from graphmem.ask.folders import Folders, find_folders
from graphmem.ask.occurrences import find_occurrences, refs_of
from graphmem.ask.types import Question
from graphmem.model.code_answers import TextMatch
from graphmem.model.results import Hit
from graphmem.plurals import counted
from graphmem.retrieve.stems import stem

_LINES = 2_000  # lines of tests that read a variable
_IN_TESTS = 12  # variables of tests that are named
_NAMED_PLACES = 6  # of one variable that are given with their functions; of more, the lines alone
_ASIDE_NAMES = 60  # variables of examples and the like that are named
# Folders and files that do not belong to the program; scripts and benchmarks only beside it, because its own may be called so.
_ASIDE = re.compile(
    r"(?i)(?:^|/)(?:_?(?:examples?|samples?|demos?)|(?:perf(?:ormance)?|load|stress|bench)[_-]?tests?"
    r"|_?test(?:ing)?[_-]?(?:utils?|helpers?|support|data|kit)|packaging|cypress|e2e|playwright)/"
    r"|^(?:(?:packages|apps|libs|crates|projects)/[^/]+/)?(?:scripts?|bench(?:mark(?:s|ing)?)?|dev|hack|\.\w+)/"
    r"|(?:^|/)(?:setup\.py|build\.rs|noxfile\.py|conanfile\.py|conftest\.py|fabfile\.py|rakefile|g(?:runt|ulp)file\.\w+"
    r"|[^/]+\.(?:gemspec|config\.[cm]?[jt]s)|vue\.config\.js)$"
)
_BEGINNING = re.compile(
    r"\b([A-Za-z][A-Za-z0-9_]*)\*|\b(?:start|begin)\w* with [\"'`]?(\w+)|\bprefix(?:ed (?:with|by))? [\"'`]?(\w+)"
)
_VARIABLE = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")
_WORD = re.compile(r"[a-z]+|\d+")
_ABOUT_ALL = frozenset(
    "read reads reading use used uses env environment variable variables".split()
)  # in every such question


def find_environment(question: Question, sources: Sources, hits: Sequence[Hit]) -> Evidence | None:
    """Return the variables of the environment that sources read, with their places, also through a function that is
    given the name. If the question has a word of some of their names or places, only those; of a named variable, where its
    name is."""
    if named := next(filter(_VARIABLE.fullmatch, question.exact), None):
        return find_occurrences(named, sources)
    within = find_folders(question, (record.path for record in sources.code.files()))
    reads = read_environment(sources, is_of_folder=within is not None)
    if within is not None:
        inside = _inside(within, reads)
        is_meant = within.is_sure or inside.places or inside.prefixes or inside.composed
        reads, within = (inside, within) if is_meant else (reads, None)
    aside = [] if within else [*_lines_of_scripts(sources), *_lines_in_tests(reads.places, sources)]
    if not (reads.places or reads.prefixes or reads.composed or aside or within):
        return None
    if within is not None and not within.paths:
        return Evidence((f"there is no package or folder `{within.name}`",), ("graphmem code overview",), False)
    lines = [_counted(reads.places, within)]
    meant = None
    if prefix := next(filter(None, next(iter(_BEGINNING.findall(question.text)), ())), ""):
        of_prefix = {name: own for name, own in reads.places.items() if name.startswith(prefix)}
        reads = _only(reads, of_prefix, [])
        lines, aside = [_counted(reads.places, within, prefix)], []
    elif meant := _meant(question, reads, within):
        reads = meant
        lines.append(f"{counted(len(reads.places), 'has', 'have')} a word of the question in the name or place")
    lines += [
        f"{name}* {row.path}:{row.line} names are composed: {shortened(row.text)}" for name, row in reads.prefixes
    ]
    lines += [_show_composed(part, row) for part, row in reads.composed if within or not _ASIDE.search(row.path)]
    lines += _show_variables(reads.places, within)
    lines += [
        f"{row.path}:{row.line}: hands on all variables: {shortened(row.text)}"
        for row in reads.whole
        if not _ASIDE.search(row.path)
    ]
    lines += aside
    lines += [f"{counted(reads.left, 'further line was', 'further lines were')} not read"] if reads.left > 0 else []
    rows = (one.row for some in reads.places.values() for one in some)
    refs = refs_of([*(row for _, row in reads.composed), *rows], sources)
    is_open = any(" for each name that " not in part for part, _ in reads.composed) and meant is None
    is_complete = not (is_open or reads.prefixes or reads.left > 0)
    return Evidence(tuple(lines), ("graphmem code text 'getenv|environ|process\\.env' --regex",), is_complete, refs)


def _only(
    reads: EnvironmentReads, places: Mapping[str, list[Read]], composed: list[tuple[str, TextMatch]]
) -> EnvironmentReads:
    found = EnvironmentReads(composed=composed, left=reads.left)
    found.places.update(places)
    return found


def _inside(within: Folders, reads: EnvironmentReads) -> EnvironmentReads:
    """Return what files of a folder read."""
    own = {
        name: found
        for name, some in reads.places.items()
        if (found := [one for one in some if within.contains(one.row.path)])
    }
    inside = _only(reads, own, [one for one in reads.composed if within.contains(one[1].path)])
    inside.prefixes = [one for one in reads.prefixes if within.contains(one[1].path)]
    inside.whole = [row for row in reads.whole if within.contains(row.path)]
    return inside


def _meant(question: Question, reads: EnvironmentReads, within: Folders | None) -> EnvironmentReads | None:
    """Return the reads that have a word of the question in their name or place, None if none has."""
    words = (word.lower() for word in question.subjects if within is None or not _is_within(word, within))
    asked = {stem(word) for word in words if word not in _ABOUT_ALL}
    found = dict[str, list[Read]]()
    for name, some in reads.places.items():
        near = some if asked & _stems(name) else [one for one in some if asked & _stems(_place(one.row))]
        if near:
            found[name] = near
    composed = [one for one in reads.composed if asked & _stems(_place(one[1]))]
    if not (found or composed):
        return None
    only = _only(reads, found, composed)
    only.prefixes = reads.prefixes
    return only


def _is_within(word: str, within: Folders) -> bool:
    return any(word.lower() in text.lower() for text in (within.name, *within.paths))


def _place(row: TextMatch) -> str:
    return f"{row.path} {row.symbol}"


def _stems(text: str) -> set[str]:
    return set(map(stem, _WORD.findall(text.lower())))


def _lines_of_scripts(sources: Sources) -> list[str]:
    """Return lines with the variables of shell scripts and of files of containers."""
    reads, all_of_them = find_script_reads(sources)
    own = [read for read in (*reads, *find_container_settings(sources)) if not _ASIDE.search(read.row.path)]
    return describe_scripts(own, [row for row in all_of_them if not _ASIDE.search(row.path)])


def _lines_in_tests(places: Mapping[str, Sequence[Read]], sources: Sources) -> list[str]:
    """Return a line with the variables that tests alone read, if there are any."""
    found = sources.code.text(written.READS_ENVIRONMENT, is_regex=True, kind="test", limit=_LINES).matches
    of_tests = EnvironmentReads()
    read_spelt(found, of_tests)
    others = {name: some[0].row for name, some in sorted(of_tests.places.items()) if name not in places}
    said = ", ".join(f"{name} {row.path}:{row.line}" for name, row in list(others.items())[:_IN_TESTS])
    return [f"{len(others)} more in tests alone: {said}{' …' * (len(others) > _IN_TESTS)}"] if others else []


def _show_composed(part: str, row: TextMatch) -> str:
    """Return a line that reads a name composed at run time, with the part of the name that is known."""
    said = f"{part} " if part else ""
    what = "names are composed" if part else "reads names that are composed"
    return f"{said}{row.path}:{row.line} {what}: {shortened(row.text)}"


def _show_variables(places: Mapping[str, Sequence[Read]], within: Folders | None) -> list[str]:
    """Return a line for each variable with its places and the functions there, and one with those that only examples, support of
    tests and the building of packages read, unless the question is about such a folder."""
    lines, aside = list[str](), dict[str, list[str]]()
    for name, reads in sorted(places.items()):
        if _is_aside(reads, within):
            aside.setdefault(reads[0].row.path, []).append(f"{name} {reads[0].row.line}")
        elif own := [one for one in reads if within or not _ASIDE.search(one.row.path)]:
            lines.append(f"{name} {_joined(name, own)}")
    if aside:
        number = sum(map(len, aside.values()))
        files = "; ".join(f"{path} {', '.join(named)}" for path, named in aside.items())
        if number > _ASIDE_NAMES:
            files = ", ".join(f"{path} {len(named)}" for path, named in aside.items())
        lines.append(f"{number} more only in examples, scripts, support of tests, building and packaging: {files}")
    return lines


def _joined(name: str, reads: Sequence[Read]) -> str:
    """Return the places of reads with their functions and defaults; a file in which several stand is given once."""
    said, file = list[str](), ""
    for one in reads:
        place = str(one.row.line) if one.row.path == file else f"{one.row.path}:{one.row.line}"
        function = short_name(one.row.symbol) if len(reads) <= _NAMED_PLACES else ""
        notes = [f"through {one.through}"] * bool(one.through) + [f"default {one.default}"] * bool(one.default)
        shown = f"{place} {function if function != name else ''}".strip()
        said.append(f"{shown} ({', '.join(notes)})" if notes else shown)
        file = one.row.path
    return ", ".join(said)


def _counted(places: Mapping[str, Sequence[Read]], within: Folders | None, prefix: str = "") -> str:
    """Return a line with the number of variables that the program reads."""
    number = sum(not _is_aside(reads, within) for reads in places.values())
    said = f" whose name begins with {prefix}" if prefix else ""
    where = f" in {within.described}" if within else ""
    count = counted(number, f"variable{said} is", f"variables{said} are")
    return f"{count} read from the environment{where}, in sources without tests"


def _is_aside(reads: Iterable[Read], within: Folders | None) -> bool:
    """Return whether none of some reads belongs to the program, unless the question is about a folder."""
    return not within and all(_ASIDE.search(one.row.path) for one in reads)
