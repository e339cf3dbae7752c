"""Turns the rows of an oracle into an index of SCIP: `ORACLE ... | python tests/oracles/rows_to_scip.py TREE INDEX.scip`.

An oracle asks a compiler what a name stands for. It prints one row for each definition and reference, its fields parted by tabs:

    D or R, path in the tree, line (from 1), column (from 0), "tree" or "outside", kind, owner, name, signature

`kind` is "type", "method" or "constructor". Owner, name and signature together are what no two definitions share; the owner of a
constructor is that of its type, its name that of the type. Columns count bytes, with `--utf16` code units of UTF-16.

    Java        javac -d BUILD tests/oracles/JavaOracle.java && java -cp BUILD JavaOracle TREE [SOURCES [CLASSPATH]]
    Go          go run tests/oracles/go_oracle.go TREE
    C, C++      python tests/oracles/clang_oracle.py TREE [--only FOLDER]... -- [CLANG OPTIONS]    (pip install libclang)
"""

from __future__ import annotations

import hashlib
import sys
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from graphmem.codegraph.scip.messages import load_messages
from graphmem.codegraph.scip.symbols import METHOD, NAMESPACE, TYPE, format_descriptor, format_symbol

_UTF8, _UTF16 = 1, 2
Row = tuple[str, ...]


def symbol_of(where: str, kind: str, owner: str, name: str, signature: str) -> str:
    """Return the symbol of a definition; that of a constructor starts with its type's."""
    path = format_descriptor(owner, NAMESPACE)
    if kind in ("type", "constructor"):
        path += format_descriptor(name, TYPE)
    if kind != "type":
        digest = hashlib.sha256(signature.encode()).hexdigest()[:12]
        path += format_descriptor("<init>" if kind == "constructor" else name, METHOD, digest)
    return format_symbol("oracle", (".", where, "."), path)


def write_index(rows: Iterable[Row], root: Path, out: Path, encoding: int = _UTF8) -> int:
    """Write an index of what the rows say; return their number."""
    messages = load_messages()
    documents = defaultdict[str, set[Row]](set)
    for row in rows:
        documents[row[1]].add(row)
    tool = messages.ToolInfo(name="oracle", version="1")
    index = messages.Index(metadata=messages.Metadata(tool_info=tool, project_root=root.resolve().as_uri()))
    for path, found in sorted(documents.items()):
        document = index.documents.add(relative_path=path, position_encoding=encoding)
        for role, _, line, column, where, kind, owner, name, signature in sorted(found):
            first = int(column)
            place = [int(line) - 1, first, first + len(name)]
            symbol = symbol_of(where, kind, owner, name, signature)
            document.occurrences.add(range=place, symbol=symbol, symbol_roles=int(role == "D"))
    out.write_bytes(index.SerializeToString())
    return sum(map(len, documents.values()))


if __name__ == "__main__":
    arguments = [each for each in sys.argv[1:] if each != "--utf16"]
    lines = (tuple(line.rstrip("\n").split("\t")) for line in sys.stdin)
    encoding = _UTF16 if "--utf16" in sys.argv else _UTF8
    count = write_index((row for row in lines if len(row) == 9), Path(arguments[0]), Path(arguments[1]), encoding)
    print(f"{count} rows", file=sys.stderr)
