"""Which function projects which event or derivation. A type without a row changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

from graphmem.model.changes import Changes
from graphmem.model.events import Derivation, Event
from graphmem.projections import conversation, derived, evidence, forgetting, history, memories, tasks

Half = Literal["graph", "text"]
_From = TypeVar("_From")


@dataclass(frozen=True, slots=True)
class Halves(Generic[_From]):
    """A projection in two functions, one for the graph and one for the index: of a replay, most time goes into what is
    frequent, and two processes make each its half."""

    graph: Callable[[_From], Changes]
    text: Callable[[_From], Changes]

    def __call__(self, source: _From) -> Changes:
        changes = self.graph(source)
        changes.extend(self.text(source))
        return changes


_TURN = Halves(conversation.turn, conversation.turn_item)
EVENTS: dict[str, Callable[[Event], Changes]] = {
    "session_start": conversation.session_started,
    "session_end": conversation.session_ended,
    "user_prompt": _TURN,
    "agent_response": _TURN,
    "tool_observation": _TURN,
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
    "entities": Halves(derived.entities, derived.mentions),
    "typed": derived.typed,
    FACTS: derived.facts,
    "links": derived.links,
}
STEPS = frozenset(DERIVATIONS) - {"typed"}  # the steps whose results are projected, whatever is configured


def _halved(
    table: Mapping[str, Callable[[_From], Changes]],
) -> dict[Half | None, dict[str, Callable[[_From], Changes]]]:
    """The table for each half, and for both."""
    parts = {name: row if isinstance(row, Halves) else Halves(row, row) for name, row in table.items()}
    graph, text = {n: row.graph for n, row in parts.items()}, {n: row.text for n, row in parts.items()}
    return {None: dict(table), "graph": graph, "text": text}


_EVENTS, _DERIVATIONS = _halved(EVENTS), _halved(DERIVATIONS)


def project_event(event: Event, only: Half | None = None) -> Changes:
    """The changes that an event makes; none where its payload is gone. `only` says of which half alone they are needed."""
    project = _EVENTS[only].get(event.type)
    return project(event) if project and event.payload else Changes()


def project_derivation(derivation: Derivation, only: Half | None = None) -> Changes:
    """The changes that a derivation makes. Its step is named `name/version`."""
    table = _DERIVATIONS[only]
    project = table.get(derivation.step) or table.get(derivation.step.partition("/")[0])
    return project(derivation) if project and derivation.body else Changes()
