"""JSON-LD, for triple stores: labels become types, relations become links; a relation with properties also becomes an
`rdf:Statement`. Written node by node, so a large graph needs little memory."""

from __future__ import annotations

import json
from collections import defaultdict
from datetime import datetime
from math import isfinite
from pathlib import Path
from typing import IO, Any
from urllib.parse import quote

from graphmem.context import StoreContext
from graphmem.export import scan

_TIMES = ("at", "committed_at", "started_at", "ended_at", "created_at", "updated_at", "closed_at", "valid_from", "valid_to",
          "recorded_at", "retired_at", "last_at")  # fmt: skip
CONTEXT: dict[str, Any] = {
    "@version": 1.1,
    "@vocab": "urn:graphmem:vocabulary#",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
    **{name: {"@type": "xsd:dateTime"} for name in _TIMES},
}


def write_jsonld(context: StoreContext, path: Path) -> int:
    """Write the graph; return the number of nodes and relations."""
    links: dict[str, dict[str, list[dict[str, str]]]] = defaultdict(lambda: defaultdict(list))
    statements = count = 0
    groups = list(scan.scan_relations(context.graph))
    for group in groups:
        for row in group.rows:
            links[row[0]][group.name].append({"@id": _node_uri(row[1])})
            count += 1
    with path.open("w", encoding="utf-8") as file:
        file.write(f'{{"@context": {json.dumps(CONTEXT)},\n"@graph": [')
        for nodes in scan.scan_nodes(context.graph):
            for row in nodes.rows:
                properties = dict(zip(nodes.columns, row, strict=True))
                identifier = properties.pop("id")
                head = {"@id": _node_uri(identifier), "@type": nodes.name}
                _write_node(file, head | _json_values(properties) | links.get(identifier, {}), first=not statements)
                statements += 1
        for group in groups:
            for row in group.rows:
                properties = _json_values(dict(zip(list(group.columns)[2:], row[2:], strict=True)))
                if properties:
                    about: dict[str, Any] = {"@type": "rdf:Statement", "rdf:subject": {"@id": _node_uri(row[0])},
                            "rdf:predicate": {"@id": CONTEXT["@vocab"] + group.name},
                            "rdf:object": {"@id": _node_uri(row[1])}}  # fmt: skip
                    _write_node(file, about | properties)
        file.write("\n]}\n")
    return statements + count


def _write_node(file: IO[str], value: dict[str, Any], *, first: bool = False) -> None:
    file.write("\n" if first else ",\n")
    file.write(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace").decode())


def _node_uri(identifier: str) -> str:
    return f"urn:graphmem:{quote(identifier, safe='', errors='replace')}"


def _json_values(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        name: value.isoformat() if isinstance(value, datetime) else value
        for name, value in properties.items()
        if value not in (None, "", [])
        and not (isinstance(value, float) and not isfinite(value))  # JSON cannot represent these numbers
    }
