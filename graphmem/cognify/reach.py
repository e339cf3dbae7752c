"""Which sessions have corrections that may be of what an earlier session stated, and which sessions those are. The corrections
are resolved once all that changed is read, since an earlier session may be read later."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence

from graphmem.cognify.amendments import reaches_back
from graphmem.cognify.groups import Place
from graphmem.cognify.packed_entries import Entry

_SESSIONS = 3  # that a correction may reach back over


class Reach:
    """The beginnings of sessions, and the sessions whose corrections reach back."""

    def __init__(self) -> None:
        self._began: dict[str, dict[Place, int]] = {}  # project -> its sessions
        self._reaching: set[Place] = set()
        self._fresh: set[Place] = set()

    def note(self, place: Place, entries: Sequence[Entry]) -> bool:
        """Read a session again; return whether its corrections may reach back, so that `take` yields it."""
        self._fresh.add(place)
        self._reaching.discard(place)
        began = self._began.setdefault(place[0], {})
        began.pop(place, None)
        if place[1] and entries:
            began[place] = min(entry.at for entry in entries)
            if any(map(reaches_back, entries)):
                self._reaching.add(place)
        return place in self._reaching

    def take(self) -> Iterator[tuple[Place, list[Place]]]:
        """Yield the sessions to resolve again, in order of time, with the ones before that their corrections may be of."""
        projects = {project for project, _ in self._fresh}
        reaching = [place for place in self._reaching if place[0] in projects]
        in_time = {project: self._in_time(project) for project in {place[0] for place in reaching}}
        for at, place in sorted((self._began[place[0]][place], place) for place in reaching):
            order = in_time[place[0]]
            end = bisect_left(order, (at, place))
            before = [one for _, one in order[max(0, end - _SESSIONS) : end]]
            if not self._fresh.isdisjoint([place, *before]):
                self._fresh.add(place)  # what it says may have changed for later ones
                yield place, before
        self._fresh = set()

    def _in_time(self, project: str) -> list[tuple[int, Place]]:
        return sorted((at, place) for place, at in self._began[project].items())
