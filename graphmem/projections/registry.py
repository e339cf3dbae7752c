"""The table of projections by event and derivation type. A type without a row changes nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from graphmem.errors import message_of
from graphmem.model.changes import Changes
from graphmem.model.events import Derivation, Event
from graphmem.ports.log import EventLog
from graphmem.projections import conversation, derived, entities, evidence, forgetting, history, memories, tasks
from graphmem.projections.batch import Batch, Refusal

_Source = TypeVar("_Source")
Projector = Callable[[Batch, _Source], None]


@dataclass(frozen=True, slots=True)
class SplitProjection(Generic[_Source]):
    """A projection in two functions that write to a batch, one for the graph and one for the index. Used for frequent
    types, which dominate a replay, and lets two processes do half each."""

    graph: Projector[_Source]
    text: Projector[_Source]


_TURN = SplitProjection(conversation.project_turn, conversation.turn_item)
EVENTS: dict[str, Callable[[Event], Changes] | SplitProjection[Event]] = {
    "session_start": conversation.session_started,
    "session_end": conversation.session_ended,
    "user_prompt": _TURN,
    "agent_response": _TURN,
    "tool_observation": _TURN,
    "commit_observed": history.project_commit,
    "memory_remembered": memories.project_memory,
    "document_observed": memories.project_document,
    "snapshot_captured": evidence.project_snapshot,
    "test_run_observed": evidence.test_run,
    "memory_forgotten": forgetting.project_tombstone,
    entities.MERGED: entities.project_merge,
    **dict.fromkeys(tasks.TYPES, tasks.project_task),
}

FACTS = "facts/20"  # results of earlier versions are not shown
DERIVATIONS: dict[str, Callable[[Derivation], Changes] | SplitProjection[Derivation]] = {
    "entities": SplitProjection(derived.project_entities, derived.mention_items),
    "typed": SplitProjection(derived.project_typed, derived.mention_items),
    FACTS: derived.project_facts,
    "links": derived.project_links,
}
STEPS = frozenset(DERIVATIONS) - {"typed"}  # steps whose results are always projected


def has_projected_event(log: EventLog, after: int) -> bool:
    """Return whether the log has an event after a position that changes graph or index."""
    return next(log.read(after, types=EVENTS), None) is not None


def project_event_into(batch: Batch, event: Event) -> None:
    """Project an event to a batch; nothing if its payload was purged. An unprocessable event is recorded as refused."""
    batch.count += 1
    batch.sources.append(event.id)
    projection = EVENTS.get(event.type)
    if event.problem:
        batch.refused.append(Refusal(event.id, event.problem))
    elif projection is not None and event.payload and not event.is_ignored:
        _try_put(batch, projection, event, event.id)


def project_derivation_into(batch: Batch, derivation: Derivation) -> None:
    """Project a derivation to a batch. Its step is named `name/version`."""
    batch.count += 1
    batch.sources.append(derivation.number)
    projection = DERIVATIONS.get(derivation.step) or DERIVATIONS.get(derivation.step.partition("/")[0])
    if projection is not None and derivation.body:
        _try_put(batch, projection, derivation, derivation.source)


def _try_put(
    batch: Batch, projection: Callable[[_Source], Changes] | SplitProjection[_Source], source: _Source, event: str
) -> None:
    """Project one item; a failure does not block others."""
    try:
        _put(batch, projection, source)
    except (TypeError, ValueError, LookupError, AttributeError, ArithmeticError, RecursionError) as error:
        batch.refused.append(Refusal(event, f"{type(error).__name__}: {message_of(error)}"))


def _put(batch: Batch, projection: Callable[[_Source], Changes] | SplitProjection[_Source], source: _Source) -> None:
    if not isinstance(projection, SplitProjection):
        batch.put(projection(source))
        return
    if batch.graph:
        projection.graph(batch, source)
    if batch.text:
        projection.text(batch, source)


def project_event(event: Event) -> Changes:
    """Return the changes that an event makes, as separate nodes, edges and items (no tables). Slow: for one event, not for
    a replay."""
    batch = Batch()
    project_event_into(batch, event)
    return batch.singly()


def project_derivation(derivation: Derivation) -> Changes:
    """Return the changes that a derivation makes, as separate nodes, edges and items (no tables). Slow: for one derivation,
    not for a replay."""
    batch = Batch()
    project_derivation_into(batch, derivation)
    return batch.singly()
