"""The checksum chain of the log: each event's checksum covers the one before it in its origin, its envelope and the
salted digest of its payload, so that a payload can be erased and the chain still be verified."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import zlib
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from graphmem.backends.log.frozen import connect_arguments, explain_sqlite_error


def canonical_json(value: Any) -> str:
    """JSON with sorted keys and no white space: the same value always gives the same text."""
    return _ENCODER.encode(value)


_ENCODER = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"))
TORN = "log index"  # begins what is said of an index of the log: it can be made again
_TOGETHER = 500  # events that are asked for at once
_DECODER = json.JSONDecoder()


def parse_canonical(text: str) -> Any:
    """The value of a canonical text, read in half the time that `json.loads` takes for short ones. Raises ValueError."""
    return _DECODER.raw_decode(text)[0]


def chain_checksum(before: bytes, envelope: tuple[Any, ...]) -> bytes:
    """The checksum of an event from the one before; the envelope ends with the digest of the payload."""
    *fields, digest = envelope
    return hashlib.sha256(before + canonical_json(fields).encode("utf-8", "surrogatepass") + digest).digest()


REDACTED = b"redacted\0"  # begins the salt of what was redacted when it was merged
BLANK = "[erased]"  # the actor of an event whose names were erased with its payload


def is_blank(envelope: Sequence[Any], payload: bool) -> bool:
    """Whether the names of an event were erased (its envelope ends with session, project and actor): nothing of it can be
    checked any more, but that the events behind it go on with its checksum."""
    return not payload and tuple(envelope[-3:]) == ("", "", BLANK)


def is_payload(salt: bytes, body: str, digest: bytes) -> bool:
    """Whether a payload is what was appended, or what was left of it when it came from another machine and held secrets. The
    salt then has the digest of what is left, while the chain goes on with that of the original."""
    told = body.encode("utf-8", "surrogatepass")
    if salt.startswith(REDACTED):
        return hashlib.sha256(told).digest() == salt[len(REDACTED) :]
    return hashlib.sha256(salt + told).digest() == digest


def redacted_salt(body: str) -> bytes:
    """The salt of a payload of another machine of which `body` is left."""
    return REDACTED + hashlib.sha256(body.encode("utf-8", "surrogatepass")).digest()


def derivation_checksum(step: str, source: str, input_hash: str, body: str) -> int:
    """CRC-32 of a derivation: it can be made again, so that it need only be told whether it was changed."""
    return zlib.crc32("\0".join((step, source, input_hash, body)).encode("utf-8", "surrogatepass"))


def changed_derivations(db: sqlite3.Connection, only: str = "") -> Iterator[tuple[int, str, str]]:
    """(number, step, source) of those that are not what was derived; `only` of one step."""
    told = "CAST(step || char(0) || source || char(0) || input_hash || char(0) || body AS BLOB)"  # as for the checksum
    query = f"SELECT number, checksum, {told} FROM derivations WHERE checksum IS NOT NULL"
    chosen = " AND +step = ?" if only else ""  # in the order of the file, not in that of an index
    for number, checksum, whole in db.execute(query + chosen, (only,) if only else ()):
        if zlib.crc32(whole) != checksum:
            step, source = db.execute("SELECT step, source FROM derivations WHERE number = ?", (number,)).fetchone()
            yield number, step, source


def broken_chains(db: sqlite3.Connection) -> Iterator[str]:
    """What is wrong with events but for their payloads, one sentence each. Read in the order of the file, in which each origin
    has its own, and not through an index, which may say what the events do not. Behind a gap the first cannot be told."""
    last: dict[str, tuple[int, bytes]] = {}
    for *envelope, checksum in db.execute(
        "SELECT id, origin, sequence, clock, type, version, at, session, project, actor, digest, checksum"
        " FROM events NOT INDEXED ORDER BY position"
    ):
        event_id, origin, sequence = envelope[:3]
        before, link = last.get(origin, (0, b""))
        if sequence > before + 1:
            yield f"{sequence - before - 1} events are missing before {event_id}"
        elif sequence <= before or not (
            is_blank(envelope[:-1], False) or chain_checksum(link, tuple(envelope)) == checksum
        ):
            yield f"the envelope of event {event_id} was changed"
        last[origin] = sequence, checksum


def changed_envelopes(db: sqlite3.Connection, positions: Sequence[int]) -> Iterator[str]:
    """Ids of those events whose envelope is not what was appended, as far as the one before is there to tell."""
    for start in range(0, len(positions), _TOGETHER):
        part = positions[start : start + _TOGETHER]
        for *envelope, checksum, link in db.execute(
            "SELECT e.id, e.origin, e.sequence, e.clock, e.type, e.version, e.at, e.session, e.project, e.actor, e.digest,"
            " e.checksum, b.checksum FROM events e LEFT JOIN events b ON b.origin = e.origin AND b.sequence = e.sequence - 1"
            f" WHERE e.position IN ({','.join('?' * len(part))})",
            part,
        ):
            first = envelope[2] == 1
            if is_blank(envelope[:-1], False):
                continue
            if (link is not None or first) and chain_checksum(b"" if first else link, tuple(envelope)) != checksum:
                yield envelope[0]


def broken_payloads(db: sqlite3.Connection) -> Iterator[str]:
    """Payloads that are not what was appended, unless they were forgotten, one sentence each."""
    for event_id, digest, salt, body in db.execute(
        "SELECT e.id, digest, salt, body FROM events e LEFT JOIN payloads USING (position)"
        " LEFT JOIN forgotten f USING (position) WHERE body IS NOT NULL OR f.position IS NULL"
    ):
        if body is None:
            yield f"the payload of event {event_id} is missing"
        elif not is_payload(salt, body, digest):
            yield f"the payload of event {event_id} was changed"


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
        with closing(sqlite3.connect(**connect_arguments(path), timeout=30)) as db:
            return [f"{name}: {row[0]}" for row in db.execute("PRAGMA quick_check(5)") if row[0] != "ok"]
    except sqlite3.Error as error:
        return [f"{name}: {explain_sqlite_error(error, path) or error}"]


def verify_log(db: sqlite3.Connection) -> list[str]:
    """Everything that is wrong with a log, one sentence each: SQLite's own check, then the chains."""
    found = [row[0] for row in db.execute("PRAGMA integrity_check(5)") if row[0] != "ok"]
    problems = [f"{TORN}: {one}" if " index " in one and " tree " not in one else f"log: {one}" for one in found]
    problems += [f"log: {problem}" for problem in (*broken_chains(db), *broken_payloads(db))]
    problems += [
        f"derivations: what {step} made of event {source} was changed" for _, step, source in changed_derivations(db)
    ]
    return problems
