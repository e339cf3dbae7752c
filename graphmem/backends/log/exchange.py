"""Exports and merges logs as JSON lines. A merge unites chains: events keep their origin, sequence and checksum, and are
verified before anything is written; tombstones win regardless of order, unless a foreign one names an event that is not."""

from __future__ import annotations

import base64
import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from graphmem.backends.log.chain import continues_chain, derivation_checksum, is_payload, redacted_salt
from graphmem.backends.log.connection import Connection
from graphmem.backends.log.merges import MERGED, MergedRanges, MergeTrust, drop_derivations, read_trust
from graphmem.errors import SourceError
from graphmem.model.events import MergeCounts

FORMAT = "graphmem-log/1"
_TOGETHER = 500  # events per query
_ENVELOPE = ("id", "origin", "sequence", "clock", "type", "version", "at", "session", "project", "actor")


def dump_log(db: Connection, own_origin: str) -> Iterator[dict[str, Any]]:
    """Yield the whole log of `own_origin`: a header, events by origin and sequence (purged ones without payload),
    derivations, blobs, and finally the number of records."""
    yield {"format": FORMAT, "ended": True, "origin": own_origin}
    count = 0
    for count, record in enumerate(_records(db), 1):  # noqa: B007
        yield record
    yield {"end": count}


def _records(db: Connection) -> Iterator[dict[str, Any]]:
    names = ", ".join(f"e.{name}" for name in _ENVELOPE)
    for *envelope, digest, checksum, salt, body in db.execute(
        f"SELECT {names}, digest, checksum, salt, body FROM events e LEFT JOIN payloads USING (position)"
        " ORDER BY origin, sequence"
    ):
        line = {
            "event": dict(zip(_ENVELOPE, envelope, strict=True)),
            "digest": digest.hex(),
            "checksum": checksum.hex(),
        }
        yield line if body is None else line | {"salt": salt.hex(), "payload": body}
    for step, source, input_hash, body, checksum in db.execute(
        "SELECT step, source, input_hash, body, checksum FROM derivations ORDER BY number"
    ):
        record = {"step": step, "source": source, "input_hash": input_hash, "body": body}
        yield {"derivation": record if checksum is None else record | {"checksum": checksum}}
    for digest, body in db.execute("SELECT digest, body FROM blobs"):
        yield {"blob": digest, "body": base64.b64encode(body).decode()}


# Exceptions for a line that is JSON but not a record of a log.
_NO_RECORD = (KeyError, TypeError, ValueError, AttributeError, sqlite3.InterfaceError, sqlite3.ProgrammingError)
_LAST = (
    "SELECT e.origin, e.sequence, e.checksum FROM events e"
    " JOIN (SELECT origin, max(sequence) AS sequence FROM events GROUP BY origin) m"
    " ON m.origin = e.origin AND m.sequence = e.sequence"
)
_CHECKSUM = "SELECT checksum FROM events WHERE origin = ? AND sequence = ?"
_STILL_STORED = (
    "SELECT 1 FROM events JOIN forgotten USING (position) JOIN payloads USING (position) WHERE events.id = ?"
)


class MergeOutcome(NamedTuple):
    """What a merge changed, and the payload of the `log_merged` event that records it; empty if nothing changed."""

    counts: MergeCounts
    decision: dict[str, Any]


def merge_records(
    db: Connection,
    lines: Iterable[dict[str, Any]],
    redact: Callable[[str, str], str],
    own_origin: str,
    *,
    trusted: bool,
) -> MergeOutcome:
    """Merge new records into the log of `own_origin`, inside the caller's transaction. `redact` receives the type of an event
    ("" for other records) and a text, and returns the text to store. With `trusted` the user vouches for the exporter;
    otherwise its derivations are left out, because they could claim any origin. Raises SourceError for other files or
    modified logs."""
    source = iter(lines)
    header = next(source, {})
    if header.get("format") != FORMAT:
        raise SourceError(f"this is not an exported log: its first line does not contain {FORMAT}")
    merge = _Merge(
        db, redact, own_origin, MergedRanges(str(header.get("origin") or ""), trusted=trusted), trusted=trusted
    )
    new, erased = 0, list[str]()
    for number, line in _ended(source, header):
        try:
            new += merge.take(line)
            if "event" in line and "payload" not in line:
                erased.append(line["event"]["id"])
        except _NO_RECORD as error:
            raise SourceError(
                f"line {number} of the export is not a valid record: the export is damaged, or was made by a later version"
            ) from error
    merge.apply_tombstones()
    for event in erased:
        if db.execute(_UNEXPLAINED, (event,)).fetchone():
            raise SourceError(f"event {event} has no content, and no tombstone says why: the export was changed")
    still_here = any(db.execute(_STILL_STORED, (event,)).fetchone() for event in erased)
    still_here = still_here or db.execute(_ERASED_TWIN).fetchone() is not None or merge.refused.quoting
    return MergeOutcome(MergeCounts(new, still_here, merge.revised), merge.decision)


