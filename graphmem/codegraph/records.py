"""The output of a front end: facts of one file, and links between all files. Symbols, edges and call sites are defined in
`model/code.py`; the summary for a front end's own linker is opaque."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from graphmem.model.code import CallSite, CodeEdge, Symbol


@dataclass(frozen=True, slots=True)
class FileFacts:
    """Everything in one file. Depends only on the file's path and text, so it can be computed in another process and
    cached by content hash."""

    path: str  # relative to the indexed root, with "/"
    language: str
    symbols: tuple[Symbol, ...]  # definitions of this file, with final keys
    lines: int
    errors: int = 0  # positions of syntax errors; the rest of the file was read
    package: str = ""  # dotted name of the file's package (module path, namespace)
    summary: Any = None  # input of the front end's own linker; opaque to all others


def external_key(name: str) -> str:
    """Return the key of an external name."""
    return f"ext:{name}"


class FileLinks(NamedTuple):
    """The relations of one file: those whose source is in it; DEFINES belongs to the file of its target."""

    edges: tuple[CodeEdge, ...] = ()
    call_sites: tuple[CallSite, ...] = ()


class Linked(NamedTuple):
    """The relations of all files: deterministic and sorted."""

    links: dict[str, FileLinks]
    unfinished: int = 0  # functions with incomplete value flow, because it took too long

    @property
    def edges(self) -> tuple[CodeEdge, ...]:
        """Return the edges of all files."""
        return tuple(sorted(edge for own in self.links.values() for edge in own.edges))

    @property
    def call_sites(self) -> tuple[CallSite, ...]:
        """Return the call sites of all files."""
        return tuple(sorted(site for own in self.links.values() for site in own.call_sites))
