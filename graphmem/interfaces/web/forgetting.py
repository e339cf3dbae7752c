"""Asks before something is forgotten, and why; the reason is kept on the receipt."""

from __future__ import annotations

from typing import Any, NamedTuple

from nicegui import ui

from graphmem.interfaces.web.parts import busy, button, div, is_busy, press, text
from graphmem.interfaces.web.view import View


class Doomed(NamedTuple):
    """What is to be forgotten: its title, when it was said, and its text if that is more than the title."""

    title: str
    when: str = ""
    text: str = ""


def ask_to_forget(view: View, title: str, doomed: Doomed, back: str, **what: Any) -> None:
    """Open the dialog. `what` is the argument of `forget`; afterwards the page `back` is shown."""
    t = view.t

    async def forget() -> None:
        if is_busy(card):
            return
        reason = "" if purge.value else (why.value or "").strip()
        with busy(card):  # the dialog covers what is being forgotten until another page is shown
            doing.set_text(t("It is being forgotten…"))
            report = await view.attempt(
                view.verb("forget", **what, reason=reason, purge=bool(purge.value), confirm=True)
            )
        if report is None:
            dialog.close()
        else:
            ui.notify(t("{n} events were forgotten", n=report.events), type="positive")
            view.go(back)
            dialog.close()

    with ui.dialog(value=True) as dialog, ui.card().classes("gm-dialog") as card:
        dialog.props(f'aria-label="{title}"')
        text(title).style("font-weight:600")
        with div("gm-forgotten"):
            text(f"“{doomed.title}”", "gm-three")
            text(doomed.when, "gm-time")
        if " ".join(doomed.text.split()) not in ("", doomed.title):
            text(doomed.text, "gm-pre gm-forgotten-text").props(f'tabindex="0" role="region" aria-label="{t("Text")}"')
        text(
            t(
                "It disappears from all answers immediately, with everything derived only from it. This cannot be undone."
            ),
            "gm-soft",
        )
        why = ui.input(t("Why? Kept on the receipt, so do not repeat what is forgotten.")).props(
            "dense outlined maxlength=500"
        )
        why.classes("gm-wide").style("margin-top:10px")
        purge: ui.checkbox = ui.checkbox(
            t("Also erase the bytes from disk"), on_change=lambda event: why.set_enabled(not event.value)
        )
        text(
            t("A purge keeps no reason, because its words could repeat what is erased."), "gm-soft"
        ).bind_visibility_from(purge, "value")
        with div("gm-line").style("margin-top:14px"):
            forgetting = button(t("Forget it"), forget, kind="danger")
            button(t("Cancel"), dialog.close)
            doing: ui.label = text("", "gm-soft").props('role="status"')
        why.on("keydown.enter", lambda: press(forgetting, forget))
