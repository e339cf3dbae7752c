"""Edits a fact: the new text is a memory of its own that replaces the fact, and a reason is kept with the old one."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from graphmem.interfaces.web.parts import busy, button, div, is_busy, press, text
from graphmem.interfaces.web.view import View
from graphmem.model.results import Detail

_MOST, _TITLE = 20_000, 200  # characters


def kept_of(*known: Detail) -> dict[str, Any]:
    """Return what a new text keeps of the memories that it replaces, as arguments of `remember`: the title if they share one,
    tags, and files except those that their texts name: these follow from the text."""
    titles = {one.title for one in known}
    kept: dict[str, Any] = {
        "title": titles.pop() if len(titles) == 1 else "",
        "file": list(dict.fromkeys(file for one in known for file in one.files if file not in one.content)),
        "tag": list(dict.fromkeys(tag for one in known for tag in one.tags)),
    }
    return {name: value for name, value in kept.items() if value}


async def ask_to_correct(view: View, id: str) -> None:
    """Open the dialog; afterwards the page of the new text is shown."""
    read = await view.attempt(view.run(lambda memory: memory.details([id])))
    if read:
        _open(view, read[0])


def _open(view: View, known: Detail) -> None:
    t = view.t

    async def replace(changed: str, reason: str) -> str:
        given = kept_of(known) | {"title": (title.value or "").strip() or None}
        new = str((await view.verb("remember", content=changed, **given))["id"])
        await view.verb("supersede", old=known.id, new=new)
        if reason:
            await view.verb("feedback", id=known.id, verdict="wrong", reason=reason)
        return new

    async def save() -> None:
        changed = (box.value or "").strip()
        if not changed or (changed == known.content.strip() and (title.value or "").strip() == known.title):
            ui.notify(t("Change the text first."), type="warning")
            return
        if is_busy(card):
            return
        with busy(card):
            new = await view.attempt(replace(changed, (why.value or "").strip()))
        if new is not None:
            dialog.close()
            view.go("/item", id=new)

    with ui.dialog(value=True) as dialog, ui.card().classes("gm-dialog") as card:
        dialog.props(f'aria-label="{t("Edit the fact")}"').on("hide", dialog.delete)
        with div(tag="h2").style("margin:0"):
            text(t("Edit the fact"))
        text(
            t("Write what is true. Agents are told the new text from now on; the old one is kept as history."),
            "gm-soft",
        )
        box = _field(ui.textarea(t("Text"), value=known.content), f"autogrow autofocus maxlength={_MOST}")
        title = _field(ui.input(t("Title (optional)"), value=known.title), f"maxlength={_TITLE}")
        why = _field(ui.input(t("Why? (optional)")), "maxlength=500")
        with div("gm-line").style("margin-top:14px"):
            saving = button(t("Save"), save, "check", "main")
            button(t("Cancel"), dialog.close)
        for field, key in ((title, "enter"), (why, "enter"), (box, "ctrl.enter")):
            field.on(f"keydown.{key}", lambda: press(saving, save))


def _field(field: Any, props: str) -> Any:
    return field.props(f"dense outlined {props}").classes("gm-wide").style("margin-top:10px")
