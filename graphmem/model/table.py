"""The result of a Cypher query, with conversions to dictionaries, pandas, Arrow and networkx."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from graphmem.errors import NotInstalled, UsageError

if TYPE_CHECKING:
    import networkx
    import pandas
    import pyarrow


def import_pyarrow() -> Any:
    """Return pyarrow, of which an installation from requirements-core.txt has none. Raises NotInstalled."""
    try:
        import pyarrow
    except ImportError as error:
        raise NotInstalled(
            "pyarrow is not installed, which makes Arrow tables and Parquet: pip install pyarrow"
        ) from error
    return pyarrow


@dataclass(frozen=True, slots=True)
class Table:
    """Columns and rows. `truncated`: the row limit was reached."""

    columns: list[str]
    rows: list[list[Any]] = field(default_factory=list)
    truncated: bool = False

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[list[Any]]:
        return iter(self.rows)

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return one dictionary per row."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]

    def to_pandas(self) -> pandas.DataFrame:
        """Return a DataFrame. Raises UsageError if pandas is not installed."""
        try:
            import pandas
        except ImportError as error:
            raise UsageError("pandas is not installed: pip install pandas, or use to_arrow() or to_dicts()") from error
        return pandas.DataFrame(self.rows, columns=self.columns)

    def to_arrow(self) -> pyarrow.Table:
        """Return an Arrow table. Raises UsageError if pyarrow is not installed (requirements-core.txt)."""
        return import_pyarrow().table({name: [row[at] for row in self.rows] for at, name in enumerate(self.columns)})

    def to_networkx(self) -> networkx.MultiDiGraph:
        """Return the nodes and relations among the values as a directed multigraph keyed by node id. Relations are
        included if both ends are among the values."""
        import networkx

        graph = networkx.MultiDiGraph()
        inner: dict[tuple[int, int], str] = {}
        relations = []
        for value in _values(self.rows):
            if "_src" in value and "_dst" in value:
                relations.append(value)
            elif "_label" in value and "id" in value:
                inner[_address(value["_id"])] = value["id"]
                graph.add_node(value["id"], **{key: item for key, item in value.items() if key not in ("_id", "id")})
        for value in relations:
            source, target = inner.get(_address(value["_src"])), inner.get(_address(value["_dst"]))
            if source is not None and target is not None:
                shown = {key: item for key, item in value.items() if not key.startswith("_") or key == "_label"}
                graph.add_edge(source, target, key=f"{value['_label']}:{_address(value['_id'])}", **shown)
        return graph


def _values(value: Any) -> Iterator[dict[str, Any]]:
    """Yield all nodes and relations in a value, including those inside paths and lists."""
    if isinstance(value, dict):
        if "_label" in value:
            yield value
        else:
            for inner in value.values():
                yield from _values(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _values(inner)


def _address(identifier: dict[str, int]) -> tuple[int, int]:
    return identifier["table"], identifier["offset"]
