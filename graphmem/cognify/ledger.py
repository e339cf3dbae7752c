"""Everything that was derived, in the order of the clocks, kept in memory while a process lives: what conclusions are
drawn from. It follows the log; it is never stored."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from graphmem.model.events import Derivation
from graphmem.projections.runner import Log

_STEPS = ("facts/2", "episodes/1")


class Entry(NamedTuple):
    """One derivation in its place."""

    clock: int
    source: str
    at: int
    step: str
    body: dict[str, Any]
    derivation: Derivation


@dataclass(slots=True)
class Ledger:
    """Derivations of facts and episodes up to a number."""

    number: int = 0
    stones: int = -1
    entries: list[Entry] = field(default_factory=list)
    buried: frozenset[str] = frozenset()

    def follow(self, log: Log, *, again: bool) -> None:
        """Read what is new; everything again where something was forgotten or the projections start anew."""
        stones = list(log.read(types=["memory_forgotten"]))
        if again or len(stones) != self.stones:
            self.number, self.entries = 0, []
        self.stones = len(stones)
        self.buried = frozenset(
            node for stone in stones if stone.payload.get("derived") for _, node in stone.payload.get("nodes", ())
        )
        for derivation in log.derivations(self.number):
            self.number = derivation.number
            if derivation.step in _STEPS and derivation.body:
                self.entries.append(
                    Entry(
                        derivation.clock, derivation.source, derivation.at, derivation.step, derivation.body, derivation
                    )
                )
        self.entries.sort(key=lambda entry: (entry.clock, entry.source, entry.step))

    def of(self, step: str) -> Iterator[Entry]:
        """The entries of one step."""
        return (entry for entry in self.entries if entry.step.startswith(step))


_KEPT: WeakKeyDictionary[Any, Ledger] = WeakKeyDictionary()


def ledger_of(log: Log) -> Ledger:
    """The ledger of this log in this process."""
    return _KEPT.setdefault(log, Ledger())
