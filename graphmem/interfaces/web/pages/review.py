"""The review page: what waits for a person's decision, one click each, several at once where that makes sense, and the way
back. Every choice is a verb of the command line. What was decided, and what was forgotten, is listed on its own tab."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any

from nicegui import ui

from graphmem.errors import AccessDenied, NotFound
from graphmem.interfaces.web.approving import explain_empty, show_waiting
from graphmem.interfaces.web.decided import show_decided
from graphmem.interfaces.web.deciding import ACCEPT, REJECT, Decision
from graphmem.interfaces.web.merging import show_same_names
from graphmem.interfaces.web.parts import bar, chip, choices, div, empty, heading, pager, text, time, with_error_message
from graphmem.interfaces.web.selecting import BulkAction, Selection, memory_actions
from graphmem.interfaces.web.undecided import KINDS, Contested, Supposed, Undecided, Unsure, read_undecided
from graphmem.interfaces.web.view import View, address
from graphmem.memory import Memory
from graphmem.model.results import Detail

_PAGE = 20
_TABS = {"waiting": "New", "contested": "Contradictions", "withheld": "Withheld from agents", "supposed": "Supposed blockers",
         "alike": "Nearly the same", "unsure": "Uncertain facts", "same": "Same thing?", "decided": "Decided"}  # fmt: skip
_HINTS = {
    "waiting": "Learnt since approval is required. Agents are shown none of it, and searches leave it out, until you approve it.",
    "contested": "At most one of the two can be true. Agents are shown neither as certain until you choose.",
    "withheld": "These texts give orders to whoever reads them. Agents see one only after you allow it.",
    "supposed": "Read out of the text of a task. A task waits for it only after you confirm it.",
    "alike": "They share most of their words. Keep one if they say the same.",
    "same": "Two names that may mean one thing. If they do, a search for one finds the other, and their pages are one.",
    "unsure": "Derived with little evidence. What you call wrong is no longer shown to agents.",
}


@with_error_message
async def page(view: View, show: str = "", page: int = 1) -> None:
    """Show one queue, the first that is not empty by default."""
    heading(view.t("Review"), view.t("What waits for your decision. One click decides, and it can be taken back."))
    found = await view.run(read_undecided, "graph")
    counts = found.counts()
    chosen = show if show in _TABS else next((kind for kind in KINDS if counts[kind]), "")
    names = [
        (kind, f"{view.t(label)} {counts[kind]}" if kind in counts else view.t(label)) for kind, label in _TABS.items()
    ]
    with div("gm-line").style("margin-bottom:14px"):
        tabs = choices(names, chosen, lambda kind: view.go("/review", show=kind))
    if chosen == "decided":
        await show_decided(view)
    elif chosen == "waiting" and not counts[chosen]:
        explain_empty(view, is_required=await view.run(_requires_approval, "quick"))
    elif not chosen or not counts[chosen]:
        empty(
            "inbox",
            view.t("Nothing waits for you"),
            view.t("Contradictions, withheld texts and uncertain facts appear here."),
        )
    else:
        tab = next(one for one, (kind, _) in zip(tabs.default_slot.children, names, strict=True) if kind == chosen)

        def count(by: int) -> None:
            counts[chosen] += by
            tab.props["label"] = f"{view.t(_TABS[chosen])} {counts[chosen]}"

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


def _details(memory: Memory, ids: Sequence[str]) -> dict[str, Detail]:
    try:
        return {detail.id: detail for detail in memory.details(ids)} if ids else {}
    except NotFound:
        return {}


async def _pairs(view: View, pairs: Sequence[Any], draw: Callable[[Detail, Detail, Any, Decision], None]) -> None:
    """Show pairs of memories side by side, the newer one first."""
    ids = [id for pair in pairs for id in pair[:2]]
    details = await view.run(lambda memory: _details(memory, ids), "graph")
    with div("gm-stack gm-queue"):
        for pair in pairs:
            if pair[0] in details and pair[1] in details:
                older, newer = sorted((details[pair[0]], details[pair[1]]), key=lambda one: (one.at, one.id))
                Decision(view, f"{newer.id} {older.id}", partial(draw, newer, older, pair))


def _side(view: View, known: Detail, label: str) -> None:
    """Show one memory of a pair: what it says, who said it, and when."""
    text(label, "gm-column")
    text(known.content or known.title, "gm-pre")
    with div("gm-line"):
        time(view, known.at)
        if known.origin:
            chip(view.t(known.origin))
        if known.session:
            ui.link(view.t("in its session"), address("/sessions", id=known.session)).classes("gm-time gm-linked")
        ui.link(view.t("evidence"), address("/item", id=known.id)).classes("gm-time gm-linked")


def _shortly(known: Detail) -> str:
    plain = " ".join((known.title or known.content).split())
    return plain if len(plain) <= 90 else plain[:89] + "…"


async def _contested(view: View, found: Undecided, page: int) -> None:
    await _pairs(view, _cut(found.contested, page), partial(_contradiction, view))


def _contradiction(view: View, newer: Detail, older: Detail, pair: Contested, row: Decision) -> None:
    t = view.t

    def replaces(known: Detail, other: Detail, *, undo: bool = False) -> Awaitable[Any]:
        return view.verb("supersede", old=other.id, new=known.id, undo=undo)

    if pair.about:
        text(pair.about, "gm-soft")
    with div("gm-two-columns gm-pair"):
        for known, other, label in ((newer, older, t("newer")), (older, newer, t("older"))):
            with div():
                _side(view, known, label)
                row.choice(
                    t("This is true"), partial(replaces, known, other), t("“{kept}” holds.", kept=_shortly(known)),
                    undo=partial(replaces, known, other, undo=True), icon="check", key=ACCEPT if known is newer else "",
                )  # fmt: skip
    with div("gm-line"):
        row.choice(
            t("Both are true"),
            partial(replaces, newer, older, undo=True),
            t("Both hold: they do not contradict each other."),
            key=REJECT,
        )
        _same(view, row, older, newer)
        _correct(view, row, newer, older)


def _same(view: View, row: Decision, kept: Detail, merged: Detail) -> None:
    """Offer to merge one memory into the other."""
    row.choice(
        view.t("They say the same"), lambda: view.verb("archive", id=merged.id, same_as=kept.id),
        view.t("Merged into “{kept}”.", kept=_shortly(kept)), undo=lambda: view.verb("restore", id=merged.id), icon="merge",
    )  # fmt: skip


def _correct(view: View, row: Decision, newer: Detail, older: Detail) -> None:
    """Offer to write what is true instead of both."""
    box = ui.input(placeholder=view.t("Neither: write what is true")).props("dense borderless maxlength=2000")
    box.classes("gm-field grow").props(f'aria-label="{view.t("Neither: write what is true")}"')

    async def write(content: str) -> None:
        if not (content := content.strip()):
            return

        async def replace_both() -> str:
            new = (await view.verb("remember", content=content))["id"]
            for old in (newer, older):
                await view.verb("supersede", old=old.id, new=new)
            return str(new)

        await row.decide(replace_both, view.t("“{kept}” holds.", kept=content[:90]))

    box.on("keydown.enter", lambda event: write(str(event.args)), js_handler="(event) => emit(event.target.value)")


async def _alike(view: View, found: Undecided, page: int) -> None:
    def draw(newer: Detail, older: Detail, pair: Any, row: Decision) -> None:
        t = view.t
        with div("gm-two-columns gm-pair"):
            for known, other, label in ((older, newer, t("older")), (newer, older, t("newer"))):
                with div():
                    _side(view, known, label)
                    row.choice(
                        t("Keep this one"), partial(view.verb, "archive", id=other.id, same_as=known.id),
                        t("Merged into “{kept}”.", kept=_shortly(known)), icon="merge", key=ACCEPT if known is older else "",
                        undo=partial(view.verb, "restore", id=other.id),
                    )  # fmt: skip
        row.choice(
            t("They differ"), lambda: view.verb("supersede", old=older.id, new=newer.id, undo=True),
            t("Both are kept."), key=REJECT,
        )  # fmt: skip

    await _pairs(view, _cut(found.alike, page), draw)


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
                    text(known["reasons"], "gm-time")
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
