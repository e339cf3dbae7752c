"""Links the files of one front end; where a helper process stands by, it links a share of them. It knows neither earlier
builds nor what they left."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Protocol

from graphmem.codegraph import frontends
from graphmem.codegraph.records import FileFacts, FileLinks, Linked
from graphmem.codegraph.tests_of import OutsideSources, keep_apart, tests_edges


class LinkWorker(Protocol):
    """A process that links some of the files beside this one, as many as it comes to."""

    def link(self, name: str, facts: Mapping[str, FileFacts]) -> None:
        """Begin: `name` is the front end, `facts` are those of all its files."""

    def left(self, paths: Sequence[str]) -> Iterator[str]:
        """The paths that are left for this process, from the last on, each when it is asked for."""

    def linked(self) -> dict[str, FileLinks]:
        """What it linked; nothing where it has died."""


def link_tree(name: str, facts: Mapping[str, FileFacts], *, flow: bool, only: Iterable[str] | None = None) -> Linked:
    """The links of all files of a front end, or of those in `only`, which are the same as in the whole and are taken one
    by one as the work goes on; with what tests test."""
    found = frontends.load(name).link(facts, flow=flow, only=only)
    outside = OutsideSources(facts)
    for path, own in found.links.items():
        found.links[path] = own._replace(edges=keep_apart(own.edges, outside))
    tested = tests_edges({path: own.edges for path, own in found.links.items()}, facts)
    for path, edges in tested.items():
        own = found.links[path]
        found.links[path] = own._replace(edges=tuple(sorted((*own.edges, *edges))))
    return found


def link_together(
    name: str, facts: Mapping[str, FileFacts], aid: LinkWorker, meanwhile: Callable[[], object]
) -> dict[str, FileLinks]:
    """The links of all files without value flow. The other process begins with the first and goes on; this one does
    something else first, then the last ones, until they meet."""
    aid.link(name, facts)
    meanwhile()
    paths = sorted(facts)
    links = link_tree(name, facts, flow=False, only=aid.left(paths)).links
    links |= aid.linked()
    if len(links) < len(facts):
        links |= link_tree(name, facts, flow=False, only=[path for path in paths if path not in links]).links
    return links
