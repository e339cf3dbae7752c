"""The live page: events as they arrive, newest on top, with filters, pause, and loading of older events."""

from __future__ import annotations

from collections import deque
from typing import Any

from nicegui import ui

from graphmem.interfaces.http.brief import brief
from graphmem.interfaces.web.events import FAMILIES, family, row
from graphmem.interfaces.web.parts import button, choices, div, empty, heading, text, with_error_message
from graphmem.interfaces.web.view import View

_PAGE = 40
_MOST = 300  # maximum rows on the page


@with_error_message
async def page(view: View, show: str = "", session: str = "") -> None:
    """Show the timeline; `show` is a family of events."""
    timeline = Timeline(view, show if show in FAMILIES else "", session)
    with heading(view.t("Live"), view.t("Events as they are recorded.")):
        with div("gm-line"):
            timeline.dot = div("gm-dot", "span")
            timeline.state = text(view.t("live"), "gm-time")
        timeline.pause = button(view.t("Pause"), timeline.toggle, "pause")
    names = [("", view.t("All")), *((name, view.t(name)) for name in FAMILIES)]
    with div("gm-line").style("margin-bottom:14px"):
        choices(names, timeline.show, lambda value: view.go("/live", show=value, session=session))
        if session:
            button(f"{view.t('session')} {session[:24]} ✕", lambda: view.go("/live", show=show), kind="quiet")
    with div("gm-panel flush"):
        timeline.rows = div("gm-rows")
        timeline.more = div().style("padding:10px 18px")
    await timeline.older()
    view.listen(timeline.hear)


class Timeline:
    """The visible rows."""

    dot: Any
    state: ui.label
    pause: ui.button
    rows: Any
    more: Any

    def __init__(self, view: View, show: str, session: str) -> None:
        self.view = view
        self.show = show
        self.session = session
        self.held: deque[dict[str, Any]] | None = None  # events that arrived while paused
        self.waiting = 0  # number of events that arrived while paused; only one page of them is kept
        self.shown: deque[int] = deque()  # log positions of the rows, newest first

    async def older(self) -> None:
        """Load a page of older events."""
        types = list(FAMILIES[self.show]) if self.show else None
        before = self.shown[-1] if self.shown else None
        found = await self.view.run(
            lambda memory: memory.history(session=self.session or None, types=types, limit=_PAGE, before=before)
        )
        with self.rows:
            for event in reversed(found):
                row(self.view, brief(event))
                self.shown.append(event.position)
            if not self.shown:
                hint = "Run an agent session with the hooks installed, or save a memory yourself. It appears here immediately."
                empty("bolt", self.view.t("No events yet"), self.view.t(hint), 'graphmem remember "…"')
        self._offer(more=len(found) == _PAGE)

    def _offer(self, *, more: bool) -> None:
        """Show the button for older events if there are any."""
        self.more.clear()
        self.more.set_visibility(more)
        if more:
            with self.more:
                button(self.view.t("Load older events"), self.older)

    def toggle(self) -> None:
        """Pause, or show the events that arrived meanwhile and continue."""
        if self.held is None:
            self.held, self.waiting = deque(maxlen=_PAGE), 0
            self.pause.set_text(self.view.t("Resume"))
            self.dot.classes(add="wait")
            self.state.set_text(self.view.t("paused"))
            return
        held, self.held = self.held, None
        self.pause.set_text(self.view.t("Pause"))
        self.dot.classes(remove="wait")
        self.state.set_text(self.view.t("live"))
        self._add(list(held))

    def hear(self, channel: str, data: Any) -> None:
        """Handle new events."""
        if channel != "events":
            return
        wanted = [
            event
            for event in data
            if (not self.show or family(event["type"]) == self.show)
            and (not self.session or event["session"] == self.session)
        ]
        gone = {id for event in data for id in event.get("gone", ())}
        for at in reversed([at for at, old in enumerate(self.rows) if old.props.get("data-event") in gone]):
            self.rows.remove(at)
            del self.shown[at]
        if self.held is not None:
            self.held.extend(wanted)
            self.waiting += len(wanted)
            self.state.set_text(self.view.t("paused, {n} new", n=self.waiting))
            return
        self._add(wanted)

    def _add(self, events: list[dict[str, Any]]) -> None:
        """Add rows on top; rows removed at the end can be loaded again."""
        if events and not self.shown:
            self.rows.clear()
        with self.rows:
            for event in events[-_PAGE:]:
                row(self.view, event, new=True).move(target_index=0)
                self.shown.appendleft(event["position"])
        if len(self.shown) > _MOST:
            for old in list(self.rows)[_MOST:]:
                self.rows.remove(old)
                self.shown.pop()
            self._offer(more=True)
