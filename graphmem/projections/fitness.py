"""Validates changes before they are written: labels, relations and properties exist in the schema, values have the column
types and are within limits. Otherwise the engine would fail in the middle of a transaction, which not every engine
survives."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from graphmem.model.bounds import MAX_INT, MAX_TIME_US, MIN_INT, MIN_TIME_US
from graphmem.model.changes import Changes, Edge, EdgeKey, Item, Link, Node

_NONE = type(None)
_TYPES: dict[str, set[type]] = {
    "STRING": {str, _NONE},
    "INT64": {int, _NONE},
    "DOUBLE": {float, int, _NONE},
    "BOOL": {bool, _NONE},
    "TIMESTAMP": {int, _NONE},
    "STRING[]": {list, tuple, _NONE},
}
_RANGES = {"INT64": (MIN_INT, MAX_INT), "TIMESTAMP": (MIN_TIME_US, MAX_TIME_US), "DOUBLE": (-1e308, 1e308)}
_ITEM = {
    **dict.fromkeys(Item._fields, "STRING"),
    "at": "TIMESTAMP", "sequence": "INT64", "tags": "STRING[]", "embed": "BOOL",
}  # fmt: skip


class Fitness:
    """What a graph with this schema accepts (`GraphStore.schema`)."""

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self._nodes: dict[str, dict[str, str]] = schema["nodes"]
        self._relations = {
            name: ({tuple(pair) for pair in told["pairs"]}, told["properties"])
            for name, told in schema["relations"].items()
        }

    def problem(self, changes: Changes) -> str:
        """Return why the graph would reject these changes, or ""."""
        return next(filter(None, self._problems(changes)), "")

    def _problems(self, changes: Changes) -> Iterable[str]:
        for label, nodes in _grouped(changes.nodes, _node_shape).items():
            yield self._of_nodes(label[0], {"id": [node.id for node in nodes]} | _columns(nodes))
        for node_table in changes.node_tables:
            yield self._of_nodes(node_table.label, node_table.columns)
        for shape, edges in _grouped(changes.edges, _edge_shape).items():
            ends = {"source": [edge.source for edge in edges], "target": [edge.target for edge in edges]}
            yield self._of_edges(shape[0], shape[1], shape[2], ends | _columns(edges))
        for table in changes.edge_tables:
            yield self._of_edges(table.type, table.source_label, table.target_label, table.columns)
        yield from (f"there is no label {label}" for label, _ in changes.removed_nodes if label not in self._nodes)
        yield from (self._of_key(key) for key in changes.removed_edges)

    def _of_nodes(self, label: str, columns: Mapping[str, Sequence[Any]]) -> str:
        if label not in self._nodes:
            return f"there is no label {label}"
        return _misfit(label, columns, self._nodes[label])

    def _of_edges(self, kind: str, source: str, target: str, columns: Mapping[str, Sequence[Any]]) -> str:
        pairs, properties = self._relations.get(kind, (set(), {}))
        if (source, target) not in pairs:
            return f"there is no {kind} from {source} to {target}"
        return _misfit(kind, columns, {"source": "STRING", "target": "STRING", **properties})

    def _of_key(self, key: EdgeKey) -> str:
        known = (key.source_label, key.target_label) in self._relations.get(key.type, (set(), {}))[0]
        return "" if known else f"there is no {key.type} from {key.source_label} to {key.target_label}"


def text_problem(items: Sequence[Item], links: Sequence[Link]) -> str:
    """Return why the text index would reject these changes, or ""."""
    columns = dict(zip(Item._fields, zip(*items, strict=True), strict=True)) if items else {}
    if any(None in column for column in columns.values()):
        return "an item has a missing value"
    linked = dict(zip(Link._fields, zip(*links, strict=True), strict=True)) if links else {}
    return _misfit("item", columns, _ITEM) or _misfit("link", linked, dict.fromkeys(Link._fields, "STRING"))


def _misfit(what: str, columns: Mapping[str, Sequence[Any]], types: Mapping[str, str]) -> str:
    """Return the first column with an invalid value."""
    for name, values in columns.items():
        kind = types.get(name)
        if kind is None:
            return f"{what} has no `{name}`"
        found = set(map(type, values))
        if not found <= _TYPES[kind] or (name in _KEYS and _NONE in found):
            odd = ", ".join(sorted(one.__name__ for one in found - _TYPES[kind])) or "nothing"
            return f"`{name}` of {what} is {odd}, not {kind}"
        if kind == "STRING[]" and not all(type(one) is str for value in values if value for one in value):
            return f"`{name}` of {what} contains values that are not strings"
        if kind in _RANGES:
            least, most = _RANGES[kind]
            numbers = [value for value in values if value is not None] if _NONE in found else values
            if numbers and not (least <= min(numbers) and max(numbers) <= most):
                return f"`{name}` of {what} is out of range"
    return ""


_KEYS = frozenset({"id", "source", "target"})


def _node_shape(node: Node) -> tuple[Any, ...]:
    return node.label, tuple(node.properties)


def _edge_shape(edge: Edge) -> tuple[Any, ...]:
    return edge.type, edge.source_label, edge.target_label, tuple(edge.properties)


def _grouped(rows: Iterable[Any], key: Any) -> dict[tuple[Any, ...], list[Any]]:
    groups: dict[tuple[Any, ...], list[Any]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return groups


def _columns(rows: Sequence[Any]) -> dict[str, list[Any]]:
    return {name: [row.properties[name] for row in rows] for name in rows[0].properties}
