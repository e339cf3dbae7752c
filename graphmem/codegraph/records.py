"""What a language's front end hands to the rest of the code graph: the facts of one file, and the links between all of
them. The finished records (symbols, edges, call sites) are in `model/code.py`; how a front end summarises a file for its
own linker is its private affair."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from graphmem.model.code import CallSite, CodeEdge, Symbol


@dataclass(frozen=True, slots=True)
class FileFacts:
    """Everything one file says by itself. Depends on nothing but the file's path and text, so it may be made in another
    process and kept per content hash."""

    path: str  # relative to the indexed root, with "/"
    language: str
    symbols: tuple[Symbol, ...]  # definitions of this file, with their final keys
    lines: int
    errors: int = 0  # places where the syntax was broken; the rest of the file was still read
    package: str = ""  # dotted name of the package (module path, namespace) that the file belongs to
    summary: Any = None  # what the front end's own linker needs; opaque to everyone else


def external_key(name: str) -> str:
    """The key of an external name."""
    return f"ext:{name}"


class FileLinks(NamedTuple):
    """The relations that belong to one file: those whose source it holds; DEFINES belongs to the file of its target."""

    edges: tuple[CodeEdge, ...] = ()
    call_sites: tuple[CallSite, ...] = ()


class Linked(NamedTuple):
    """The relations of all files: the same facts always give the same, sorted, result."""

    links: dict[str, FileLinks]
    unfinished: int = 0  # functions through which values were not followed to the end, because that took too long

    @property
    def edges(self) -> tuple[CodeEdge, ...]:
        """Those of all files."""
        return tuple(sorted(edge for own in self.links.values() for edge in own.edges))

    @property
    def call_sites(self) -> tuple[CallSite, ...]:
        """Those of all files."""
        return tuple(sorted(site for own in self.links.values() for site in own.call_sites))
