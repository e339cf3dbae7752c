"""The graph page: the whole graph, the neighbourhood of some nodes, or the path between two. The URL contains what is shown, so
views can be shared."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from graphmem.interfaces.web import saved
from graphmem.interfaces.web.graph_view import GraphView
from graphmem.interfaces.web.parts import attributes, button, div, heading, with_error_message
from graphmem.interfaces.web.view import View

_APART = "|"  # separator of ids in the URL


@with_error_message
async def page(
    view: View, ids: str = "", to: str = "", hide: str = "", asof: str = "", pin: str = "", style: str = ""
) -> None:
    """Show the neighbourhood of `ids`; with `to`, the path from the first of them to that node; otherwise the whole graph."""
    tools = heading(
        view.t("Graph"), view.t("Click to select, double-click to expand, drag a node or the whole, scroll to zoom.")
    )
    SavedViews(view, tools)
    graph = GraphView(view, ids=_split(ids), to=to, hidden=_split(hide), as_of=asof, pins=pin, rules=style)

    def hear(channel: str, data: Any) -> None:
        gone = [id for event in data if channel == "events" for id in event.get("gone", ())]
        if gone:
            graph.forget(gone)

    view.listen(hear)


class SavedViews:
    """Views of the graph that were kept under a name: what is shown, hidden, pinned, how it looks, and as of when."""

    def __init__(self, view: View, tools: Any) -> None:
        self.view = view
        with tools:
            name = ui.input(placeholder=view.t("name of the view")).props("dense borderless").classes("gm-field")
            name.props(f'aria-label="{view.t("name of the view")}"')
            button(view.t("Keep"), lambda: self.keep(name.value or ""), "bookmark_border")
        self.place = div("gm-chips").style("margin-bottom:12px")
        self.show()

    def show(self) -> None:
        """List the views."""
        self.place.clear()
        with self.place:
            for name, address in saved.load(self.view.lanes.location, saved.VIEWS).items():
                with div("gm-line gm-chip"):
                    ui.link(name, address if address.startswith("/graph") else "/graph")
                    remove = button("✕", lambda name=name: self.drop(name), kind="quiet")
                    attributes(remove, aria_label=f"{self.view.t('Remove')} {name}")

    async def keep(self, name: str) -> None:
        """Keep what is shown now."""
        if name.strip():
            address = await ui.run_javascript("location.pathname + location.search")
            saved.keep(self.view.lanes.location, name.strip()[:80], str(address), saved.VIEWS)
            self.show()

    def drop(self, name: str) -> None:
        """Remove a view from the list."""
        saved.keep(self.view.lanes.location, name, None, saved.VIEWS)
        self.show()


def _split(ids: str) -> list[str]:
    return [id for id in ids.split(_APART) if id]
