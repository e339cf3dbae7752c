"""Finds the store of a repository whose folder was renamed or moved, by the first commit of its history, and takes it over;
ends the owner of a store."""

from __future__ import annotations

import shutil
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from graphmem import settings
from graphmem.backends.log.peek import imported_folders
from graphmem.backends.remote.client import claim_from_daemon, is_reachable
from graphmem.errors import NotFound
from graphmem.extract.git import first_commits
from graphmem.hooks.deliveries import record_waiting
from graphmem.operations.keeping import Export, Merge
from graphmem.store.files import LOG
from graphmem.store.location import Place
from graphmem.store.opened import Store


class FormerStore(NamedTuple):
    """A store without a repository: its directory, and the folder that the repository had."""

    store: Path
    folder: str


class Adoption(NamedTuple):
    """What was taken over: the store at its new place, the former folder of the repository, and the number of events that were
    recorded since in a store of the new folder."""

    store: str
    folder: str
    merged: int


def stop_owner(path: Path) -> bool:
    """End the daemon that owns a store, and wait until it has ended. Return whether there was one. Raises StoreBusy if another
    program has the graph open."""
    was_reachable = is_reachable(path)
    claim_from_daemon(path).release()
    return was_reachable


def find_former(place: Place, home: Path) -> FormerStore | None:
    """Return the store whose history begins as that of this repository, if all folders that it was read from are gone; of
    several the one used last. None if there is none."""
    if place.root is None or not (commits := first_commits(place.root)):
        return None
    found = []
    for log in home.glob(f"projects/*/{LOG}"):
        folders = imported_folders(log, commits) if log.parent != place.store else []
        if folders and not any(Path(folder).exists() for folder in folders):
            found.append((log.stat().st_mtime, FormerStore(log.parent, folders[0])))
    return max(found)[1] if found else None


def find_overlooked(place: Place, home: Path) -> FormerStore | None:
    """Return the former store of a repository that has a store without any history: a hook made that in the new folder, before
    anybody knew that the repository was moved."""
    log = place.store / LOG
    return find_former(place, home) if log.exists() and not imported_folders(log) else None


def adopt_former(place: Place, home: Path) -> Adoption:
    """Make the former store of a repository its store. What hooks recorded since in a store of the new folder is merged into
    it. Raises NotFound if there is none, StoreBusy while another program has one of them open."""
    former = find_former(place, home)
    if former is None:
        raise NotFound(
            "no store belongs to this repository: none begins with its first commit and is of a folder that is gone"
        )
    merged = _merge_into(former.store, place.store) if (place.store / LOG).exists() else 0
    with claim_from_daemon(former.store):
        if place.store.exists():
            shutil.rmtree(place.store)  # everything in its log is in the other one
        former.store.rename(place.store)
    return Adoption(str(place.store), former.folder, merged)


def _merge_into(former: Path, recent: Path) -> int:
    """Merge the log of a recent store into a former one of the same repository; return the number of new events."""
    for directory in (former, recent):
        stop_owner(directory)
    with TemporaryDirectory(dir=former.parent) as folder:
        file = Path(folder) / "log.jsonl"
        with closing(Store(recent, settings.load_settings(recent))) as store:
            record_waiting(store)
            store.run(Export(file))
        with closing(Store(former, settings.load_settings(former))) as store:
            return store.run(Merge(file, trust=True, same_project=True)).records
