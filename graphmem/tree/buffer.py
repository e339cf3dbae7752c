"""First level of the tree: turns of a session wait in a short buffer until they are compacted into a memory. A fold over
analysed turns and marks, without I/O; it stores no text beyond the analysis."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

from graphmem.cognify import cues
from graphmem.tree.sensor import Sensed
from graphmem.tree.words import comparison_key, stem_for_topics

LEAST, MOST = 3, 5  # turns that say something, from which a buffer may, and must, be compacted
MOST_ACTS = 80  # tool calls and announcements of them, from which a buffer must be compacted
HEAVY = 3  # load level that compacts
PAUSE = 30 * 60 * 1_000_000  # microseconds after which a new conversation starts
_STEPS = (10.0, 18.0, 30.0, 48.0)  # share of new information from which a turn has load 2, 3, 4, 5
_SEEN = 5  # previous turns that the next one is compared with
_MIN_TOPIC_WORDS = 4  # minimum words for a turn to change the topic
_TIED = 0.08  # minimum share of a turn's words that occurred recently, to continue the topic

TOPIC_SHIFT, HIGH_LOAD, OVERFLOW = "topic_shift", "high_load", "buffer_overflow"
CLOSED, EXTERNAL, FORCED, OPEN = "session_closed", "external", "forced", "open"


class Load(NamedTuple):
    """How a turn fits a buffer: whether it continues the topic, its load from 1 to 5, and the reason."""

    broken: bool
    level: int
    reason: str


class Compacted(NamedTuple):
    """Turns that became a memory, in order; `clock` is that of the event that closed them."""

    turns: tuple[Sensed, ...]
    reason: str
    clock: int


@dataclass(slots=True)
class Buffer:
    """The waiting turns of a session."""

    turns: list[Sensed] = field(default_factory=list)
    seen: Counter[str] = field(default_factory=Counter)  # stems in the buffer
    late: list[frozenset[str]] = field(default_factory=list)  # of the last turns, compacted or not
    last: int = 0  # time of the last turn, in microseconds
    said: int = 0  # waiting turns that say something

    @property
    def acted(self) -> bool:
        """Return whether more was done than said: an agent at work, whose next order begins the next memory."""
        return len(self.turns) - self.said > self.said

    def take(self, turn: Sensed) -> list[Compacted]:
        """Add a turn; return what it compacts. A large tool output becomes a memory by itself."""
        if turn.external and not self.turns:
            return [Compacted((turn,), EXTERNAL, turn.clock)]
        if not says_something(turn):  # belongs to what was asked before
            done = self.close(OVERFLOW, turn.clock) if len(self.turns) - self.said >= MOST_ACTS else []
            self.turns.append(turn)
            self.last = turn.at
            return done
        own = comparison_stems(turn)
        load, done = self._load(turn, own), []
        if self.said >= LEAST or (self.acted and turn.role == "user"):
            reason = (
                TOPIC_SHIFT if load.broken or (self.acted and turn.role == "user") else HIGH_LOAD if load.level >= HEAVY
                else OVERFLOW if self.said >= MOST else ""
            )  # fmt: skip
            if reason:
                done = self.close(reason, turn.clock)
        self.turns.append(turn)
        self.said += 1
        self.seen.update(own)
        self.late = [*self.late, own][-_SEEN:]
        self.last = turn.at
        return done

    def close(self, reason: str, clock: int) -> list[Compacted]:
        """Compact all waiting turns."""
        turns, self.turns, self.seen, self.said = tuple(self.turns), [], Counter(), 0
        return [Compacted(turns, reason, clock)] if turns else []

    def load(self, turn: Sensed) -> Load:
        """Return how a turn fits the waiting ones."""
        return self._load(turn, comparison_stems(turn))

    def _load(self, turn: Sensed, own: frozenset[str]) -> Load:
        fresh = own.difference(self.seen)
        weight = (
            len(fresh)
            + 1.5 * len(turn.values)
            + 1.5 * sum(comparison_key(name) not in self.seen for _, name in turn.names)
        )
        if turn.role == "tool":
            weight = min(weight, _STEPS[1] - 1) if turn.intent == "act" else weight
        level = 1 + sum(weight >= step for step in _STEPS)
        if turn.shifts:
            return Load(True, level, "says so")
        if self.last and turn.at - self.last > PAUSE:
            return Load(True, level, "pause")
        if turn.role == "user" and len(own) >= _MIN_TOPIC_WORDS and len(self.late) >= LEAST:
            tied = len(own.intersection(frozenset().union(*self.late))) / math.sqrt(len(own))
            if tied < _TIED * math.sqrt(len(own)):
                return Load(True, level, "nothing in common")
        return Load(False, level, f"{len(fresh)} new words")


def says_something(turn: Sensed) -> bool:
    """Return whether a turn says something, unlike a tool call or the announcement of one."""
    if turn.role == "tool" or not turn.core:
        return False
    return turn.role == "user" or not cues.PLAN.match(turn.core)


def comparison_stems(turn: Sensed) -> frozenset[str]:
    """Return the stems by which a turn is compared."""
    return frozenset(
        [*map(stem_for_topics, turn.words), *[comparison_key(name) for _, name in turn.names], *turn.files]
    )
