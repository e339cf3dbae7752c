"""Runs projections: reads events and derivations after the cursors, converts them to changes, and applies these in
batches, each in one transaction with its cursor. Every step is repeatable."""

from __future__ import annotations

import gc
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from typing import Any, Protocol, TypeVar

from graphmem.log.approvals import MARKS, is_agents_memory, read_approvals
from graphmem.log.upcast import upcast
from graphmem.model.changes import Changes
from graphmem.model.events import Derivation, Event
from graphmem.model.sources import Projected
from graphmem.ports.graph import GraphStore
from graphmem.ports.log import Derivations, EventLog, LogState
from graphmem.ports.text import DERIVED, EVENTS, TextIndex
from graphmem.projections.batch import Batch, Refusal, iterate_batches
from graphmem.projections.fitness import Fitness, text_problem
from graphmem.projections.lineage import ANCHOR, check_lineage
from graphmem.projections.memories import memory_id
from graphmem.projections.registry import FACTS, STEPS, Projector, project_derivation_into, project_event_into

_Any = TypeVar("_Any")
_Source = TypeVar("_Source", Event, Derivation)
Refuse = Callable[[str, Sequence[Refusal]], None]
# Reasons for a dead letter: unreadable by a projection, or values that the graph or the index does not accept,
UNREADABLE, NO_GRAPH, NO_TEXT = "projection/1", "projection.graph/1", "projection.text/1"
ENGINE = "projection.engine/1"  # or rejected by the graph engine for any reason


_OF_GRAPH = ("removed_nodes", "removed_edges", "nodes", "edges", "node_tables", "edge_tables")
_AGAIN = 500  # events that are read again together


class Log(EventLog, Derivations, Protocol):
    """A log with its derivations and state."""

    @property
    def state(self) -> LogState: ...


class _Target(Protocol):
    """A projection target; it selects what it needs from a batch."""

    def cursors(self) -> dict[str, int]: ...


