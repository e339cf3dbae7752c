"""Which front end reads a language. Each is a module with `parse`, `link` and `affected`; loaded when first needed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from importlib import import_module
from typing import Protocol, cast

from graphmem.codegraph.records import FileFacts, Linked

_OWN = {"python": "graphmem.codegraph.python_frontend"}
_WHOLE_PROGRAM = frozenset({"graphmem.codegraph.python_frontend"})
_GENERIC = "graphmem.codegraph.generic"


class FrontEnd(Protocol):
    """What a front end offers."""

    def parse(self, path: str, source: bytes) -> FileFacts:
        """The facts of one file, from nothing but its path and source."""

    def link(self, facts: Mapping[str, FileFacts], *, flow: bool = True, only: Iterable[str] | None = None) -> Linked:
        """The relations that belong to all files, or to those of `only`, which are taken one by one."""

    def affected(
        self, changed: Set[str], facts: Mapping[str, FileFacts], before: Mapping[str, FileFacts] | None = None
    ) -> set[str]:
        """The files whose links must be made again when `changed` files differ from `before`."""


def name_for(language: str) -> str:
    """The module name of the front end of a language."""
    return _OWN.get(language, _GENERIC)


def flows_everywhere(name: str) -> bool:
    """Whether this front end's value flow lets an edit anywhere change links everywhere."""
    return name in _WHOLE_PROGRAM


def load(name: str) -> FrontEnd:
    """The front end of that module name."""
    return cast(FrontEnd, import_module(name))
