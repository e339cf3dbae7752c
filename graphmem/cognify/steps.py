"""The steps that derive knowledge from single events, and the loop that runs them. Each step sees each event of its
types once; its result is stored as a derivation. What needs several events is concluded from derivations
(`conclusions`). An event on which a step fails does not block others: it waits in the backlog."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from graphmem.cognify import entities, episodes, facts, modelled
from graphmem.cognify.source import Source, source_of
from graphmem.errors import GraphmemError, message_of
from graphmem.model.events import Derivation, Event
from graphmem.ports.backlog import Backlog
from graphmem.ports.writer import Writer
from graphmem.projections.runner import Log

_BATCH = 1_000
Body = dict[str, Any] | None


class Step(NamedTuple):
    """A step: its name with its version, the events it reads, and what it makes of each in a batch (None: nothing)."""

    name: str
    types: frozenset[str]
    derive: Callable[[Sequence[Source]], list[Body]]


def _each(derive: Callable[[Event, tuple[str, str], str], Body]) -> Callable[..., Any]:
    """Return a step that reads events one by one."""
    return lambda sources: [derive(source.event, (source.label, source.node), source.item) for source in sources]


STEPS = (
    Step(entities.NAME, entities.TYPES, _each(entities.derive)),
    Step(facts.NAME, facts.TYPES, facts.derive),
    Step(episodes.NAME, episodes.TYPES, episodes.derive),
)


def with_writer(steps: Iterable[Step], writer: Writer | None, size: int, overlap: int) -> tuple[Step, ...]:
    """Return the steps, but that a model words the facts if there is one."""
    if writer is None:
        return tuple(steps)

    def worded(sources: Sequence[Source]) -> list[Body]:
        return modelled.derive(sources, writer, size, overlap)

    return tuple(step._replace(derive=worded) if step.name == facts.NAME else step for step in steps)


def run_steps(log: Log, events: Iterable[Event], steps: Sequence[Step] = STEPS, backlog: Backlog | None = None) -> int:
    """Run every step on those events that it has not seen; returns the number of new derivations. Without a backlog, the
    first failure is raised."""
    total = 0
    for batch in _batches(events):
        for step in steps:
            chosen = [event for event in batch if event.type in step.types and event.payload]
            done = log.processed_sources(step.name, [event.id for event in chosen])
            new = [source_of(event) for event in chosen if event.id not in done]
            total += _run(log, step, new, backlog)
    return total


def retry_failed(log: Log, due: Mapping[str, Sequence[str]], steps: Iterable[Step], backlog: Backlog) -> int:
    """Try once more what failed before. Events that were forgotten meanwhile leave the backlog."""
    total = 0
    for step in steps:
        wanted = due.get(step.name, ())
        events = {one: event for one, event in log.get(list(wanted)).items() if not event.problem}
        backlog.settle(step.name, [event for event in wanted if event not in events])
        total += _run(log, step, [source_of(events[event]) for event in wanted if event in events], backlog)
        backlog.settle(step.name, sorted(log.processed_sources(step.name, list(wanted))))
    return total


def _run(log: Log, step: Step, new: Sequence[Source], backlog: Backlog | None) -> int:
    """Derive from these. Where that fails, halves are tried, until the event is found on which it does. Nothing is derived
    from an event that makes no node, such as an agent's own list: it could not be shown."""
    if hidden := [source for source in new if not source.node]:
        shown = [source for source in new if source.node]
        return log.store_derivations([_derivation(step, source, None) for source in hidden]) + _run(
            log, step, shown, backlog
        )
    if not new:
        return 0
    try:
        bodies = step.derive(new)
    except GraphmemError:
        raise
    except Exception as error:  # whatever a text did to a parser
        if backlog is None:
            raise
        if len(new) == 1:
            backlog.fail(step.name, [new[0].event.id], f"{type(error).__name__}: {message_of(error)}")
            return 0
        half = len(new) // 2
        return _run(log, step, new[:half], backlog) + _run(log, step, new[half:], backlog)
    return log.store_derivations([_derivation(step, *made) for made in zip(new, bodies, strict=True)])


def _derivation(step: Step, source: Source, body: Body) -> Derivation:
    digest = hashlib.sha256(f"{step.name}:{source.event.id}".encode()).hexdigest()[:16]
    return Derivation(step.name, source.event.id, digest, body or {})


def _batches(events: Iterable[Event]) -> Iterator[list[Event]]:
    iterator = iter(events)
    while batch := list(islice(iterator, _BATCH)):
        yield batch
