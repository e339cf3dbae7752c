"""Demotes hits below others that match equally well: tests and examples below what they test or show, merges below the
commits that they merge, containers below the part that answers, pages in another language than the question, and further
translations or older versions of a page. Looks at the best candidates of one family."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from graphmem.ports.text import Stored
from graphmem.retrieve.analyse import is_report_text
from graphmem.retrieve.asking import asks_which_tests
from graphmem.retrieve.concepts import asks_for_container
from graphmem.retrieve.kinds import COMMITS, DOCUMENTS, SYMBOLS
from graphmem.retrieve.ports import Reader
from graphmem.retrieve.present import is_bare_module
from graphmem.retrieve.records import Candidate, Request, scale_scores, sort_scores
from graphmem.retrieve.scripts import detect_script
from graphmem.retrieve.testcode import asks_for_tests, asks_how, is_check, is_example, is_test, is_vendored

_TEST_FACTOR = 0.4  # of the score of a test, where the query does not speak of tests
_TEST_FACTOR_IN_REPORT = 0.2  # the same, where the query is a report
_VENDORED_FACTOR_IN_REPORT = 0.5  # of the score of a copy of another project, where the query is a report
_MERGE_FACTOR = (
    0.5  # of the score of a merge commit, which repeats what the merged one says, without its reason and author
)
_MIN_PART_SHARE = 0.6  # share of its score at which a part is before what contains it
_MIN_BARE_SHARE = 0.6  # the same, where what contains it says nothing but its name
_FOREIGN_SCRIPT_FACTOR = 0.5  # of the score of a page in another script
_MIN_CANDIDATES = 60  # candidates that are looked at; more where more hits are asked for
_MIN_NAMED_SIGNAL = 1.0  # strength of a name from which the query asks for that very thing
_MERGE_TITLE = re.compile(
    r"merged? (?:pull request|branch|branches|remote|remote-tracking|tag|commit|pr|mr|in|origin|#?\d)\b", re.I
)
_ASKS_MERGES = re.compile(r"\bmerg\w+|\bpull requests?\b|\bPR\b|#\d|병합", re.I)
_LANGUAGE_CODES = "en|zh|zh[-_](?:cn|tw|hans|hant)|cn|ja|jp|ko|kr|fr|de|es|pt|pt[-_]br|ru|it|tr|vi|id|pl|uk|fa|ar|hi|th"
_LANGUAGE_IN_PATH = re.compile(rf"(?:(?<=^)|(?<=[/._-]))(?:{_LANGUAGE_CODES})(?=[/.])", re.I)
_VERSION_IN_PATH = re.compile(
    r"(?<=/)(?:v(?:ersion)?[-_]?)?\d+(?:[._](?:\d+|x))+(?=/)|(?<=/)(?:dev|next|latest|current|stable|main|master)(?=/)",
    re.I,
)


def demote_secondary(reader: Reader, request: Request, ranked: Sequence[Candidate]) -> list[Candidate]:
    """Return the candidates of one family with secondary ones further down."""
    size = max(_MIN_CANDIDATES, 2 * request.head_size + 1)
    kinds, head = request.where.kinds, reader.load(one.row for one in ranked[:size])
    if kinds == SYMBOLS:
        return _put_parts_first(
            reader, request.head_size, _lower_scores(ranked, _find_tests(request.query, head), size)
        )
    if kinds == COMMITS:
        return _lower_scores(ranked, _find_merges(request.query, head), size)
    if kinds == DOCUMENTS:
        lowered = _lower_scores(ranked, _find_foreign(request.query, head), size)
        return _put_copies_last(reader, request.query, lowered)
    return list(ranked)


def _find_tests(query: str, head: Sequence[Stored]) -> dict[int, float]:
    """Return the factor for tests, or for all others if the query asks for tests; in a report also for copies of other
    projects."""
    is_report = is_report_text(query)  # a report speaks of its test
    if asks_which_tests(query) and not is_report:
        return {one.row: _TEST_FACTOR for one in head if not is_check(one.item)}
    if asks_how(query) and not is_report:
        return {one.row: _TEST_FACTOR for one in head if is_test(one.item) and not is_example(one.item)}
    if asks_for_tests(query) and not is_report:
        return {}
    share = _TEST_FACTOR_IN_REPORT if is_report else _TEST_FACTOR
    copies = {one.row: _VENDORED_FACTOR_IN_REPORT for one in head if is_report and is_vendored(one.item)}
    return copies | {one.row: share for one in head if is_test(one.item)}


def _find_merges(query: str, head: Sequence[Stored]) -> dict[int, float]:
    """Return the factor for merge commits, unless the query asks for them."""
    if _ASKS_MERGES.search(query):
        return {}
    return {one.row: _MERGE_FACTOR for one in head if _MERGE_TITLE.match(one.item.title)}


def _find_foreign(query: str, head: Sequence[Stored]) -> dict[int, float]:
    """Return the factor for pages in another script than the question. Latin pages keep their score: a Korean question about
    code is often answered in English."""
    asked = detect_script(query)
    return {
        one.row: _FOREIGN_SCRIPT_FACTOR
        for one in head
        if (found := detect_script(one.item.text[:600])) and found != asked
    }


def _lower_scores(ranked: Sequence[Candidate], factors: Mapping[int, float], size: int) -> list[Candidate]:
    """Return the candidates with the first `size` in the order of their scores times these factors (by row)."""
    if not factors:
        return list(ranked)
    lowered = [one._replace(score=one.score * factors.get(one.row, 1.0)) for one in ranked[:size]]
    return scale_scores([*sorted(lowered, key=lambda one: -one.score), *ranked[size:]])


def _put_parts_first(reader: Reader, k: int, ranked: Sequence[Candidate]) -> list[Candidate]:
    """Return the candidates with each class or module behind its own part where both match about equally well and it is not
    asked for by name: the smaller answers more exactly."""
    size = 2 * k + 1
    return [*sort_scores(_lift_parts(reader, ranked[:size], lambda one: one.score)), *ranked[size:]]


def put_likely_parts_first(reader: Reader, query: str, ranked: Sequence[Candidate]) -> list[Candidate]:
    """Return the candidates of a question about code with each class or module behind its own part where both are about equally
    likely to answer, unless the question asks for a class, module or file."""
    if asks_for_container(query):
        return list(ranked)
    lifted = _lift_parts(reader, ranked, lambda one: one.probability)
    return sort_scores(_put_bare_modules_behind(reader, lifted))


def _put_bare_modules_behind(reader: Reader, ranked: Sequence[Candidate]) -> list[Candidate]:
    """Return the candidates with each module without documentation behind the best part of its file, unless that is far less
    likely to answer."""
    items = {one.row: one.item for one in reader.load(one.row for one in ranked)}
    files = {row: item.ref.rpartition(":")[0] for row, item in items.items() if item.kind == "symbol"}
    bare = {row for row, item in items.items() if is_bare_module(item.kind, item.role, item.text)}
    head = list(ranked)
    for one in [one for one in ranked if one.row in bare]:
        at, least = head.index(one), _MIN_BARE_SHARE * one.probability
        inside = (place for place, other in enumerate(head) if files.get(other.row) == files[one.row])
        place = next((place for place in inside if head[place].row not in bare), -1)
        if place > at and head[place].probability >= least:
            part = head.pop(place)
            head[at : at + 1] = [part, one._replace(probability=min(one.probability, part.probability))]
    return head


def _lift_parts(reader: Reader, ranked: Sequence[Candidate], worth: Callable[[Candidate], float]) -> list[Candidate]:
    """Return the candidates with the best part of each container before it, if its worth is about that of the container."""
    head = list(ranked)
    names = {one.row: one.item.title for one in reader.load(one.row for one in head)}
    for at, whole in enumerate(head):
        if whole.signals.get("entities", 0.0) >= _MIN_NAMED_SIGNAL or not worth(whole):
            continue
        inside, least = f"{names.get(whole.row)}.", _MIN_PART_SHARE * worth(whole)
        parts = (place for place in range(at + 1, len(head)) if names.get(head[place].row, "").startswith(inside))
        place = next((place for place in parts if worth(head[place]) >= least), None)
        if place is not None:
            head.insert(at, head.pop(place))
    return head


def _put_copies_last(reader: Reader, query: str, ranked: Sequence[Candidate]) -> list[Candidate]:
    """Return the candidates with all translations of a section but the best one at the end. Of the same section in the manuals of
    several versions the one stays that the question names, or else the newest."""
    groups: dict[tuple[str, str | int], list[tuple[tuple[int, ...], Candidate]]] = {}
    by_row = {one.row: one for one in ranked[:_MIN_CANDIDATES]}
    for stored in reader.load(by_row):
        path, _, _ = stored.item.ref.rpartition(":")
        version = _VERSION_IN_PATH.search(path)
        plain = _LANGUAGE_IN_PATH.sub("", _VERSION_IN_PATH.sub("", path))
        place = stored.item.title if version else stored.item.sequence
        key = (re.sub(r"[/._-]+", "/", plain).strip("/"), place) if path else (str(stored.row), 0)
        groups.setdefault(key, []).append((_newness(version, query), by_row[stored.row]))
    kept = {one.row: max(group, key=lambda each: each[0])[1] for group in groups.values() for _, one in group[:1]}
    first = [
        kept.get(one.row, one)._replace(score=one.score) for one in ranked if one.row in kept or one.row not in by_row
    ]
    rows = {one.row for one in first}
    return [*first, *(one for one in ranked if one.row not in rows)]


def _newness(version: re.Match[str] | None, query: str) -> tuple[int, ...]:
    """Return how new the version of a manual is, by the folder that it is in: that of a named version is newest."""
    numbers = re.findall(r"\d+", version[0]) if version else []
    if numbers and re.search(rf"(?<![\d.]){re.escape('.'.join(numbers))}(?!\.?\d)", query):
        return (2,)
    return (0, *map(int, numbers)) if numbers else (1,)
