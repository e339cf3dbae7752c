"""Entry point of the console script. Hooks are answered here with minimal imports; all other commands are passed to
the command line."""

from __future__ import annotations

import gc
import os
import sys

from graphmem.interfaces.cli.aliases import expand_aliases

_INIT = "Reading the code first, then history and documents. It goes on in the background if this is interrupted.\n"
_OPTIONS = {
    "--no-wait",
    "--sessions",
    "--store",
    "--project",
}  # of an `init` that says so at once; another one may be a mistake


def run() -> None:
    """Run the command `graphmem`."""
    arguments = sys.argv[1:]
    if arguments[:1] == ["hook"] and arguments[1:] != ["--help"]:
        from graphmem.interfaces.hooks.entry import run_hook

        run_hook(arguments[1:])
        return
    arguments = sys.argv[1:] = expand_aliases(arguments)
    if arguments in (["status"], ["status", "--json"]):
        from graphmem.interfaces.install.overview import report

        raise SystemExit(report(as_json="--json" in arguments))
    from graphmem.interfaces.cli.thin import run_thin

    if _is_long(arguments) and sys.stderr is not None:
        sys.stderr.write(_INIT)  # before anything is loaded
        sys.stderr.flush()
    status = run_thin(arguments)
    if status is not None:
        raise SystemExit(status)
    gc.set_threshold(100_000, 20, 20)  # imports create many objects but no garbage; collecting costs 0.06 s
    from graphmem.interfaces.cli.main import run as command_line

    command_line()


def _is_long(arguments: list[str]) -> bool:
    """Return whether a command initialises a repository, as far as its folders and options tell."""
    options = {each.partition("=")[0] for each in arguments[1:] if each.startswith("-")}
    if arguments[:1] != ["init"] or not options <= _OPTIONS:
        return False
    folder = os.path.abspath(next((each for each in arguments[1:] if os.path.isdir(each)), "."))  # noqa: PTH100, PTH112
    while not os.path.exists(os.path.join(folder, ".git")):  # noqa: PTH110, PTH118
        above = os.path.dirname(folder)  # noqa: PTH120
        if above == folder:
            return False
        folder = above
    return True


if __name__ == "__main__":
    run()
