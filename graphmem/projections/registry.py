"""The table of projections by event and derivation type. A type without a row changes nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from graphmem.model.changes import Changes
from graphmem.model.events import Derivation, Event
from graphmem.projections import conversation, derived, evidence, forgetting, history, memories, tasks
from graphmem.projections.batch import Batch, Refusal

_From = TypeVar("_From")
Into = Callable[[Batch, _From], None]


@dataclass(frozen=True, slots=True)
class SplitProjection(Generic[_From]):
    """A projection in two functions that write to a batch, one for the graph and one for the index. Used for frequent
    types, which dominate a replay, and lets two processes do half each."""

    graph: Into[_From]
    text: Into[_From]


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
    **dict.fromkeys(tasks.TYPES, tasks.project_task),
}

FACTS = "facts/6"  # results of earlier versions are not shown
DERIVATIONS: dict[str, Callable[[Derivation], Changes] | SplitProjection[Derivation]] = {
    "entities": SplitProjection(derived.project_entities, derived.mention_items),
    "typed": SplitProjection(derived.project_typed, derived.mention_items),
    FACTS: derived.project_facts,
    "links": derived.project_links,
}
STEPS = frozenset(DERIVATIONS) - {"typed"}  # steps whose results are always projected


def project_event_into(batch: Batch, event: Event) -> None:
    """Project an event to a batch; nothing if its payload was purged. An unprocessable event is recorded as refused."""
    batch.count += 1
    batch.sources.append(event.id)
    row = EVENTS.get(event.type)
    if event.problem:
        batch.refused.append(Refusal(event.id, event.problem))
    elif row is not None and event.payload and not event.is_ignored:
        _try_put(batch, row, event, event.id)


def derivation_into(batch: Batch, derivation: Derivation) -> None:
    """Project a derivation to a batch. Its step is named `name/version`."""
    batch.count += 1
    batch.sources.append(derivation.number)
    row = DERIVATIONS.get(derivation.step) or DERIVATIONS.get(derivation.step.partition("/")[0])
    if row is not None and derivation.body:
        _try_put(batch, row, derivation, derivation.source)


def _try_put(batch: Batch, row: Callable[[_From], Changes] | SplitProjection[_From], source: _From, event: str) -> None:
    """Project one item; a failure does not block others."""
    try:
        _put(batch, row, source)
    except (TypeError, ValueError, LookupError, AttributeError, ArithmeticError, RecursionError) as error:
        batch.refused.append(Refusal(event, f"{type(error).__name__}: {error}"))


def _put(batch: Batch, row: Callable[[_From], Changes] | SplitProjection[_From], source: _From) -> None:
    if not isinstance(row, SplitProjection):
        batch.put(row(source))
        return
    if batch.graph:
        row.graph(batch, source)
    if batch.text:
        row.text(batch, source)


def project_event(event: Event) -> Changes:
    """Return the changes of an event as single changes."""
    batch = Batch()
    project_event_into(batch, event)
    return batch.singly()


def project_derivation(derivation: Derivation) -> Changes:
    """Return the changes of a derivation as single changes."""
    batch = Batch()
    derivation_into(batch, derivation)
    return batch.singly()
