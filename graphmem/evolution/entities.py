"""Manual decisions that two entities are one thing, such as `k8s` and `Kubernetes`. Recorded as events, so they can be undone and
survive a rebuild; both entities stay in the graph, the merged one RESOLVES_TO the other."""

from __future__ import annotations

from graphmem import resources
from graphmem.browse.explore import find_node
from graphmem.context import StoreContext
from graphmem.errors import NotFound, UsageError
from graphmem.model.events import Draft
from graphmem.ports.callers import signed
from graphmem.projections.entities import MERGED, merged_entities
from graphmem.sync.process import process_pending

_REASON = 500  # maximum characters
_BY_NAME = "queries/graph/look/entities_named.cypher"


def merge_entities(context: StoreContext, *, merged: str, kept: str, reason: str = "", undo: bool = False) -> str:
    """Record that `merged` is the same thing as `kept`, or with `undo` that it is not; return the event id. Raises NotFound for an
    unknown or ambiguous entity, UsageError if the two cannot be merged."""
    if len(reason) > _REASON:
        raise UsageError(f"a reason has at most {_REASON} characters, not {len(reason)}")
    process_pending(context)
    gone, stays = _entity(context, merged), _entity(context, kept)
    if gone == stays:
        raise UsageError("an entity cannot be merged into itself: name two entities", id=gone)
    if not undo:
        known = merged_entities(context.log.read(types=[MERGED]))
        if gone in known:
            raise UsageError(f"`{gone}` is already merged into `{known[gone]}`: undo that first", id=gone)
        if stays in known:
            raise UsageError(f"`{stays}` is itself merged into `{known[stays]}`: name that one", id=stays)
    payload = {"merged": gone, "kept": stays, "holds": not undo} | (
        {"reason": reason.strip()} if reason.strip() else {}
    )
    (appended,) = context.recorder.record(
        [Draft(MERGED, payload, context.clock.now(), "", context.project, signed("user"))]
    )
    process_pending(context)
    return appended.id


def _entity(context: StoreContext, name: str) -> str:
    """Return the id of an entity by its id or name."""
    node = find_node(context.graph, context.text, name)
    if node is not None and node.label == "Entity":
        return node.id
    found = [
        str(id) for (id,) in context.graph.query(resources.text(_BY_NAME), {"name": name}, limit=50, timeout=30.0).rows
    ]
    if not found:
        raise NotFound(f"there is no entity `{name}`: the query `entities` lists ids", name=name)
    if len(found) > 1:
        raise NotFound(f"`{name}` is ambiguous: {', '.join(found[:5])}", name=name, candidates=found)
    return found[0]