def _ended(source: Iterator[dict[str, Any]], header: dict[str, Any]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the records with line numbers. Raises SourceError if the last line is missing or has a wrong count; earlier
    versions wrote none, which their headers indicate."""
    end, number = None, 1
    for number, line in enumerate(source, 2):
        if "end" in line:
            end = line["end"]
            break
        yield number, line
    if header.get("ended") and (end is None or end != number - 2 or next(source, None) is not None):
        raise SourceError("the export is truncated or was modified: the record count in its last line is wrong")


_UNEXPLAINED = (
    "SELECT 1 FROM events e LEFT JOIN payloads p USING (position) LEFT JOIN forgotten f USING (position)"
    " WHERE e.id = ? AND p.position IS NULL AND f.position IS NULL"
)
# An erased event that another machine appended, too: that copy brought its payload.
_ERASED_TWIN = (
    "SELECT 1 FROM events e JOIN forgotten USING (position) JOIN payloads USING (position) WHERE EXISTS (SELECT 1 FROM events o"
    " JOIN forgotten f ON f.position = o.position LEFT JOIN payloads p ON p.position = o.position WHERE o.id = e.id"
    " AND p.position IS NULL)"
)
_ERASED = (
    "SELECT e.id FROM events e JOIN forgotten USING (position) LEFT JOIN payloads p ON p.position = e.position"
    " WHERE p.position IS NULL"
)
_TOMBSTONES = (
    "SELECT t.id, t.origin, t.sequence, p.body FROM events t JOIN payloads p ON p.position = t.position"
    " WHERE t.type = 'memory_forgotten' ORDER BY t.position"
)
_TREES = (
    "SELECT p.body FROM events e JOIN payloads p USING (position) LEFT JOIN forgotten f USING (position)"
    " WHERE e.type IN ('tree_indexed', 'scip_indexed') AND f.position IS NULL"
)
_KNOWN = "SELECT 1 FROM derivations WHERE step = ? AND source = ? AND input_hash = ?"
_OF_MANY = ("categories/",)  # steps that quote many events


class _Refused:
    """Records of an older export that must not return: derivations of erased or unknown events, and contents that no tree
    names. Evaluated when all events of the export have been read. `quoting`: something was imported that may quote erased
    text."""

    def __init__(self, db: Connection, apply_tombstones: Callable[[], None]) -> None:
        self._db = db
        self._apply_tombstones = apply_tombstones
        self._erased: set[str] | None = None
        self._blobs: set[str] | None = None
        self.quoting = False

    def derivation(self, source: str, step: str) -> bool:
        """Return whether a derivation is rejected."""
        if self._erased is None:
            self._apply_tombstones()
            self._erased = {row[0] for row in self._db.execute(_ERASED)}
        if not self._erased:
            return False
        self.quoting |= step.startswith(_OF_MANY)
        return source in self._erased or not self._db.execute("SELECT 1 FROM events WHERE id = ?", (source,)).fetchone()

    def blob(self, digest: str) -> bool:
        """Return whether a content is rejected."""
        if self._blobs is None:
            self._apply_tombstones()
            self._blobs = named_blobs(self._db.execute(_TREES))
        return digest not in self._blobs


class _Merge:
    """One merge: imports record by record. An export has its events first, then what was derived from them."""

    def __init__(
        self,
        db: Connection,
        redact: Callable[[str, str], str],
        own_origin: str,
        ranges: MergedRanges,
        *,
        trusted: bool,
    ) -> None:
        self._db = db
        self._redact = redact
        self._own = own_origin
        self._ranges = ranges
        self._trusted = trusted
        (self._position,) = db.execute("SELECT coalesce(max(position), 0) FROM events").fetchone()
        last = db.execute(_LAST)
        self._known = {row[0]: (row[1], row[2]) for row in last}
        self._before = read_trust(db, own_origin)
        self._decision: dict[str, Any] | None = None
        self.refused = _Refused(db, self.apply_tombstones)
        self.revised = False  # whether the user vouches for events that were merged before

    @property
    def decision(self) -> dict[str, Any]:
        """Return the payload of the `log_merged` event; empty if nothing changes. All events have been read."""
        if self._decision is None:
            self._decision, revised = self._ranges.decide(self._before)
            drop_derivations(self._db, revised)
            self.revised = bool(revised)
        return self._decision

    def apply_tombstones(self) -> None:
        """Apply the tombstones of all logs. All events have been read."""
        _apply_tombstones(self._db, read_trust(self._db, self._own, self.decision))

    def take(self, line: dict[str, Any]) -> int:
        """Import one record; return 1 for a new event. Raises KeyError for an unknown record type."""
        if "event" in line:
            return self._event(line)
        if "derivation" in line:
            found = line["derivation"]
            if (
                self._trusted
                and self.decision is not None
                and not self.refused.derivation(found["source"], found["step"])
            ):
                _derivation(self._db, found, self._redact)
        elif not self.refused.blob(line["blob"]):
            body = _redact_bytes(base64.b64decode(line["body"]), self._redact)
            self._db.execute("INSERT INTO blobs VALUES (?, ?) ON CONFLICT DO NOTHING", (line["blob"], body))
        return 0

    def _event(self, line: dict[str, Any]) -> int:
        """Append an event of another machine after the last one of its origin; return 1 if it was new. A trusted export
        must agree with what was merged before."""
        envelope = tuple(line["event"][name] for name in _ENVELOPE)
        event_id, origin, sequence = envelope[:3]
        last, link = self._known.get(origin, (0, b""))
        digest, checksum = bytes.fromhex(line["digest"]), bytes.fromhex(line["checksum"])
        if envelope[4] == MERGED and "payload" in line:
            self._ranges.add_record(origin, sequence, line["payload"])
        if sequence <= last:
            if self._trusted and self._db.execute(_CHECKSUM, (origin, sequence)).fetchone() != (checksum,):
                raise SourceError(
                    f"event {event_id} differs from the one with the same number that was merged before: another export"
                    f" continued the chain of {origin} differently"
                )
            self._ranges.add(origin, sequence, new=False)
            return 0
        if sequence != last + 1 or not continues_chain(link, (*envelope, digest), checksum, "payload" in line):
            raise SourceError(
                f"event {event_id} does not continue the chain of {origin}: the export was changed, or events are missing"
            )
        self._position += 1
        self._db.execute(
            f"INSERT INTO events(position, {', '.join(_ENVELOPE)}, digest, checksum) VALUES ({','.join('?' * 13)})",
            (self._position, *envelope[:-3], *(self._redact("", name) for name in envelope[-3:]), digest, checksum),
        )
        if "payload" in line:
            salt, body = bytes.fromhex(line["salt"]), line["payload"]
            if not is_payload(salt, body, digest):
                raise SourceError(f"the payload of event {event_id} was changed")
            if (left := self._redact(envelope[4], body)) != body:
                salt, body = redacted_salt(left), left
            self._db.execute("INSERT INTO payloads VALUES (?, ?, ?)", (self._position, salt, body))
        self._known[origin] = (sequence, checksum)
        self._ranges.add(origin, sequence, new=True)
        return 1


def _redact_bytes(body: bytes, redact: Callable[[str, str], str]) -> bytes:
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        return body
    return redact("", text).encode("utf-8", "surrogatepass")


def _derivation(db: Connection, found: dict[str, Any], redact: Callable[[str, str], str]) -> None:
    row = [found[name] for name in ("step", "source", "input_hash", "body")]
    checksum = derivation_checksum(*row)
    if found.get("checksum", checksum) != checksum:
        raise SourceError(f"what {row[0]} made of event {row[1]} was changed: the export is damaged")
    row[3] = redact("", row[3])
    if db.execute(_KNOWN, row[:3]).fetchone() is None:  # an ignored INSERT would use up a number
        db.execute(
            "INSERT INTO derivations(step, source, input_hash, body, checksum) VALUES (?,?,?,?,?)",
            [*row, derivation_checksum(*row)],
        )


def _apply_tombstones(db: Connection, trust: MergeTrust) -> None:
    """Hide every event that a tombstone names, from any log. A machine that the user did not vouch for can only hide what
    came from such machines."""
    for tombstone, by, by_sequence, body in db.execute(_TOMBSTONES).fetchall():
        is_foreign = trust.is_foreign(by, by_sequence)
        db.executemany(
            "INSERT INTO forgotten VALUES (?, ?) ON CONFLICT DO NOTHING",
            [
                (position, tombstone)
                for position, origin, sequence in _events_named(db, _list_in(body, "events"))
                if trust.is_foreign(origin, sequence) or not is_foreign
            ],
        )


def _events_named(db: Connection, ids: Sequence[Any]) -> Iterator[tuple[int, str, int]]:
    """Yield position, origin and sequence of all copies of these events."""
    names = [one for one in ids if isinstance(one, str)]
    for start in range(0, len(names), _TOGETHER):
        part = names[start : start + _TOGETHER]
        yield from db.execute(
            f"SELECT position, origin, sequence FROM events WHERE id IN ({','.join('?' * len(part))})", part
        ).fetchall()


def named_blobs(rows: Iterable[tuple[str]]) -> set[str]:
    """Return the hashes of the contents that the payloads of indexing events name."""
    found = (named for (body,) in rows for named in _list_in(body, "blobs"))
    return {named[1] for named in found if isinstance(named, list) and len(named) > 1 and isinstance(named[1], str)}


def _list_in(body: str, name: str) -> list[Any]:
    """Return a list of a payload, which another machine may have written; empty if there is none."""
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return []
    inner = found.get(name) if isinstance(found, dict) else None
    return inner if isinstance(inner, list) else []
