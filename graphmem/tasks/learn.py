"""Learns tasks from the log: each event is read once, which a derivation remembers, so that this can run after every
ingest and cost little. What is read out of it is `extract/`'s business, how it enters the book that of `exchange/`."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from itertools import islice

from graphmem.model.events import Derivation, Event
from graphmem.model.tasks import Exchanged
from graphmem.ports.log import Derivations
from graphmem.tasks.exchanges import TaskExchange
from graphmem.tasks.extract import events as reading

STEP = "tasks/2"
TYPES = reading.TYPES
_BATCH = 1_000


def learn_tasks(tasks: TaskExchange, log: Derivations, events: Iterable[Event]) -> Exchanged:
    """Take in what new events say of tasks. Idempotent: events that were read before are passed over."""
    created = changed = relations = 0
    problems: list[str] = []
    for batch in _batches(event for event in events if event.type in TYPES and event.payload):
        done = log.derived(STEP, [event.id for event in batch])
        new = [event for event in batch if event.id not in done]
        for session in dict.fromkeys(event.session for event in new):
            found = list(reading.records(event for event in new if event.session == session))
            if found:
                part = tasks.absorb(found, session=session)
                created, changed, relations = created + part.created, changed + part.changed, relations + part.relations
                problems += part.problems
        log.derive(
            [Derivation(STEP, event.id, hashlib.sha256(event.id.encode()).hexdigest()[:16], {}) for event in new]
        )
    return Exchanged(created, changed, 0, relations, tuple(problems))


def _batches(source: Iterable[Event]) -> Iterator[list[Event]]:
    iterator = iter(source)
    while batch := list(islice(iterator, _BATCH)):
        yield batch
