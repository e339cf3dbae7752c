"""Puts a later statement before the earlier one whose place it takes: "Errors go to GlitchTip now" before "Errors are reported to
Sentry", however much better the words of the earlier one match. The earlier one has shown what the question is about, so its
successor gets its score and probability. Compares the texts of the best candidates; what was said last of equals comes first."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from graphmem.model.changes import Item
from graphmem.ports.text import Stored
from graphmem.retrieve.kinds import TURN
from graphmem.retrieve.ports import Ports, Reader
from graphmem.retrieve.records import Candidate, Request
from graphmem.retrieve.stems import stem
from graphmem.text.frames import read_statement
from graphmem.text.qualifiers import tell_of_siblings
from graphmem.text.replacements import read_replacing, replacement_strength
from graphmem.text.restating import restatement_strength
from graphmem.text.sentences import sentences
from graphmem.text.slot_changes import compare_sentences
from graphmem.text.slots import read_slots
from graphmem.text.words import content_words
from graphmem.trust.origin import may_bind

_FACT = "fact"
_CONTESTED, _PERSON = "contested", "person"
_SPOKEN = frozenset({"user", "assistant", ""})
_DEPTH_FACTOR = 2  # times the head: how far down a statement is looked for
_MOST_CHARS = 300  # of an item that states one thing
_MOST_SENTENCES = 3
_FEWEST_SCORED = 0.05  # score from which an earlier statement is about the question
_BELOW = 0.95  # of the successor's score, what the earlier statement has at most
_STEP = 1e-3
_CONFIRMS = re.compile(r"(?:understood|got it|noted|okay|ok|alright|알겠습니다|네)\b[,.:!]? *", re.I)
_NUMBER = re.compile(r"\d+(?:[.:]\d+)*")


def put_successors_first(reader: Reader, request: Request, ranked: Sequence[Candidate]) -> list[Candidate]:
    """Return the candidates with each statement before the earlier ones whose place it takes; behind them for a question about
    what was so before. As of an earlier time, nothing changes."""
    if request.is_past:
        return list(ranked)
    size = _DEPTH_FACTOR * request.head_size
    head = list(ranked[:size])
    stored = [one for one in reader.load(one.row for one in head) if _states_one_thing(one)]
    pairs = _find_successions(reader.ports, stored) | _find_doubted(reader.ports, stored)
    if not pairs:
        return list(ranked)
    places = {one.row: place for place, one in enumerate(head)}
    texts = {one.row: one.item.text for one in stored}
    asked = set(_NUMBER.findall(request.query))
    for old in sorted(pairs, key=lambda row: places[row]):
        if asked & set(_NUMBER.findall(texts[old])) - set(_NUMBER.findall(texts[_last(pairs, old)])):
            continue  # "why 30 seconds?" is about the earlier value
        first, second = places[_last(pairs, old)], places[old]
        if request.where.replaced:
            first, second = second, places[pairs[old][0]]
        if head[second].score >= _FEWEST_SCORED:
            head[first], head[second] = _in_order(head[first], head[second])
    ordered = sorted(head, key=lambda one: -one.score)
    highest = max(1.0, ordered[0].score)
    return [*(one._replace(score=one.score / highest) for one in ordered), *ranked[size:]]


def _in_order(first: Candidate, second: Candidate) -> tuple[Candidate, Candidate]:
    """Return both with scores that put the first before the second, and with the better probability at the first."""
    gain = second.score + _STEP - first.score
    if gain > 0:
        first = first._replace(score=first.score + gain, why={**first.why, "succession": round(gain, 4)})
    likely, unlikely = max(first.probability, second.probability), min(first.probability, second.probability)
    return (
        first._replace(probability=likely),
        second._replace(score=min(second.score, _BELOW * first.score), probability=unlikely or second.probability),
    )


def _states_one_thing(stored: Stored) -> bool:
    item = stored.item
    is_said = item.kind == _FACT or (item.kind == TURN and item.role in _SPOKEN)
    return is_said and len(item.text) <= _MOST_CHARS


def _find_successions(ports: Ports, stored: Sequence[Stored]) -> dict[int, list[int]]:
    """Return the rows of earlier statements with those of the later ones that take their place, oldest first."""
    ordered = sorted(stored, key=lambda one: (one.item.at, one.item.sequence, one.row))
    found: dict[int, list[int]] = {}
    for place, new in enumerate(ordered):
        if new.status == "superseded" or not any(map(_may_replace, _sentences(new.item.text))):
            continue
        for old in ordered[:place]:
            if (
                old.item.at < new.item.at
                and not new.status == old.status == _CONTESTED
                and old.item.project == new.item.project
                and (old.item.event or old.item.id) != (new.item.event or new.item.id)
                and not _only_confirms(new.item, old.item)
                and takes_place(new.item.text, old.item.text, words="assistant" not in (new.item.role, old.item.role))
            ):
                found.setdefault(old.row, []).append(new.row)
    return _trusted(ports, stored, found) if found else {}


def _only_confirms(new: Item, old: Item) -> bool:
    """Return whether an agent says nothing but what a person said before, or a fact of it: "Understood: the logger instead of
    console.log."."""
    if new.role != "assistant" or old.role == "assistant" or not _CONFIRMS.match(new.text):
        return False
    said = (set(map(stem, content_words(_CONFIRMS.sub("", one.text, count=1)))) for one in (new, old))
    return next(said) <= next(said)


