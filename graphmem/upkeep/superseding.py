"""A person's word on facts that replace or contradict each other: recorded as an event, which wins over every rule and
can itself be taken back by the next one."""

from __future__ import annotations

from graphmem.cognify.ledger import DECIDED
from graphmem.errors import NotFound, UsageError
from graphmem.model.events import Draft
from graphmem.upkeep.parts import Parts
from graphmem.upkeep.process import process


def supersede(parts: Parts, *, old: str, new: str, undo: bool = False) -> str:
    """Record that `new` replaced `old`, or that it did not; returns the id of the event. Raises NotFound where one of
    them is no fact, UsageError where both are the same."""
    process(parts)
    older, newer = _fact(parts, old), _fact(parts, new)
    if older == newer:
        raise UsageError("a fact cannot replace itself: name two facts", id=older)
    payload = {"older": older, "newer": newer, "holds": not undo}
    (appended,) = parts.recorder.record([Draft(DECIDED, payload, parts.clock.now(), "", parts.project, "user")])
    process(parts)
    return appended.id


def _fact(parts: Parts, name: str) -> str:
    for stored in parts.text.find([name]):
        if stored.item.kind == "fact":
            return stored.item.id
    raise NotFound(f"there is no fact `{name}`: `graphmem search --kind fact` lists ids", name=name)
