"""The element that draws a graph, filters it and lists it. It runs in the browser and reads the API by itself; its sources and the
libraries that it uses (`vendor`) are in the folder `graph`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from nicegui.element import Element

from graphmem.interfaces.web.charts import TONES
from graphmem.interfaces.web.view import View
from graphmem.owntypes import RELATIONS


class GraphView(Element, component="graph/view.js", esm={"graphmem-graph": "graph"}):
    """A graph: the neighbourhood of `ids`, the path from the first of them to `to`, or these `nodes` (as `Memory.around` returns
    them); the whole graph without any of these.
    `pins` and `rules` are places of nodes and rules of style, as the browser wrote them."""

    def __init__(
        self, view: View, *, ids: Sequence[str] = (), to: str = "", hidden: Sequence[str] = (), as_of: str = "",
        pins: str = "", rules: str = "",
        nodes: Mapping[str, Any] | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self._props.update({
            "words": _words(view), "tones": TONES, "names": _names(view),
            "ids": list(ids), "to": to, "hidden": list(hidden), "as-of": as_of, "pins": pins, "rules": rules,
            **({"nodes": dict(nodes)} if nodes is not None else {}),
        })  # fmt: skip
        self.classes("gm-graph-view")

    def forget(self, ids: Sequence[str]) -> None:
        """Remove nodes that were forgotten."""
        self.run_method("forget", list(ids))


def _names(view: View) -> dict[str, str]:
    """Return the labels and types of relations in the user's language; what is missing is shown as it is."""
    labels = {label: view.t(label) for label in TONES}
    return labels | {type: view.relation(type) for type in RELATIONS}


def _words(view: View) -> dict[str, str]:
    """Return the texts of the element. Those with a number keep its place, because the browser fills it in."""
    t = view.t
    return {
        "overview": t("Overview"), "search": t("Search"),
        "find": t("Find a node…"), "found": t("Found nodes"), "nothing": t("No results"), "whole": t("Whole graph"),
        "communities": t("Communities"), "colorBy": t("Colour by"), "byKind": t("kind"), "byCommunity": t("community"),
        "alone": t("Show only this"), "allShown": t("All of its neighbours are shown already."),
        "noNode": t("There is no such node, or it was forgotten. Search for it."),
        "list": t("List"), "undo": t("Undo"), "zoomIn": t("Zoom in"), "zoomOut": t("Zoom out"),
        "fit": t("Show all of it"), "picture": t("Save as a picture"), "empty": t("The graph is empty"),
        "emptyHint": t("Facts, tasks, commits and code become nodes when they are recorded."),
        "label": t("Drawing of the graph. Arrow keys move it, + and - zoom, 0 shows all of it."
                   " P pins the selected node, Shift and an arrow key move it. The list has the same nodes."),
        "noWebgl": t("This browser cannot draw the graph, because it has no WebGL. The list has the same nodes."),
        "name": t("name"), "kind": t("kind"), "relations": t("Relations"), "previous": t("Previous"), "next": t("Next"),
        "asOf": t("as of"), "kinds": t("Kinds of nodes"), "expand": t("Expand"), "collapse": t("Collapse"), "hide": t("Hide"),
        "hint": t("Select a node to see its details, expand it, or find a path to another node."),
        "pathTo": t("Path to here"), "pathFrom": t("Path from here"), "expandType": t("Expand this type"),
        "collapseAll": t("Collapse all"), "expandAll": t("Expand all"), "reading": t("Reading the graph…"),
        "pin": t("Pin"), "pinned": t("pinned"), "look": t("Look"), "styles": t("Style rules"), "remove": t("Remove"),
        "property": t("Property"), "anyValue": t("(all of this kind)"), "test": t("Condition"), "value": t("Value"),
        "color": t("Colour"), "size": t("Size"), "nameBy": t("Name by"), "unchanged": t("(unchanged)"),
        "addRule": t("Add the rule"),
        "namedBy": t("named by {name}", name="{name}"),
        "test_is": t("is"), "test_contains": t("contains"), "test_least": t("at least"), "test_most": t("at most"),
        "color_blue": t("blue"), "color_orange": t("orange"), "color_green": t("green"), "color_purple": t("purple"),
        "color_teal": t("teal"), "color_red": t("red"), "color_ochre": t("ochre"), "color_grey": t("grey"),
        "size_smaller": t("smaller"), "size_larger": t("larger"), "size_largest": t("largest"),
        "noPath": t("No path with at most six steps."),
        "partAround": t("Not all relations are shown: expand a node to see more of its own."),
        "arranging": t("Arranging {n} nodes…", n="{n}"),
        "counted": t("{n} nodes, {m} relations", n="{n}", m="{m}"),
        "partNodes": t("A part is shown: {n} of {m} nodes. Kinds with few nodes are complete.", n="{n}", m="{m}"),
        "partRelations": t("{n} relations are left out.", n="{n}"),
        "partDrawn": t("{n} of {m} relations are drawn; a selected node shows all of its own.", n="{n}", m="{m}"),
    }  # fmt: skip
