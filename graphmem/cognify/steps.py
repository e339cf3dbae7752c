"""The steps that derive knowledge from events, in one tuple, and the loop that runs them: each step sees each event of
its types once, and what it made is kept as a derivation."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any, NamedTuple

from graphmem.cognify import entities, facts
from graphmem.model.events import Derivation, Event
from graphmem.projections.registry import project_event
from graphmem.projections.runner import Log

_BATCH = 1_000


class Step(NamedTuple):
    """A step: its name with its version, the events it reads, and what it makes of one (None: nothing)."""

    name: str
    types: frozenset[str]
    derive: Callable[[Event, tuple[str, str], str], dict[str, Any] | None]


STEPS = (
    Step(entities.NAME, entities.TYPES, entities.derive),
    Step(facts.NAME, facts.TYPES, facts.derive),
)


def cognify(log: Log, events: Iterable[Event], steps: tuple[Step, ...] = STEPS) -> int:
    """Run every step on those events that it has not seen; returns the number of new derivations."""
    total = 0
    for batch in _batches(events):
        for step in steps:
            chosen = [event for event in batch if event.type in step.types and event.payload]
            done = log.derived(step.name, [event.id for event in chosen])
            total += log.derive([_derivation(step, event) for event in chosen if event.id not in done])
    return total


def _derivation(step: Step, event: Event) -> Derivation:
    changes = project_event(event)
    node = (changes.nodes[0].label, changes.nodes[0].id) if changes.nodes else ("", "")
    body = step.derive(event, node, changes.items[0].id if changes.items else "")
    digest = hashlib.sha256(f"{step.name}:{event.id}".encode()).hexdigest()[:16]
    return Derivation(step.name, event.id, digest, body or {})


def _batches(events: Iterable[Event]) -> Iterator[list[Event]]:
    iterator = iter(events)
    while batch := list(islice(iterator, _BATCH)):
        yield batch
