"""What became of memories, folded from the log: what was retrieved, shown and chosen, in how many sessions, what was judged
useful or wrong, and what was put away by hand. Only what was shown counts as used (REQUIREMENTS 6, 8)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import combinations
from typing import NamedTuple

from graphmem.model.events import Event

TYPES = frozenset({"memory_shown", "memory_used", "memory_feedback", "task_status_changed"})
BY_HAND = frozenset({"memory_archived", "memory_restored", "memory_feedback"})
DAY = 86_400_000_000  # microseconds
TOGETHER, CHOSEN_TOGETHER = 0.01, 0.05  # what one co-retrieval adds to an association (REQUIREMENTS 19)
HALF_LIFE = 90  # days in which an association that is not used loses half
_NEAR = 5  # items of one answer that are associated: the first ones
_RECENT = 4 * 3_600_000_000  # microseconds
_CREDITED = 20  # items shown in a session that a task done in it gives credit to, the last ones


@dataclass(slots=True)
class Use:
    """What became of one item. `last` in microseconds."""

    shown: int = 0
    chosen: int = 0
    retrieved: int = 0
    useful: int = 0
    wrong: int = 0
    last: int = 0
    sessions: set[str] = field(default_factory=set)


class Bond(NamedTuple):
    """How strongly two items belong together, as of `at` (microseconds); it halves every ninety days from then."""

    weight: float
    at: int

    def now(self, at: int) -> float:
        """What is left of it."""
        return float(self.weight * 0.5 ** (max(0, at - self.at) / DAY / HALF_LIFE))


@dataclass(slots=True)
class Usage:
    """Uses by item, and bonds by pair (the smaller id first)."""

    items: dict[str, Use] = field(default_factory=dict)
    bonds: dict[tuple[str, str], Bond] = field(default_factory=dict)
    _told: dict[str, list[str]] = field(default_factory=dict)  # session -> what it was shown, for credit
    _heard: tuple[int, str] = (0, "")  # when what session was told last

    def of(self, item: str) -> Use:
        """The use of one item, made where there is none."""
        return self.items.setdefault(item, Use())

    def add(self, note: Note) -> None:
        """Take in what one answer showed."""
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
        """A task was done in a session: what it had been shown proved its worth. A task that names no session was done in
        the one that was told something last, unless that was hours ago."""
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
    """One answer: what was found, what of it was shown, and what was then opened."""

    at: int
    session: str
    shown: tuple[str, ...] = ()
    retrieved: tuple[str, ...] = ()
    chosen: tuple[str, ...] = ()


def fold_usage(events: Iterable[Event]) -> Usage:
    """What these events say, in their order."""
    usage = Usage()
    for event in events:
        if event.type == "memory_feedback":
            _judge(usage, event)
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
    """What was decided by hand: items put away, and items that are kept whatever their age."""

    away: set[str] = field(default_factory=set)
    kept: set[str] = field(default_factory=set)


def manual_decisions(events: Iterable[Event]) -> Hand:
    """Fold of `memory_archived`, `memory_restored` and verdicts: what is wrong goes, what is useful comes back."""
    hand = Hand()
    for event in events:
        item = str(event.payload.get("item", ""))
        gone = event.type == "memory_archived" or event.payload.get("verdict") == "wrong"
        (hand.away.add if gone else hand.away.discard)(item)
        if event.type == "memory_restored":
            hand.kept.add(item)
        elif gone:
            hand.kept.discard(item)
    return hand
