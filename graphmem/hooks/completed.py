"""The facts of an event as they stand: a correction that left out what it is about ("ah wait no, 50061") says what it completed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from graphmem.cognify.amendments import is_correction
from graphmem.cognify.statements import find_statements
from graphmem.projections.registry import FACTS

if TYPE_CHECKING:
    from graphmem.context import HookContext


def facts_of_event(host: HookContext, event: str) -> list[dict[str, Any]]:
    """Return the facts that were derived from an event, without corrections that found nothing to correct."""
    facts = [fact for body in host.log.state.step_results(FACTS, event) for fact in body.get("facts", ())]
    halves = [fact["id"] for fact in facts if is_correction(fact)]
    if not halves:
        return facts
    whole = {one.item.id: one.item.text for one in host.retriever.ports.text.find(halves)}
    return [
        fact | _completed(whole[fact["id"]]) if fact["id"] in whole else fact
        for fact in facts
        if fact["id"] in whole or fact["id"] not in halves
    ]


def _completed(text: str) -> dict[str, Any]:
    kind = next((one.kind for one in find_statements(text, standing_orders=True)), "property")
    return {"content": text, "kind": kind}
