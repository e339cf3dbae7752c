"""The event log and its derivations: append-only, durable before `append` returns, protected by a checksum chain."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol

from graphmem.model.events import Absorbed, Appended, Derivation, Draft, Event, Purged

if TYPE_CHECKING:
    import numpy as np

Order = Literal["position", "clock"]


class EventLog(Protocol):
    """Append and read events."""

    def append(self, drafts: Sequence[Draft]) -> list[Appended]:
        """Append all in one transaction; durable on return. Raises StoreError if nothing was written."""
        ...

    def read(
        self, after: int = 0, *, types: Iterable[str] | None = None, order: Order = "position", upto: int | None = None
    ) -> Iterator[Event]:
        """Yield events after a position that were not forgotten. `order="clock"` is the replay order. With `types`,
        events that do not have their type's shape (`Event.problem`) are skipped."""
        ...

    def get(self, ids: Sequence[str]) -> dict[str, Event]:
        """Return events by id; unknown and forgotten ones are skipped."""
        ...

    def head(self) -> int:
        """Return the last position, 0 if empty."""
        ...

    def close(self) -> None:
        """Close the file."""
        ...


class Browsing(Protocol):
    """Read a log from its end, without reading all of it."""

    def newest(
        self,
        limit: int,
        *,
        before: int | None = None,
        after: int = 0,
        session: str | None = None,
        types: Iterable[str] | None = None,
    ) -> list[Event]:
        """Return at most `limit` events that were not forgotten, newest first, between two positions (both exclusive).
        With `types`, events that do not match the schema of their type are left out, as in `EventLog.read`."""
        ...

    def buried(self) -> list[Event]:
        """Return events that were forgotten but not yet erased, in order."""
        ...

    def tally(self, width: int, since: int) -> list[tuple[int, str, int]]:
        """Count events by type in each interval of `width` microseconds: (number of the interval since 1970, type,
        count), for events since `since`."""
        ...

    def suspicious(self) -> list[Event]:
        """Return events marked as instructions to the agent and not forgotten, in order."""
        ...

    def withheld(self) -> list[tuple[str, dict[str, Any]]]:
        """Return (type, `privacy` entry of the payload) of every event with redacted content."""
        ...


class Derivations(Protocol):
    """Results of steps and models, stored with the log so that a rebuild reuses them."""

    def derive(self, derivations: Sequence[Derivation], *, again: bool = False) -> int:
        """Store those that are new for their (step, source, input hash), or with `again` replace all; return the number
        of new ones."""
        ...

    def derivations(self, after: int = 0, *, steps: Iterable[str] | None = None) -> Iterator[Derivation]:
        """Return derivations after a number whose source was not forgotten, in order. With `steps` (`facts/2`, or `facts`
        for every version), only those with a result."""
        ...

    def check(self, step: str = "") -> None:
        """Raise StoreDamaged if the stored results of a step were modified; without a step, if an event was modified,
        except its payload, which is checked when read."""
        ...

    def mend(self) -> int:
        """Delete modified derivations, so that they are recomputed; return the count."""
        ...

    def derived(self, step: str, sources: Sequence[str]) -> set[str]:
        """Return the sources that the step has already processed."""
        ...


class Erasure(Protocol):
    """Forgetting: a tombstone hides an event at once; a purge erases its payload from the file."""

    def forget(self, ids: Sequence[str], tombstone: Draft) -> list[str]:
        """Append the tombstone and hide these events and their derivations; return the hidden ones."""
        ...

    def purge(self) -> Purged:
        """Erase payloads and derivations of forgotten events from the file (secure delete, vacuum)."""
        ...


class Blobs(Protocol):
    """File contents that no commit contains, by git blob hash."""

    def put(self, contents: Iterable[tuple[str, bytes]]) -> None:
        """Store these contents; known hashes are unchanged."""
        ...

    def get(self, digest: str) -> bytes | None:
        """Return one content, or None."""
        ...


class Exchange(Protocol):
    """Transfer of logs between machines as plain records."""

    def dump(self) -> Iterator[dict[str, Any]]:
        """Yield the whole log, header first."""
        ...

    def absorb(
        self, lines: Iterable[dict[str, Any]], clean: Callable[[str, str], str], *, trusted: bool = False
    ) -> Absorbed:
        """Merge such records, atomically. `clean` receives the type of an event ("" for a derivation or content) and the
        text, and returns the text to store. With `trusted`, the user vouches for the exporting machine: its events
        count as those of this one. Raises SourceError for a damaged record."""
        ...


class LogState(Protocol):
    """State stored with the log besides its events."""

    def setting(self, name: str, default: Any) -> Any:
        """Return a value fixed at creation: the first value given is kept."""
        ...

    def begin(self, work: str) -> None:
        """Durably record that this operation must be completed, even after a crash."""
        ...

    def finish(self, work: str) -> None:
        """Remove that record."""
        ...

    def unfinished(self) -> set[str]:
        """Return operations that were started but not completed."""
        ...

    def reached(self, work: str) -> int:
        """Return the position up to which this operation has processed the log, 0 at first."""
        ...

    def reach(self, work: str, position: int) -> None:
        """Record the position."""
        ...

    def marks(self, prefix: str) -> dict[str, int]:
        """Return all positions whose name has this prefix, with the prefix removed."""
        ...

    def anchor(self, position: int) -> int:
        """Return a number unique to this history at this position, 0 if there is no event."""
        ...

    def last(self, type: str) -> int:
        """Return the position of the last event of a type that was not forgotten; 0 if none."""
        ...

    def since(self, type: str) -> int:
        """Return the time of the first event of a type that was not forgotten, in microseconds; 0 if none."""
        ...

    def derivations(self) -> int:
        """Return the highest derivation number ever used."""
        ...

    def count_derivations(self) -> int:
        """Return how many derivations there are now; their numbers have gaps."""
        ...

    def clocks(self) -> tuple[np.ndarray, np.ndarray]:
        """Return (ids, clocks) of all events, sorted by id; clocks in microseconds."""
        ...

    def made(self, step: str, source: str) -> list[dict[str, Any]]:
        """Return the results of a step for an event, in order."""
        ...
