"""CodeGraphContext: tree-sitter over an embedded graph. The grammars of the newest tree-sitter-language-pack are downloaded at the
first use; the older package contains them."""
# pip: codegraphcontext==0.6.13 tree-sitter-language-pack==0.13.0

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from graphmem import resources
from graphmem.bench.code_rivals import Ask
from graphmem.bench.oracle import Call

PROGRAM = "cgc"
VERSION = ("version",)
COMMANDS = (("index", ".", "--no-progress"),)


def calls(tree: Path, ask: Ask) -> Iterator[Call]:
    """Yield the calls of the index in a tree, whose paths are absolute."""
    root = f"{tree.resolve()}/"
    answer = ask("query", resources.text("queries/graph/bench/codegraphcontext_calls.cypher"))
    for row in json.loads(answer[answer.index("[\n") :]):
        path, callee_path = row["path"].removeprefix(root), row["callee_path"].removeprefix(root)
        yield Call(path, row["line"], "", callee_path, row["callee_line"], row["callee"])
