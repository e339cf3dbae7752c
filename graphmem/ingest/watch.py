"""Watches a tree and re-indexes files when they have stopped changing. It runs in the user's process and calls the owner
of the graph like any client."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

from graphmem.model.sources import IndexReport

_DEBOUNCE = 500  # milliseconds without a change


def watch_tree(
    root: Path, update: Callable[[list[str]], IndexReport], stop: threading.Event | None = None
) -> Iterator[tuple[list[str], IndexReport]]:
    """Yield (changed paths relative to the root, report) for each batch of changes until `stop` is set."""
    import watchfiles

    for batch in watchfiles.watch(root, debounce=_DEBOUNCE, step=50, stop_event=stop, raise_interrupt=False):
        names = {Path(name) for _, name in batch}
        changed = sorted(name.relative_to(root).as_posix() for name in names if name.is_relative_to(root))
        if changed:
            yield changed, update(changed)
