"""Usage of memories, folded from the log: retrieved, shown and opened items, sessions, feedback, and manual archiving.
Only shown items count as used."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import combinations
from typing import NamedTuple

from graphmem.model.events import Event

TYPES = frozenset({"memory_shown", "memory_used", "memory_feedback", "memory_restored", "task_status_changed"})
BY_HAND = frozenset({"memory_archived", "memory_restored", "memory_feedback"})
DAY = 86_400_000_000  # microseconds
TOGETHER, CHOSEN_TOGETHER = 0.01, 0.05  # weight that one co-retrieval adds to an association
HALF_LIFE = 90  # half-life in days of an unused association
_NEAR = 5  # first items of an answer that are associated
_RECENT = 4 * 3_600_000_000  # microseconds
_CREDITED = 20  # last items shown in a session that a completed task gives credit to


@dataclass(slots=True)
class Use:
    """Usage of one item. `last` is in microseconds."""

    shown: int = 0
    chosen: int = 0
    retrieved: int = 0
    useful: int = 0
    wrong: int = 0
    last: int = 0
    sessions: set[str] = field(default_factory=set)


class Bond(NamedTuple):
    """The strength of an association of two items at `at` (microseconds), with a half-life of ninety days."""

    weight: float
    at: int

    def now(self, at: int) -> float:
        """Return the current strength."""
        return float(self.weight * 0.5 ** (max(0, at - self.at) / DAY / HALF_LIFE))


@dataclass(slots=True)
class Usage:
    """Uses by item, and associations by pair (the smaller id first)."""

    items: dict[str, Use] = field(default_factory=dict)
    bonds: dict[tuple[str, str], Bond] = field(default_factory=dict)
    _told: dict[str, list[str]] = field(default_factory=dict)  # session -> shown items, for credit
    _heard: tuple[int, str] = (0, "")  # when a session was last shown something

    def of(self, item: str) -> Use:
        """Return the usage of an item, creating it if necessary."""
        return self.items.setdefault(item, Use())

    def add(self, note: Note) -> None:
        """Add what one answer showed."""
        shown = list(dict.fromkeys(note.shown))
        for item in note.retrieved:
            self.of(item).retrieved += 1
        for item in shown:
            self._touch(item, note).shown += 1
        for item in note.chosen:
            self._touch(item, note).chosen += 1
        if note.session and (shown or note.chosen):
            told = self._told.setdefault(note.session, [])
            told += [*shown, *note.chosen]
            del told[:-_CREDITED]
            self._heard = max(self._heard, (note.at, note.session))
        chosen = set(note.chosen)
        for pair in combinations(sorted({*shown[:_NEAR], *note.chosen[:_NEAR]}), 2):
            self._bind(pair, CHOSEN_TOGETHER if chosen & set(pair) else TOGETHER, note.at)

    def credit(self, session: str, at: int) -> None:
        """Give credit to the items shown in a session in which a task was completed. A task without a session gives it to
        the session that was last shown something, unless that is hours ago."""
        if not session and at - self._heard[0] < _RECENT:
            session = self._heard[1]
        for item in dict.fromkeys(self._told.pop(session, ())):
            use = self.of(item)
            use.chosen += 1
            use.last = max(use.last, at)

    def _touch(self, item: str, note: Note) -> Use:
        use = self.of(item)
        use.last = max(use.last, note.at)
        if note.session:
            use.sessions.add(note.session)
        return use

    def _bind(self, pair: tuple[str, str], step: float, at: int) -> None:
        known = self.bonds.get(pair)
        latest = max(at, known.at) if known else at
        self.bonds[pair] = Bond(min(1.0, (known.now(latest) if known else 0.0) + step), latest)


class Note(NamedTuple):
    """One answer: found, shown, and opened items."""

    at: int
    session: str
    shown: tuple[str, ...] = ()
    retrieved: tuple[str, ...] = ()
    chosen: tuple[str, ...] = ()


def fold_usage(events: Iterable[Event]) -> Usage:
    """Return the usage from these events, in order."""
    usage = Usage()
    for event in events:
        if event.type == "memory_feedback":
            _judge(usage, event)
        elif event.type == "memory_restored":
            usage.of(str(event.payload.get("item", ""))).wrong = 0  # the rating was taken back
        elif event.type == "task_status_changed":
            if (event.payload.get("state") or {}).get("status") == "done":
                usage.credit(event.session, event.at)
        else:
            for note in _notes(event):
                usage.add(note)
    return usage


def _judge(usage: Usage, event: Event) -> None:
    use = usage.of(str(event.payload.get("item", "")))
    use.last = max(use.last, event.at)
    if event.payload.get("verdict") == "useful":
        use.useful += 1
    else:
        use.wrong += 1


def _notes(event: Event) -> Iterator[Note]:
    payload = event.payload
    if event.type == "memory_shown":
        yield Note(event.at, event.session, tuple(payload.get("items", ())), tuple(payload.get("retrieved", ())))
    for note in payload.get("notes", ()):
        lists = (tuple(note.get(name, ())) for name in ("shown", "retrieved", "chosen"))
        yield Note(int(note.get("at", event.at)), str(note.get("session", event.session)), *lists)


@dataclass(slots=True)
class Hand:
    """Manual decisions: archived items, items kept whatever their age, and what merged items were merged into."""

    away: set[str] = field(default_factory=set)
    kept: set[str] = field(default_factory=set)
    merged: dict[str, str] = field(default_factory=dict)


def manual_decisions(events: Iterable[Event]) -> Hand:
    """Fold `memory_archived`, `memory_restored` and ratings: wrong items are archived, useful ones restored."""
    hand = Hand()
    for event in events:
        item = str(event.payload.get("item", ""))
        gone = event.type == "memory_archived" or event.payload.get("verdict") == "wrong"
        hand.merged.pop(item, None)
        if gone and event.payload.get("same_as"):
            hand.merged[item] = str(event.payload["same_as"])
        (hand.away.add if gone else hand.away.discard)(item)
        if event.type == "memory_restored":
            hand.kept.add(item)
        elif gone:
            hand.kept.discard(item)
    return hand
