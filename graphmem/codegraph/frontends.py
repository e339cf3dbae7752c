"""Selects the front end of a language: a module with `parse`, `link` and `affected`, loaded on first use."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from importlib import import_module
from typing import Protocol, cast

from graphmem.codegraph.records import FileFacts, Linked

_OWN = {"python": "graphmem.codegraph.python_frontend"}
_WHOLE_PROGRAM = frozenset({"graphmem.codegraph.python_frontend"})
_GENERIC = "graphmem.codegraph.generic"


class FrontEnd(Protocol):
    """The functions of a front end."""

    def parse(self, path: str, source: bytes) -> FileFacts:
        """Return the facts of one file, from its path and source only."""

    def link(self, facts: Mapping[str, FileFacts], *, flow: bool = True, only: Iterable[str] | None = None) -> Linked:
        """Return the relations of all files, or of those in `only`, which is consumed one by one."""

    def affected(
        self, changed: Set[str], facts: Mapping[str, FileFacts], before: Mapping[str, FileFacts] | None = None
    ) -> set[str]:
        """Return the files to link again when `changed` files differ from `before`."""


def name_for(language: str) -> str:
    """Return the module name of a language's front end."""
    return _OWN.get(language, _GENERIC)


def flows_everywhere(name: str) -> bool:
    """Return whether this front end's value flow lets any edit change links anywhere."""
    return name in _WHOLE_PROGRAM


def load(name: str) -> FrontEnd:
    """Return the front end with that module name."""
    return cast(FrontEnd, import_module(name))
