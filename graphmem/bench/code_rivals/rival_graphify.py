"""Graphify: tree-sitter; without a language model it indexes code only. Its calls include those that it calls inferred."""
# pip: graphifyy==0.9.96

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from graphmem.bench.code_rivals import Ask
from graphmem.bench.oracle import Call

PROGRAM = "graphify"
COMMANDS = (("update", ".", "--no-cluster"),)


def calls(tree: Path, ask: Ask) -> Iterator[Call]:
    """Yield the calls of the index in a tree. Labels are written as `name()` and `.name()`."""
    made = json.loads((tree / "graphify-out" / "graph.json").read_text("utf-8"))
    nodes = {node["id"]: node for node in made["nodes"]}
    for link in made["links"]:
        target = nodes.get(link["target"], {})
        if link["relation"] == "calls" and target.get("source_file"):
            name = target["label"].strip(".").removesuffix("()")
            yield Call(link["source_file"], _line(link), "", target["source_file"], _line(target), name)


def _line(item: dict[str, str]) -> int:
    return int((item.get("source_location") or "L0").lstrip("L").partition("-")[0] or 0)
