"""`python -m graphmem.interfaces.daemon STORE PROJECT DESCRIPTOR`: the owner process of a store, which also runs the commands of
thin clients. The first process that needs the graph starts it and hands over the right to do so, an open file. Users do not
call it."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path

from graphmem.interfaces.team.connection import find_connection
from graphmem.owner.daemon import serve
from graphmem.store import RunCommand, Store


def serve_commands(store: Store) -> RunCommand:
    """Return what runs command lines on a store. What it needs is imported with the first of them. If the store is connected to a
    shared server, what it records is sent there meanwhile."""
    if find_connection(store.path) is not None:
        from graphmem.interfaces.team.pushing import start_pushing

        start_pushing(store)

    @cache
    def commands() -> RunCommand:
        from graphmem.interfaces.cli.served import ServedCommands

        return ServedCommands(store)

    return lambda text: commands()(text)


if __name__ == "__main__":
    _, path, project, right = sys.argv
    raise SystemExit(serve(Path(path), project, int(right), serve_commands))
