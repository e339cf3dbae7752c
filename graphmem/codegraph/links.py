"""Links the files of one front end, and sorts what was found to the files that it belongs to; where helper processes stand
by, each links a share of the files. It knows neither earlier builds nor what they left."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from graphmem.codegraph import frontends
from graphmem.codegraph.records import FileFacts
from graphmem.codegraph.tests_of import tests_edges
from graphmem.model.code import CallSite, CodeEdge

Columns = tuple[tuple[Any, ...], ...]


class FileLinks(NamedTuple):
    """The relations that belong to one file: those whose source it holds; DEFINES belongs to the file of its target."""

    edges: tuple[CodeEdge, ...] = ()
    call_sites: tuple[CallSite, ...] = ()

    def __reduce__(self) -> tuple[type[Packed], tuple[Columns, Columns]]:
        return Packed, (tuple(zip(*self.edges, strict=True)), tuple(zip(*self.call_sites, strict=True)))


class Packed:
    """Links as they are pickled: by columns, several times faster than so many records."""

    def __new__(cls, edges: Columns, sites: Columns) -> FileLinks:  # type: ignore[misc]
        """The links again."""
        return FileLinks(
            tuple(map(CodeEdge._make, zip(*edges, strict=True))), tuple(map(CallSite._make, zip(*sites, strict=True)))
        )


class Linking(NamedTuple):
    """The links of some files, and through how many functions values were not followed to the end."""

    links: dict[str, FileLinks]
    unfinished: int = 0


class Aid(Protocol):
    """A process that links some of the files beside this one, as many as it comes to."""

    def link(self, name: str, facts: Mapping[str, FileFacts]) -> None:
        """Begin: `name` is the front end, `facts` are those of all its files."""

    def left(self, paths: Sequence[str]) -> Iterator[str]:
        """The paths that are left for this process, from the last on, each when it is asked for."""

    def linked(self) -> dict[str, FileLinks]:
        """What it linked; nothing where it has died."""


def link(name: str, facts: Mapping[str, FileFacts], *, flow: bool, only: Iterable[str] | None = None) -> Linking:
    """The links of all files of a front end, or of those in `only`, which are the same as in the whole and are taken one
    by one as the work goes on."""
    paths = list(facts) if only is None else []
    found = frontends.load(name).link(facts, flow=flow, only=None if only is None else _noted(only, paths))
    return Linking(_by_file(found.edges, found.call_sites, facts, paths), found.unfinished)


def _noted(paths: Iterable[str], noted: list[str]) -> Iterator[str]:
    for path in paths:
        noted.append(path)
        yield path


def link_together(
    name: str, facts: Mapping[str, FileFacts], aid: Aid, meanwhile: Callable[[], object]
) -> dict[str, FileLinks]:
    """The links of all files without value flow. The other process begins with the first and goes on; this one does
    something else first, then the last ones, until they meet."""
    aid.link(name, facts)
    meanwhile()
    paths = sorted(facts)
    links = link(name, facts, flow=False, only=aid.left(paths)).links
    links |= aid.linked()
    if len(links) < len(facts):
        links |= link(name, facts, flow=False, only=[path for path in paths if path not in links]).links
    return links


def _by_file(
    edges: Iterable[CodeEdge], sites: Iterable[CallSite], facts: Mapping[str, FileFacts], paths: Iterable[str]
) -> dict[str, FileLinks]:
    """Sorts links to the files that they belong to, and adds what tests test."""
    home = {s.key: p for p, f in facts.items() for s in f.symbols}
    edges_of: dict[str, list[CodeEdge]] = {p: [] for p in paths if p in facts}
    sites_of: dict[str, list[CallSite]] = {p: [] for p in edges_of}
    for edge in edges:
        path = home.get(edge.target if edge.type == "DEFINES" else edge.source, "")
        if path in edges_of:
            edges_of[path].append(edge)
    for site in sites:
        if site.file in sites_of:
            sites_of[site.file].append(site)
    tests = tests_edges(edges_of, facts, home)
    return {
        p: FileLinks(tuple(sorted(own + tests.get(p, []))), tuple(sorted(sites_of[p]))) for p, own in edges_of.items()
    }
