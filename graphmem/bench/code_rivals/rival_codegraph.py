"""CodeGraph: tree-sitter and a resolver over a SQLite file. What it instantiates counts as a call of the class."""
# npm: @colbymchenry/codegraph==1.6.1

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from graphmem.bench.code_rivals import Ask
from graphmem.bench.oracle import Call

PROGRAM = "codegraph"
COMMANDS = (("init", "-i", "."),)


def calls(tree: Path, ask: Ask) -> Iterator[Call]:
    """Yield the calls of the index in a tree."""
    with closing(sqlite3.connect(tree / ".codegraph" / "codegraph.db")) as db:
        for path, line, callee_path, callee_line, callee in db.execute(
            "SELECT a.file_path, coalesce(e.line, a.start_line), b.file_path, b.start_line, b.name"
            " FROM edges e JOIN nodes a ON a.id = e.source JOIN nodes b ON b.id = e.target"
            " WHERE e.kind IN ('calls', 'instantiates')"
        ):
            yield Call(path, line, "", callee_path, callee_line, callee)
