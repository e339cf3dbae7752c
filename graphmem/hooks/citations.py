"""What the code says now of the files that a memory cites: whether they are still there, and whether they changed since.
Look-ups in the index and in the file system alone, since a hook has no time for more."""

from __future__ import annotations

import os

from graphmem.ports.places import Places
from graphmem.text.placenames import file_keys, named_files

_MOST = 6  # files of one memory that are looked up
_COMMITS = 8  # newest items that name a file, among which a commit is looked for


class Repository:
    """The tree that the agent works in. Without a root nothing is checked."""

    def __init__(self, root: str, places: Places | None) -> None:
        self._root = root
        self._places = places
        self._known: dict[str, int] = {}

    def check(self, text: str, at: int) -> str | None:
        """Return what to say of a memory of the time `at` (microseconds): "" where nothing changed, None where all files
        that it cites were there once and are gone."""
        cited = [name for name in named_files(text)[:_MOST] if "/" in name and not os.path.isabs(name)]  # noqa: PTH117
        if not self._root or self._places is None or not cited:
            return ""
        changed = {name: self._changed(name) for name in cited}
        gone = [name for name in cited if changed[name] and not self._exists(name)]
        if len(gone) == len(cited):
            return None
        notes = [f"{', '.join(gone)}: deleted since then"] if gone else []
        later = [name for name in cited if name not in gone and changed[name] > at]
        return "; ".join([*notes, *([f"{', '.join(later)}: changed since then"] if later else [])])

    def _changed(self, name: str) -> int:
        """When a commit last touched the file, in microseconds; 0 where none is known."""
        if name not in self._known and self._places is not None:
            key = file_keys(name)[0]
            found = self._places.naming([key], _COMMITS)
            self._known[name] = max((one.at for one in found if one.kind == "commit"), default=0)
        return self._known[name]

    def _exists(self, name: str) -> bool:
        return os.path.exists(os.path.join(self._root, name))  # noqa: PTH110, PTH118
