"""Entry point of the console script. Hooks are answered here with minimal imports; all other commands are passed to
the command line."""

from __future__ import annotations

import gc
import sys


def run() -> None:
    """Run the command `graphmem`."""
    arguments = sys.argv[1:]
    if len(arguments) >= 2 and arguments[0] == "hook" and not arguments[1].startswith("-"):
        from graphmem.interfaces.hooks.entry import answer

        answer(arguments[1])
        return
    from graphmem.interfaces.cli.aliases import expand_aliases
    from graphmem.interfaces.cli.thin import run_thin

    arguments = sys.argv[1:] = expand_aliases(arguments)
    status = run_thin(arguments)
    if status is not None:
        raise SystemExit(status)
    gc.set_threshold(100_000, 20, 20)  # imports create many objects but no garbage; collecting costs 0.06 s
    from graphmem.interfaces.cli.main import run as command_line

    command_line()


if __name__ == "__main__":
    run()
