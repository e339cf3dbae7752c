"""Events as they arrive, newest on top: filtered by sort, stopped with one key, and read back as far as one likes."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from graphmem.interfaces.http.brief import brief
from graphmem.interfaces.web.events import FAMILIES, family, row
from graphmem.interfaces.web.parts import button, choices, div, empty, heading, text
from graphmem.interfaces.web.view import View, shown

_PAGE = 40
_MOST = 300  # rows that stay on the page


@shown
async def page(view: View, show: str = "", session: str = "") -> None:
    """Show the timeline; `show` is a family of events."""
    timeline = Timeline(view, show if show in FAMILIES else "", session)
    with heading(view.t("Live"), view.t("What the store records, the moment it does.")):
        with div("gm-line"):
            timeline.dot = div("gm-dot", "span")
            timeline.state = text(view.t("listening"), "gm-time")
        timeline.pause = button(view.t("Pause"), timeline.toggle, "pause")
    names = [("", view.t("All")), *((name, view.t(name)) for name in FAMILIES)]
    with div("gm-line").style("margin-bottom:14px"):
        choices(names, timeline.show, lambda value: view.go("/live", show=value, session=session))
        if session:
            button(f"{view.t('session')} {session[:24]} ✕", lambda: view.go("/live", show=show), kind="quiet")
    with div("gm-panel flush"):
        timeline.rows = div("gm-rows")
    await timeline.older()
    view.listen(timeline.hear)


class Timeline:
    """The rows and what they leave out."""

    dot: Any
    state: ui.label
    pause: ui.button
    rows: Any

    def __init__(self, view: View, show: str, session: str) -> None:
        self.view = view
        self.show = show
        self.session = session
        self.held: list[dict[str, Any]] | None = None  # what came while the page is stopped
        self.oldest: int | None = None
        self.more: Any = None

    async def older(self) -> None:
        """Read a page further back."""
        types = list(FAMILIES[self.show]) if self.show else None
        found = await self.view.run(
            lambda memory: memory.history(session=self.session or None, types=types, limit=_PAGE, before=self.oldest)
        )
        if self.more is not None:
            self.more.delete()
            self.more = None
        with self.rows:
            for event in reversed(found):
                row(self.view, brief(event))
            if not found and self.oldest is None:
                hint = "Run a session with the hooks installed, or remember something by hand; it appears here at once."
                empty("bolt", self.view.t("Nothing happened yet"), self.view.t(hint), 'graphmem remember "…"')
            if len(found) == _PAGE:
                with div().style("padding:10px 18px") as self.more:
                    button(self.view.t("Older"), self.older)
        self.oldest = found[0].position if found else self.oldest

    def toggle(self) -> None:
        """Stop, or show what came meanwhile and go on."""
        if self.held is None:
            self.held = []
            self.pause.set_text(self.view.t("Go on"))
            self.dot.classes(add="wait")
            self.state.set_text(self.view.t("paused"))
            return
        held, self.held = self.held, None
        self.pause.set_text(self.view.t("Pause"))
        self.dot.classes(remove="wait")
        self.state.set_text(self.view.t("listening"))
        self._add(held)

    def hear(self, channel: str, data: Any) -> None:
        """Take in what happened."""
        if channel != "events":
            return
        wanted = [
            event
            for event in data
            if (not self.show or family(event["type"]) == self.show)
            and (not self.session or event["session"] == self.session)
        ]
        gone = {id for event in data for id in event.get("gone", ())}
        for old in list(self.rows):
            if any(f"{id}" == old.props.get("data-event") for id in gone):
                self.rows.remove(old)
        if self.held is not None:
            self.held += wanted
            self.state.set_text(self.view.t("paused, {n} new", n=len(self.held)))
            return
        self._add(wanted)

    def _add(self, events: list[dict[str, Any]]) -> None:
        with self.rows:
            for event in events[-_PAGE:]:
                row(self.view, event, new=True).move(target_index=0)
        for old in list(self.rows)[_MOST:]:
            self.rows.remove(old)
