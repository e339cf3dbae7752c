"""Values between the changes of projections, a Bolt server, and callers: times, whole numbers and nodes look as those of the
embedded engines do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from graphmem.backends.graph.lists import encode_texts
from graphmem.backends.graph.schema import Columns, Relation

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def to_column(values: Sequence[Any], kind: str) -> Sequence[Any]:
    """Return a column of values of a type of the schema, as the server stores them."""
    if kind == "STRING":
        return encode_texts(values)
    if kind == "TIMESTAMP":
        return [_moment(value) for value in values]
    if kind == "DOUBLE":
        return [None if value is None else float(value) for value in values]
    return [list(value) if isinstance(value, tuple) else value for value in values]


def _moment(value: Any) -> datetime | None:
    """Return a time in microseconds since 1970 as a time in UTC."""
    if value is None or isinstance(value, datetime):
        return value if value is None or value.tzinfo else value.replace(tzinfo=UTC)
    return _EPOCH + timedelta(microseconds=value)


class ValueReader:
    """Converts what the driver returns to plain values."""

    def __init__(self, nodes: Mapping[str, Columns], relations: Mapping[str, Relation]) -> None:
        self._nodes, self._relations = nodes, relations

    def read(self, value: Any) -> Any:
        """Return a value for callers: a node or relation is a map with all properties that it may have, a time is in UTC."""
        if value is None or isinstance(value, bool | int | float | str | bytes):
            return value
        if isinstance(value, list):
            return [self.read(inner) for inner in value]
        if isinstance(value, dict):
            return {name: self.read(inner) for name, inner in value.items()}
        return self._read_structure(value)

    def _read_structure(self, value: Any) -> Any:
        from neo4j.graph import Node, Path, Relationship
        from neo4j.time import DateTime

        if isinstance(value, DateTime):
            native = value.to_native()
            return native.astimezone(UTC) if native.tzinfo else native.replace(tzinfo=UTC)
        if isinstance(value, Node):
            label = next(iter(value.labels), "")
            return {"_id": _address(value), "_label": label, **self._filled(value, self._nodes.get(label, {}))}
        if isinstance(value, Relationship):
            ends = {"_src": _address(value.start_node), "_dst": _address(value.end_node)}
            columns = self._relations.get(value.type, ([], {}))[1]
            return {**ends, "_label": value.type, "_id": value.element_id, **self._filled(value, columns)}
        if isinstance(value, Path):
            return {"_nodes": [*map(self.read, value.nodes)], "_rels": [*map(self.read, value.relationships)]}
        return str(value)

    def _filled(self, entity: Any, columns: Columns) -> dict[str, Any]:
        return dict.fromkeys(columns) | {name: self.read(inner) for name, inner in entity.items()}


def _address(entity: Any) -> dict[str, Any]:
    """Return the internal id of a node or relation, in the form of the embedded engines."""
    return {"offset": "" if entity is None else entity.element_id, "table": 0}
