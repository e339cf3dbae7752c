"""Extracts tasks from new events in the log. A derivation records that an event was read, so this is cheap after every
ingest."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from graphmem.model.batches import batched
from graphmem.model.events import Derivation, Event
from graphmem.model.tasks import Exchanged
from graphmem.ports.log import Derivations
from graphmem.tasks.exchange import TaskExchange
from graphmem.tasks.extract import events as reading

STEP = "tasks/2"
TYPES = reading.TYPES
_BATCH = 1_000


def learn_tasks(tasks: TaskExchange, log: Derivations, events: Iterable[Event]) -> Exchanged:
    """Import tasks from new events. Idempotent: events already read are skipped."""
    created = changed = relations = 0
    problems: list[str] = []
    for batch in batched((event for event in events if event.type in TYPES and event.payload), _BATCH):
        done = log.processed_sources(STEP, [event.id for event in batch])
        new = [event for event in batch if event.id not in done]
        for session in dict.fromkeys(event.session for event in new):
            spoken = [event for event in new if event.session == session]
            for event in spoken:
                if (change := reading.list_change_of(event)) is not None:
                    changed += tasks.follow_list(change, session=session, at=event.at)
            found = list(reading.tasks_of_events(spoken))
            if found:
                part = tasks.absorb(found, session=session)
                created, changed, relations = created + part.created, changed + part.changed, relations + part.relations
                problems += part.problems
        for event in new:  # after what waits for it, in whatever session that was said
            if told := reading.announcements_of(event):
                changed += tasks.fulfil(told, at=event.at, session=event.session)
        log.store_derivations(
            [Derivation(STEP, event.id, hashlib.sha256(event.id.encode()).hexdigest()[:16], {}) for event in new]
        )
    return Exchanged(created, changed, 0, relations, tuple(problems))
