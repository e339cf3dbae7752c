"""All memories of a log, cached per process: follows the sensor's derivations, folds them into buffers, and links the
resulting memories. A pure function of the log in clock order; nothing is stored here."""

from __future__ import annotations

import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from heapq import merge
from itertools import chain
from operator import attrgetter, itemgetter
from typing import Any, cast
from weakref import WeakKeyDictionary

from graphmem.model.events import Event
from graphmem.model.packed import pack_plain, unpack_plain
from graphmem.model.tree import Recall
from graphmem.projections.runner import Log
from graphmem.tree.buffer import CLOSED, FORCED, OPEN, Buffer, Compacted
from graphmem.tree.compose import DraftMemory, compose_memory, join_memories, node_id
from graphmem.tree.linking import LinkedMemory, TagIndex
from graphmem.tree.sensor import STEP, Sensed, parse_sensed

MARKS = frozenset({"session_end", "memory_compacted", "memory_marked", "memories_consolidated"})
_LINK_BATCH = 1_000  # memories composed before they are linked
Place = tuple[str, str]  # project, session
_Step = tuple[int, str, Sensed | Event]  # clock, id of the event
_when = itemgetter(0, 1)


@dataclass(slots=True)
class Forest:
    """Memories up to a derivation and a position. `dirty` are ids whose memory may have changed since they were last
    taken; `whole`: everything may have changed."""

    number: int = 0
    position: int = 0
    stone: int = -1  # position of the last tombstone
    whole: bool = True
    grown: int = 0  # position up to which projections were updated
    kept: int = 0  # derivation up to which the file is complete
    dirty: set[str] = field(default_factory=set)
    _buffers: dict[Place, Buffer] = field(default_factory=lambda: defaultdict(Buffer))
    _clocks: dict[Place, int] = field(default_factory=dict)
    _closed: dict[str, bytes] = field(default_factory=dict)  # packed: a sixth of the memory, and few are read
    _looms: dict[str, TagIndex] = field(default_factory=lambda: defaultdict(TagIndex))
    _woven: int = 0  # clock of the last linked memory
    _ids: dict[str, str] = field(default_factory=dict)  # first turn of an open buffer -> id
    _taken: set[str] = field(default_factory=set)
    _last: dict[Place, str] = field(default_factory=dict)
    _next: dict[str, str] = field(default_factory=dict)
    _modes: dict[str, Recall] = field(default_factory=dict)
    _kept: dict[str, str] = field(default_factory=dict)  # absorbed -> merged into
    _alike: dict[str, dict[str, float]] = field(default_factory=dict)

    def follow(self, log: Log, *, again: bool = False) -> None:
        """Read new derivations; start again if something was forgotten, or belongs in the middle."""
        stone = log.state.last_position("memory_forgotten")
        if again or stone != self.stone or not self._read(log):
            self.__init__(stone=stone)  # type: ignore[misc]
            if not self._read(log):
                self.__init__(stone=stone)  # type: ignore[misc]
                self._read(log, sort=True)

    def nodes(self, ids: Iterable[str] | None = None) -> Iterator[LinkedMemory]:
        """Yield memories, including those of open buffers; absorbed ones are part of the memory they were merged into."""
        wanted = None if ids is None else {self.keeper(one) for one in ids}
        absorbed: dict[str, list[str]] = defaultdict(list)
        for gone in self._kept:
            absorbed[self.keeper(gone)].append(gone)
        for woven in self._all(wanted):
            if woven.proto.id not in self._kept:
                yield self._merged(woven, absorbed.get(woven.proto.id, []))

    def after(self, identifier: str) -> str:
        """Return the next memory of the same session, "" if there is none."""
        following = self._next.get(identifier, "")
        return self.keeper(following) if following and self.keeper(following) != identifier else ""

    def alike(self, identifier: str) -> dict[str, float]:
        """Return memories that a consolidation found similar, with similarity."""
        return {self.keeper(other): value for other, value in self._alike.get(identifier, {}).items()}

    def keeper(self, identifier: str) -> str:
        """Return the memory that a merged one is part of; itself if it was not merged."""
        while identifier in self._kept:
            identifier = self._kept[identifier]
        return identifier

    # -- following the log

    def _read(self, log: Log, *, sort: bool = False) -> bool:
        """Read new derivations in clock order; return False if they belong before existing ones, or must first be sorted."""
        steps = (self._turns(log), self._marks(log))
        closed: list[DraftMemory] = []
        last = (0, "")
        for clock, source, step in sorted(chain(*steps), key=_when) if sort else merge(*steps, key=_when):
            if (clock, source) < last:
                return False
            if len(closed) >= _LINK_BATCH and clock > last[0]:
                if not self._link_closed(closed):
                    return False
                closed = []
            last = clock, source
            place = (step.project, step.session)
            if isinstance(step, Sensed) or step.type in ("session_end", "memory_compacted"):
                if clock < self._clocks.get(place, 0):
                    return False
                self._clocks[place] = clock
            if isinstance(step, Sensed):
                found = self._buffers[place].take(step)
                self._follow_up(place, step)
            else:
                found = self._mark(step)
            closed += [compose_memory(one, self._ids.pop(one.turns[0].event)) for one in found]
        return self._link_closed(closed)

    def _turns(self, log: Log) -> Iterator[_Step]:
        for one in log.derivations(self.number, steps=(STEP,)):
            self.number = one.number
            if one.body:
                yield one.clock, one.source, parse_sensed(one)

    def _marks(self, log: Log) -> Iterator[_Step]:
        for one in log.read(self.position, types=MARKS):
            self.position = one.position
            yield one.clock, one.id, one

    def _follow_up(self, place: Place, turn: Sensed) -> None:
        """Assign the id of the memory that starts with a turn, even while its buffer is open, and link it to the
        preceding one."""
        waiting = self._buffers[place].turns
        if turn.external or waiting[0] is turn:
            length = 6
            while (identifier := node_id(turn, length)) in self._taken:
                length += 2
            self._taken.add(identifier)
            self._ids[turn.event] = identifier
            before = self._last.get(place)
            if before:
                self._next[before] = identifier
                self.dirty.add(before)
            self._last[place] = identifier
        self.dirty.update(self._ids[one.event] for one in waiting[:1])

    def _mark(self, event: Event) -> list[Compacted]:
        payload: dict[str, Any] = event.payload
        if event.type in ("session_end", "memory_compacted"):
            buffer = self._buffers.get((event.project, event.session))
            reason = CLOSED if event.type == "session_end" else FORCED
            return buffer.close(reason, event.clock) if buffer else []
        if event.type == "memory_marked":
            self._modes |= dict.fromkeys(payload.get("nodes", ()), cast(Recall, payload.get("mode", "active")))
            self.dirty.update(payload.get("nodes", ()))
            return []
        for kept, gone, _ in payload.get("merged", ()):
            if self.keeper(kept) != self.keeper(gone):
                self._kept[self.keeper(gone)] = self.keeper(kept)
                self.whole = True  # neighbours now point to the memory it was merged into
        for a, b, similarity in payload.get("linked", ()):
            self._alike.setdefault(a, {})[b] = similarity
            self.dirty.add(a)
        return []

    def _link_closed(self, closed: list[DraftMemory]) -> bool:
        """Link closed memories; return False if one was closed before an already linked one."""
        for proto in sorted(closed, key=lambda one: (one.clock, one.at, one.id)):
            if proto.clock < self._woven:
                return False
            self._woven = proto.clock
            loom = self._looms[proto.project]
            woven = loom.tag_and_link(proto)
            loom.add(woven)
            proto.words, proto.surface = {}, {}
            self._closed[proto.id] = _packed(woven)
            self.dirty.add(proto.id)
        return True

    # -- results

    def _all(self, wanted: set[str] | None) -> Iterator[LinkedMemory]:
        """Yield all memories. Open ones get tags from their own words and no links, so they change only with their turns."""
        if wanted is None:
            yield from map(_unpacked, self._closed.values())
        else:
            yield from (_unpacked(self._closed[one]) for one in wanted if one in self._closed)
        for buffer in self._buffers.values():
            if buffer.turns:
                identifier = self._ids[buffer.turns[0].event]
                if wanted is None or identifier in wanted:
                    waiting = Compacted(tuple(buffer.turns), OPEN, buffer.turns[-1].clock)
                    yield TagIndex().tag_and_link(compose_memory(waiting, identifier))

    def _merged(self, woven: LinkedMemory, absorbed: list[str]) -> LinkedMemory:
        proto, tags, links = woven.proto, list(woven.tags), dict(woven.links)
        for other in sorted(self._all(set(absorbed)) if absorbed else (), key=lambda one: one.proto.at):
            proto = join_memories(proto, other.proto)
            tags += [tag for tag in other.tags if tag not in tags]
            for one, weight in other.links:
                links[one] = max(weight, links.get(one, 0.0))
        mode = self._modes.get(proto.id)
        if mode and mode != proto.mode:
            proto = replace(proto, mode=mode)
        led: dict[str, float] = {}
        for one, weight in links.items():
            target = self.keeper(one)
            if target != proto.id:
                led[target] = max(weight, led.get(target, 0.0))
        return LinkedMemory(proto, tuple(tags), tuple(sorted(led.items(), key=lambda pair: (-pair[1], pair[0]))))


_fields = attrgetter(*DraftMemory.__slots__)


def _packed(woven: LinkedMemory) -> bytes:
    return zlib.compress(pack_plain((_fields(woven.proto), woven.tags, woven.links)), 1)


def _unpacked(data: bytes) -> LinkedMemory:
    proto, tags, links = unpack_plain(zlib.decompress(data))
    return LinkedMemory(DraftMemory(*proto), tags, links)


_KEPT: WeakKeyDictionary[Any, Forest] = WeakKeyDictionary()


def forest_of(log: Log, folded: Forest | None = None) -> Forest:
    """Return the forest of this log in this process; if one from another process is given, use it from now on."""
    if folded is not None:
        _KEPT[log] = folded
    return _KEPT.setdefault(log, Forest())


def forget_forest(log: Log) -> None:
    """Release its memory; it is read from its file, or folded again, on next use."""
    _KEPT.pop(log, None)
