"""Brings the projections up to the log: reads events and derivations past the cursors, turns them into changes and
applies these batch by batch, each batch in one transaction with its cursor. Every step can be repeated."""

from __future__ import annotations

import gc
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, Protocol, TypeVar

from graphmem.errors import StoreDamaged
from graphmem.log.upcast import upcast
from graphmem.model.changes import Changes, Edge, Item, Link, Node
from graphmem.model.events import Event
from graphmem.model.sources import Projected
from graphmem.ports.graph import GraphStore
from graphmem.ports.log import Derivations, EventLog, LogState
from graphmem.ports.text import DERIVED as DERIVED
from graphmem.ports.text import EVENTS, TextIndex
from graphmem.projections.registry import STEPS, Half, project_derivation, project_event

ANCHOR = "anchor"  # what only this history has at the cursor of events
_BATCH = 8_000  # events or derivations of one transaction: less would write the same pages again and again
_HEAVY = 8_000_000  # characters of their texts
_One = TypeVar("_One")
Edges = dict[tuple[str, str, str, str], dict[str, Edge]]  # by all but the target, then by target


class Log(EventLog, Derivations, Protocol):
    """A log with its derivations and what it says of itself."""

    @property
    def state(self) -> LogState: ...


class _Target(Protocol):
    """A projection: what it takes of a batch is its own affair."""

    def cursors(self) -> dict[str, int]: ...


def recognise(state: LogState, cursors: Mapping[str, int]) -> None:
    """A log that lost its end, or was replaced, gives its positions away anew: nothing after them would be seen. Raises
    StoreDamaged where what has these cursors was made from another history."""
    at = cursors.get(EVENTS, 0)
    if (at and cursors.get(ANCHOR) != state.anchor(at)) or cursors.get(DERIVED, 0) > state.derivations():
        raise StoreDamaged(
            "log.db is not the log that the projections were made from: it was replaced or lost its end;"
            " restore it from a backup, or run `graphmem rebuild` to go on with what it holds"
        )


class Runner:
    """Projects a log into a graph, a text index, or both: each has cursors of its own, so that two runners in two
    processes can share the work."""

    def __init__(self, log: Log, graph: GraphStore | None, text: TextIndex | None, own: str = "") -> None:
        """`own` is the step of the project's own types: of what other configurations made nothing is shown."""
        self._log = log
        self._steps = [*STEPS, own] if own else list(STEPS)
        self._graph = graph
        self._text = text

    def run(self, progress: Callable[[int], None] | None = None) -> Projected:
        """Catch up; `progress` is told the number of events of each batch. Raises StoreDamaged where a projection was
        made from another history than the log has."""
        self._recognise()
        with uncollected():
            events = self._events(progress or (lambda count: None))
            return Projected(events, self._derivations())

    def newest(self, most: int) -> int:
        """Catch up with events alone where no more than so many are new, so that who asks finds what was said just now;
        returns how many. Everything else is left to the owner."""
        done = min(target.cursors().get(EVENTS, 0) for target in self._targets())
        if not 0 < done < self._log.head() <= done + most:
            return 0
        self._recognise()
        return self._events(lambda count: None)

    def _targets(self) -> list[_Target]:
        return [target for target in (self._text, self._graph) if target is not None]

    def _recognise(self) -> None:
        for target in self._targets():
            recognise(self._log.state, target.cursors())

    def _events(self, progress: Callable[[int], None]) -> int:
        head = self._log.head()
        new = [target for target in self._targets() if not target.cursors().get(EVENTS)]
        total = self._replay(new, head, progress) if new and head else 0
        start, only = self._start(EVENTS, head)
        if start < head:
            for batch in batches(_projected(self._log.read(start, upto=head), only), _weight):
                self._apply((made for _, made in batch), EVENTS, batch[-1][0].position)
                total += len(batch)
                progress(len(batch))
            self._apply((), EVENTS, head)
        return total

    def _replay(self, targets: list[_Target], head: int, progress: Callable[[int], None]) -> int:
        """From scratch, merged logs are replayed in the order of their clocks; afterwards positions follow it. Such a
        replay only counts once it is complete: cut off, it begins again, and says everything once more."""
        total, end = 0, (Changes(), self._cursors(EVENTS, head))
        made = _projected(self._log.read(order="clock", upto=head), self._half(targets))
        for batch, last in _told_last(batches(made, _weight)):
            changes = self._compacted((made for _, made in batch), targets)
            self._put(targets, (changes, {}), *[end] * last)
            total += len(batch)
            progress(len(batch))
        if not total:
            self._put(targets, end)
        return total

    def _derivations(self) -> int:
        total, last = 0, self._log.state.derivations()
        start, only = self._start(DERIVED, last)
        if start >= last:
            return 0
        buried = self._buried()
        for batch in batches(self._log.derivations(start, steps=self._steps)):
            self._apply((project_derivation(one, only) for one in batch), DERIVED, batch[-1].number, buried)
            total += len(batch)
        self._apply((), DERIVED, last)
        return total

    def _compacted(self, changes: Iterable[Changes], targets: Sequence[_Target]) -> Changes:
        return compacted(changes, graph=self._graph in targets, text=self._text in targets)

    def _buried(self) -> set[str]:
        """Ids of derived nodes and items that were forgotten while their source was not."""
        stones = self._log.read(types=["memory_forgotten"])
        return {node for stone in stones if stone.payload.get("derived") for _, node in stone.payload["nodes"]}

    def _start(self, cursor: str, last: int) -> tuple[int, Half | None]:
        """Where to begin, and the half that all need that are not as far as `last`."""
        reached = [(target, target.cursors().get(cursor, 0)) for target in self._targets()]
        behind = [target for target, at in reached if at < last]
        return min(at for _, at in reached), self._half(behind)

    def _half(self, targets: Sequence[_Target]) -> Half | None:
        if self._graph not in targets:
            return "text"
        return None if self._text in targets else "graph"

    def _apply(self, made: Iterable[Changes], cursor: str, at: int, buried: Collection[str] = ()) -> None:
        """One batch, for those that are not as far yet."""
        targets = [target for target in self._targets() if target.cursors().get(cursor, 0) < at]
        if targets:
            changes = without(self._compacted(made, targets), buried)
            self._put(targets, (changes, self._cursors(cursor, at)), ahead=cursor)

    def _cursors(self, cursor: str, at: int) -> dict[str, int]:
        return {EVENTS: at, ANCHOR: self._log.state.anchor(at)} if cursor == EVENTS else {cursor: at}

    def _put(self, targets: Sequence[_Target], *writes: tuple[Changes, dict[str, int]], ahead: str = "") -> None:
        """Each target does these writes in order; two do so at the same time, since the engines do most of it themselves."""
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
                self._text.apply(changes.removed_items, changes.items, changes.links, cursors, ahead=ahead)


