"""Everything that was derived, by place and in the order of the clocks, kept in memory while a process lives: what
conclusions are drawn from. It follows the log and tells which places changed; it is never stored."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any
from weakref import WeakKeyDictionary

from graphmem.cognify.episodes import NAME as EPISODES
from graphmem.cognify.groups import Place
from graphmem.cognify.pile import Entry, PackedEntries
from graphmem.projections.registry import FACTS
from graphmem.projections.runner import Log

MERGED = "merged/1+" + FACTS  # of which facts the twins were found
DECIDED = "supersession_decided"  # event: a person says that one fact replaced another, or that it did not
FORGOTTEN = "memory_forgotten"


@dataclass(slots=True, eq=False, weakref_slot=True)
class Ledger:
    """Derivations of facts and episodes up to a number, with what people decided and forgot."""

    number: int = 0
    stone: int = -1
    decision: int = -1
    begun: int = 0  # how often it began anew
    told: PackedEntries = field(default_factory=PackedEntries)  # facts
    happened: PackedEntries = field(default_factory=PackedEntries)  # episodes
    fresh: set[Place] = field(default_factory=set)  # changed since somebody took them
    merged: dict[str, str] = field(default_factory=dict)  # fact -> the one that says the same in other words
    facts: set[str] = field(default_factory=set)  # ids of all
    decided: dict[tuple[str, str], bool] = field(default_factory=dict)  # (newer, older) -> whether it replaced it
    buried: frozenset[str] = frozenset()

    def follow(self, log: Log, *, again: bool = False) -> None:
        """Read what is new; everything again where something was forgotten or the projections start anew."""
        stone = log.state.last(FORGOTTEN)
        if again or stone != self.stone:
            self._begin(log, stone)
        self._decisions(log)
        changed: set[Place] = set()
        for derivation in log.derivations(self.number, steps=(FACTS, EPISODES, MERGED)):
            self.number = derivation.number
            body = derivation.body
            if derivation.step == MERGED and body:
                self.merged |= dict(body.get("twins", ()))
                changed.add((body["project"], body["session"]))
            else:
                entry = Entry(derivation.clock, derivation.source, derivation.at, derivation.step, body)
                (self.told if derivation.step == FACTS else self.happened).add(entry)
                changed.add(entry.place)
                if derivation.step == FACTS:
                    self.facts.update([fact["id"] for fact in body["facts"]], [body.get("explicit", "")])
        self.fresh |= changed

    def _begin(self, log: Log, stone: int) -> None:
        self.begun += 1
        self.number, self.stone, self.decision = 0, stone, -1
        self.told, self.happened, self.fresh, self.merged, self.facts = (
            PackedEntries(),
            PackedEntries(),
            set(),
            {},
            set(),
        )
        self.buried = frozenset(
            node
            for event in log.read(types=[FORGOTTEN])
            if event.payload.get("derived")
            for _, node in event.payload.get("nodes", ())
        )

    def _decisions(self, log: Log) -> None:
        last = log.state.last(DECIDED)
        if last != self.decision:
            self.decision = last
            self.decided = {
                (event.payload["newer"], event.payload["older"]): bool(event.payload["holds"])
                for event in log.read(types=[DECIDED])
            }

    def take(self) -> set[Place]:
        """The places that changed since the last call."""
        fresh, self.fresh = self.fresh, set()
        return fresh

    @property
    def places(self) -> Set[Place]:
        """All of them."""
        return self.told.places | self.happened.places

    def of(self, place: Place) -> list[Entry]:
        """Everything in one place, in order."""
        return sorted([*self.told.of(place), *self.happened.of(place)], key=itemgetter(0, 1, 3))


_KEPT: WeakKeyDictionary[Any, Ledger] = WeakKeyDictionary()


def ledger_of(log: Log) -> Ledger:
    """The ledger of this log in this process."""
    return _KEPT.setdefault(log, Ledger())


def forget_ledger(log: Log) -> None:
    """Give back its memory; it is read again when it is needed."""
    _KEPT.pop(log, None)