class Runner:
    """Projects a log to a graph, a text index, or both. Each has its own cursors, so two runners in two processes can
    share the work."""

    def __init__(
        self,
        log: Log,
        graph: GraphStore | None,
        text: TextIndex | None,
        own: str = "",
        refuse: Refuse = lambda projection, refusals: None,
        barred: Collection[str] = (),
    ) -> None:
        """`own` is the step of the project's custom types; results of other configurations are not shown. `refuse` is
        called with dead letters and reasons. Events in `barred` are kept out of the graph."""
        self._barred = frozenset(barred)
        self._log = log
        self._refuse = refuse
        self._steps = [*STEPS, own] if own else list(STEPS)
        self._graph = graph
        self._text = text

    def run(self, progress: Callable[[int], None] | None = None) -> Projected:
        """Catch up with the log; `progress` gets the number of events per batch. Raises StoreDamaged if a projection was
        built from another history."""
        self._recognise()
        with without_gc():
            events = self._events(progress or (lambda count: None))
            return Projected(events, self._derivations())

    def newest(self, most: int) -> int:
        """Catch up with events only, if there are at most this many new ones, so that a search finds the latest turns;
        return their number. The rest is left to the owner."""
        done = min(target.cursors().get(EVENTS, 0) for target in self._targets())
        if not 0 < done < self._log.head() <= done + most:
            return 0
        self._recognise()
        return self._events(lambda count: None)

    def _targets(self) -> list[_Target]:
        return [target for target in (self._text, self._graph) if target is not None]

    def _recognise(self) -> None:
        for target in self._targets():
            check_lineage(self._log.state, target.cursors())

    def _events(self, progress: Callable[[int], None]) -> int:
        head = self._log.head()
        new = [target for target in self._targets() if not target.cursors().get(EVENTS)]
        total = self._replay(new, head, progress) if new and head else 0
        start, behind = self._start(EVENTS, head)
        if start < head:
            unapproved = _Unapproved(self._log)
            events = unapproved.noting(upcast(self._log.read(start, upto=head)))
            for batch, at in self._batches(events, project_event_into, behind):
                changes = self._fitting(batch, batch.changes(), project_event_into, self._events_again)
                changes.standings += unapproved.take()
                self._apply(changes, EVENTS, at.position)
                total += batch.count
                progress(batch.count)
            self._apply(Changes(), EVENTS, head)
        return total

    def _replay(self, targets: list[_Target], head: int, progress: Callable[[int], None]) -> int:
        """Replay from the start. Merged logs are replayed in clock order and followed by position afterwards. Such a
        replay counts only when complete: if interrupted, it starts again."""
        total, end = 0, (Changes(), self._cursors(EVENTS, head))
        unapproved = _Unapproved(self._log)
        events = unapproved.noting(upcast(self._log.read(order="clock", upto=head)))
        made = self._batches(events, project_event_into, targets)
        for (batch, _), last in _told_last(made):
            changes = self._fitting(batch, batch.changes(), project_event_into, self._events_again)
            changes.standings += unapproved.take()
            self._put(targets, (changes, {}), *[end] * last)
            total += batch.count
            progress(batch.count)
        if not total:
            self._put(targets, end)
        return total

    def _derivations(self) -> int:
        total, last = 0, self._log.state.last_derivation_number()
        start, behind = self._start(DERIVED, last)
        if start >= last:
            return 0
        buried = self._buried()
        unapproved = _Unapproved(self._log)
        made = unapproved.noting(self._log.derivations(start, steps=self._steps))
        for batch, at in self._batches(made, project_derivation_into, behind):
            changes = self._fitting(
                batch, batch.without(buried), project_derivation_into, self._derivations_again, buried
            )
            changes.standings += unapproved.take()
            self._apply(changes, DERIVED, at.number)
            total += batch.count
        self._apply(Changes(), DERIVED, last)
        return total

    def _batches(
        self, source: Iterable[_Source], put: Projector[_Source], targets: Sequence[_Target]
    ) -> Iterator[tuple[Batch, _Source]]:
        """Yield batches of what these targets need, each with its last event."""

        def begun() -> Batch:
            return Batch(graph=self._graph in targets, text=self._text in targets)

        batch, one = begun(), None
        for one in source:
            self._put_in(batch, one, put)
            if batch.full:
                yield batch, one
                batch = begun()
        if batch.count and one is not None:
            yield batch, one

    # -- dead letters

    def _put_in(self, batch: Batch, source: _Source, put: Projector[_Source]) -> None:
        if not self._barred or _event_of(source) not in self._barred:
            put(batch, source)
            return
        text = Batch(graph=False, text=batch.text)
        put(text, source)
        made = text.singly()
        batch.put(Changes(removed_items=made.removed_items, items=made.items, links=made.links))
        batch.count += text.count
        batch.sources += text.sources

    def _fitting(
        self,
        batch: Batch,
        changes: Changes,
        put: Projector[_Source],
        again: Callable[[Sequence[Any]], Iterable[_Source]],
        buried: Iterable[str] = (),
    ) -> Changes:
        """Return the changes of a batch without those that an engine would reject; their sources are found one by one and
        become dead letters."""
        self._set_aside(UNREADABLE, batch.refused)
        graph, text = batch.graph, batch.text
        if graph and self._fitness.problem(changes):
            changes = self._without(NO_GRAPH, batch, changes, put, again, buried)
        if text and text_problem(changes.items, changes.links):
            changes = self._without(NO_TEXT, batch, changes, put, again, buried)
        return changes

    def _without(
        self,
        projection: str,
        batch: Batch,
        changes: Changes,
        put: Projector[_Source],
        again: Callable[[Sequence[Any]], Iterable[_Source]],
        buried: Iterable[str],
    ) -> Changes:
        """Return the same changes, without what does not fit one of the targets."""
        graph = projection == NO_GRAPH
        rest, refused = Batch(graph=graph, text=not graph), list[Refusal]()
        for source in again(batch.sources):
            if graph and _event_of(source) in self._barred:
                continue
            single = Batch(graph=graph, text=not graph)
            put(single, source)
            made = single.without(buried)
            problem = self._fitness.problem(made) if graph else text_problem(made.items, made.links)
            if problem:
                refused.append(Refusal(_event_of(source), problem))
            else:
                put(rest, source)
        self._set_aside(projection, refused)
        fitting = rest.without(buried)
        parts = ("removed_items", "items", "links") if graph else _OF_GRAPH
        return replace(fitting, **{name: getattr(changes, name) for name in parts})

    def _set_aside(self, projection: str, refusals: Sequence[Refusal]) -> None:
        if refusals:
            self._refuse(projection, refusals)

    @cached_property
    def _fitness(self) -> Fitness:
        assert self._graph is not None
        return Fitness(self._graph.schema())

    def _events_again(self, ids: Sequence[str]) -> Iterator[Event]:
        for part in iterate_batches(ids, _AGAIN):
            found = self._log.get(part)
            yield from upcast(found[one] for one in part if one in found)

    def _derivations_again(self, numbers: Sequence[int]) -> Iterator[Derivation]:
        wanted = frozenset(numbers)
        for derivation in self._log.derivations(numbers[0] - 1, steps=self._steps):
            if derivation.number > numbers[-1]:
                return
            if derivation.number in wanted:
                yield derivation

    def _buried(self) -> set[str]:
        """Return ids of derived nodes and items that were forgotten although their source was not."""
        stones = self._log.read(types=["memory_forgotten"])
        return {node for stone in stones if stone.payload.get("derived") for _, node in stone.payload["nodes"]}

    def _start(self, cursor: str, last: int) -> tuple[int, list[_Target]]:
        """Return where to start, and the targets that are behind `last`."""
        reached = [(target, target.cursors().get(cursor, 0)) for target in self._targets()]
        return min(at for _, at in reached), [target for target, at in reached if at < last]

    def _apply(self, changes: Changes, cursor: str, at: int) -> None:
        """Apply one batch to the targets that are behind."""
        targets = [target for target in self._targets() if target.cursors().get(cursor, 0) < at]
        self._put(targets, (changes, self._cursors(cursor, at)), ahead=cursor)

    def _cursors(self, cursor: str, at: int) -> dict[str, int]:
        return {EVENTS: at, ANCHOR: self._log.state.history_fingerprint(at)} if cursor == EVENTS else {cursor: at}

    def _put(self, targets: Sequence[_Target], *writes: tuple[Changes, dict[str, int]], ahead: str = "") -> None:
        """Apply these writes to each target in order; two targets run in parallel, because the engines do most of the
        work."""
        with ThreadPoolExecutor(1) as hand:
            beside = [hand.submit(self._write, target, writes, ahead) for target in targets[1:]]
            for target in targets[:1]:
                self._write(target, writes, ahead)
        for done in beside:
            done.result()

    def _write(self, target: _Target, writes: Sequence[tuple[Changes, dict[str, int]]], ahead: str) -> None:
        for changes, cursors in writes:
            if self._graph is not None and target is self._graph:
                self._graph.apply(changes, cursors)
            elif self._text is not None:
                self._text.apply(
                    changes.removed_items, changes.items, changes.links, cursors, changes.standings, ahead=ahead
                )


