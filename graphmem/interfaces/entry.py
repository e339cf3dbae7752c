"""What the console script runs. A hook is answered from here, before anything is imported that it does not need; every
other command goes to the command line."""

from __future__ import annotations

import gc
import sys


def run() -> None:
    """Entry point of `graphmem`."""
    arguments = sys.argv[1:]
    if len(arguments) >= 2 and arguments[0] == "hook" and not arguments[1].startswith("-"):
        from graphmem.interfaces.hooks.entry import answer

        answer(arguments[1])
        return
    from graphmem.interfaces.cli.thin import run_thin

    status = run_thin(arguments)
    if status is not None:
        raise SystemExit(status)
    gc.set_threshold(100_000, 20, 20)  # importing makes many objects and no garbage: looking through them takes 0.06 s
    from graphmem.interfaces.cli.main import run as command_line

    command_line()


if __name__ == "__main__":
    run()
