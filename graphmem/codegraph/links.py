"""Links the files of one front end, together with a worker process if there is one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Protocol

from graphmem.codegraph import frontends
from graphmem.codegraph.records import FileFacts, FileLinks, Linked
from graphmem.codegraph.tests_of import OutsideSources, keep_apart, tests_edges


class LinkWorker(Protocol):
    """A process that links some of the files in parallel, as many as it reaches."""

    def link(self, name: str, facts: Mapping[str, FileFacts]) -> None:
        """Start: `name` is the front end, `facts` are those of all its files."""

    def left(self, paths: Sequence[str]) -> Iterator[str]:
        """Yield the paths left for this process, from the end."""

    def linked(self) -> dict[str, FileLinks]:
        """Return the worker's links; nothing if it died."""


def link_tree(name: str, facts: Mapping[str, FileFacts], *, flow: bool, only: Iterable[str] | None = None) -> Linked:
    """Return the links of all files of a front end, or of those in `only`, which equal those of a complete run and are
    consumed one by one; including TESTS relations."""
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
    """Return the links of all files without value flow across files. The worker starts at the front; this process first runs
    `meanwhile`, then continues from the end until both meet."""
    aid.link(name, facts)
    meanwhile()
    paths, flow = sorted(facts), not frontends.flows_everywhere(name)
    links = link_tree(name, facts, flow=flow, only=aid.left(paths)).links
    links |= aid.linked()
    if len(links) < len(facts):
        links |= link_tree(name, facts, flow=flow, only=[path for path in paths if path not in links]).links
    return links
