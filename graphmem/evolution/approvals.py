"""A person's decisions on what waits for approval: approve, reject, or approve with another text. A decision is an event that names
items and contains none of their text, so it survives a rebuild; an edited item is a new memory of the person who wrote it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from graphmem import resources
from graphmem.context import StoreContext
from graphmem.errors import NotFound, UsageError
from graphmem.log.approvals import APPROVE, DECIDED, REJECT, UNDO, read_approvals
from graphmem.model.changes import Item
from graphmem.model.events import Draft
from graphmem.model.kinds import REMEMBERABLE
from graphmem.ports.callers import signed
from graphmem.sync.process import process_pending

_RELATED = "queries/graph/read/facts_replaced_or_contested.cypher"
_SHOWN = 200  # characters of a contradicted text
_WARNING = "What you approved and other memories exclude each other: `graphmem supersede` or the review page decides between them."
_REASON = 500  # maximum characters
_VERDICTS = (APPROVE, REJECT, UNDO)


def decide_approval(
    context: StoreContext, *, ids: Sequence[str], verdict: str, reason: str = "", content: str = ""
) -> dict[str, Any]:
    """Record that these items were approved or rejected, or with `undo` that they wait again. With `content`, the one item is
    replaced by a memory with this text. A decision on what does not wait changes nothing. Raises NotFound for an unknown item,
    UsageError if approval is not required."""
    if verdict not in _VERDICTS:
        raise UsageError(f"there is no verdict `{verdict}`: use approve, reject or undo", verdict=verdict)
    if len(reason) > _REASON:
        raise UsageError(f"a reason has at most {_REASON} characters, not {len(reason)}")
    if content.strip() and (len(ids) != 1 or verdict != APPROVE):
        raise UsageError("a new text is for one memory that you approve")
    if not ids or not all(id.strip() for id in ids):
        raise UsageError("name at least one memory, and each by its id")
    if not read_approvals(context.log).is_required:
        raise UsageError("nothing waits for approval here: the setting `approval.required` is off")
    process_pending(context)
    found = [_find(context, id) for id in dict.fromkeys(ids)]
    made = dict[str, Any]()
    payload: dict[str, Any] = {"items": [one.id for one in found], "verdict": verdict}
    if content.strip():
        (edited,) = context.recorder.record([_edited(context, found[0], content.strip())])
        made = {"id": edited.id}
        payload |= {"verdict": REJECT, "edited": edited.id}
        reason = reason or "replaced by an edited text"
    payload |= {"reason": reason.strip()} if reason.strip() else {}
    context.recorder.record([_draft(context, DECIDED, payload, found[0].project)])
    process_pending(context)
    conflicts = _conflicts(context, {*payload["items"], *made.values()}) if made or verdict == APPROVE else []
    told = {"conflicts": conflicts, "warning": _WARNING} if conflicts else {}
    return {"items": payload["items"], "verdict": APPROVE if made else verdict, **made, **told}


def _conflicts(context: StoreContext, approved: set[str]) -> list[dict[str, str]]:
    """Return what the approved memories contradict or replace: `[{id, relation, other, content}]`."""
    rows = context.graph.query(resources.text(_RELATED)).rows
    pairs = [
        (newer, "contradicts" if kind == "CONTRADICTS" else "replaces", older)
        for kind, newer, older, _ in rows
        if newer in approved or (older in approved and kind == "CONTRADICTS")
    ]
    texts = {one.item.id: one.item.text for one in context.text.find([id for a, _, b in pairs for id in (a, b)])}
    found = []
    for newer, relation, older in pairs:
        id, other = (newer, older) if newer in approved else (older, newer)
        found.append({"id": id, "relation": relation, "other": other, "content": texts.get(other, "")[:_SHOWN]})
    return found


def _edited(context: StoreContext, item: Item, content: str) -> Draft:
    kind = item.kind if item.kind in REMEMBERABLE else "fact"
    kept = {"title": item.title if item.title not in item.text else "", "tags": list(item.tags)}
    files = context.retriever.details([item.id])[0].files
    kept["files"] = [file for file in files if file not in item.text]  # those that a text names follow from the text
    given = {"kind": kind, "content": content} | {name: value for name, value in kept.items() if value}
    return _draft(context, "memory_remembered", given, item.project)


def _draft(context: StoreContext, type: str, payload: dict[str, Any], project: str) -> Draft:
    return Draft(type, payload, context.clock.now(), "", project or context.project, signed("user"))


def _find(context: StoreContext, name: str) -> Item:
    for stored in context.text.find([name]):
        return stored.item
    raise NotFound(f"there is no item `{name}`: `graphmem approvals` lists what waits", name=name)
