"""Asks before something is forgotten, and why; the reason is kept on the receipt."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from graphmem.interfaces.web.parts import button, div, text
from graphmem.interfaces.web.view import View


def ask_to_forget(view: View, title: str, named: str, back: str, **what: Any) -> None:
    """Open the dialog. `named` is how the page calls what is to be forgotten, `what` is the argument of `forget` for it;
    afterwards the page `back` is shown."""
    t = view.t

    async def forget() -> None:
        dialog.close()
        reason = "" if purge.value else (why.value or "").strip()
        report = await view.attempt(view.verb("forget", **what, reason=reason, purge=bool(purge.value), confirm=True))
        if report is not None:
            ui.notify(t("{n} events were forgotten", n=report.events), type="positive")
            view.go(back)

    with ui.dialog(value=True) as dialog, ui.card().classes("gm-dialog"):
        dialog.props(f'aria-label="{title}"')
        text(title).style("font-weight:600")
        text(f"“{named}”", "gm-forgotten gm-three")
        text(
            t(
                "It disappears from all answers immediately, with everything derived only from it. This cannot be undone."
            ),
            "gm-soft",
        )
        why = ui.input(t("Why? Kept on the receipt, so do not repeat what is forgotten.")).props(
            "dense outlined maxlength=500"
        )
        why.classes("gm-wide").style("margin-top:10px").on("keydown.enter", forget)
        purge = ui.checkbox(
            t("Also erase the bytes from disk"), on_change=lambda event: why.set_enabled(not event.value)
        )
        text(
            t("A purge keeps no reason, because its words could repeat what is erased."), "gm-soft"
        ).bind_visibility_from(purge, "value")
        with div("gm-line").style("margin-top:14px"):
            button(t("Forget it"), forget, kind="danger")
            button(t("Cancel"), dialog.close)
