"""An in-memory cache of all facts and episodes, by project and session and in clock order, from which conclusions are
drawn. It reads new derivations from the log and reports which sessions changed. It is never stored."""

from __future__ import annotations

from collections.abc import Iterable, Set
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any
from weakref import WeakKeyDictionary

from graphmem.cognify.episodes import NAME as EPISODES
from graphmem.cognify.groups import Place
from graphmem.cognify.packed_entries import Entry, PackedEntries
from graphmem.log.approvals import Approvals, is_agents_memory, read_approvals
from graphmem.model.events import Event
from graphmem.model.kinds import KINDS
from graphmem.projections.memories import memory_id
from graphmem.projections.registry import FACTS
from graphmem.projections.runner import Log

MERGED = "merged/1+" + FACTS  # of which facts the twins were found
DECIDED = "supersession_decided"  # event: a person says that one fact replaced another, or that it did not
FORGOTTEN = "memory_forgotten"


def current_decisions(events: Iterable[Event]) -> dict[tuple[str, str], bool]:
    """Return what people decided on facts, from the events in their order: (newer, older) -> whether it supersedes. A decision
    that was withdrawn is left to the rules again."""
    decided: dict[tuple[str, str], bool] = {}
    for event in events:
        pair = event.payload["newer"], event.payload["older"]
        decided.pop(pair, None)  # the latest decision is last
        if not event.payload.get("withdrawn"):
            decided[pair] = bool(event.payload["holds"])
    return decided


@dataclass(slots=True, eq=False, weakref_slot=True)
class Ledger:
    """Facts and episodes up to derivation `number`, with manual decisions and tombstones."""

    number: int = 0
    stone: int = -1  # log position of the last tombstone
    decision: int = -1  # log position of the last manual decision
    begun: int = 0  # number of restarts from the first derivation
    facts_by_place: PackedEntries = field(default_factory=PackedEntries)
    episodes_by_place: PackedEntries = field(default_factory=PackedEntries)
    fresh: set[Place] = field(default_factory=set)  # changed since the last `take`
    merged: dict[str, str] = field(default_factory=dict)  # fact -> the earlier fact that it paraphrases
    facts: set[str] = field(default_factory=set)  # ids of all facts
    decided: dict[tuple[str, str], bool] = field(default_factory=dict)  # (newer, older) -> whether it supersedes
    buried: frozenset[str] = frozenset()  # ids of forgotten nodes
    approvals: Approvals = field(default_factory=Approvals)
    learnt: dict[str, tuple[str, int]] = field(
        default_factory=dict
    )  # id of new knowledge -> label, clock of its source
    learnt_at: dict[str, Place] = field(default_factory=dict)  # fact -> its place, of the same
    memory: int = 0  # log position up to which agents' memories were read

    def follow(self, log: Log, *, again: bool = False) -> None:
        """Read new derivations; start again if something was forgotten, or with `again`."""
        stone = log.state.last_position(FORGOTTEN)
        if again or stone != self.stone:
            self._begin(log, stone)
        self._decisions(log)
        self.approvals = read_approvals(log)
        self._agents_memories(log)
        changed: set[Place] = set()
        for derivation in log.derivations(self.number, steps=(FACTS, EPISODES, MERGED)):
            self.number = derivation.number
            body = derivation.body
            if derivation.step == MERGED and body:
                self.merged |= dict(body.get("twins", ()))
                changed.add((body["project"], body["session"]))
            else:
                entry = Entry(derivation.clock, derivation.source, derivation.at, derivation.step, body)
                (self.facts_by_place if derivation.step == FACTS else self.episodes_by_place).add(entry)
                changed.add(entry.place)
                if derivation.step == FACTS:
                    self.facts.update([fact["id"] for fact in body["facts"]], [body.get("explicit", "")])
                    if 0 < self.approvals.since < derivation.clock:
                        self.learnt |= {fact["id"]: ("Fact", derivation.clock) for fact in body["facts"]}
                        names = [*(fact["id"] for fact in body["facts"]), body.get("explicit", "")]
                        self.learnt_at |= dict.fromkeys(names, entry.place)
        self.fresh |= changed

    def _begin(self, log: Log, stone: int) -> None:
        self.begun += 1
        self.number, self.stone, self.decision = 0, stone, -1
        self.facts_by_place, self.episodes_by_place = PackedEntries(), PackedEntries()
        self.fresh, self.merged, self.facts = set(), {}, set()
        self.learnt, self.learnt_at, self.memory = {}, {}, 0
        self.buried = frozenset(
            node
            for event in log.read(types=[FORGOTTEN])
            if event.payload.get("derived")
            for _, node in event.payload.get("nodes", ())
        )

    def _decisions(self, log: Log) -> None:
        last = log.state.last_position(DECIDED)
        if last != self.decision:
            self.decision = last
            self.decided = current_decisions(log.read(types=[DECIDED]))

    def _agents_memories(self, log: Log) -> None:
        if not self.approvals.is_required or (last := log.state.last_position("memory_remembered")) <= self.memory:
            return
        for event in log.read(self.memory, types=["memory_remembered"]):
            if is_agents_memory(event) and event.payload and event.clock > self.approvals.since:
                self.learnt[memory_id(event)] = (KINDS[event.payload.get("kind", "fact")].label, event.clock)
        self.memory = last

    def take(self) -> set[Place]:
        """Return the places that changed since the last call."""
        fresh, self.fresh = self.fresh, set()
        return fresh

    @property
    def places(self) -> Set[Place]:
        """Return all places."""
        return self.facts_by_place.places | self.episodes_by_place.places

    def of(self, place: Place) -> list[Entry]:
        """Return all entries of a place, in order."""
        return sorted([*self.facts_by_place.of(place), *self.episodes_by_place.of(place)], key=itemgetter(0, 1, 3))


_KEPT: WeakKeyDictionary[Any, Ledger] = WeakKeyDictionary()


def ledger_of(log: Log) -> Ledger:
    """Return the ledger of this log in this process."""
    return _KEPT.setdefault(log, Ledger())


def forget_ledger(log: Log) -> None:
    """Give back its memory; it is read again when it is needed."""
    _KEPT.pop(log, None)