class _Unapproved:
    """Marks what waits for approval in the transaction that makes it searchable: no reader sees it without the mark."""

    def __init__(self, log: Log) -> None:
        self._approvals = read_approvals(log)
        self._marks: list[tuple[str, int, int]] = []

    def noting(self, sources: Iterable[_Source]) -> Iterator[_Source]:
        """Yield the same, and note the items among them that wait or were rejected."""
        if not self._approvals.is_required:
            yield from sources
            return
        for source in sources:
            for item in _new_knowledge(source) if source.clock > self._approvals.since else ():
                if status := self._approvals.status_of(item, source.clock):
                    self._marks.append((item, 0, MARKS[status]))
            yield source

    def take(self) -> list[tuple[str, int, int]]:
        """Return the marks since the last call."""
        marks, self._marks = self._marks, []
        return marks


def _new_knowledge(source: Event | Derivation) -> Iterator[str]:
    """Yield the ids of what is learnt here: derived facts, and what an agent wrote down."""
    if isinstance(source, Event):
        if is_agents_memory(source) and source.payload:
            yield memory_id(source)
    elif source.step == FACTS and source.body:
        yield from (fact["id"] for fact in source.body["facts"])


def _event_of(source: Event | Derivation) -> str:
    return source.id if isinstance(source, Event) else source.source


@contextmanager
def without_gc() -> Iterator[None]:
    """Disable garbage collection: replaying a log creates no cycles, but has a million live objects to scan."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


def _told_last(source: Iterable[_Any]) -> Iterator[tuple[_Any, bool]]:
    """Yield each item with whether it is the last."""
    rest = iter(source)
    for one in rest:
        for following in rest:
            yield one, False
            one = following
        yield one, True
