"""Groups the contributions of places (a session of a project) by the conclusion they belong to, such as all failures
with one error. When a place changes, only conclusions with contributions from it are drawn again."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import Generic, TypeVar

Place = tuple[str, str]  # project, session
Key = TypeVar("Key", bound=Hashable)
Member = TypeVar("Member")


class Groups(Generic[Key, Member]):
    """Members by key and place."""

    def __init__(self) -> None:
        self._places: dict[Key, dict[Place, list[Member]]] = {}
        self._keys: dict[Place, set[Key]] = {}

    def put(self, place: Place, members: Mapping[Key, Iterable[Member]]) -> set[Key]:
        """Replace what a place contributes; returns the keys that it touched before or touches now."""
        touched = self._keys.pop(place, set())
        for key in touched:
            self._places[key].pop(place, None)
        for key, found in members.items():
            self._places.setdefault(key, {})[place] = list(found)
        self._keys[place] = set(members)
        return touched | set(members)

    def of(self, key: Key) -> list[Member]:
        """Return all members of one key, place by place in the order of the places' names; the caller orders them by
        time."""
        places = self._places.get(key, {})
        return [member for place in sorted(places) for member in places[place]]
