"""Operations about releases: what is not released yet, and which releases changed something, as the changelog says it or as tags
contain the commits."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from shlex import quote
from typing import NamedTuple

from graphmem.ask.evidence import (
    FEW,
    ROWS,
    Evidence,
    Sources,
    find_subject,
    place_of,
    ref_of,
    rest_line,
    revision_line,
    row_line,
    shortened,
)
from graphmem.ask.types import PLAIN_WORDS, Question
from graphmem.code import authors, revisions
from graphmem.extract.documents import split_sections
from graphmem.model.results import Hit
from graphmem.retrieve.stems import stem
from graphmem.text.words import stopwords

_UNRELEASED = (
    r"(?i)^[\W_]*(?:unreleased|not (?:yet )?released|upcoming|next(?: release| version)?|(?:in )?development"
    r"|head|master|main)\b[\W\w]{0,40}$"
)
_CHANGELOG = re.compile(
    r"(?:^|/)(?:changes|changelog|history|versionhistory|news|releases?|release[-_]notes?)[^/]*$", re.I
)
_RELEASE = re.compile(r"\W*(?:version |release )?v?\d+\.\d+", re.I)  # begins the section of one
_HEADINGS = 200  # lines of documents that may be such a heading
_HEADING_LINES = 6  # lines between such a heading and the section of the store: one below it, or the version above


def find_unreleased(question: Question, sources: Sources, hits: Sequence[Hit]) -> Evidence | None:
    """Return the section of the changelog about what is not released yet, as its heading or the line below it says."""
    found = sources.code.text(_UNRELEASED, is_regex=True, kind="document", limit=_HEADINGS)
    for row in found.matches:
        if _CHANGELOG.search(row.path):
            lines = sources.code.source(f"{row.path}:{row.line}-{row.line + 2 * ROWS}").text.split("\n")
            near = sorted(
                range(row.line - _HEADING_LINES, row.line + _HEADING_LINES), key=lambda at: abs(at - row.line)
            )
            end = next((at for at, line in enumerate(lines) if at and _RELEASE.match(line)), len(lines))
            shown = tuple(line for line in lines[:end] if line.strip())
            return Evidence(
                (f"{row.path}:{row.line}", *shown),
                (f"graphmem code source {quote(row.path)}",),
                refs=tuple(f"{row.path}:{at}" for at in near),
            )
    return None


class _Note(NamedTuple):
    """An entry of a changelog: its release, its text, the heading above it, and file and line of its section."""

    release: str
    text: str
    heading: str
    place: str


_VERSION = re.compile(r"\bv?\d+\.\d+")
_NOT_RELEASED = re.compile(_UNRELEASED)
_BULLET = re.compile(r"\s*(?:[-*+•]|\d+[.)])\s")
_WORD = re.compile(r"\d+(?:\.\d+)+|[^\W_]+")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")  # of a name such as `lineWidth`
_UPGRADES = re.compile(r"(?:^|/)(?:upgrad|migrat)\w*[^/]*$", re.I)  # documents that tell what a release changed, too
_MAX_NOTES = 400  # lines of changelogs that have the rarest word
_MAX_RELEASES = 12  # with an ordinary word, above which it says nothing
# What a release does to a thing; what the notes say, if a question asks for that.
_ACTS = (
    re.compile(r"\b(?:add|introduc|new|support|arriv|appear|implement|first|bring|brought|start|gain|creat)\w*", re.I),
    re.compile(r"\b(?:remov|drop|delet|gone|rid|retir)\w*|no longer", re.I),
    re.compile(r"\bdeprecat\w*", re.I),
    re.compile(r"\b(?:renam|mov|replac|switch)\w*", re.I),
    re.compile(r"\b(?:fix|bug|repair|correct|mend)\w*", re.I),
)
_ACTING = frozenset(  # words that say that something changed in a release, not what
    map(
        stem,
        "release releases released version versions added introduced support supported arrive appear implemented first"
        " bring brought started gained created removed dropped deleted gone retired deprecated renamed moved replaced"
        " switched fixed changed touched modified edited updated affected included landed shipped mentioned came broke"
        " broken new which since ever get got any all".split(),
    )
)


def find_releases(question: Question, sources: Sources, hits: Sequence[Hit]) -> Evidence | None:
    """Return the releases whose notes name what the question is about, those that did what it asks for first; without notes, the
    first tags that contain the commits of the symbol, or those whose message names it."""
    words = _subject_words(question)
    if not words:
        return None
    notes = list(_find_notes_of(question, words, sources))
    if not notes:
        return _find_tags(question, sources)
    act = next((pattern for pattern in _ACTS if pattern.search(question.text)), None)
    acting = [note for note in notes if act is not None and (act.search(note.text) or act.search(note.heading))]
    if act is _ACTS[0]:
        acting.reverse()  # what brought it came first
    rows = [*acting, *(note for note in notes if note not in acting)]
    what = " and ".join(f"`{word}`" for word in dict.fromkeys(_named(question)))
    releases = list(dict.fromkeys(note.release for note in rows))
    lines = [f"{len(releases)} release{'s name' if len(releases) != 1 else ' names'} {what}:"]
    for release, group in groupby(rows[:ROWS], key=lambda note: note.release):
        lines += [f"{release}: {shortened(note.text)} ({note.place})" for note in group]
    lines += rest_line(len(rows), ROWS)
    is_sure = bool(question.exact) or len(releases) <= _MAX_RELEASES
    command = f"graphmem code text {quote(_named(question)[0])} --kind document"
    refs = tuple(dict.fromkeys(note.place for note in rows[:FEW]))
    return Evidence(tuple(lines), (command,), is_sure and bool(acting or act is None), refs)


def _named(question: Question) -> list[str]:
    """Return what a question is about, as it is written: names of code, then the other words."""
    plain = re.sub("|".join(map(re.escape, question.exact)) or r"(?!)", " ", question.text)
    said = (word for word in _WORD.findall(plain) if len(word) > 2 and word.lower() not in stopwords())
    words = [word for word in said if word.isascii() or plain.isascii()]  # Korean words around a name only ask
    named = " ".join(question.exact).lower()
    return [
        *question.exact,
        *(word for word in words if stem(word.lower()) not in _ACTING and word.lower() not in named),
    ]


def _subject_words(question: Question) -> frozenset[str]:
    return frozenset(stem(word.lower()) for named in _named(question) for word in _WORD.findall(named))


def _find_notes_of(question: Question, words: frozenset[str], sources: Sources) -> Iterator[_Note]:
    """Yield the entries of changelogs that have all of these words, in any form, in the order of the files."""
    longest = max(words, key=len)
    found = sources.code.text(longest, ignore_case=True, kind="document", limit=_MAX_NOTES)
    for path in dict.fromkeys(row.path for row in found.matches if tells_changes(row.path)):
        for section in split_sections(sources.code.source(path).text, path):
            parts = section.title.split(" › ")
            release = next((part for part in reversed(parts) if _VERSION.search(part) or _NOT_RELEASED.match(part)), "")
            for entry in _entries(section.text) if release else ():
                said = set(_stems(entry))
                if words <= said and all(name in entry for name in question.exact):
                    yield _Note(release, entry, parts[-1], f"{path}:{section.line}")


def tells_changes(path: str) -> bool:
    """Return whether a document tells what releases changed, by its name."""
    return bool(_CHANGELOG.search(path) or _UPGRADES.search(path))


def _stems(text: str) -> Iterator[str]:
    """Yield the stems of the words of a text, of a name also those of its parts."""
    for word in _WORD.findall(text):
        yield stem(word.lower())
        if len(parts := _PART.findall(word)) > 1:
            yield from (stem(part.lower()) for part in parts)


def _entries(text: str) -> Iterator[str]:
    """Yield the entries of a section: items of a list, or paragraphs."""
    entry: list[str] = []
    for line in [*text.split("\n"), ""]:
        if entry and (not line.strip() or _BULLET.match(line)):
            yield " ".join(entry)
            entry = []
        if line.strip():
            entry.append(line.strip())


def _find_tags(question: Question, sources: Sources) -> Evidence | None:
    """Return the first tags that contain the commits which changed the symbol, or whose message names all of the words."""
    root, symbol = sources.code.root(), find_subject(question, sources)
    refs: tuple[str, ...] = ()
    if symbol is not None and any(name.endswith(symbol.name) for name in question.exact):
        rows = [(row[0], row_line(row)) for row in sources.code.history(symbol.key, limit=10_000).rows]
        what, refs = place_of(symbol), (ref_of(symbol),)
    else:
        named = [word for word in _named(question) if word in question.exact or word.lower() not in PLAIN_WORDS]
        commits = authors.find_mentions(root, named, _MAX_NOTES) if named else []
        rows = [(commit.hash, revision_line(commit)) for commit in commits if not commit.subject.startswith("Merge ")]
        what = " and ".join(f"`{word}`" for word in named)
    tags = revisions.first_tags(root, [hash_ for hash_, _ in rows])
    if not tags:
        return None
    releases = list(dict.fromkeys(tags.get(hash_, "not released") for hash_, _ in rows))
    lines = [f"{len(releases)} release{'s' * (len(releases) != 1)} changed {what}, newest first:"]
    lines += [f"{tags.get(hash_, 'not released')}: {line}" for hash_, line in rows[:ROWS]]
    lines += rest_line(len(rows), ROWS)
    command = f"git tag --contains {rows[-1][0][:10]}"
    found = (*(hash_ for hash_, _ in rows[:FEW]), *refs)
    return Evidence(tuple(lines), (command,), bool(refs), found)