@contextmanager
def uncollected() -> Iterator[None]:
    """Without the collector of cycles: what follows a log makes none, and has a million live records to look through."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


def _projected(events: Iterable[Event], only: Half | None) -> Iterator[tuple[Event, Changes]]:
    return ((event, project_event(event, only)) for event in upcast(events))


def _weight(projected: tuple[Event, Changes]) -> int:
    _, changes = projected
    if changes.items:
        return sum([len(item.text) for item in changes.items])
    return sum([len(node.properties.get("content") or "") for node in changes.nodes])


def batches(source: Iterable[Any], weigh: Callable[[Any], int] = lambda one: 0) -> Iterator[list[Any]]:
    """Lists of a size that one transaction takes: so many, or so heavy together."""
    batch, weight = [], 0
    for one in source:
        batch.append(one)
        weight += weigh(one)
        if len(batch) >= _BATCH or weight >= _HEAVY:
            yield batch
            batch, weight = [], 0
    if batch:
        yield batch


def _told_last(source: Iterable[_One]) -> Iterator[tuple[_One, bool]]:
    """Each with whether it is the last."""
    rest = iter(source)
    for one in rest:
        for following in rest:
            yield one, False
            one = following
        yield one, True


def compacted(changes: Iterable[Changes], *, graph: bool = True, text: bool = True) -> Changes:
    """One batch with the effect of all in their order: each node, edge and item once, with its last properties. What is
    not asked for, of the graph or of the text index, may be left out."""
    nodes: dict[tuple[str, str], Node] = {}
    edges: Edges = {}
    items: dict[str, Item] = {}
    links: dict[Link, None] = {}
    gone = Changes()
    for change in changes:
        if change.removed_nodes or change.removed_edges or change.removed_items:
            _remove(change, gone, nodes, edges, items)
        if graph:
            for node in change.nodes:
                name = node[:2]
                known = nodes.get(name)
                if known is None:
                    nodes[name] = node
                elif known is not node and known[2] != node[2]:
                    nodes[name] = Node(*name, known[2] | node[2])
            for edge in change.edges:
                source = edge[:4]
                targets = edges.get(source)
                if targets is None:
                    edges[source] = {edge[4]: edge}
                    continue
                before = targets.get(edge[4])
                if before is None:
                    targets[edge[4]] = edge
                elif before is not edge and before[5] != edge[5]:
                    targets[edge[4]] = edge._replace(properties=before[5] | edge[5])
            gone.node_tables += change.node_tables
            gone.edge_tables += change.edge_tables
        if text:
            for item in change.items:
                items[item[0]] = item
            for link in change.links:
                links[link] = None
    gone.nodes, gone.edges = list(nodes.values()), [edge for targets in edges.values() for edge in targets.values()]
    gone.items, gone.links = list(items.values()), list(links)
    gone.removed_nodes = list(dict.fromkeys(gone.removed_nodes))
    gone.removed_edges = list(dict.fromkeys(gone.removed_edges))
    gone.removed_items = list(dict.fromkeys(gone.removed_items))
    return gone


def _remove(
    change: Changes, gone: Changes, nodes: dict[tuple[str, str], Node], edges: Edges, items: dict[str, Item]
) -> None:
    """Note the removals of one change, and take back what came before them."""
    if change.removed_nodes:
        _detach(edges, set(change.removed_nodes))
    for node in change.removed_nodes:
        nodes.pop(node, None)
    for key in change.removed_edges:
        if key.target:
            edges.get(key[:4], {}).pop(key.target, None)
        else:
            edges.pop(key[:4], None)
    for identifier in change.removed_items:
        items.pop(identifier, None)
    gone.extend(Changes(change.removed_nodes, change.removed_edges, removed_items=change.removed_items))


def without(changes: Changes, buried: Collection[str]) -> Changes:
    """The changes but for these nodes and items, and the edges and links that lead to them."""
    if buried:
        changes.nodes = [node for node in changes.nodes if node.id not in buried]
        changes.edges = [edge for edge in changes.edges if edge.source not in buried and edge.target not in buried]
        changes.links = [link for link in changes.links if link.item not in buried]
        changes.items = [item for item in changes.items if item.id not in buried]
    return changes


def _detach(edges: Edges, gone: set[tuple[str, str]]) -> None:
    """Removed nodes take the edges of the batch along that lead from or to them."""
    for key in [key for key in edges if (key[1], key[2]) in gone]:
        del edges[key]
    for (_, _, _, label), targets in edges.items():
        for target in [target for target in targets if (label, target) in gone]:
            del targets[target]
