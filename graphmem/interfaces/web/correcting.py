"""Edits a fact: the new text is a memory of its own that replaces the fact, and a reason is kept with the old one."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from graphmem.interfaces.web.parts import button, div, text
from graphmem.interfaces.web.view import View

_MOST = 20_000  # characters


def ask_to_correct(view: View, id: str, content: str) -> None:
    """Open the dialog; afterwards the page of the new text is shown."""
    t = view.t

    async def replace(changed: str, reason: str) -> str:
        new = str((await view.verb("remember", content=changed))["id"])
        await view.verb("supersede", old=id, new=new)
        if reason:
            await view.verb("feedback", id=id, verdict="wrong", reason=reason)
        return new

    async def save() -> None:
        changed = (box.value or "").strip()
        if not changed or changed == content.strip():
            ui.notify(t("Change the text first."), type="warning")
            return
        if (new := await view.attempt(replace(changed, (why.value or "").strip()))) is not None:
            dialog.close()
            view.go("/item", id=new)

    with ui.dialog(value=True) as dialog, ui.card().classes("gm-dialog"):
        dialog.props(f'aria-label="{t("Edit the fact")}"').on("hide", dialog.delete)
        with div(tag="h2").style("margin:0"):
            text(t("Edit the fact"))
        text(
            t("Write what is true. Agents are told the new text from now on; the old one is kept as history."),
            "gm-soft",
        )
        box = _field(ui.textarea(t("Text"), value=content), f"autogrow autofocus maxlength={_MOST}")
        why = _field(ui.input(t("Why? (optional)")), "maxlength=500").on("keydown.enter", save)
        box.on("keydown.ctrl.enter", save)
        with div("gm-line").style("margin-top:14px"):
            button(t("Save"), save, "check", "main")
            button(t("Cancel"), dialog.close)


def _field(field: Any, props: str) -> Any:
    return field.props(f"dense outlined {props}").classes("gm-wide").style("margin-top:10px")
