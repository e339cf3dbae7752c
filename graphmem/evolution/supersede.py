"""Manual decisions about facts that supersede or contradict each other. Recorded as events, they take precedence over all
rules and can be undone."""

from __future__ import annotations

from typing import Any

from graphmem.cognify.ledger import DECIDED, current_decisions
from graphmem.context import StoreContext
from graphmem.errors import NotFound, UsageError
from graphmem.model.events import Draft
from graphmem.ports.callers import signed
from graphmem.sync.process import process_pending


def supersede(context: StoreContext, *, old: str, new: str, undo: bool = False) -> str:
    """Record that `new` superseded `old`; return the event id. `undo` withdraws that decision, so that the two stand as before
    it; where a person had decided nothing, it records that `new` did not supersede `old`. Raises NotFound if one of them is
    not a fact, UsageError if both are the same."""
    process_pending(context)
    older, newer = _fact(context, old), _fact(context, new)
    if older == newer:
        raise UsageError("a fact cannot replace itself: name two facts", id=older)
    payload: dict[str, Any] = {"older": older, "newer": newer, "holds": not undo}
    if undo and current_decisions(context.log.read(types=[DECIDED])).get((newer, older)):
        payload["withdrawn"] = True
    (appended,) = context.recorder.record(
        [Draft(DECIDED, payload, context.clock.now(), "", context.project, signed("user"))]
    )
    process_pending(context)
    return appended.id


def _fact(context: StoreContext, name: str) -> str:
    for stored in context.text.find([name]):
        if stored.item.kind == "fact":
            return stored.item.id
    raise NotFound(f"there is no fact `{name}`: `graphmem search --kind fact` lists ids", name=name)
