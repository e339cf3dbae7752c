"""Finds, among all statements of a project, those whose slots a later statement changes or contradicts. Statements are looked up
by the words of their topics, so that each is compared with a few others, however many there are; a correction without a topic
("no, 50061") is compared with what was said just before it. Pure functions, so that replay and increment end alike."""

from __future__ import annotations

import re
from bisect import bisect_left, insort
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

from graphmem.cognify.groups import Place
from graphmem.cognify.packed_entries import Entry
from graphmem.cognify.stated import Stated, is_unmade, read_stated
from graphmem.cognify.supersede import Claimed, Verdict, is_held_back
from graphmem.makeway import make_way
from graphmem.patterns import compile_later
from graphmem.text.qualifiers import tell_of_siblings, without_places
from graphmem.text.sentences import sentences
from graphmem.text.slot_changes import Change, compare_sentences, corrects_last, is_bare
from graphmem.text.slots import read_slots

_CANDIDATES = 24  # statements that share most words, with which one is compared
_RECENT = 60  # statements with a word, the last of which it leads to
_JUST_BEFORE = 5  # statements of the session that a correction may reach over
_MOST = 5  # statements that one changes
_NEXT = 0.75  # share of the best match's strength from which on others are changed, too
_DECIDES = compile_later(r"(?:\W*)(?:decision|decided|conclusion|rule|결정)\W", re.I)
_Moment = tuple[int, str]  # when, and the id of what was said


class Statement(NamedTuple):
    """One statement in its place: `at` is when it was said (microseconds), `turn` the source, `words` the stems it is found by."""

    id: str
    place: Place
    turn: str
    at: int
    texts: tuple[str, ...]
    words: frozenset[str]
    by_agent: bool
    is_written_down: bool


class SlotMatch(NamedTuple):
    """A statement that changes an earlier one, or contradicts it."""

    newer: Statement
    older: Statement
    change: Change


class SlotRevisions:
    """Statements of all places, and which change which."""

    def __init__(self) -> None:
        self._of_place: dict[Place, list[Statement]] = {}
        self._known: dict[str, Statement] = {}
        self._with: dict[tuple[str, str], list[_Moment]] = defaultdict(list)  # by project and stem, in order of time
        self._found: dict[str, list[SlotMatch]] = {}
        self._stale: set[str] = set()

    def put(self, place: Place, entries: Iterable[Entry], without: Collection[str]) -> None:
        """Replace what a place states; facts `without` are gone."""
        before = {statement.id: statement for statement in self._of_place.get(place, ())}
        now = {one.id: one for entry in entries for one in _read(place, entry) if one.id not in without}
        for id, statement in before.items():
            if now.get(id) != statement:
                self._drop(statement)
        for id, statement in now.items():
            if before.get(id) != statement:
                self._known[id] = statement
                for word in statement.words:
                    insort(self._with[place[0], word], (statement.at, id))
        changed = [one for one in (*before.values(), *now.values()) if before.get(one.id) != now.get(one.id)]
        self._of_place[place] = sorted(now.values(), key=_time)
        self._stale |= {statement.id for statement in changed if statement.id in now}
        for statement in changed:
            self._stale.update(self._following(statement))
        if changed:
            self._stale |= {one.id for one in now.values() if any(map(is_bare, one.texts))}

    def _drop(self, statement: Statement) -> None:
        self._known.pop(statement.id, None)
        self._found.pop(statement.id, None)
        for word in statement.words:
            said = self._with[statement.place[0], word]
            at = bisect_left(said, (statement.at, statement.id))
            if said[at : at + 1] == [(statement.at, statement.id)]:
                del said[at]

    def matches(self) -> Iterator[SlotMatch]:
        """Yield every statement with each that it changes or contradicts."""
        for id in self._stale:
            if statement := self._known.get(id):
                self._found[id] = self._match(statement)
        self._stale = set()
        for id in sorted(self._found):
            yield from self._found[id]

    def _preceding(self, statement: Statement) -> list[str]:
        """Return the ids of the statements before this one that share most words with it."""
        found: Counter[str] = Counter()
        for word in statement.words:
            said = self._with.get((statement.place[0], word), [])
            upto = bisect_left(said, (statement.at, ""))
            found.update(id for _, id in said[max(0, upto - _RECENT) : upto])
        return [id for id, _ in found.most_common(_CANDIDATES)]

    def _following(self, statement: Statement) -> Iterator[str]:
        """Yield the ids of statements after this one that share a word with it."""
        for word in statement.words:
            said = self._with.get((statement.place[0], word), [])
            since = bisect_left(said, (statement.at + 1, ""))
            yield from (id for _, id in said[since : since + _RECENT])

    def _match(self, new: Statement) -> list[SlotMatch]:
        earlier = [one for id in self._preceding(new) if (one := self._known[id]).turn != new.turn]
        found = [SlotMatch(new, old, change) for old in earlier if (change := _compare(new, old))]
        if not new.by_agent and any(map(is_bare, new.texts)):
            known = {match.older.id for match in found}
            found += [match for match in self._corrected(new) if match.older.id not in known]
        best = max((match.change.strength for match in found), default=0.0)
        chosen = [match for match in found if match.change.strength >= _NEXT * best]
        return sorted(chosen, key=lambda match: (-match.older.at, match.older.id))[:_MOST]

    def _corrected(self, new: Statement) -> list[SlotMatch]:
        """Return the statement just before that a correction without a topic corrects, with its echoes."""
        said = self._of_place[new.place]
        upto = bisect_left(said, (new.at, ""), key=_time)
        last = [one for one in said[max(0, upto - _JUST_BEFORE) : upto] if one.turn != new.turn]
        fits = [one for one in reversed(last) if any(corrects_last(a, b) for a in new.texts for b in one.texts)]
        return [SlotMatch(new, old, Change(1.0, True)) for old in fits[:2]]


