"""The event log and its derivations: append-only, durable before `append` returns, protected by a checksum chain."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Literal, Protocol

from graphmem.model.events import Appended, Derivation, Draft, Event, MergeCounts, Purged

if TYPE_CHECKING:
    import numpy as np

Order = Literal["position", "clock"]
FOLLOWED = "own/followed"  # watermark of one store: up to where it looked for what others changed


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


class LogBrowser(Protocol):
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

    def forgotten_unpurged(self) -> list[Event]:
        """Return events that were forgotten but not yet erased, in order."""
        ...

    def count_by_interval(self, interval_us: int, since_us: int) -> list[tuple[int, str, int]]:
        """Count events by type in each interval of `interval_us` microseconds: (number of the interval since 1970, type,
        count), for events since `since_us`."""
        ...

    def suspected_injections(self) -> list[Event]:
        """Return events flagged as possible prompt injection, in log order; forgotten ones are omitted."""
        ...

    def redaction_counts(self) -> list[tuple[str, dict[str, Any]]]:
        """Return (event type, `privacy` entry of the payload) of every event from which something was redacted."""
        ...


class Derivations(Protocol):
    """Results of steps and models, stored with the log so that a rebuild reuses them."""

    def store_derivations(self, derivations: Sequence[Derivation], *, replace: bool = False) -> int:
        """Store those that are new for their (step, source, input hash), or with `replace` all of them; return the
        number of rows written."""
        ...

    def derivations(self, after: int = 0, *, steps: Iterable[str] | None = None) -> Iterator[Derivation]:
        """Return derivations after a number whose source was not forgotten, in order. With `steps` (`facts/2`, or `facts`
        for every version), only those with a result."""
        ...

    def check(self, step: str = "") -> None:
        """Raise StoreDamaged if the stored results of a step were modified; without a step, if an event was modified,
        except its payload, which is checked when read."""
        ...

    def drop_damaged_derivations(self) -> int:
        """Delete derivations whose checksum does not match, so that the next run recomputes them, and rebuild
        damaged indexes; return their number."""
        ...

    def processed_sources(self, step: str, sources: Sequence[str]) -> set[str]:
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

    def merge_records(
        self, records: Iterable[dict[str, Any]], redact: Callable[[str, str], str], *, trusted: bool = False
    ) -> MergeCounts:
        """Merge the records of another log, atomically. `redact` receives the type of an event ("" for a derivation or
        content) and the text, and returns the text to store. With `trusted`, the user vouches for the exporting machine: its events
        count as those of this one. Raises SourceError for a damaged record."""
        ...

    def rename_projects(self, names: Iterable[str], here: str) -> None:
        """Let the events of these projects count as those of the project `here`, from now on and in every reader. Derivations
        from them are deleted, because they name the project."""
        ...

    def project_named(self, name: str) -> str:
        """Return the project that an event belongs to which names this project."""
        ...


class Sharing(Protocol):
    """What several stores need that share one log. A store with a log of its own waits for nobody."""

    @property
    def location(self) -> str:
        """Return where the log is, for messages."""
        ...

    def wait_for_append(self, timeout_s: float, stopping: threading.Event) -> None:
        """Wait until something is appended, if the log can tell, `stopping` is set, or this time has passed."""
        ...

    def lease(self, name: str) -> AbstractContextManager[None]:
        """Context manager: work of this name is done for one store at a time, unless its holder hangs."""
        ...

    def rewritten_by_others(self) -> int:
        """Return the last position, if after the watermark `FOLLOWED` another store has merged a log, or has forgotten what its
        tombstone does not list: only a rebuild then shows what is in the log. Otherwise 0."""
        ...


class LogState(Protocol):
    """State stored with the log besides its events."""

    def setting(self, name: str, default: Any, *, replace: bool = False) -> Any:
        """Return a stored value; the first one given is kept, unless `replace` is set. None stores nothing."""
        ...

    def begin_operation(self, work: str) -> None:
        """Durably record that this operation must be completed, even after a crash."""
        ...

    def finish_operation(self, work: str) -> None:
        """Record that the operation is complete."""
        ...

    def unfinished_operations(self) -> set[str]:
        """Return operations that were started but not completed."""
        ...

    def watermark(self, step: str) -> int:
        """Return the position up to which the step has processed the log, 0 at first."""
        ...

    def save_watermark(self, step: str, position: int) -> None:
        """Record that the step has processed the log up to this position."""
        ...

    def watermarks(self, prefix: str) -> dict[str, int]:
        """Return the watermarks of all steps whose name has this prefix, with the prefix removed."""
        ...

    def history_fingerprint(self, position: int) -> int:
        """Return a number that identifies the log up to this position, so that readers notice a replaced or restored
        log; 0 if there is no event there."""
        ...

    def last_position(self, event_type: str) -> int:
        """Return the position of the last event of a type that was not forgotten; 0 if none."""
        ...

    def first_time_us(self, event_type: str) -> int:
        """Return the time of the first event of a type that was not forgotten, in microseconds; 0 if none."""
        ...

    def last_derivation_number(self) -> int:
        """Return the highest derivation number ever used."""
        ...

    def count_derivations(self) -> int:
        """Return how many derivations there are now; their numbers have gaps."""
        ...

    def clocks(self) -> tuple[np.ndarray, np.ndarray]:
        """Return (ids, clocks) of all events, sorted by id; clocks in microseconds."""
        ...

    def step_results(self, step: str, source: str) -> list[dict[str, Any]]:
        """Return the bodies of all derivations of a step from one event, oldest first."""
        ...
