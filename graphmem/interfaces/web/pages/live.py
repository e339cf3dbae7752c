"""The live page: events as they arrive, newest on top, with filters, pause, and loading of older events."""

from __future__ import annotations

from collections import deque
from typing import Any

from nicegui import ui

from graphmem.interfaces.http.brief import summarise_event
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
    await timeline.load_older()
    view.listen(timeline.on_message)


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
        self.paused_events: deque[dict[str, Any]] | None = None  # events that arrived while paused
        self.paused_count = 0  # number of events that arrived while paused; only one page of them is kept
        self.visible_positions: deque[int] = deque()  # log positions of the rows, newest first

    async def load_older(self) -> None:
        """Load a page of older events."""
        types = list(FAMILIES[self.show]) if self.show else None
        before = self.visible_positions[-1] if self.visible_positions else None
        found = await self.view.run(
            lambda memory: memory.history(session=self.session or None, types=types, limit=_PAGE, before=before)
        )
        with self.rows:
            for event in reversed(found):
                row(self.view, summarise_event(event))
                self.visible_positions.append(event.position)
            if not self.visible_positions:
                hint = "Run an agent session with the hooks installed, or save a memory yourself. It appears here immediately."
                empty("bolt", self.view.t("No events yet"), self.view.t(hint))
        self._offer(more=len(found) == _PAGE)

    def _offer(self, *, more: bool) -> None:
        """Show the button for older events if there are any."""
        self.more.clear()
        self.more.set_visibility(more)
        if more:
            with self.more:
                button(self.view.t("Load older events"), self.load_older)

    def toggle(self) -> None:
        """Pause, or show the events that arrived meanwhile and continue."""
        if self.paused_events is None:
            self.paused_events, self.paused_count = deque(maxlen=_PAGE), 0
            self.pause.set_text(self.view.t("Resume"))
            self.dot.classes(add="wait")
            self.state.set_text(self.view.t("paused"))
            return
        waiting, self.paused_events = self.paused_events, None
        self.pause.set_text(self.view.t("Pause"))
        self.dot.classes(remove="wait")
        self.state.set_text(self.view.t("live"))
        self._add(list(waiting))

    def on_message(self, channel: str, data: Any) -> None:
        """Show new events, or keep them while paused; remove rows of forgotten ones."""
        if channel != "events":
            return
        self._remove({id for event in data for id in event.get("gone", ())})
        events = [event for event in data if self._matches_filter(event)]
        if self.paused_events is None:
            self._add(events)
            return
        self.paused_events.extend(events)
        self.paused_count += len(events)
        self.state.set_text(self.view.t("paused, {n} new", n=self.paused_count))

    def _matches_filter(self, event: dict[str, Any]) -> bool:
        is_shown = not self.show or family(event["type"]) == self.show
        return is_shown and (not self.session or event["session"] == self.session)

    def _remove(self, forgotten: set[str]) -> None:
        """Remove the rows of these events."""
        for at in reversed([at for at, old in enumerate(self.rows) if old.props.get("data-event") in forgotten]):
            self.rows.remove(at)
            del self.visible_positions[at]

    def _add(self, events: list[dict[str, Any]]) -> None:
        """Add rows on top; rows removed at the end can be loaded again."""
        if events and not self.visible_positions:
            self.rows.clear()
        with self.rows:
            for event in events[-_PAGE:]:
                row(self.view, event, new=True).move(target_index=0)
                self.visible_positions.appendleft(event["position"])
        if len(self.visible_positions) > _MOST:
            for old in list(self.rows)[_MOST:]:
                self.rows.remove(old)
                self.visible_positions.pop()
            self._offer(more=True)
