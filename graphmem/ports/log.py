"""The event log and the derivations beside it: append-only, durable before `append` returns, checked by a chain."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol

from graphmem.model.events import Appended, Derivation, Draft, Event, Purged

if TYPE_CHECKING:
    import numpy as np

Order = Literal["position", "clock"]


class EventLog(Protocol):
    """Append and read events."""

    def append(self, drafts: Sequence[Draft]) -> list[Appended]:
        """Append all in one transaction; durable when it returns. Raises StoreError when nothing was written."""
        ...

    def read(
        self, after: int = 0, *, types: Iterable[str] | None = None, order: Order = "position", upto: int | None = None
    ) -> Iterator[Event]:
        """Events past a position that were not forgotten. `order="clock"` is the order for replays. Those that are not of
        their type's shape (`Event.problem`) are left out where `types` are given: who asks for a type relies on it."""
        ...

    def get(self, ids: Sequence[str]) -> dict[str, Event]:
        """Events by id; unknown and forgotten ones are left out."""
        ...

    def head(self) -> int:
        """The last position, 0 where empty."""
        ...

    def close(self) -> None:
        """Release the file."""
        ...


class Browsing(Protocol):
    """Looking at a log from its end, without reading all of it."""

    def newest(
        self,
        limit: int,
        *,
        before: int | None = None,
        after: int = 0,
        session: str | None = None,
        types: Iterable[str] | None = None,
    ) -> list[Event]:
        """At most `limit` events that were not forgotten, newest first, between two positions (both exclusive). As with
        `EventLog.read`, those that are not of their type's shape are left out where `types` are given."""
        ...

    def buried(self) -> list[Event]:
        """What was forgotten and not erased yet, in order."""
        ...

    def tally(self, width: int, since: int) -> list[tuple[int, str, int]]:
        """How many events of each type there are in each span of `width` microseconds: (number of the span since 1970,
        type, count), of those that happened at `since` or later."""
        ...

    def suspicious(self) -> list[Event]:
        """Events that were marked as orders to the agent when they were written, and not forgotten, in order."""
        ...

    def withheld(self) -> list[tuple[str, dict[str, Any]]]:
        """(type, what its payload tells under `privacy`) of every event that not all of was kept."""
        ...


class Derivations(Protocol):
    """Results of steps and models, kept beside the log so that a rebuild reuses them."""

    def derive(self, derivations: Sequence[Derivation], *, again: bool = False) -> int:
        """Keep those that are new for their (step, source, input hash), or with `again` all of them, in the place of what was
        there; returns how many."""
        ...

    def derivations(self, after: int = 0, *, steps: Iterable[str] | None = None) -> Iterator[Derivation]:
        """Derivations past a number whose source was not forgotten, in order; only of these steps, and only where they
        made something, if `steps` are given (`facts/2`, or `facts` for every version)."""
        ...

    def check(self, step: str = "") -> None:
        """Raise StoreDamaged where something that a step made is not what was derived; without a step, where an event is
        not what was appended, but for its payload, which is looked at when it is read."""
        ...

    def mend(self) -> int:
        """Drop those that are not what was derived, so that they can be made again; returns how many."""
        ...

    def derived(self, step: str, sources: Sequence[str]) -> set[str]:
        """Which of these sources the step has already done."""
        ...


class Erasure(Protocol):
    """Forgetting: a tombstone hides an event at once; a purge erases its payload from the file."""

    def forget(self, ids: Sequence[str], tombstone: Draft) -> list[str]:
        """Append the tombstone and hide these events and what was derived from them; returns those that were hidden."""
        ...

    def purge(self) -> Purged:
        """Erase payloads and derivations of forgotten events from the file itself (secure delete, vacuum)."""
        ...


class Blobs(Protocol):
    """Contents that no commit holds, by git blob hash."""

    def put(self, contents: Iterable[tuple[str, bytes]]) -> None:
        """Keep these contents; known hashes are left as they are."""
        ...

    def get(self, digest: str) -> bytes | None:
        """One content, or None."""
        ...


class Exchange(Protocol):
    """Logs as plain records that travel between machines."""

    def dump(self) -> Iterator[dict[str, Any]]:
        """The whole log, header first."""
        ...

    def absorb(self, lines: Iterable[dict[str, Any]], clean: Callable[[str, str], str]) -> tuple[int, bool]:
        """Merge such records, all or nothing. What is new is kept as `clean` leaves it: it is given the type of an event, "" for a
        derivation or a content, and the text. Returns how many events were new, and whether any that was erased there is still
        here, though forgotten. Raises SourceError for a damaged record."""
        ...


class LogState(Protocol):
    """What a log says of itself besides its events."""

    def setting(self, name: str, default: Any) -> Any:
        """What the store was made with: the first value given stays."""
        ...

    def begin(self, work: str) -> None:
        """Note, durably, that this work must be finished should this process end."""
        ...

    def finish(self, work: str) -> None:
        """Take the note away."""
        ...

    def unfinished(self) -> set[str]:
        """Work that was begun and not finished."""
        ...

    def reached(self, work: str) -> int:
        """The position up to which this work was done on the log itself, 0 where it was not begun."""
        ...

    def reach(self, work: str, position: int) -> None:
        """Note how far it got."""
        ...

    def marks(self, prefix: str) -> dict[str, int]:
        """Everything that was reached whose name begins so, without that."""
        ...

    def anchor(self, position: int) -> int:
        """A number that only this history has at this position, 0 where there is no event."""
        ...

    def last(self, type: str) -> int:
        """The position of the last event of a type that was not forgotten; 0 where there is none."""
        ...

    def since(self, type: str) -> int:
        """The time of the first event of a type that was not forgotten, in microseconds; 0 where there is none."""
        ...

    def derivations(self) -> int:
        """The number of the last derivation that there ever was."""
        ...

    def count_derivations(self) -> int:
        """How many derivations there are now; their numbers have gaps."""
        ...

    def clocks(self) -> tuple[np.ndarray, np.ndarray]:
        """(ids, clocks) of all events, sorted by id: when each was recorded, in microseconds."""
        ...

    def made(self, step: str, source: str) -> list[dict[str, Any]]:
        """What a step made of one event, in order."""
        ...
