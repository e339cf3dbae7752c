"""The first level: turns of one session wait in a short buffer until it is compacted into a memory (REQUIREMENTS 22).
A fold over sensed turns and marks; it writes nothing and keeps no text but what the sensor gave."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

from graphmem.tree.sensor import Sensed
from graphmem.tree.words import comparison_key, stem

LEAST, MOST = 3, 5  # turns from which a buffer may, and must, be compacted
HEAVY = 3  # load level that compacts
PAUSE = 30 * 60 * 1_000_000  # microseconds after which a conversation is another one
_STEPS = (10.0, 18.0, 30.0, 48.0)  # new information from which a turn loads 2, 3, 4, 5
_SEEN = 5  # turns that the next one is compared with
_FEW = 4  # words below which a turn says too little to change the topic
_TIED = 0.08  # share of a turn's words that must have been said lately, or it goes on with nothing

TOPIC_SHIFT, HIGH_LOAD, OVERFLOW = "topic_shift", "high_load", "buffer_overflow"
CLOSED, EXTERNAL, FORCED, OPEN = "session_closed", "external", "forced", "open"


class Load(NamedTuple):
    """How a turn goes with a buffer: whether the flow of logic is kept, its load from 1 to 5, and why."""

    broken: bool
    level: int
    reason: str


class Compacted(NamedTuple):
    """Turns that became a memory, in order; `clock` is that of what closed them."""

    turns: tuple[Sensed, ...]
    reason: str
    clock: int


@dataclass(slots=True)
class Buffer:
    """The turns of one session that wait."""

    turns: list[Sensed] = field(default_factory=list)
    seen: Counter[str] = field(default_factory=Counter)  # stems in the buffer
    late: list[frozenset[str]] = field(default_factory=list)  # of the last turns, compacted or not
    last: int = 0  # when the last turn was, in microseconds

    def take(self, turn: Sensed) -> list[Compacted]:
        """Add a turn; returns what is compacted by it. A large output of a tool is a memory of its own."""
        if turn.external:
            return [Compacted((turn,), EXTERNAL, turn.clock)]
        own = comparison_stems(turn)
        load, done = self._load(turn, own), []
        if len(self.turns) >= LEAST:
            reason = (
                TOPIC_SHIFT if load.broken else HIGH_LOAD if load.level >= HEAVY
                else OVERFLOW if len(self.turns) >= MOST else ""
            )  # fmt: skip
            if reason:
                done = self.close(reason, turn.clock)
        self.turns.append(turn)
        self.seen.update(own)
        self.late = [*self.late, own][-_SEEN:]
        self.last = turn.at
        return done

    def close(self, reason: str, clock: int) -> list[Compacted]:
        """Compact whatever waits, however little it is."""
        turns, self.turns, self.seen = tuple(self.turns), [], Counter()
        return [Compacted(turns, reason, clock)] if turns else []

    def load(self, turn: Sensed) -> Load:
        """How a turn goes with what waits."""
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
        if turn.role == "user" and len(own) >= _FEW and len(self.late) >= LEAST:
            tied = len(own.intersection(frozenset().union(*self.late))) / math.sqrt(len(own))
            if tied < _TIED * math.sqrt(len(own)):
                return Load(True, level, "nothing in common")
        return Load(False, level, f"{len(fresh)} new words")


def comparison_stems(turn: Sensed) -> frozenset[str]:
    """What a turn is compared by."""
    return frozenset([*map(stem, turn.words), *[comparison_key(name) for _, name in turn.names], *turn.files])
