"""Keeps the recorded history of repositories up to date: compares their current commit with the one that was read last, and
reads what is new. A repository is followed from the first import of its history, and only if this machine made it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from graphmem.code.tree_states import TYPE
from graphmem.context import StoreContext
from graphmem.errors import NotFound, SourceError
from graphmem.extract.git import count_commits, head_commit
from graphmem.extract.heads import read_head
from graphmem.extract.sources import is_history
from graphmem.ingest.record import ingest_source
from graphmem.ports.log import EventLog


class RecordedHeads:
    """The repositories whose history a log contains, each with the commits up to which it was read. Every event is read
    once, so asking again costs a few reads of small files."""

    def __init__(self, log: EventLog) -> None:
        self._log = log
        self._read = 0  # log position
        self._heads: dict[str, list[str]] = {}

    def find_behind(self, *, exact: bool = False) -> list[tuple[Path, str]]:
        """Return the repositories whose current commit was not read yet, each with the one that was read last. With `exact`,
        git is asked where the files of a repository do not say."""
        head = self._log.head()
        if head > self._read:
            for event in self._log.read(self._read, types=["source_ingested"]):
                if is_history(event):
                    self._heads.setdefault(event.payload["target"], []).append(event.payload["head"])
            self._read = head
        return [(Path(root), heads[-1]) for root, heads in self._heads.items() if _is_behind(Path(root), heads, exact)]


class IndexedHeads:
    """The trees whose code a log contains, each with the commit at which it was indexed last."""

    def __init__(self, log: EventLog) -> None:
        self._log = log
        self._read = 0  # log position
        self._heads: dict[str, str] = {}

    def find_moved(self) -> list[Path]:
        """Return the trees that are at another commit now: after a commit, a checkout or a pull. Each is named once for each
        commit, be there anything to index or not."""
        head = self._log.head()
        if head > self._read:
            for event in self._log.read(self._read, types=[TYPE]):
                if not event.foreign:  # another machine's paths are not to be read here
                    self._heads[event.payload["root"]] = event.payload["head"]
            self._read = head
        now = {root: read_head(Path(root)) for root in self._heads}
        moved = [root for root, at in now.items() if at and at != self._heads[root]]
        self._heads |= {root: now[root] or "" for root in moved}
        return [Path(root) for root in moved]


def _is_behind(root: Path, heads: list[str], exact: bool) -> bool:
    now = read_head(root)
    if now is None and exact and root.is_dir():
        try:
            now = head_commit(root)
        except (NotFound, SourceError):  # git is missing or does not trust it
            return False
    return bool(now) and now not in heads


def follow_history(context: StoreContext, progress: Callable[[str, int], None]) -> int:
    """Record the new commits of all followed repositories; return how many there were. A repository that git cannot read is
    skipped."""
    new = 0
    for root, _ in RecordedHeads(context.log).find_behind(exact=True):
        with suppress(NotFound, SourceError):
            new += ingest_source(context, "git", root, {}, progress).new
    return new


def count_new(root: Path, known: str) -> int:
    """Return the number of commits after a known one; of all, if that one was rewritten or is missing."""
    return count_commits(root, f"{known}..HEAD" if known else "HEAD") or count_commits(root)
