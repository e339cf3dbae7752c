"""Use cases of memory maintenance: run passes, list categories, rate, archive or restore items. Each first brings the
projections up to date."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from graphmem import resources
from graphmem.cognify.ledger import DECIDED
from graphmem.context import StoreContext
from graphmem.errors import NotFound, UsageError
from graphmem.memify.categories import latest_categories, read_decisions
from graphmem.memify.run import run_passes_on_store as run
from graphmem.memify.usage import BY_HAND, manual_decisions
from graphmem.model.changes import Item
from graphmem.model.events import Draft
from graphmem.model.reports import MemifyReport
from graphmem.model.table import Table
from graphmem.ports.callers import signed
from graphmem.sync.pipeline import catch_up, embed_pending

VERDICTS = ("useful", "wrong")
_REASON = 500  # maximum characters of the reason of a rating
_OPPONENTS = "queries/graph/memify/opponents.cypher"
Progress = Callable[[str, int], None]


def _quiet(stage: str, count: int) -> None:
    """Default progress callback: does nothing."""


def run_memify(
    context: StoreContext,
    *,
    trigger: str = "daily",
    passes: Sequence[str] | None = None,
    force: bool = False,
    progress: Progress = _quiet,
) -> MemifyReport:
    """Run the passes. Raises UsageError for an unknown trigger or pass."""
    catch_up(context, progress)
    wanted: dict[str, Any] = {"trigger": trigger, "passes": passes, "force": force}
    report = context.renewal.evolved(wanted, progress) or run(context, progress=progress, **wanted)
    if report.done and context.outbox is not None and context.embedder is not None:
        embed_pending(context.outbox, context.embedder, batch=context.settings.embedding.batch, progress=progress)
    return report


def list_categories(context: StoreContext, *, history: bool = False) -> Table:
    """Return the categories with their sizes, largest first; with `history`, how they changed, newest first."""
    from datetime import UTC, datetime

    if history:
        rows = [
            [
                datetime.fromtimestamp(clock / 1e6, UTC),
                act["act"],
                act["name"],
                act.get("was") or act.get("into") or "",
                act["id"],
            ]
            for clock, decision in read_decisions(context.log)
            for act in decision.acts
        ]
        return Table(["at", "act", "category", "was_or_into", "id"], rows)
    import numpy as np

    sizes = np.bincount(context.text.columns.priors().category, minlength=256)
    found = sorted(latest_categories(context.log).categories, key=lambda each: (-int(sizes[each.slot]), each.name))
    rows = [
        [
            each.name,
            int(sizes[each.slot]),
            ", ".join(each.terms),
            datetime.fromtimestamp(each.since * 86_400, UTC),
            each.id,
        ]
        for each in found
    ]
    return Table(["category", "members", "terms", "since", "id"], rows)


def record_verdict(context: StoreContext, *, id: str, verdict: str, reason: str = "") -> dict[str, str]:
    """Record a rating of an item, with a reason if there is one. Raises UsageError for an unknown rating or a long reason,
    NotFound for an unknown item."""
    if verdict not in VERDICTS:
        raise UsageError(f"`{verdict}` is not a rating: use {' or '.join(VERDICTS)}", verdict=verdict)
    if len(reason) > _REASON:
        raise UsageError(f"a reason has at most {_REASON} characters, not {len(reason)}")
    given = {"verdict": verdict} | ({"reason": reason.strip()} if reason.strip() else {})
    found = _decided(context, id, "memory_feedback", given) | {"verdict": verdict}
    if verdict == "wrong":  # then facts that contradicted it are valid
        opponents = context.graph.query(resources.text(_OPPONENTS), {"id": found["id"]}).rows
        pairs = [{"newer": other, "older": found["id"], "holds": True, "rated": True} for (other,) in opponents]
        _decide_facts(context, pairs)
    else:
        _reopen(context, found["id"])
    return found


def _reopen(context: StoreContext, id: str) -> None:
    """Withdraw what a rating of the fact as wrong had decided with it: it is contested again where it was."""
    latest = {
        (event.payload["newer"], event.payload["older"]): event.payload
        for event in context.log.read(types=[DECIDED])
        if event.payload["older"] == id
    }
    made = [one for one in latest.values() if one.get("rated") and not one.get("withdrawn")]
    _decide_facts(context, [{**one, "holds": False, "withdrawn": True} for one in made])


def _decide_facts(context: StoreContext, decided: Sequence[dict[str, Any]]) -> None:
    if decided:
        now = context.clock.now()
        context.recorder.record([Draft(DECIDED, one, now, "", context.project, signed("user")) for one in decided])
        catch_up(context, _quiet)


def set_archived(context: StoreContext, *, id: str, away: bool, same_as: str = "") -> dict[str, str]:
    """Archive an item manually, or restore it permanently. With `same_as`, it is merged into that item: its uses count there.
    Raises NotFound for an unknown item, UsageError if the two cannot be merged."""
    given = {"same_as": _kept_item(context, id, same_as)} if away and same_as else {}
    found = _decided(context, id, "memory_archived" if away else "memory_restored", given)
    if not away:
        _reopen(context, found["id"])
    return found | given | {"status": "archived" if away else "active"}


def _kept_item(context: StoreContext, id: str, same_as: str) -> str:
    """Return the id of the item that `id` is merged into."""
    catch_up(context, _quiet)
    merged, kept = _item(context, id), _item(context, same_as)
    if merged.id == kept.id:
        raise UsageError("an item cannot be merged into itself: name two items", id=kept.id)
    if merged.kind != kept.kind:
        raise UsageError(f"a {merged.kind} cannot be merged into a {kept.kind}: name two items of one kind")
    if kept.id in manual_decisions(context.log.read(types=BY_HAND)).away:
        raise UsageError(f"`{same_as}` is archived itself: restore it first, or name another", id=kept.id)
    return kept.id


def _item(context: StoreContext, name: str) -> Item:
    for stored in context.text.find([name]):
        return stored.item
    raise NotFound(f"no item named `{name}`", name=name)


def _decided(context: StoreContext, name: str, kind: str, payload: dict[str, Any]) -> dict[str, str]:
    catch_up(context, _quiet)
    item = _item(context, name)
    context.recorder.record(
        [Draft(kind, payload | {"item": item.id}, context.clock.now(), "", item.project, signed("user"))]
    )
    catch_up(context, _quiet)  # it takes effect at once
    return {"id": item.id}
