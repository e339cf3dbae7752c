"""SCIP, for Sourcegraph and editors: the code graph of the tree that was indexed last."""

from __future__ import annotations

from pathlib import Path

from graphmem.code.index_store import load_newest
from graphmem.codegraph.scip_export import write_scip
from graphmem.context import StoreContext


def write_index(context: StoreContext, path: Path) -> int:
    """Write the code graph; return the number of symbols and occurrences. Raises NotFound if no code is indexed."""
    with path.open("wb") as file:
        return write_scip(load_newest(context).index, context.project, file)
