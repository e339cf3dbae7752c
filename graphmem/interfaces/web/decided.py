"""Lists the latest decisions of people, with the way back, and the receipts of what was forgotten: when, and how much. A receipt
names nothing of what it removed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from nicegui import ui

from graphmem.cognify.ledger import DECIDED
from graphmem.errors import NotFound
from graphmem.interfaces.web.parts import button, chip, div, empty, text, time
from graphmem.interfaces.web.view import View, address
from graphmem.log.approvals import APPROVE, REJECT
from graphmem.log.approvals import DECIDED as APPROVAL
from graphmem.memory import Memory
from graphmem.model.events import Event
from graphmem.model.results import Detail
from graphmem.model.tasks import to_datetime
from graphmem.projections.entities import MERGED

_TYPES = (
    "memory_feedback",
    "memory_archived",
    "memory_restored",
    "memory_reviewed",
    "memory_forgotten",
    DECIDED,
    MERGED,
    APPROVAL,
)
_SHOWN = 100
# Why something is gone: what a person asked to forget. Receipts of earlier versions do not say it.
_SCOPES: dict[str, Callable[[Callable[[str], str]], str]] = {
    "": lambda t: t("forgotten on request"),
    "item": lambda t: t("a single item was to be forgotten, with everything derived only from it"),
    "session": lambda t: t("a whole session was to be forgotten"),
    "time": lambda t: t("everything before a time was to be forgotten"),
    "project": lambda t: t("everything of a project was to be forgotten"),
    "old snapshots": lambda t: t("old snapshots of the terminal were removed to save space"),
}
_NAMED = 5  # items of one decision
_TITLE = 110  # characters


async def show_decided(view: View) -> None:
    """Show the latest decisions, newest first."""

    def read(memory: Memory) -> tuple[list[Event], dict[str, Detail]]:
        events = memory.history(types=_TYPES, limit=_SHOWN)[::-1]
        ids = list(dict.fromkeys(id for event in events for id in _items(event)))
        try:
            return events, {detail.id: detail for detail in memory.details(ids)} if ids else {}
        except NotFound:
            return events, {}

    events, known = await view.run(read, "graph")
    if not events:
        empty(
            "gavel",
            view.t("Nothing was decided yet"),
            view.t("Ratings, choices and receipts of deletion are listed here."),
        )
        return
    latest: set[str] = set()
    with div("gm-panel flush"), div("gm-rows"):
        for event in events:
            key = " ".join(sorted(_items(event)))
            _row(view, event, known, is_latest=key not in latest)
            latest.add(key)


def _items(event: Event) -> list[str]:
    """Return the ids of what was decided on; for two facts the newer one first."""
    if event.type == APPROVAL:
        edited = [event.payload["edited"]] if event.payload.get("edited") else []
        return [str(id) for id in (*edited, *event.payload.get("items", ()))][:_NAMED]
    names = ("item", "same_as", "newer", "older", "target", "merged", "kept")
    return [str(event.payload[name]) for name in names if event.payload.get(name)]


def _row(view: View, event: Event, known: dict[str, Detail], *, is_latest: bool) -> None:
    label, tone = _said(view, event)
    with div("gm-row gm-receipt").props(f'tabindex="0" data-event="{event.id}"'):
        time(view, to_datetime(event.at))
        with div("gm-what"):
            chip(label, tone)
        with div("grow"):
            if event.type == "memory_forgotten":
                text(_SCOPES.get(str(event.payload.get("scope")), _SCOPES[""])(view.t))
                text(_receipt(view, event), "gm-soft")
            for id in _items(event):
                ui.link(_title(view, known.get(id), id), address("/item", id=id)).classes("gm-linked gm-receipt-of")
            if reason := str(event.payload.get("reason") or ""):
                text(f"“{view.t(reason) if event.payload.get('edited') else reason}”", "gm-soft")
        if is_latest and (undo := _undo(view, event)) is not None:
            button(view.t("Undo"), lambda: _take_back(view, undo), "undo", "quiet")


def _title(view: View, known: Detail | None, id: str) -> str:
    if known is None and id.startswith("ent:"):
        return id.split(":", 2)[-1]
    if known is None:
        return view.t("something that was forgotten since")
    said = known.content if known.kind == "fact" else known.title  # two facts often have one title
    plain = " ".join((said or known.title or known.content).split())
    return plain if len(plain) <= _TITLE else plain[: _TITLE - 1] + "…"


def _said(view: View, event: Event) -> tuple[str, str]:
    """Return in words what was decided, and its tone."""
    t, given = view.t, event.payload
    if event.type == DECIDED and given.get("withdrawn"):
        return t("waits again"), "pending"
    if event.type == DECIDED:
        return (t("the first replaced the second"), "in_progress") if given.get("holds") else (t("both hold"), "good")
    if event.type == MERGED:
        return (t("the first is the second"), "in_progress") if given.get("holds") else (t("they differ"), "good")
    if event.type == APPROVAL and given.get("edited"):
        return t("approved as the first, instead of the second"), "good"
    if event.type == APPROVAL:
        words = {APPROVE: (t("approved"), "good"), REJECT: (t("rejected"), "bad")}
        return words.get(str(given.get("verdict")), (t("waits again"), "pending"))
    if event.type == "memory_feedback":
        return (t("rated useful"), "good") if given.get("verdict") == "useful" else (t("marked wrong"), "bad")
    if event.type == "memory_archived":
        return (t("merged into the second"), "in_progress") if given.get("same_as") else (t("archived"), "pending")
    if event.type == "memory_reviewed":
        return (t("agents may see it"), "good") if given.get("verdict") == "allow" else (t("withheld for good"), "bad")
    return (t("restored"), "good") if event.type == "memory_restored" else (t("forgotten"), "bad")


def _receipt(view: View, event: Event) -> str:
    counts = (("events", "{n} events"), ("nodes", "{n} nodes"), ("items", "{n} texts"))
    what = ", ".join(view.t(label, n=len(event.payload.get(name) or ())) for name, label in counts)
    return view.t("Removed: {what}", what=what)


def _undo(view: View, event: Event) -> Callable[[], Awaitable[Any]] | None:
    """Return what takes a decision back; None if nothing does."""
    given = event.payload
    if event.type == DECIDED and given.get("holds"):
        return lambda: view.verb("supersede", old=given["older"], new=given["newer"], undo=True)
    if event.type == MERGED and given.get("holds"):
        return lambda: view.verb("merge-entities", merged=given["merged"], kept=given["kept"], undo=True)
    if event.type == "memory_archived" or (event.type == "memory_feedback" and given.get("verdict") == "wrong"):
        return lambda: view.verb("restore", id=given["item"])
    if event.type == APPROVAL and given.get("edited"):
        return lambda: _take_back_edit(view, given)
    if event.type == APPROVAL and given.get("verdict") in (APPROVE, REJECT):
        return lambda: view.verb("approve", id=list(given["items"]), undo=True)
    if event.type == "memory_reviewed":
        other = "deny" if given.get("verdict") == "allow" else "allow"
        return lambda: view.verb(other, id=given["target"])
    return None


async def _take_back_edit(view: View, given: Mapping[str, Any]) -> Any:
    await view.verb("forget", id=given["edited"], confirm=True)
    return await view.verb("approve", id=list(given["items"]), undo=True)


async def _take_back(view: View, undo: Callable[[], Awaitable[Any]]) -> None:
    if await view.attempt(undo()) is not None:
        ui.navigate.reload()
