"""Decides which merged events come from a machine that the user did not vouch for. Each merge appends one `log_merged`
event to this log, in the same transaction: the ranges of sequence numbers that it brought, or for which it was the first
to be trusted. The decision is therefore part of the log, and every reader of the log computes the same.

A range is (origin, first, last). The log is not signed, so an export can also continue the chain of this log itself; what
it brought so is not this machine's either, and a `log_merged` event among it decides nothing."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from graphmem.backends.log.connection import Connection

MERGED = "log_merged"
TRUSTED, FOREIGN = "trusted", "foreign"  # fields of its payload: lists of ranges
PROJECTS = "projects"  # field of its payload: names that projects have in merged events -> the names they have here
Range = tuple[str, int, int]
_RECORDS = (
    "SELECT e.sequence, p.body FROM events e JOIN payloads p USING (position) WHERE e.type = ? AND e.origin = ?"
    " ORDER BY e.position"
)
_NEWEST = "SELECT max(position) FROM events WHERE type = ?"


class MergeTrust:
    """What one machine decided about merged events."""

    def __init__(self, own_origin: str, records: Sequence[tuple[int, Any]] = ()) -> None:
        """Read the decisions of this machine: sequence and payload of its `log_merged` events, in order."""
        self._own = own_origin
        self._decided: dict[str, list[tuple[int, int, bool]]] = {}  # by origin, newest decision first
        self._projects: dict[str, str] = {}
        for sequence, payload in reversed(records):  # the newest is always real: a merge appends its own last
            if not self.is_foreign(own_origin, sequence) and isinstance(payload, dict):
                self._add(payload.get(TRUSTED), foreign=False)
                self._add(payload.get(FOREIGN), foreign=True)
                named = payload.get(PROJECTS)
                for name, here in named.items() if isinstance(named, dict) else ():
                    self._projects.setdefault(name, str(here))

    def _add(self, ranges: Any, *, foreign: bool) -> None:
        for one in ranges if isinstance(ranges, list) else ():
            if isinstance(one, list) and [type(part) for part in one] == [str, int, int]:
                origin, first, last = one
                known = self._decided.setdefault(origin, [])
                if known and known[-1][2] == foreign and last + 1 == known[-1][0]:  # regular merges: one range
                    known[-1] = (first, known[-1][1], foreign)
                else:
                    known.append((first, last, foreign))

    def is_foreign(self, origin: str, sequence: int) -> bool:
        """Return whether an event was merged from a machine that the user did not vouch for."""
        for first, last, foreign in self._decided.get(origin, ()):
            if first <= sequence <= last:
                return foreign
        return origin != self._own

    def project_of(self, name: str) -> str:
        """Return the name that a project of the log has here: its repository may have had another folder elsewhere."""
        return self._projects.get(name, name)

    def ranges(self) -> list[tuple[str, int, int, bool]]:
        """Return all decisions, the newest of each origin first: origin, first and last sequence, whether foreign."""
        return [(origin, *decided) for origin, found in self._decided.items() for decided in found]


def read_trust(db: Connection, own_origin: str, decided: dict[str, Any] | None = None) -> MergeTrust:
    """Return the decisions that the log of `own_origin` contains, and the one that is about to be appended."""
    records = [(sequence, json.loads(body)) for sequence, body in db.execute(_RECORDS, (MERGED, own_origin))]
    if decided:
        records.append((sys.maxsize, json.loads(json.dumps(decided))))  # as it will be read
    return MergeTrust(own_origin, records)


_TWIN = (
    " AND NOT EXISTS (SELECT 1 FROM events o WHERE o.id = e.id AND (is_foreign(o.origin, o.sequence), o.clock, o.origin)"
    " < (is_foreign(e.origin, e.sequence), e.clock, e.origin))"
)


class TrustCache:
    """The decisions of one log, read again when any process has merged."""

    def __init__(self, db: Connection, own_origin: str) -> None:
        self._db = db
        self._own = own_origin
        self._read: tuple[int | None, MergeTrust] = (None, MergeTrust(own_origin))

    def is_foreign(self, origin: str, sequence: int) -> bool:
        """Return what `MergeTrust.is_foreign` says, by the decisions that were read last: SQL calls it for each row."""
        return self._read[1].is_foreign(origin, sequence)

    def current(self) -> MergeTrust:
        """Return the current decisions. The caller holds the lock of the log."""
        (newest,) = self._db.execute(_NEWEST, (MERGED,)).fetchone()
        if newest != self._read[0]:
            self._read = (newest, read_trust(self._db, self._own))
        return self._read[1]

    def one_copy(self) -> str:
        """Return the SQL condition for merged logs, which can contain an event `e` twice: a copy of this machine, or of one
        that the user vouches for, counts before others, then the earliest by clock. The caller holds the lock."""
        (is_merged,) = self._db.execute(  # two index lookups: DISTINCT would read the whole index
            "SELECT (SELECT min(origin) FROM events) <> (SELECT max(origin) FROM events)"
        ).fetchone()
        self.current()
        return _TWIN if is_merged else ""


class MergedRanges:
    """Collects which events an export contains, which of them are new, and what its author decided about merges."""

    def __init__(self, exporter: str, *, trusted: bool) -> None:
        self._exporter = exporter
        self._trusted = trusted
        self._records: list[tuple[int, Any]] = []
        self._new: list[Range] = []
        self._known: list[Range] = []

    def add(self, origin: str, sequence: int, *, new: bool) -> None:
        """Note an event of the export."""
        _extend(self._new if new else self._known, origin, sequence)

    def add_record(self, origin: str, sequence: int, body: str) -> None:
        """Note a `log_merged` event of the export."""
        if origin == self._exporter:
            self._records.append((sequence, json.loads(body)))

    def decide(self, before: MergeTrust) -> tuple[dict[str, list[Range]], list[Range]]:
        """Return the payload of the `log_merged` event, empty if nothing changes, and the ranges that were merged before
        and are trusted from now on. `before`: the decisions until now."""
        vouched, foreign, revised = list[Range](), list[Range](), list[Range]()
        exporter = MergeTrust(self._exporter, self._records)
        for origin, sequence in _each(self._new):
            _extend(vouched if self._is_vouched(exporter, origin, sequence) else foreign, origin, sequence)
        for origin, sequence in _each(self._known) if self._trusted else ():
            if before.is_foreign(origin, sequence) and self._is_vouched(exporter, origin, sequence):
                _extend(revised, origin, sequence)
        found = {TRUSTED: [*vouched, *revised], FOREIGN: foreign}
        return {name: ranges for name, ranges in found.items() if ranges}, revised

    def _is_vouched(self, exporter: MergeTrust, origin: str, sequence: int) -> bool:
        """Return whether the user vouches for an event: the exporter trusts it, too. (An export of an earlier version
        does not name its exporter.)"""
        return self._trusted and not (self._exporter and exporter.is_foreign(origin, sequence))


def _each(ranges: Iterable[Range]) -> Iterator[tuple[str, int]]:
    return ((origin, sequence) for origin, first, last in ranges for sequence in range(first, last + 1))


def _extend(ranges: list[Range], origin: str, sequence: int) -> None:
    if ranges and ranges[-1][0] == origin and ranges[-1][2] + 1 == sequence:
        ranges[-1] = (origin, ranges[-1][1], sequence)
    else:
        ranges.append((origin, sequence, sequence))


def drop_derivations_of_projects(db: Connection, names: Iterable[str]) -> None:
    """Delete what was derived from the events of these projects, because it names the project."""
    db.executemany(
        "DELETE FROM derivations WHERE source IN (SELECT id FROM events WHERE project = ?)", [(name,) for name in names]
    )


def drop_derivations(db: Connection, ranges: Iterable[Range]) -> None:
    """Delete what was derived from these events, because they are read differently from now on."""
    db.executemany(
        "DELETE FROM derivations WHERE source IN (SELECT id FROM events WHERE origin = ? AND sequence BETWEEN ? AND ?)",
        list(ranges),
    )
