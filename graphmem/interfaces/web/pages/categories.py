"""The categories page: a map of topics by size, and the members of each."""

from __future__ import annotations

from typing import Any

from nicegui import ui
from nicegui.events import GenericEventArguments

from graphmem.interfaces.web.chart_view import Chart
from graphmem.interfaces.web.charts import ROW
from graphmem.interfaces.web.parts import button, chip, div, empty, heading, node, panel, text, time, with_error_message
from graphmem.interfaces.web.view import View

_MEMBERS, _ACTS = 200, 20


@with_error_message
async def page(view: View, id: str = "") -> None:
    """Show the map, and the members of one category."""
    found = (await view.run(lambda memory: memory.query("categories_by_size"), "graph")).to_dicts()
    with heading(view.t("Categories"), view.t("Topics of the memory, found by clustering.")):
        button(view.t("Update now"), lambda: _memify(view), "auto_awesome")
    if not found:
        empty(
            "category", view.t("No categories yet"),
            view.t("Categories form when there are enough related memories. They are updated daily."),
        )  # fmt: skip
        return
    with div("gm-grid two"):
        with panel():
            chart = Chart(_map(found)).style("width:100%;height:520px")
            chart.on("chart:click", lambda event: _chosen(view, found, event), ["dataIndex", "name"])
        with panel():
            await _members(view, found, id)
    with panel(view.t("History"), "gm-after"):
        for at, act, name, other, _ in (await view.verb("categories", history=True)).rows[:_ACTS]:
            with div("gm-line"):
                time(view, at)
                chip(str(act))
                text(f"{name} ← {other}" if other else name)


async def _memify(view: View) -> None:
    ui.notify(view.t("Clustering…"))
    if await view.attempt(view.verb("memify", force=True)) is not None:
        ui.navigate.reload()


def _map(found: list[dict[str, Any]]) -> dict[str, Any]:
    data = [
        {"name": category["name"] or category["id"], "value": max(1, category["members"]), "id": category["id"],
         "itemStyle": {"color": ROW[at % len(ROW)]}}
        for at, category in enumerate(found)
    ]  # fmt: skip
    series = {"type": "treemap", "data": data, "roam": False, "nodeClick": False, "breadcrumb": {"show": False}, "left": 0,
              "top": 0, "right": 0, "bottom": 0, "itemStyle": {"gapWidth": 3, "borderColor": "transparent"},
              "label": {"fontSize": 13, "color": "#fff"}}  # fmt: skip
    return {"animation": False, "tooltip": {"renderMode": "richText"}, "series": [series]}


def _chosen(view: View, found: list[dict[str, Any]], event: GenericEventArguments) -> None:
    name = event.args.get("name")
    for category in found:
        if name == (category["name"] or category["id"]):
            view.go("/categories", id=category["id"])
            return


async def _members(view: View, found: list[dict[str, Any]], id: str) -> None:
    chosen = next((category for category in found if category["id"] == id), found[0])
    members = await view.run(
        lambda memory: memory.query("members_of_category", {"id": chosen["id"]}, limit=_MEMBERS), "graph"
    )
    with div(tag="h2"):
        text(chosen["name"] or chosen["id"])
    with div("gm-chips").style("margin-bottom:12px"):
        for term in chosen["terms"] or ():
            chip(term)
    for row in members.to_dicts():
        with div():
            node(row["label"], row["id"], row["title"] or row["content"] or row["id"])
