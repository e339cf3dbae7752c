"""Checks the files that a memory cites: whether they still exist, and whether they changed since. Uses only index and
file system lookups, because hooks must be fast."""

from __future__ import annotations

import os

from graphmem.ports.places import Places
from graphmem.text.placenames import file_keys, named_files

_MOST = 6  # files of a memory that are checked
_COMMITS = 8  # newest items about a file that are searched for a commit


class Repository:
    """The agent's repository. Without a root nothing is checked."""

    def __init__(self, root: str, places: Places | None) -> None:
        self._root = root
        self._places = places
        self._known: dict[str, int] = {}

    def check(self, text: str, at: int) -> str | None:
        """Return a note about a memory recorded at `at` (microseconds): "" if nothing changed, None if all cited files
        existed then and are now deleted."""
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
        """Return the time of the last commit to a file, in microseconds; 0 if unknown."""
        if name not in self._known and self._places is not None:
            key = file_keys(name)[0]
            found = self._places.naming([key], _COMMITS)
            self._known[name] = max((one.at for one in found if one.kind == "commit"), default=0)
        return self._known[name]

    def _exists(self, name: str) -> bool:
        return os.path.exists(os.path.join(self._root, name))  # noqa: PTH110, PTH118
