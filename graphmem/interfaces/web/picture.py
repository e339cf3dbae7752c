"""State of the graph explorer: which nodes and relations are loaded, visible, and where. No queries or drawing; see
`pages/graph.py`."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

from graphmem.interfaces.web.charts import SOFT, TONES
from graphmem.interfaces.web.layout import place

MOST = 2_500  # maximum nodes of one picture
_NAMED = 70  # with more nodes than this, only the best connected have a label
_LONGEST = 34  # maximum characters of a label
_RIGHT = 0.7  # share of the width: beyond it, labels are placed on the left
# labels have a background, so that they stay readable over relations
_LABEL = {"color": "#f8f9fa", "fontSize": 11, "backgroundColor": "rgba(52,58,64,0.82)", "padding": [2, 5],
          "borderRadius": 4}  # fmt: skip
Edge = tuple[str, str, str]


@dataclass
class Picture:
    """The explored subgraph. `seeds` are the requested nodes, `way` is a path between two nodes, `at` hides later
    ones."""

    seeds: list[str] = field(default_factory=list)
    way: list[str] = field(default_factory=list)
    nodes: dict[str, dict[str, Any]] = field(default_factory=dict)
    edges: dict[Edge, None] = field(default_factory=dict)
    spots: dict[str, tuple[float, float]] = field(default_factory=dict)
    hidden: set[str] = field(default_factory=set)  # hidden kinds of nodes
    silent: set[str] = field(default_factory=set)  # hidden types of relations
    at: datetime | None = None
    chosen: str = ""
    order: list[str] = field(default_factory=list)  # ids in the order of the last drawing

    def add(self, found: Mapping[str, Any]) -> int:
        """Add nodes and relations up to the limit. Return the number of new nodes."""
        before = len(self.nodes)
        for node in found["nodes"]:
            if node["id"] in self.nodes or len(self.nodes) < MOST:
                self.nodes[node["id"]] = node
        for edge in found["edges"]:
            if edge["source"] in self.nodes and edge["target"] in self.nodes:
                self.edges[edge["source"], edge["relation"], edge["target"]] = None
        return len(self.nodes) - before

    def remove(self, ids: Iterable[str]) -> None:
        """Remove nodes with their relations."""
        gone = set(ids)
        self.nodes = {id: node for id, node in self.nodes.items() if id not in gone}
        self.edges = {edge: None for edge in self.edges if edge[0] not in gone and edge[2] not in gone}
        self.seeds = [id for id in self.seeds if id not in gone]
        self.way = [id for id in self.way if id not in gone]

    def arrange(self) -> None:
        """Compute positions; nodes that have one keep it."""
        ids = list(self.nodes)
        number = {id: at for at, id in enumerate(ids)}
        links = [(number[a], number[b]) for a, _, b in self.edges]
        known = {number[id]: spot for id, spot in self.spots.items() if id in number}
        found = place(len(ids), links, known)
        self.spots = {id: (float(x), float(y)) for id, (x, y) in zip(ids, found, strict=True)}

    def kinds(self) -> list[tuple[str, int]]:
        """Return the kinds of nodes with counts, most frequent first."""
        return Counter(node["label"] for node in self.nodes.values()).most_common()

    def relations(self) -> list[tuple[str, int]]:
        """Return the types of relations with counts, most frequent first."""
        return Counter(relation for _, relation, _ in self.edges).most_common()

    def span(self) -> tuple[datetime, datetime] | None:
        """Return the first and last time of all nodes."""
        times = [node["at"] for node in self.nodes.values() if node["at"]]
        if not times or min(times) == max(times):
            return None
        return min(times), max(times) + timedelta(seconds=1)

    def visible(self) -> list[str]:
        """Return the ids that pass the filters."""
        return [id for id, node in self.nodes.items() if node["label"] not in self.hidden and self._existed(node)]

    def _existed(self, node: Mapping[str, Any]) -> bool:
        """Return whether a node existed and was valid at the selected time."""
        if self.at is None:
            return True
        return (node["at"] is None or node["at"] <= self.at) and (node["until"] is None or node["until"] > self.at)

    def options(self) -> dict[str, Any]:
        """Return ECharts options. Coordinates are fixed, so the browser only draws."""
        self.order = self.visible()
        index = {id: at for at, id in enumerate(self.order)}
        edges = [edge for edge in self.edges if edge[0] in index and edge[2] in index and edge[1] not in self.silent]
        degree = Counter(id for source, _, target in edges for id in (source, target))
        named = set(self.order if len(self.order) <= _NAMED else [id for id, _ in degree.most_common(_NAMED // 3)])
        named |= {*self.seeds, *self.way, self.chosen}
        spots = [self.spots.get(id, (0.0, 0.0))[0] for id in self.order] or [0.0]
        border = min(spots) + _RIGHT * (max(spots) - min(spots))
        way = {pair for step in pairwise(self.way) for pair in (step, step[::-1])}
        series = {
            "type": "graph", "layout": "none",
            "top": 24, "bottom": 24, "roam": True, "animation": False, "draggable": False,
            "data": [self._node(id, degree[id], id in named, border) for id in self.order],
            "links": [_link(index[a], index[b], relation, (a, b) in way) for a, relation, b in edges],
            "scaleLimit": {"min": 0.2, "max": 8}, "edgeSymbol": ["none", "arrow" if len(edges) <= 400 else "none"],
            "edgeSymbolSize": 6, "labelLayout": {"hideOverlap": True}, "label": _LABEL,
            "emphasis": {"focus": "adjacency"} if len(self.order) <= 300 else {"disabled": True},
            "lineStyle": {"color": SOFT, "opacity": 0.35, "width": 1},
        }  # fmt: skip
        return {"animation": False, "tooltip": {"renderMode": "richText", "confine": True}, "series": [series]}

    @property
    def scale(self) -> float:
        """Return the scale of symbols; smaller for many nodes."""
        return max(0.4, min(1.0, math.sqrt(250 / max(1, len(self.order)))))

    def _node(self, id: str, degree: int, named: bool, border: float) -> dict[str, Any]:
        node = self.nodes[id]
        x, y = self.spots.get(id, (0.0, 0.0))
        chosen = id == self.chosen
        marked = chosen or id in self.seeds or id in self.way
        style: dict[str, Any] = {"color": TONES.get(node["label"], SOFT)}
        if marked:
            style |= {"borderColor": "#ffd43b" if chosen else SOFT, "borderWidth": 3 if chosen else 2}
        return {
            "id": id, "name": short(node["title"], node["label"]), "value": node["label"], "x": round(x, 1), "y": round(y, 1),
            "symbolSize": round((7 + min(26.0, 2.6 * degree**0.5)) * self.scale + (5 if marked else 0), 1), "itemStyle": style,
            "label": {"show": named, "position": "left" if x > border else "right"},
        }  # fmt: skip


def _link(source: int, target: int, relation: str, marked: bool) -> dict[str, Any]:
    link: dict[str, Any] = {"source": source, "target": target, "value": relation.lower().replace("_", " ")}
    return link | ({"lineStyle": {"color": "#f59f00", "opacity": 1, "width": 3}} if marked else {})


def short(title: str, label: str) -> str:
    """Shorten a label; for paths and dotted names the end is kept."""
    if label in ("File", "Symbol") and len(title) > _LONGEST:
        return "…" + title[-_LONGEST + 1 :]
    return title if len(title) <= _LONGEST else title[: _LONGEST - 1] + "…"


def way_of(rows: Sequence[Sequence[Any]]) -> list[str]:
    """Return the ids along a path returned by `path`; empty if there is none."""
    return [node["id"] for node in rows[0][0]] if rows else []