def _time(statement: Statement) -> tuple[int, str]:
    return statement.at, statement.id


def _read(place: Place, entry: Entry) -> Iterator[Statement]:
    make_way()
    for one in read_stated(entry.body, entry.body["source"]):
        texts = tuple(sentences(one.text))[:3]
        if words := _words(texts):
            yield _statement(one, place, entry, texts, words)


def _statement(one: Stated, place: Place, entry: Entry, texts: tuple[str, ...], words: frozenset[str]) -> Statement:
    return Statement(one.id, place, entry.body["source"], entry.at, texts, words, one.by_agent, one.is_written_down)


def _words(texts: Iterable[str]) -> frozenset[str]:
    slots = [slot for text in texts for slot in read_slots(text)]
    return frozenset[str]().union(
        *(slot.topic | slot.where | set(slot.ended) for slot in slots), *(gone for s in slots for gone in s.former)
    )


def _compare(new: Statement, old: Statement) -> Change | None:
    make_way()
    if tell_of_siblings(new.texts[0], old.texts[0]):
        return None
    if _reports(new) and _reports(old) and not _tells_shift(new):
        return None  # "the server runs on port 3002", "it should run on port 3001": what an agent meets on its way
    words = (not new.by_agent or new.is_written_down or bool(_DECIDES.match(new.texts[0]))) and (
        not old.by_agent or old.is_written_down
    )
    casual = is_unmade(new.id) or is_unmade(old.id)
    pairs = [pair for a in new.texts for b in old.texts for pair in ((a, b), without_places(a, b)) if pair]
    found = [change for a, b in pairs if (change := compare_sentences(a, b, words=words, casual=casual))]
    return max(found, key=lambda change: change.strength) if found else None


def _reports(statement: Statement) -> bool:
    return statement.by_agent and not statement.is_written_down and not _DECIDES.match(statement.texts[0])


def _tells_shift(statement: Statement) -> bool:
    return any(slot.shifts or slot.former for text in statement.texts for slot in read_slots(text))


def slot_verdicts(
    matches: Iterable[SlotMatch], facts: Mapping[str, Claimed], decided: Mapping[tuple[str, str], bool]
) -> Iterator[Verdict]:
    """Yield the verdicts that follow. What a person decided wins, a stranger changes nothing, and what an agent writes down
    does not replace what a person said: both are contested."""
    for new, old, change in matches:
        newer, older = facts.get(new.id), facts.get(old.id)
        if newer is None or older is None or 0 in (newer.authority, older.authority):
            continue
        said = decided.get((newer.fact, older.fact)), decided.get((older.fact, newer.fact))
        if False in said:
            continue
        replaces = change.replaces and not is_held_back(newer, older)
        if newer.is_approved and older.is_approved and not _tells_change(new):
            replaces = False
        elif newer.authority < older.authority and not new.is_written_down and not (replaces and _tells_change(new)):
            continue  # an agent's passing word against a person's
        yield Verdict(newer, older, bool(said[0]) or replaces, f"{old.texts[0][:80]} -> {new.texts[0][:80]}")


def _tells_change(statement: Statement) -> bool:
    return any(slot.is_changed or slot.corrects for text in statement.texts for slot in read_slots(text))
