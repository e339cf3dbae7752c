"""Which function projects which event or derivation. A type without a row changes nothing."""

from __future__ import annotations

from collections.abc import Callable

from graphmem.model.changes import Changes
from graphmem.model.events import Derivation, Event
from graphmem.projections import conversation, derived, evidence, forgetting, history, memories, tasks

EVENTS: dict[str, Callable[[Event], Changes]] = {
    "session_start": conversation.session_started,
    "session_end": conversation.session_ended,
    "user_prompt": conversation.turn,
    "agent_response": conversation.turn,
    "tool_observation": conversation.turn,
    "commit_observed": history.commit,
    "memory_remembered": memories.remembered,
    "document_observed": memories.document,
    "snapshot_captured": evidence.snapshot,
    "test_run_observed": evidence.test_run,
    "memory_forgotten": forgetting.forgotten,
    **dict.fromkeys(tasks.TYPES, tasks.project),
}

FACTS = "facts/4"  # of what earlier versions made, nothing is shown
DERIVATIONS: dict[str, Callable[[Derivation], Changes]] = {
    "entities": derived.entities,
    "typed": derived.typed,
    FACTS: derived.facts,
    "links": derived.links,
}
STEPS = frozenset(DERIVATIONS) - {"typed"}  # the steps whose results are projected, whatever is configured


def project_event(event: Event) -> Changes:
    """The changes that an event makes; none where its payload is gone."""
    project = EVENTS.get(event.type)
    return project(event) if project and event.payload else Changes()


def project_derivation(derivation: Derivation) -> Changes:
    """The changes that a derivation makes. Its step is named `name/version`."""
    project = DERIVATIONS.get(derivation.step) or DERIVATIONS.get(derivation.step.partition("/")[0])
    return project(derivation) if project and derivation.body else Changes()
