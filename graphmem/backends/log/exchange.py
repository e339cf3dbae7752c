"""Logs leave and enter as plain JSON lines. A merge unites chains: events keep their origin, sequence and checksum, are
verified before anything is written, and tombstones win whatever the order (DESIGN 7.2)."""

from __future__ import annotations

import base64
import hashlib
import sqlite3
from collections.abc import Iterable, Iterator
from typing import Any

from graphmem.backends.log.chain import chain_checksum, derivation_checksum, is_blank
from graphmem.errors import SourceError

FORMAT = "graphmem-log/1"
_ENVELOPE = ("id", "origin", "sequence", "clock", "type", "version", "at", "session", "project", "actor")


def dump_log(db: sqlite3.Connection) -> Iterator[dict[str, Any]]:
    """The whole log: a header, then events by origin and sequence (purged ones without payload), derivations, blobs; at the
    end how many records these are."""
    yield {"format": FORMAT, "ended": True}
    count = 0
    for count, record in enumerate(_records(db), 1):  # noqa: B007
        yield record
    yield {"end": count}


def _records(db: sqlite3.Connection) -> Iterator[dict[str, Any]]:
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
        told = {"step": step, "source": source, "input_hash": input_hash, "body": body}
        yield {"derivation": told if checksum is None else told | {"checksum": checksum}}
    for digest, body in db.execute("SELECT digest, body FROM blobs"):
        yield {"blob": digest, "body": base64.b64encode(body).decode()}


# What a line raises that is JSON, but no record of a log.
_NO_RECORD = (KeyError, TypeError, ValueError, AttributeError, sqlite3.InterfaceError, sqlite3.ProgrammingError)
_HELD = "SELECT 1 FROM events JOIN forgotten USING (position) JOIN payloads USING (position) WHERE events.id = ?"


def absorb_log(db: sqlite3.Connection, lines: Iterable[dict[str, Any]]) -> tuple[int, bool]:
    """Take in what is new, inside the caller's transaction; returns the number of new events, and whether anything that was
    erased there is still here, though forgotten. Raises SourceError for what is no log, or one that was changed."""
    source = iter(lines)
    header = next(source, {})
    if header.get("format") != FORMAT:
        raise SourceError(f"this is not an exported log: its first line does not contain {FORMAT}")
    refused = _Refused(db)
    known = {
        row[0]: (row[1], row[2])
        for row in db.execute("SELECT origin, max(sequence), checksum FROM events GROUP BY origin")
    }
    new, erased = 0, list[str]()
    for number, line in _ended(source, header):
        try:
            new += _take(db, line, known, refused)
            if "event" in line and "payload" not in line:
                erased.append(line["event"]["id"])
        except _NO_RECORD as error:
            raise SourceError(
                f"line {number} of the export is not a valid record: the export is damaged, or was made by a later version"
            ) from error
    _bury(db)
    held = any(db.execute(_HELD, (event,)).fetchone() for event in erased)
    return new, held or db.execute(_ERASED_TWIN).fetchone() is not None or refused.quoting


def _ended(source: Iterator[dict[str, Any]], header: dict[str, Any]) -> Iterator[tuple[int, dict[str, Any]]]:
    """The records with the numbers of their lines. Raises SourceError where the last line is missing, or counts others; earlier
    versions wrote none, and their headers promise none."""
    end, number = None, 1
    for number, line in enumerate(source, 2):
        if "end" in line:
            end = line["end"]
            break
        yield number, line
    if header.get("ended") and (end is None or end != number - 2 or next(source, None) is not None):
        raise SourceError("the export is truncated or was modified: the record count in its last line is wrong")


# An act that was erased, and that another machine appended, too: its payload came with that one.
_ERASED_TWIN = (
    "SELECT 1 FROM events e JOIN forgotten USING (position) JOIN payloads USING (position) WHERE EXISTS (SELECT 1 FROM events o"
    " JOIN forgotten f ON f.position = o.position LEFT JOIN payloads p ON p.position = o.position WHERE o.id = e.id"
    " AND p.position IS NULL)"
)
_ERASED = (
    "SELECT e.id FROM events e JOIN forgotten USING (position) LEFT JOIN payloads p ON p.position = e.position"
    " WHERE p.position IS NULL"
)
_NAMED_BLOBS = (
    "SELECT json_extract(b.value, '$[1]') FROM events e JOIN payloads p USING (position) LEFT JOIN forgotten f USING (position),"
    " json_each(p.body, '$.blobs') b WHERE e.type = 'tree_indexed' AND f.position IS NULL"
)
_OF_MANY = ("categories/",)  # steps that tell words of many events


