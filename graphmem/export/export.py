"""`export` in any format: the log, for `merge`, or the graph, for other programs. A file is written completely or not at
all, and only its owner can read it."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from graphmem.context import StoreContext
from graphmem.errors import NotFound, UsageError
from graphmem.export import graphml, jsonld, markdown, parquet, scip
from graphmem.model.sources import ExchangeReport
from graphmem.sync import exchange

FORMATS: dict[str, Callable[[StoreContext, Path], int]] = {
    "graphml": graphml.write_graphml,
    "jsonld": jsonld.write_jsonld,
    "parquet": parquet.write_parquet,
    "markdown": markdown.write_markdown,
    "scip": scip.write_index,
}


def export(context: StoreContext, path: Path, format: str = "log") -> ExchangeReport:
    """Export the store to a file ("parquet": a folder) as "log", "graphml", "jsonld", "parquet", "markdown" or "scip" (the code
    graph). Return the number of records. Raises UsageError for any other format, or a target that is not writable."""
    if format == "log":
        return exchange.export_log(context, path)
    write = FORMATS.get(format)
    if write is None:
        raise UsageError(f"unknown format `{format}`: choose log, {', '.join(FORMATS)}", format=format)
    if path.is_dir() and any(path.iterdir()) and not (path / parquet.MARKER_FILE).is_file():
        raise UsageError(f"{path} is a folder that is not empty: name a new one", path=str(path))
    try:
        with tempfile.TemporaryDirectory(
            prefix=".graphmem-", dir=path.parent
        ) as folder:  # no other user can look inside
            made = Path(folder) / "export"
            records = write(context, made)
            made.chmod(0o700 if made.is_dir() else 0o600)
            if path.is_dir():
                shutil.rmtree(path)
            made.replace(path)
    except FileNotFoundError as error:
        raise NotFound(f"{path.parent} is not a folder", path=str(path.parent)) from error
    return ExchangeReport(str(path), records)
