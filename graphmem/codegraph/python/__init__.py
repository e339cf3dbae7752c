"""The Python front end of the code graph; its functions are in `python_frontend`. The modules may be compiled to machine
code."""

from __future__ import annotations

from graphmem.codegraph.compiled import search_path

__path__ = search_path(__path__[0])


def is_compiled() -> bool:
    """Return whether the modules of this package are compiled."""
    return len(__path__) > 1


def module_name(path: str) -> tuple[str, bool]:
    """Return the dotted name of a file relative to the root, and whether it is the module of a package."""
    parts = path.rpartition(".")[0].split("/")
    if parts[-1] == "__init__" and len(parts) > 1:
        return ".".join(parts[:-1]), True
    return ".".join(parts), parts[-1] == "__init__"
