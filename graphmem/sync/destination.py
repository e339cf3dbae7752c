"""Validates the destination of a store move. The move itself is in the backends, which know the files."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote, urlsplit

from graphmem.errors import UsageError


def parse_destination(url: str | Path, store: Path) -> Path:
    """Return the folder for a path or `file:` URL. Raises UsageError for an invalid destination."""
    parts = urlsplit(str(url))
    if parts.scheme == "file" and parts.netloc in ("", "localhost"):
        target = Path(unquote(parts.path))
    elif len(parts.scheme) > 1 and not Path(url).exists():
        raise UsageError(
            f"a store can only be moved to a folder (a path, or file:///path), not to `{parts.scheme}:`;"
            " `graphmem export --format graphml` or parquet takes the graph to another database",
            scheme=parts.scheme,
        )
    else:
        target = Path(url).expanduser()
    target, source = target.absolute(), store.resolve()
    if target.resolve() == source:
        raise UsageError(f"the store is already at {target}", path=str(target))
    if target.resolve().is_relative_to(source) or source.is_relative_to(target.resolve()):
        raise UsageError("a store cannot be moved into itself or to a folder that contains it", path=str(target))
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise UsageError(f"{target} is not empty: name an empty or new folder", path=str(target))
    return target
