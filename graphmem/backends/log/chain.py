"""The checksum chain of the log: each event's checksum covers the one before it in its origin, its envelope and the
salted digest of its payload, so that a payload can be erased and the chain still be verified."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any


def canonical(value: Any) -> str:
    """JSON with sorted keys and no white space: the same value always gives the same text."""
    return _ENCODER.encode(value)


_ENCODER = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"))
_DECODER = json.JSONDecoder()


def parsed(text: str) -> Any:
    """The value of a canonical text, read in half the time that `json.loads` takes for short ones. Raises ValueError."""
    return _DECODER.raw_decode(text)[0]


def chain(before: bytes, envelope: tuple[Any, ...]) -> bytes:
    """The checksum of an event from the one before; the envelope ends with the digest of the payload."""
    *fields, digest = envelope
    return hashlib.sha256(before + canonical(fields).encode("utf-8", "surrogatepass") + digest).digest()


def derivation_checksum(step: str, source: str, input_hash: str, body: str) -> int:
    """CRC-32 of a derivation: it can be made again, so that it need only be told whether it was changed."""
    return zlib.crc32("\0".join((step, source, input_hash, body)).encode("utf-8", "surrogatepass"))


def changed_derivations(db: sqlite3.Connection, only: str = "") -> Iterator[tuple[int, str, str]]:
    """(number, step, source) of those that are not what was derived; `only` of one step."""
    query = "SELECT number, step, source, input_hash, body, checksum FROM derivations WHERE checksum IS NOT NULL"
    chosen = " AND +step = ?" if only else ""  # in the order of the file, not in that of an index
    for number, step, source, input_hash, body, checksum in db.execute(query + chosen, (only,) if only else ()):
        if derivation_checksum(step, source, input_hash, body) != checksum:
            yield number, step, source


def changed_envelopes(db: sqlite3.Connection) -> Iterator[str]:
    """Ids of events that are not what was appended, but for their payloads. Behind a gap the first cannot be told."""
    last: dict[str, tuple[int, bytes]] = {}
    for *envelope, checksum in db.execute(
        "SELECT id, origin, sequence, clock, type, version, at, session, project, actor, digest, checksum FROM events"
        " ORDER BY origin, sequence"
    ):
        event_id, origin, sequence = envelope[:3]
        before, link = last.get(origin, (0, b""))
        if sequence == before + 1 and chain(link, tuple(envelope)) != checksum:
            yield event_id
        last[origin] = sequence, checksum


def changed_payloads(db: sqlite3.Connection) -> Iterator[tuple[str, str]]:
    """(id, what happened) of events whose payload is not what was appended, unless it was forgotten."""
    for event_id, digest, salt, body in db.execute(
        "SELECT e.id, digest, salt, body FROM events e LEFT JOIN payloads USING (position)"
        " LEFT JOIN forgotten f USING (position) WHERE body IS NOT NULL OR f.position IS NULL"
    ):
        if body is None:
            yield event_id, "is missing"
        elif hashlib.sha256(salt + body.encode("utf-8", "surrogatepass")).digest() != digest:
            yield event_id, "was changed"


def missing_events(db: sqlite3.Connection) -> Iterator[tuple[int, str]]:
    """(how many, the id of the next) of gaps in the chains."""
    last: dict[str, int] = {}
    for event_id, origin, sequence in db.execute("SELECT id, origin, sequence FROM events ORDER BY origin, sequence"):
        if missing := sequence - last.get(origin, 0) - 1:
            yield missing, event_id
        last[origin] = sequence


def torn_tables(db: sqlite3.Connection) -> Iterator[str]:
    """What SQLite finds wrong with the pages of the events, but for their indexes."""
    return (row[0] for row in db.execute("PRAGMA quick_check(5)") if row[0] != "ok")


def torn_indexes(db: sqlite3.Connection) -> Iterator[str]:
    """Where an index of the events has something else than they: it can be made again."""
    return (row[0] for row in db.execute("PRAGMA integrity_check(events)") if row[0] != "ok")


def file_problems(path: Path, name: str) -> list[str]:
    """What SQLite finds wrong with a file; nothing where it is not there."""
    if not path.exists():
        return []
    try:
        with closing(sqlite3.connect(path, timeout=30)) as db:
            return [f"{name}: {row[0]}" for row in db.execute("PRAGMA quick_check(5)") if row[0] != "ok"]
    except sqlite3.Error as error:
        return [f"{name}: {error}"]


def verify(db: sqlite3.Connection) -> list[str]:
    """Everything that is wrong with a log, one sentence each: SQLite's own check, then the chains."""
    found = [row[0] for row in db.execute("PRAGMA integrity_check(5)") if row[0] != "ok"]
    problems = [f"log index: {one}" if " index " in one and " tree " not in one else f"log: {one}" for one in found]
    problems += [f"log: the envelope of event {event_id} was changed" for event_id in changed_envelopes(db)]
    problems += [f"log: {missing} events are missing before {event_id}" for missing, event_id in missing_events(db)]
    problems += [f"log: the payload of event {event_id} {happened}" for event_id, happened in changed_payloads(db)]
    problems += [
        f"derivations: what {step} made of event {source} was changed" for _, step, source in changed_derivations(db)
    ]
    return problems
