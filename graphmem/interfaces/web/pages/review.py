"""The review page: what waits for a person's decision, one click each, several at once where that makes sense, and the way
back. Every choice is a verb of the command line. What was decided, and what was forgotten, is listed on its own tab."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from functools import partial
from typing import Any

from nicegui import ui

from graphmem.errors import AccessDenied
from graphmem.interfaces.web.approving import explain_empty, show_waiting
from graphmem.interfaces.web.decided import show_decided
from graphmem.interfaces.web.deciding import ACCEPT, REJECT, Decision
from graphmem.interfaces.web.merging import show_same_names
from graphmem.interfaces.web.pairs import show_alike, show_contradiction, show_pairs, show_replaced
from graphmem.interfaces.web.parts import bar, chip, choices, div, empty, heading, pager, text, time, with_error_message
from graphmem.interfaces.web.selecting import BulkAction, Selection, memory_actions
from graphmem.interfaces.web.undecided import KINDS, TABS, Supposed, Undecided, Unsure, read_undecided
from graphmem.interfaces.web.view import View, address
from graphmem.memory import Memory

_PAGE = 20
_REPLACED = 500  # latest replaced facts
_HINTS = {
    "waiting": "Learnt since approval is required. Agents are shown none of it, and searches leave it out, until you approve it.",
    "contested": "At most one of the two can be true. Agents are shown neither as certain until you choose.",
    "withheld": "These texts give orders to whoever reads them. Agents see one only after you allow it.",
    "supposed": "Read out of the text of a task. A task waits for it only after you confirm it.",
    "alike": "They share most of their words. Keep one if they say the same.",
    "same": "Two names that may mean one thing. If they do, a search for one finds the other, and their pages are one.",
    "replaced": "What a newer statement replaced. Agents are told the newer one; the older one is kept as history.",
    "unsure": "Derived with little evidence. What you call wrong is no longer shown to agents.",
}
# Why a text is withheld, by the classes of `trust.detector`.
_REASONS = {
    "address": "addresses an agent", "audience": "speaks to a program", "authority": "claims authority",
    "boundary": "pretends that another text begins", "command": "names a command to run", "exfiltration": "wants data sent away",
    "machinery": "speaks of the agent's inner parts", "order": "gives an order", "override": "wants rules ignored",
    "persistence": "wants to be remembered", "persona": "gives the agent another role", "secrecy": "wants something kept secret",
    "template": "imitates the agent's program", "timing": "says when to act", "hidden characters": "has hidden characters",
    "encoded text": "has encoded text", "hidden markup": "has hidden markup",
}  # fmt: skip


@with_error_message
async def page(view: View, show: str = "", page: int = 1) -> None:
    """Show one queue, the first that is not empty by default."""
    heading(view.t("Review"), view.t("What waits for your decision. One click decides, and it can be taken back."))
    found = await view.run(read_undecided, "graph")
    counts = found.counts()
    chosen = show if show in TABS else next((kind for kind in KINDS if counts[kind]), "")
    names = [
        (kind, f"{view.t(label)} {counts[kind]}" if kind in counts else view.t(label)) for kind, label in TABS.items()
    ]
    with div("gm-line").style("margin-bottom:14px"):
        tabs = choices(names, chosen, lambda kind: view.go("/review", show=kind))
    if chosen == "decided":
        await show_decided(view)
    elif chosen == "replaced":
        await _replaced(view, max(1, page))
    elif chosen == "waiting" and not counts[chosen]:
        explain_empty(view, is_required=await view.run(_requires_approval, "quick"))
    elif not chosen or not counts[chosen]:
        empty(
            "inbox",
            view.t("Nothing waits here") if any(counts.values()) else view.t("Nothing waits for you"),
            view.t("Contradictions, withheld texts and uncertain facts appear here.")
            if not any(counts.values())
            else "",
        )
    else:
        tab = next(one for one, (kind, _) in zip(tabs.default_slot.children, names, strict=True) if kind == chosen)

        def count(by: int) -> None:
            counts[chosen] += by
            if not tab.is_deleted:
                tab.props["label"] = f"{view.t(TABS[chosen])} {counts[chosen]}"

        view.count_decided = count
        text(view.t(_HINTS[chosen]), "gm-soft").style("margin-bottom:12px")
        await _SHOW[chosen](view, found, max(1, page))
        pager(view, max(1, page), _PAGE, counts[chosen], lambda number: view.go("/review", show=chosen, page=number))


def _requires_approval(memory: Memory) -> bool:
    try:
        return any(entry.value for entry in memory.config() if entry.key == "approval.required")
    except AccessDenied:  # on a shared server, who may not change settings does not read them
        return True


def _cut(rows: Sequence[Any], page: int) -> Sequence[Any]:
    return rows[(page - 1) * _PAGE : page * _PAGE]


async def _contested(view: View, found: Undecided, page: int) -> None:
    await show_pairs(view, _cut(found.contested, page), show_contradiction)


async def _alike(view: View, found: Undecided, page: int) -> None:
    await show_pairs(view, _cut(found.alike, page), show_alike)


async def _replaced(view: View, page: int) -> None:
    """Show what newer facts replaced, by a rule or a person."""
    rows = (await view.run(lambda memory: memory.query("facts_replaced", {"limit": _REPLACED}), "graph")).to_dicts()
    if not rows:
        empty("history", view.t("Nothing was replaced yet"), view.t(_HINTS["replaced"]))
        return
    text(view.t(_HINTS["replaced"]), "gm-soft").style("margin-bottom:12px")
    await show_pairs(view, [(row["new_id"], row["old_id"]) for row in _cut(rows, page)], show_replaced)
    pager(view, page, _PAGE, len(rows), lambda number: view.go("/review", show="replaced", page=number))


def _bulk(view: View, actions: Sequence[BulkAction], rows: dict[str, Decision]) -> Selection:
    """Create the bar for several rows; a row that was acted on says so."""

    def done(ids: list[str]) -> None:
        for id in ids:
            if id in rows:
                rows[id].conclude(view.t("Decided with the others."))

    return Selection(view, actions, done)


async def _withheld(view: View, found: Undecided, page: int) -> None:
    t, rows = view.t, dict[str, Decision]()
    selection = _bulk(view, [
        BulkAction(t("Allow"), "check", "allow"),
        BulkAction(t("Keep withheld"), "block", "deny"),
    ], rows)  # fmt: skip

    def draw(known: dict[str, Any], row: Decision) -> None:
        id, kind, origin = str(known["id"]), str(known["kind"]), str(known["origin"])
        allow, deny = lambda: view.verb("allow", id=id), lambda: view.verb("deny", id=id)
        with div("gm-line").style("flex-wrap:nowrap;align-items:flex-start"):
            selection.box(id, str(known["text"]))
            with div("grow"):
                text(known["text"], "gm-pre")
                with div("gm-line"):
                    chip(t(kind))
                    time(view, known["at"])
                    text(t("from: {origin}", origin=t(origin)), "gm-time")
                    reasons = ", ".join(t(_REASONS.get(one, one)) for one in str(known["reasons"]).split(", "))
                    text(t("why: {reasons}", reasons=reasons), "gm-time")
                    if known["session"]:
                        ui.link(t("in its session"), address("/sessions", id=known["session"], turn=id)).classes(
                            "gm-time gm-linked"
                        )
        with div("gm-line"):
            row.choice(t("Allow"), allow, t("Agents may see it."), undo=deny, icon="check", key=ACCEPT)
            row.choice(t("Keep withheld"), deny, t("Agents never see it."), undo=allow, icon="block", key=REJECT)

    with div("gm-stack gm-queue"):
        for known in _cut(found.withheld, page):
            rows[str(known["id"])] = Decision(view, str(known["id"]), partial(draw, known),
                str(known["text"]))  # fmt: skip


async def _supposed(view: View, found: Undecided, page: int) -> None:
    with div("gm-stack gm-queue"):
        for one in _cut(found.supposed, page):
            named = found.titles.get(one.blocker.id) or one.blocker.text or one.blocker.id
            Decision(
                view, f"{one.task.id} {one.blocker.id}", partial(_blocker, view, found, one, named), one.task.title
            )


def _blocker(view: View, found: Undecided, one: Supposed, named: str, row: Decision) -> None:
    t, task, blocker = view.t, one.task, one.blocker

    def block() -> Awaitable[Any]:
        is_suggested = not one.is_condition and not row.was_undone
        return (
            view.verb("tasks confirm", id=task.id, blocker=blocker.id)
            if is_suggested
            else view.verb("tasks block", id=task.id, by=blocker.id)
        )

    async def unblock() -> Any:
        return row.was_undone or await view.verb("tasks unblock", id=task.id, blocker=blocker.id)

    with div("gm-line"):
        ui.link(task.title, address("/item", id=task.id)).classes("gm-linked").style("font-weight:550")
        text(t("waits for"), "gm-soft")
        text(f"“{named}”")
    with div("gm-line"):
        for number, other in enumerate(blocker.candidates[:3] if one.is_condition else ()):
            title = found.titles.get(other, other)
            row.choice(
                t("It is “{title}”", title=title),
                partial(view.verb, "tasks resolve", condition=blocker.id, target=other),
                t("It waits for “{title}”.", title=title), icon="link", key="" if number else ACCEPT,
            )  # fmt: skip
        if one.is_condition:
            row.choice(t("It has happened"), partial(view.verb, "tasks resolve", condition=blocker.id),
                       t("“{title}” has happened.", title=named))  # fmt: skip
        else:
            row.choice(t("Confirm"), block, t("It waits for “{title}”.", title=named), icon="check", key=ACCEPT,
                       undo=lambda: view.verb("tasks unblock", id=task.id, blocker=blocker.id))  # fmt: skip
        row.choice(t("It does not wait for it"), unblock, t("It does not wait for “{title}”.", title=named), key=REJECT)


async def _unsure(view: View, found: Undecided, page: int) -> None:
    t, rows = view.t, dict[str, Decision]()
    selection = _bulk(view, memory_actions(view), rows)

    def draw(one: Unsure, row: Decision) -> None:
        restore = lambda: view.verb("restore", id=one.id)  # noqa: E731
        with div("gm-line").style("flex-wrap:nowrap;align-items:flex-start"):
            selection.box(one.id, one.content)
            with div("grow"):
                text(one.content, "gm-pre")
                with div("gm-line"):
                    chip(t(one.kind.replace("_", " ")), "fact")
                    with div("gm-line gm-sure"):
                        bar(one.confidence)
                        text(t("{n} % sure", n=round(one.confidence * 100)), "gm-time")
                    time(view, one.at)
                    ui.link(t("evidence"), address("/item", id=one.id)).classes("gm-time gm-linked")
        with div("gm-line"):
            row.choice(t("Useful"), lambda: view.verb("feedback", id=one.id, verdict="useful"), t("rated useful"),
                       icon="thumb_up_off_alt", key=ACCEPT)  # fmt: skip
            row.choice(t("Wrong"), lambda: view.verb("feedback", id=one.id, verdict="wrong"), t("marked wrong"), undo=restore,
                       icon="thumb_down_off_alt", key=REJECT)  # fmt: skip
            row.choice(
                t("Archive"), lambda: view.verb("archive", id=one.id), t("archived"), undo=restore, icon="inventory_2"
            )

    with div("gm-stack gm-queue"):
        for one in _cut(found.unsure, page):
            rows[one.id] = Decision(view, one.id, partial(draw, one), one.content)


async def _same_things(view: View, found: Undecided, page: int) -> None:
    await show_same_names(view, list(_cut(found.same, page)))


async def _new(view: View, found: Undecided, page: int) -> None:
    await show_waiting(view, found.waiting, _cut(found.waiting, page))


_SHOW = {
    "waiting": _new,
    "contested": _contested,
    "withheld": _withheld,
    "supposed": _supposed,
    "alike": _alike,
    "unsure": _unsure,
    "same": _same_things,
}
