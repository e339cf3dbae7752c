"""The queue of what was learnt and waits for approval, on the review page: approve, edit and approve, or reject each, or several at
once; each can be taken back."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from nicegui import ui

from graphmem.interfaces.web.deciding import ACCEPT, EDIT, REJECT, Decision
from graphmem.interfaces.web.parts import button, chip, div, empty, text, time
from graphmem.interfaces.web.selecting import BulkAction, Selection
from graphmem.interfaces.web.view import View, address


def show_waiting(view: View, rows: Sequence[dict[str, Any]]) -> None:
    """Show these rows of `Memory.approvals`."""
    t, decisions = view.t, dict[str, Decision]()

    def done(ids: list[str]) -> None:
        for id in ids:
            decisions[id].conclude(t("Decided with the others."))

    selection = Selection(
        view, [BulkAction(t("Approve"), "check", "approve"), BulkAction(t("Reject"), "block", "reject")], done
    )
    with div("gm-stack gm-queue"):
        for known in rows:
            id, content = str(known["id"]), str(known["text"])
            decisions[id] = Decision(
                view, id, partial(_row, view, selection, known), str(known["title"]) or " ".join(content.split())[:110]
            )


def _row(view: View, selection: Selection, known: dict[str, Any], row: Decision) -> None:
    t, id, content = view.t, str(known["id"]), str(known["text"])
    with div("gm-line").style("flex-wrap:nowrap;align-items:flex-start"):
        selection.box(id, str(known["title"]) or content)
        with div("grow"):
            if known["title"] and str(known["title"]) not in content:
                text(str(known["title"])).style("font-weight:550")
            text(content, "gm-pre")
            with div("gm-line"):
                chip(t(str(known["kind"])), str(known["kind"]))
                time(view, known["at"])
                if known["session"]:
                    ui.link(t("in its session"), address("/sessions", id=known["session"])).classes("gm-time gm-linked")
                ui.link(t("evidence"), address("/item", id=id)).classes("gm-time gm-linked")
    with div("gm-line") as choices:
        row.choice(t("Approve"), lambda: _approve(view, id), t("Agents may see it."), icon="check", key=ACCEPT,
                   undo=lambda: view.verb("approve", id=[id], undo=True))  # fmt: skip
        button(t("Edit"), lambda: _edit(view, row, choices, id, content), "edit", "small").props(f'data-act="{EDIT}"')
        row.choice(t("Reject"), lambda: view.verb("reject", id=[id]), t("Agents never see it."), icon="block", key=REJECT,
                   undo=lambda: view.verb("reject", id=[id], undo=True))  # fmt: skip


async def _approve(view: View, id: str) -> Any:
    """Approve one memory, and say what it contradicts or replaces."""
    given = await view.verb("approve", id=[id])
    for pair in given.get("conflicts", ()):
        said = view.t(
            "Contradicts: {text}" if pair["relation"] == "contradicts" else "Replaces: {text}", text=pair["content"]
        )
        ui.notify(said, type="warning", timeout=10_000)
    return given


def _edit(view: View, row: Decision, choices: Any, id: str, content: str) -> None:
    """Offer the text in place: what is saved is remembered instead of it."""
    t = view.t
    choices.clear()
    with choices, div("grow"):
        box = ui.textarea(value=content).props("dense outlined autogrow autofocus maxlength=20000").classes("gm-wide")
        box.props(f'aria-label="{t("Text to remember instead")}"')
        made: dict[str, str] = {}

        async def save() -> None:
            changed = str(box.value or "").strip()
            if not changed:
                ui.notify(t("Write a text, or reject the memory."), type="warning")
                return

            async def remember() -> Any:
                made.update(await view.verb("approve", id=[id], content=changed))
                return made

            await row.decide(remember, t("Agents may see the edited text."), undo)

        async def undo() -> Any:
            await view.verb("forget", id=made["id"], confirm=True)
            return await view.verb("approve", id=[id], undo=True)

        box.on("keydown.ctrl.enter", save)
        with div("gm-line").style("margin-top:8px"):
            button(t("Save and approve"), save, "check", "small")
            button(t("Cancel"), row.reset, kind="small")


def explain_empty(view: View, *, is_required: bool) -> None:
    """Say why nothing waits, and where that is changed."""
    t = view.t
    if is_required:
        empty("inbox", t("Nothing waits for you"), t("What agents learn from now on appears here first."))
        return
    empty("inbox", t("New memories do not wait for approval"),
          t("With the setting approval.required, agents are shown what was learnt only after you approved it."))  # fmt: skip
    with div("gm-line").style("justify-content:center"):
        button(t("Open the settings"), lambda: view.go("/settings"), "tune")
