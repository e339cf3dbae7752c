"""Commits that no branch or tag has any more: replaced by `git commit --amend`, a rebase or a squash. They are put behind what
holds, and say so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from graphmem.errors import GraphmemError
from graphmem.gitprocess import run
from graphmem.model.results import Hit
from graphmem.ports.text import Stored
from graphmem.retrieve.ports import Ports

_NOTE = "no longer in the history: amended, rebased or dropped"
_PATIENCE_S = 2.0  # that git may take


def put_replaced_last(ports: Ports, hits: Sequence[Hit], found: Sequence[Stored]) -> tuple[list[Hit], list[Stored]]:
    """Return hits and what they are of with replaced commits at the end, each with a note."""
    gone = set[str]()
    for project, root in ports.roots().items():
        hashes = [one.item.ref for one in found if one.item.kind == "commit" and one.item.project == project]
        gone |= _unreachable(Path(root), hashes) if hashes else set()
    if not gone:
        return list(hits), list(found)
    pairs = sorted(zip(hits, found, strict=True), key=lambda pair: pair[0].ref in gone)
    lowest = min(hit.probability for hit in hits)
    marked = [replace(hit, stale=_NOTE, probability=lowest) if hit.ref in gone else hit for hit, _ in pairs]
    return marked, [one for _, one in pairs]


def _unreachable(root: Path, hashes: Sequence[str]) -> set[str]:
    """Return those commits that neither the current one nor any branch or tag contains; none if git does not know."""
    try:
        told = run(root, "rev-list", "--ignore-missing", "--not", "--all", "HEAD", "--not", "--end-of-options", *hashes, "--",
                   timeout_s=_PATIENCE_S)  # fmt: skip
    except (GraphmemError, OSError):
        return set()
    return set(told.decode().split()).intersection(hashes)
