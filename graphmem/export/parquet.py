"""Parquet, for pandas, DuckDB and Spark: a folder with one file per label under `nodes` and one per type under
`relations`. Columns have the types of the graph schema."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any

from graphmem.context import StoreContext
from graphmem.export import scan
from graphmem.model.table import import_pyarrow

MARKER_FILE = "graphmem.parquet"  # marks the folder as an export that may be replaced


def write_parquet(context: StoreContext, path: Path) -> int:
    """Write the files; return the number of nodes and relations."""
    pyarrow = import_pyarrow()
    from pyarrow import parquet

    types = {"STRING": pyarrow.string(), "INT64": pyarrow.int64(), "DOUBLE": pyarrow.float64(), "BOOL": pyarrow.bool_(),
             "TIMESTAMP": pyarrow.timestamp("us", tz="UTC"), "STRING[]": pyarrow.list_(pyarrow.string())}  # fmt: skip

    def save(file: Path, columns: dict[str, str], rows: list[list[Any]]) -> int:
        schema = pyarrow.schema([(name, types.get(kind, pyarrow.string())) for name, kind in columns.items()])
        values = {name: [row[at] for row in rows] for at, name in enumerate(columns)}
        parquet.write_table(pyarrow.table(values, schema=schema), file, compression="zstd")
        return len(rows)

    for folder in ("nodes", "relations"):
        (path / folder).mkdir(parents=True)
    (path / MARKER_FILE).write_text("An export of graphmem; a later one may replace this folder.\n", "utf-8")
    count = sum(save(path / "nodes" / f"{g.name}.parquet", g.columns, g.rows) for g in scan.scan_nodes(context.graph))
    groups: dict[str, list[scan.ExportedRows]] = defaultdict(list)
    for group in scan.scan_relations(context.graph):
        groups[group.name].append(group)
    for name, found in groups.items():
        columns = {"source_label": "STRING", "target_label": "STRING", **found[0].columns}
        rows = [[*group.ends, *row] for group in found for row in group.rows]
        count += save(path / "relations" / f"{name}.parquet", columns, rows)
    return count
