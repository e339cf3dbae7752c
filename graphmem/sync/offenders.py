"""Finds the events that the graph engine rejects although they passed validation, by bisection in an in-memory scratch
graph. They become dead letters, and the graph is rebuilt without them, because an engine is not reliable after a
rolled-back batch."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

from graphmem.context import StoreContext
from graphmem.errors import GraphmemError, StoreError
from graphmem.log.upcast import upcast
from graphmem.model.changes import Changes
from graphmem.model.events import Derivation, Event
from graphmem.projections.batch import compact_batches, iterate_batches
from graphmem.projections.registry import STEPS, project_derivation, project_event
from graphmem.projections.runner import ENGINE

_TOGETHER = 200  # events per trial: few enough that no engine uses bulk copy, which cannot be rolled back


def set_offenders_aside(context: StoreContext, failure: Exception) -> None:
    """Turn the events that the engine rejects into dead letters. Raises StoreError if it accepts every event, because
    then the failure has another cause."""
    known = {letter.event for letter in context.backlog.letters(dead=True) if letter.step == ENGINE}
    found: dict[str, str] = {}
    for events in iterate_batches(event for event in upcast(context.log.read()) if event.id not in known):
        found |= _offending(context, events)
    steps = [*STEPS, *filter(None, [context.settings.types.step])]
    for derived in iterate_batches(one for one in context.log.derivations(steps=steps) if one.source not in known):
        found |= _offending(context, derived)
    context.backlog.set_aside(ENGINE, found.items())
    if not found:
        sentence = f"{type(failure).__name__}: {failure}".split("\n")[0]
        raise StoreError(
            f"the projections cannot be updated from the log: {sentence}", path=str(context.path)
        ) from failure


def _offending(context: StoreContext, sources: Sequence[Event | Derivation]) -> dict[str, str]:
    """Return reasons by event."""
    found: dict[str, str] = {}
    for start in range(0, len(sources), _TOGETHER):
        found |= _tried(context, sources[start : start + _TOGETHER])
    return found


def _tried(context: StoreContext, sources: Sequence[Event | Derivation]) -> dict[str, str]:
    graph = context.renewal.fresh_graph(roomy=False, scratch=True)
    try:
        graph.apply(compact_batches(map(_changes, sources)), {})
    except GraphmemError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever the engine says
        if len(sources) == 1:
            source = sources[0]
            event = source.id if isinstance(source, Event) else source.source
            return {event: f"the engine rejected it: {error}".split("\n")[0]}
        half = len(sources) // 2
        return _tried(context, sources[:half]) | _tried(context, sources[half:])
    finally:
        with contextlib.suppress(Exception):
            graph.close()
    return {}


def _changes(source: Event | Derivation) -> Changes:
    return project_event(source) if isinstance(source, Event) else project_derivation(source)