class _Refused:
    """What an older export brings back and nobody wants: derivations of what was erased here, or of nothing, and contents that
    no tree names. It is looked up when the events of the export are all there. `quoting` says that something came in that may
    quote what was erased."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._erased: set[str] | None = None
        self._blobs: set[str] | None = None
        self.quoting = False

    def derivation(self, source: str, step: str) -> bool:
        """Whether what a step made of an event is refused."""
        if self._erased is None:
            _bury(self._db)
            self._erased = {row[0] for row in self._db.execute(_ERASED)}
        if not self._erased:
            return False
        self.quoting |= step.startswith(_OF_MANY)
        return source in self._erased or not self._db.execute("SELECT 1 FROM events WHERE id = ?", (source,)).fetchone()

    def blob(self, digest: str) -> bool:
        """Whether a content is refused."""
        if self._blobs is None:
            _bury(self._db)
            self._blobs = {row[0] for row in self._db.execute(_NAMED_BLOBS)}
        return digest not in self._blobs


def _take(db: sqlite3.Connection, line: dict[str, Any], known: dict[str, tuple[int, bytes]], refused: _Refused) -> int:
    """Take in one record; 1 if it was a new event. Raises KeyError for a record of no known kind."""
    if "event" in line:
        return _event(db, line, known)
    if "derivation" in line:
        found = line["derivation"]
        if not refused.derivation(found["source"], found["step"]):
            _derivation(db, found)
    elif not refused.blob(line["blob"]):
        db.execute("INSERT OR IGNORE INTO blobs VALUES (?, ?)", (line["blob"], base64.b64decode(line["body"])))
    return 0


def _derivation(db: sqlite3.Connection, found: dict[str, Any]) -> None:
    told = [found[name] for name in ("step", "source", "input_hash", "body")]
    checksum = derivation_checksum(*told)
    if found.get("checksum", checksum) != checksum:
        raise SourceError(f"what {told[0]} made of event {told[1]} was changed: the export is damaged")
    db.execute(
        "INSERT OR IGNORE INTO derivations(step, source, input_hash, body, checksum) VALUES (?,?,?,?,?)",
        [*told, checksum],
    )


def _event(db: sqlite3.Connection, line: dict[str, Any], known: dict[str, tuple[int, bytes]]) -> int:
    """Append one foreign event behind its origin's last; 1 if it was new."""
    envelope = tuple(line["event"][name] for name in _ENVELOPE)
    event_id, origin, sequence = envelope[:3]
    last, link = known.get(origin, (0, b""))
    if sequence <= last:
        return 0
    digest, checksum = bytes.fromhex(line["digest"]), bytes.fromhex(line["checksum"])
    whole = is_blank(envelope[4:], "payload" in line) or chain_checksum(link, (*envelope, digest)) == checksum
    if sequence != last + 1 or not whole:
        raise SourceError(
            f"event {event_id} does not continue the chain of {origin}: the export was changed, or events are missing"
        )
    row = db.execute(
        f"INSERT INTO events({', '.join(_ENVELOPE)}, digest, checksum) VALUES ({','.join('?' * 12)})",
        (*envelope, digest, checksum),
    ).lastrowid
    if "payload" in line:
        salt, body = bytes.fromhex(line["salt"]), line["payload"]
        if hashlib.sha256(salt + body.encode("utf-8", "surrogatepass")).digest() != digest:
            raise SourceError(f"the payload of event {event_id} was changed")
        db.execute("INSERT INTO payloads VALUES (?, ?, ?)", (row, salt, body))
    known[origin] = (sequence, checksum)
    return 1


def _bury(db: sqlite3.Connection) -> None:
    """Hide every event that any tombstone names, whichever log it came from."""
    db.execute(
        "INSERT OR IGNORE INTO forgotten SELECT e.position, t.id FROM events t JOIN payloads p USING (position),"
        " json_each(p.body, '$.events') named JOIN events e ON e.id = named.value WHERE t.type = 'memory_forgotten'"
    )
