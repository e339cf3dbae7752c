"""The graph page: the whole graph, the neighbourhood of some nodes, or the path between two. The URL contains what is shown, so
views can be shared."""

from __future__ import annotations

from typing import Any

from graphmem.interfaces.web.graph_view import GraphView
from graphmem.interfaces.web.parts import heading, with_error_message
from graphmem.interfaces.web.view import View

_APART = "|"  # separator of ids in the URL


@with_error_message
async def page(view: View, ids: str = "", to: str = "", hide: str = "", asof: str = "") -> None:
    """Show the neighbourhood of `ids`; with `to`, the path from the first of them to that node; otherwise the whole graph."""
    heading(
        view.t("Graph"), view.t("Click to select, double-click to expand, drag a node or the whole, scroll to zoom.")
    )
    graph = GraphView(view, ids=_split(ids), to=to, hidden=_split(hide), as_of=asof)

    def hear(channel: str, data: Any) -> None:
        gone = [id for event in data if channel == "events" for id in event.get("gone", ())]
        if gone:
            graph.forget(gone)

    view.listen(hear)


def _split(ids: str) -> list[str]:
    return [id for id in ids.split(_APART) if id]
