"""Chooses the part of a hit's text to show: the sentence, item of a list, or lines of code that say most of the query; of a
commit without a word of explanation, the files that it changed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from graphmem.retrieve.present import truncate_text
from graphmem.retrieve.stems import stem

MAX_EXCERPT_CHARS = 240  # of an excerpt
_MAX_TEXT_CHARS = 8_000  # of a text that are looked through
_MIN_FOLLOWING_CHARS = 60  # room left from which the next piece is shown, too
_WORD = re.compile(r"[^\W_]+")
_END = re.compile(r"(?<=[.!?。])\s+|(?<=:)\n|\n(?=\s*(?:[-*+#>|$]|\d+[.)]\s|```|~~~))|\n\s*\n")
_RULE = re.compile(r"^\s*([^\w\s])\1{2,}[^\n]*$\n?", re.MULTILINE)  # an underline, or a fence with its language
_MARKUP = re.compile(
    r"^#{1,6} +|^\s*\.\. (?:_[^\n]*:|[\w-]+::[^\n]*)$", re.MULTILINE
)  # of headings; targets and directives

_MAX_FILES = 3
_FILE = re.compile(r"\.?[\w@+~\-\[\](){}#$=]+(?:[./]+[\w@+~\-\[\](){}#$=]+)*")
_TRAILER = re.compile(r"^(?:[A-Z][\w-]*-[Bb]y|Change-Id|Fixes|Closes|Refs?): [^\n]*$\n?", re.MULTILINE)


def choose_commit_excerpt(weights: Mapping[str, float], text: str, title: str) -> str:
    """Return the excerpt of a commit, whose text is the body of its message and then one line with its files: of the body, else
    the files, those with a word of the query first."""
    body, _, last = text.rpartition("\n")
    files = last.split() if all(map(_FILE.fullmatch, last.split())) else []
    if said := choose_excerpt(weights, _TRAILER.sub("", body if files else text), title):
        return said
    files.sort(key=lambda file: -sum(weights.get(word, 0.0) for word in set(_stems(file))))
    more = f" and {len(files) - _MAX_FILES} more" if len(files) > _MAX_FILES else ""
    return truncate_text(f"in {', '.join(files[:_MAX_FILES])}{more}", MAX_EXCERPT_CHARS) if files else ""


def choose_excerpt(weights: Mapping[str, float], text: str, title: str) -> str:
    """Return at most `MAX_EXCERPT_CHARS` characters of a text, in one line: from the piece that says most of the query (`weights`:
    stem -> weight), and not only what the title says; the beginning if none says anything of it."""
    pieces = list(_pieces(text[:_MAX_TEXT_CHARS], title))
    if not pieces:
        return ""
    values = [sum(weights.get(word, 0.0) for word in set(_stems(piece))) for piece in pieces]
    best = values.index(max(values))
    shown = _around_match(pieces[best], weights)
    for piece in pieces[best + 1 :]:
        if MAX_EXCERPT_CHARS - len(shown) < _MIN_FOLLOWING_CHARS:
            break
        shown += f" {piece}"
    return truncate_text(shown, MAX_EXCERPT_CHARS)


def _pieces(text: str, title: str) -> Iterator[str]:
    """Yield the sentences, items and blocks of a text, each in one line, without its heading."""
    said = set(_stems(title))
    is_first = True
    for piece in _END.split(_MARKUP.sub("", _RULE.sub("", text))):
        plain = " ".join(piece.split())
        if plain and not (is_first and said.issuperset(_stems(plain))):
            yield plain
        is_first &= not plain


def _stems(text: str) -> list[str]:
    return [stem(word) for word in _WORD.findall(text.lower())]


def _around_match(piece: str, weights: Mapping[str, float]) -> str:
    """Return a piece from shortly before the first word of the query, if it is too long to be shown from its beginning."""
    if len(piece) <= MAX_EXCERPT_CHARS:
        return piece
    places = (found.start() for found in _WORD.finditer(piece) if weights.get(stem(found[0].lower())))
    first = next(places, 0)
    if first < MAX_EXCERPT_CHARS // 2:
        return piece
    return "…" + piece[piece.find(" ", first - MAX_EXCERPT_CHARS // 4) :]
