"""Demotes hits below others that match equally well: tests and examples below what they test or show, merges below the
commits that they merge, containers below the part that answers, pages in another language than the question, and further
translations of a page. Looks at the best candidates of one family."""

from __future__ import annotations

import re
from collections.abc import Sequence

from graphmem.ports.text import Stored
from graphmem.retrieve.expand import SYMBOLS
from graphmem.retrieve.reports import is_report
from graphmem.retrieve.state import State
from graphmem.retrieve.testcode import asks_for_tests, asks_which_tests, is_test

DOCUMENTS = ("document",)
COMMITS = ("commit",)
_TEST = 0.4  # of the score of a test, where the query does not speak of tests
_REPORTED = 0.2  # the same, where the query is a report
_MERGE = 0.5  # of the score of a merge commit, which repeats what the merged one says, without its reason and author
_CONTAINER = 0.7  # share of its score at which a part is before what contains it
_FOREIGN = 0.5  # of the score of a page in another script
_READ = 60  # candidates that are looked at
_NAMED = 1.0  # strength of a name from which the query asks for that very thing
_MERGES = re.compile(
    r"merged? (?:pull request|branch|branches|remote|remote-tracking|tag|commit|pr|mr|in|origin|#?\d)\b", re.I
)
_ASKS_MERGES = re.compile(r"\bmerg\w+|\bpull requests?\b|\bPR\b|#\d|병합", re.I)
_CODES = "en|zh|zh[-_](?:cn|tw|hans|hant)|cn|ja|jp|ko|kr|fr|de|es|pt|pt[-_]br|ru|it|tr|vi|id|pl|uk|fa|ar|hi|th"
_TRANSLATED = re.compile(rf"(?:(?<=^)|(?<=[/._-]))(?:{_CODES})(?=[/.])", re.I)
_SCRIPTS = {
    "hangul": re.compile(r"[가-힣]"),
    "kana": re.compile(r"[\u3040-\u30ff]"),
    "han": re.compile(r"[\u4e00-\u9fff]"),
    "cyrillic": re.compile(r"[\u0400-\u04ff]"),
    "arabic": re.compile(r"[\u0600-\u06ff]"),
}
_SHARE = 0.15  # of the letters that make the script of a text


def demote_secondary(state: State) -> None:
    """Reorder the best candidates of one family."""
    if state.where.kinds == SYMBOLS:
        _reorder(state, _tests(state, state.load(state.ranked[:_READ])))
        _put_parts_first(state)
    elif state.where.kinds == COMMITS:
        _reorder(state, _merges(state, state.load(state.ranked[:_READ])))
    elif state.where.kinds == DOCUMENTS:
        head = state.load(state.ranked[:_READ])
        _reorder(state, _foreign(state.query, head))
        _put_translations_last(state)


def script(text: str) -> str:
    """Return the script that a text is written in, "" for Latin letters. Any kana make it Japanese."""
    if text.isascii():
        return ""
    least = _SHARE * max(1, len(text) - text.count(" "))
    for name, letters in _SCRIPTS.items():
        if len(letters.findall(text)) >= (least / 3 if name == "kana" else least):
            return name
    return ""


def _tests(state: State, head: Sequence[Stored]) -> dict[int, float]:
    told = is_report(state)  # which speaks of its test
    if asks_which_tests(state.query) and not told:
        return {one.row: _TEST for one in head if not is_test(one.item)}
    if asks_for_tests(state.query) and not told:
        return {}
    share = _REPORTED if told else _TEST
    return {one.row: share for one in head if is_test(one.item)}


def _merges(state: State, head: Sequence[Stored]) -> dict[int, float]:
    if _ASKS_MERGES.search(state.query):
        return {}
    return {one.row: _MERGE for one in head if _MERGES.match(one.item.title)}


def _foreign(query: str, head: Sequence[Stored]) -> dict[int, float]:
    """Return the factor for pages in another script than the question. Latin pages keep their score: a Korean question about
    code is often answered in English."""
    asked = script(query)
    return {one.row: _FOREIGN for one in head if (found := script(one.item.text[:600])) and found != asked}


def _reorder(state: State, shares: dict[int, float]) -> None:
    if not shares:
        return
    head = state.ranked[:_READ]
    for row, share in shares.items():
        if row in state.scores:
            state.scores[row] *= share
    state.ranked[: len(head)] = sorted(head, key=lambda row: -state.scores.get(row, 0.0))
    highest = max(state.scores.values(), default=0.0) or 1.0
    state.scores = {row: score / highest for row, score in state.scores.items()}


def _put_parts_first(state: State) -> None:
    """Move a class or module behind its own part where both match about equally well and it is not asked for by name: the
    smaller answers more exactly."""
    head = state.ranked[: 2 * state.k + 1]
    names = {one.row: one.item.title for one in state.load(head)}
    named = state.channels.get("entities", {})
    for at, row in enumerate(head):
        if named.get(row, 0.0) >= _NAMED or row not in state.scores:
            continue
        least = _CONTAINER * state.scores[row]
        part = next(
            (other for other in head[at + 1 :] if names.get(other, "").startswith(f"{names.get(row)}.")
             and state.scores.get(other, 0.0) >= least), None
        )  # fmt: skip
        if part is not None:
            place = head.index(part)
            head[at : place + 1] = [part, *head[at:place]]
    scores = sorted((state.scores.get(row, 0.0) for row in head), reverse=True)
    state.scores |= {row: score for row, score in zip(head, scores, strict=True) if row in state.scores}
    state.ranked[: len(head)] = head


def _put_translations_last(state: State) -> None:
    """Keep the best of the translations of one section in its place, and move the others behind all."""
    told: set[tuple[str, int]] = set()
    later: list[int] = []
    head = state.ranked[:_READ]
    for one in state.load(head):
        path, _, _ = one.item.ref.rpartition(":")
        plain = _TRANSLATED.sub("", path)
        key = (re.sub(r"[/._-]+", "/", plain).strip("/"), one.item.sequence)
        if path and key in told:
            later.append(one.row)
        told.add(key)
    if later:
        behind = set(later)
        state.ranked = [row for row in state.ranked if row not in behind] + later
