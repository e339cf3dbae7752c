"""GraphML, for Gephi, yEd, Cytoscape and networkx: nodes have a `label`, relations a `type`, besides their properties."""

from __future__ import annotations

import json
import re
from datetime import datetime
from math import isfinite
from pathlib import Path
from typing import Any

from graphmem.context import StoreContext
from graphmem.export import scan

# Characters that XML cannot represent.
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_NOT_AN_IDENTIFIER = re.compile(f"{_FORBIDDEN.pattern}|[\t\n\r\ufffd]")


def write_graphml(context: StoreContext, path: Path) -> int:
    """Write the graph; return the number of nodes and relations."""
    import networkx

    graph = networkx.MultiDiGraph()
    for group in scan.scan_nodes(context.graph):
        for row in group.rows:
            properties = dict(zip(group.columns, row, strict=True))
            graph.add_node(_identifier(properties.pop("id")), label=group.name, **_graphml_values(properties))
    for group in scan.scan_relations(context.graph):
        for row in group.rows:
            properties = dict(zip(group.columns, row, strict=True))
            ends = _identifier(properties.pop("source")), _identifier(properties.pop("target"))
            graph.add_edge(*ends, type=group.name, **_graphml_values(properties))
    networkx.write_graphml(graph, path, encoding="utf-8", infer_numeric_types=False)
    return int(graph.number_of_nodes() + graph.number_of_edges())


def _identifier(text: str) -> str:
    """Return a unique id that is valid in XML; invalid characters, as in file names, are written as numbers."""
    return _NOT_AN_IDENTIFIER.sub(lambda sign: f"\ufffd{ord(sign[0]):04x}", text)


def _graphml_values(properties: dict[str, Any]) -> dict[str, Any]:
    """Return the values that GraphML supports; empty ones are omitted."""
    return {name: _graphml_value(value) for name, value in properties.items() if value not in (None, "", [])}


def _graphml_value(value: Any) -> Any:
    if isinstance(value, float) and not isfinite(value):
        return str(value)
    if isinstance(value, bool | int | float):
        return value
    if isinstance(value, datetime):
        return value.isoformat()
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return _FORBIDDEN.sub("\ufffd", text)
