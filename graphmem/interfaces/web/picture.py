"""A part of the graph as it is explored: which nodes and relations are there, which of them are shown, and where. It asks
nobody and draws nothing; `pages/graph.py` does."""

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

MOST = 2_500  # nodes of one picture
_NAMED = 70  # with more nodes than these, only the busiest have their name beside them
_LONGEST = 34  # characters of a name
_RIGHT = 0.7  # of the width: beyond it names stand on the left, where there is room for them
# On a plate of its own: a name is read across relations, on light and on dark.
_LABEL = {"color": "#f8f9fa", "fontSize": 11, "backgroundColor": "rgba(52,58,64,0.82)", "padding": [2, 5],
          "borderRadius": 4}  # fmt: skip
Edge = tuple[str, str, str]


@dataclass
class Picture:
    """What is explored. `seeds` were asked for, `way` is a path between two nodes, `at` hides what came later."""

    seeds: list[str] = field(default_factory=list)
    way: list[str] = field(default_factory=list)
    nodes: dict[str, dict[str, Any]] = field(default_factory=dict)
    edges: dict[Edge, None] = field(default_factory=dict)
    spots: dict[str, tuple[float, float]] = field(default_factory=dict)
    hidden: set[str] = field(default_factory=set)  # kinds of nodes
    silent: set[str] = field(default_factory=set)  # types of relations
    at: datetime | None = None
    chosen: str = ""
    order: list[str] = field(default_factory=list)  # ids as they were drawn last

    def add(self, found: Mapping[str, Any]) -> int:
        """Take in nodes and relations; what is beyond the limit is left out. Returns how many nodes are new."""
        before = len(self.nodes)
        for node in found["nodes"]:
            if node["id"] in self.nodes or len(self.nodes) < MOST:
                self.nodes[node["id"]] = node
        for edge in found["edges"]:
            if edge["source"] in self.nodes and edge["target"] in self.nodes:
                self.edges[edge["source"], edge["relation"], edge["target"]] = None
        return len(self.nodes) - before

    def remove(self, ids: Iterable[str]) -> None:
        """Take nodes out, with their relations."""
        gone = set(ids)
        self.nodes = {id: node for id, node in self.nodes.items() if id not in gone}
        self.edges = {edge: None for edge in self.edges if edge[0] not in gone and edge[2] not in gone}
        self.seeds = [id for id in self.seeds if id not in gone]
        self.way = [id for id in self.way if id not in gone]

    def arrange(self) -> None:
        """Give every node a place; those that have one stay."""
        ids = list(self.nodes)
        number = {id: at for at, id in enumerate(ids)}
        links = [(number[a], number[b]) for a, _, b in self.edges]
        known = {number[id]: spot for id, spot in self.spots.items() if id in number}
        found = place(len(ids), links, known)
        self.spots = {id: (float(x), float(y)) for id, (x, y) in zip(ids, found, strict=True)}

    def kinds(self) -> list[tuple[str, int]]:
        """Kinds of nodes with their number, most frequent first."""
        return Counter(node["label"] for node in self.nodes.values()).most_common()

    def relations(self) -> list[tuple[str, int]]:
        """Types of relations with their number, most frequent first."""
        return Counter(relation for _, relation, _ in self.edges).most_common()

    def span(self) -> tuple[datetime, datetime] | None:
        """The first and the last time of any node."""
        times = [node["at"] for node in self.nodes.values() if node["at"]]
        if not times or min(times) == max(times):
            return None
        return min(times), max(times) + timedelta(seconds=1)

    def visible(self) -> list[str]:
        """The ids that the filters leave."""
        return [id for id, node in self.nodes.items() if node["label"] not in self.hidden and self._stood(node)]

    def _stood(self, node: Mapping[str, Any]) -> bool:
        """Whether it was there, and true, at the time that is looked at."""
        if self.at is None:
            return True
        return (node["at"] is None or node["at"] <= self.at) and (node["until"] is None or node["until"] > self.at)

    def options(self) -> dict[str, Any]:
        """As ECharts wants it: coordinates are given, so that the browser only draws."""
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
        """Many nodes are drawn smaller."""
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
    """A name that fits beside a node: of paths and dotted names the end tells more."""
    if label in ("File", "Symbol") and len(title) > _LONGEST:
        return "…" + title[-_LONGEST + 1 :]
    return title if len(title) <= _LONGEST else title[: _LONGEST - 1] + "…"


def way_of(rows: Sequence[Sequence[Any]]) -> list[str]:
    """The ids along the path that `path` answers with; empty where there is none."""
    return [node["id"] for node in rows[0][0]] if rows else []
