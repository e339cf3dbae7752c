"""The steps that derive knowledge from events, in one tuple, and the loop that runs them: each step sees each event of
its types once, and what it made is kept as a derivation. A step reads one event alone; what needs several is concluded
from the derivations (`conclusions`)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

from graphmem.cognify import entities, episodes, facts
from graphmem.cognify.source import Source, source_of
from graphmem.model.events import Derivation, Event
from graphmem.projections.runner import Log

_BATCH = 1_000


class Step(NamedTuple):
    """A step: its name with its version, the events it reads, and what it makes of each in a batch (None: nothing)."""

    name: str
    types: frozenset[str]
    derive: Callable[[Sequence[Source]], list[dict[str, Any] | None]]


def _each(derive: Callable[[Event, tuple[str, str], str], dict[str, Any] | None]) -> Callable[..., Any]:
    """A step that reads events one by one."""
    return lambda sources: [derive(source.event, (source.label, source.node), source.item) for source in sources]


STEPS = (
    Step(entities.NAME, entities.TYPES, _each(entities.derive)),
    Step(facts.NAME, facts.TYPES, facts.derive),
    Step(episodes.NAME, episodes.TYPES, episodes.derive),
)


def cognify(log: Log, events: Iterable[Event], steps: tuple[Step, ...] = STEPS) -> int:
    """Run every step on those events that it has not seen; returns the number of new derivations."""
    total = 0
    for batch in _batches(events):
        for step in steps:
            chosen = [event for event in batch if event.type in step.types and event.payload]
            done = log.derived(step.name, [event.id for event in chosen])
            new = [source_of(event) for event in chosen if event.id not in done]
            bodies = step.derive(new) if new else []
            total += log.derive([_derivation(step, *made) for made in zip(new, bodies, strict=True)])
    return total


def _derivation(step: Step, source: Source, body: dict[str, Any] | None) -> Derivation:
    digest = hashlib.sha256(f"{step.name}:{source.event.id}".encode()).hexdigest()[:16]
    return Derivation(step.name, source.event.id, digest, body or {})


def _batches(events: Iterable[Event]) -> Iterator[list[Event]]:
    iterator = iter(events)
    while batch := list(islice(iterator, _BATCH)):
        yield batch
