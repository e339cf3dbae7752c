"""code-review-graph: tree-sitter and a resolver over a SQLite file. Calls that it leaves unresolved are bare names and no edges."""
# pip: code-review-graph==2.3.9

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from graphmem.bench.code_rivals import Ask
from graphmem.bench.oracle import Call

PROGRAM = "code-review-graph"
COMMANDS = (("build",),)


def calls(tree: Path, ask: Ask) -> Iterator[Call]:
    """Yield the calls of the index in a tree, whose paths are absolute."""
    root = f"{tree.resolve()}/"
    with closing(sqlite3.connect(tree / ".code-review-graph" / "graph.db")) as db:
        for path, line, callee_path, callee_line, callee in db.execute(
            "SELECT e.file_path, e.line, b.file_path, b.line_start, b.name"
            " FROM edges e JOIN nodes b ON b.qualified_name = e.target_qualified WHERE e.kind = 'CALLS'"
        ):
            yield Call(path.removeprefix(root), line, "", callee_path.removeprefix(root), callee_line, callee)