def _find_doubted(ports: Ports, stored: Sequence[Stored]) -> dict[int, list[int]]:
    """Return the rows of what an agent wrote down with that of a person's statement that it contradicts, which comes first."""
    contested = [one for one in stored if one.status == _CONTESTED]
    if ports.guard is None or len(contested) < 2:
        return {}
    origins = [mark.origin for mark in ports.guard.marks([one.item for one in contested])]
    return {
        doubted.row: [kept.row]
        for doubted, writer in zip(contested, origins, strict=True)
        for kept, other in zip(contested, origins, strict=True)
        if writer != _PERSON == other and takes_place(doubted.item.text, kept.item.text, words=True)
    }


def _trusted(ports: Ports, stored: Sequence[Stored], found: Mapping[int, list[int]]) -> dict[int, list[int]]:
    """Return the same without what strangers say against a person or an agent."""
    if ports.guard is None:
        return dict(found)
    marks = {one.row: mark for one, mark in zip(stored, ports.guard.marks([one.item for one in stored]), strict=True)}
    kept = {
        old: [
            new
            for new in later
            if not marks[new].withheld and (may_bind(marks[new].origin) or not may_bind(marks[old].origin))
        ]
        for old, later in found.items()
    }
    return {old: later for old, later in kept.items() if later}


def _last(pairs: Mapping[int, list[int]], old: int) -> int:
    """Return what holds in the end: the successor of the successor. Rows are followed once, so that a return to an earlier value
    ends."""
    seen = {old}
    row = pairs[old][-1]
    while row in pairs and row not in seen:
        seen.add(row)
        row = pairs[row][-1]
    return row


@lru_cache(maxsize=4_096)
def takes_place(new: str, old: str, *, words: bool) -> bool:
    """Return whether what a later text says takes the place of what an earlier one says of the same thing. `words`: no agent wrote
    either."""
    if tell_of_siblings(new, old):
        return False
    earlier = _sentences(old)
    for sentence in _sentences(new):
        replacing = read_replacing(sentence)
        for before in earlier:
            change = compare_sentences(sentence, before, words=words, casual=True)
            if (
                (change and change.replaces)
                or restatement_strength(sentence, before)
                or (replacing and replacement_strength(replacing, sentence, before))
            ):
                return True
    return False


@lru_cache(maxsize=4_096)
def _sentences(text: str) -> tuple[str, ...]:
    return tuple(sentences(text))[:_MOST_SENTENCES]


def _may_replace(sentence: str) -> bool:
    return bool(read_slots(sentence)) or read_statement(sentence) is not None or read_replacing(sentence) is not None
