"""When a version was released: as tags say it, headings of changelogs, and commits that make a release."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from graphmem.ask.evidence import FEW, ROWS, Evidence, Sources, revision_line, shortened
from graphmem.ask.releases import tells_changes
from graphmem.ask.types import Question
from graphmem.code import authors, revisions
from graphmem.model.results import Hit

_NUMBER = r"v?(\d+(?:\.\d+)*(?:[-.]?(?:alpha|beta|rc|pre|post|dev|a|b|m)[.-]?\d*|-\d+(?=[\W_]|\Z))?)"
_ASKED = re.compile(rf"(?<![\w.])(?:(?=v?\d+\.){_NUMBER}|(?:version|release)\s+{_NUMBER})(?![\w]*\d)", re.I)
_TAG = re.compile(rf"(?:^|[-/@_]){_NUMBER}$", re.I)
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_DATE = re.compile(
    rf"\b\d{{4}}[-/.]\d{{1,2}}[-/.]\d{{1,2}}\b|\b{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?,? \d{{4}}\b|\b\d{{1,2}}\.? {_MONTH},? \d{{4}}\b"
    r"|\b\d{4}년 ?\d{1,2}월 ?\d{1,2}일",
    re.I,
)
_HEADING = re.compile(rf"\W{{0,6}}(?:[A-Za-z@][\w@/.-]* )?(?:version |release )?\[?{_NUMBER}(?![\w.]|-\w)", re.I)
_LINES_BELOW = 4  # a heading, in which its date may stand
_MAX_DATE_LINE = 60  # characters of a line that only dates a release
_MAX_HEADINGS = 2_000
_MAX_COMMITS = 200  # that name a version
_MAX_NEWEST = 1_000  # among which the last release is looked for
# "Release 2.0", "Version 2.0 (#12)", "chore: bump version to 2.0", "v2.0"; not "Run the tests on Python 3.7"
_MAKES = re.compile(
    r"\A\W*(?:[\w()-]{1,20}:\s*)?(?:(?:bump|prepar|publish|tag|cut|mak|set|updat|releas)\w*\s+)?"
    rf"(?:(?:the|for|to|as|new|version|release)\s+){{0,4}}{_NUMBER}(?:\s+release)?\W*(?:#\d+)?\W*\Z",
    re.I,
)


class _Release(NamedTuple):
    version: str
    line: str
    ref: str


def find_release_date(question: Question, sources: Sources, hits: Sequence[Hit]) -> Evidence | None:
    """Return when the version of a question was released, or the newest one; or that no release of it is known, and the newest
    that are. None if the question names no version and does not ask for the last one."""
    found = _ASKED.search(question.text)
    asked = (found[1] or found[2]) if found else ""
    kinds = [list(_tags(sources)), list(_headings(sources)), list(_commits(asked, sources))]
    if not asked:
        newest = [max(kind, key=lambda one: _order(one.version)) for kind in kinds if kind]
        best = max(newest, key=lambda one: _order(one.version), default=None)
        rows = [one for kind in kinds for one in kind if best and _order(one.version) == _order(best.version)]
        return _evidence(rows) if rows else _none("", kinds)
    rows = [one for kind in kinds for one in kind if _order(one.version) == _order(asked)]
    return _evidence(rows) if rows else _none(asked, [*kinds[:2], list(_commits("", sources))])


def _evidence(rows: Sequence[_Release]) -> Evidence:
    refs = tuple(dict.fromkeys(one.ref for one in rows))
    return Evidence(tuple(one.line for one in rows[:ROWS]), ("git tag --list --sort=-creatordate",), True, refs)


def _none(asked: str, kinds: Sequence[Sequence[_Release]]) -> Evidence:
    what = f"no release {asked} is known" if asked else "no release is known"
    known = {_order(one.version): one.version for kind in reversed(kinds) for one in kind}  # tags first
    newest = ", ".join(known[each] for each in sorted(known, reverse=True)[:FEW])
    lines = [f"{what}: no tag, heading of a changelog or commit of a release names it"]
    lines += [f"the newest releases are {newest}"] if newest else []
    return Evidence(tuple(lines), ("git tag --list",), False)


def _order(version: str) -> tuple[tuple[int, ...], bool, str]:
    """Return a version as a sort key: 2.0 is 2.0.0, and pre-releases come before it."""
    numbers = re.match(r"\d+(?:\.\d+)*", version)
    parts = [int(part) for part in numbers[0].split(".")] if numbers else []
    while parts and not parts[-1]:
        parts.pop()
    rest = version[numbers.end() :] if numbers else version
    return tuple(parts), not rest, rest.strip("-.").lower()


def _tags(sources: Sources) -> Iterator[_Release]:
    for tag in revisions.dated_tags(sources.code.root()):
        if found := _TAG.search(tag.name):
            line = f"{found[1]} was tagged on {tag.day}: {tag.name} at {tag.hash[:10]} {shortened(tag.subject)}"
            yield _Release(found[1], line, tag.hash)


def _headings(sources: Sources) -> Iterator[_Release]:
    """Yield the releases that changelogs date in a heading, or in a short line below it."""
    found = sources.code.text(_HEADING.pattern, is_regex=True, ignore_case=True, kind="document", limit=_MAX_HEADINGS)
    texts = dict[str, list[str]]()
    for row in found.matches:
        heading = _HEADING.match(row.text)
        if heading is None or "." not in heading[1] or not tells_changes(row.path):
            continue
        if row.path not in texts:
            texts[row.path] = sources.code.source(row.path).text.split("\n")
        below = texts[row.path][row.line : row.line + _LINES_BELOW]
        dated = [row.text, *(line for line in below if len(line) <= _MAX_DATE_LINE)]
        said = next((line.strip() for line in dated if _DATE.search(line)), "")
        if said:
            told = said if said == row.text else f"{row.text}: {said}"
            yield _Release(heading[1], f"{row.path}:{row.line}: {told}", f"{row.path}:{row.line}")


def _commits(asked: str, sources: Sources) -> Iterator[_Release]:
    """Yield the commits whose subject makes a release: not those that update dependencies."""
    root = sources.code.root()
    named = [".".join(asked.split(".")[:2])] if asked else []  # 2.0.0 may be called 2.0
    for commit in authors.find_mentions(root, named, _MAX_COMMITS if asked else _MAX_NEWEST):
        if (found := _MAKES.match(commit.subject)) and "." in found[1]:
            yield _Release(found[1], f"commit {revision_line(commit)}", commit.hash)
