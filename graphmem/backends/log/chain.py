"""The checksum chain of the log: each event's checksum covers its predecessor of the same origin, its envelope (metadata)
and the salted digest of its payload, so that the chain can be verified after a payload is erased."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import zlib
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from graphmem.backends.log.connection import Connection
from graphmem.backends.log.file_access import connect_arguments, explain_sqlite_error
from graphmem.errors import message_of
from graphmem.plurals import counted


def canonical_json(value: Any) -> str:
    """Return JSON with sorted keys and no white space: equal values give equal texts."""
    return _ENCODER.encode(value)


_ENCODER = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"))
TORN = "log index"  # prefix of problems of an index in the log's file, which can be rebuilt
UNINDEXED = "events NOT INDEXED"  # SQLite reads the table itself: an index may be damaged
_TOGETHER = 500  # events per query
_DECODER = json.JSONDecoder()


def parse_canonical(text: str) -> Any:
    """Parse canonical JSON, twice as fast as `json.loads` for short texts. Raises ValueError."""
    return _DECODER.raw_decode(text)[0]


def chain_checksum(before: bytes, envelope: tuple[Any, ...]) -> bytes:
    """Return the checksum of an event from its predecessor's; the envelope ends with the digest of the payload."""
    *fields, digest = envelope
    return hashlib.sha256(before + canonical_json(fields).encode("utf-8", "surrogatepass") + digest).digest()


REDACTED = b"redacted\0"  # begins the salt of what was redacted when it was merged
BLANK = "[erased]"  # the actor of an event whose names were erased with its payload


_MARKERS = ("[REDACTED", "[PRIVATE]")  # in names that held secrets when they were merged


def is_blank(envelope: Sequence[Any], payload: bool) -> bool:
    """Return whether the names of an event were erased (its envelope ends with session, project and actor). Then it
    cannot be verified, except that its successor continues from its checksum."""
    return not payload and tuple(envelope[-3:]) == ("", "", BLANK)


def continues_chain(link: bytes, envelope: Sequence[Any], checksum: bytes, payload: bool = False) -> bool:
    """Return whether an event (its envelope ends with the digest of its payload) follows the one with the checksum `link`,
    or cannot be verified because its names were erased, or redacted when they were merged."""
    if is_blank(envelope[:-1], payload) or chain_checksum(link, tuple(envelope)) == checksum:
        return True
    return any(marker in name for name in envelope[-4:-1] if isinstance(name, str) for marker in _MARKERS)


def is_payload(salt: bytes, body: str, digest: bytes) -> bool:
    """Return whether a payload is what was appended, or what was left of it when it came from another machine and
    held secrets. The salt then has the digest of what is left, while the chain continues with that of the original."""
    told = body.encode("utf-8", "surrogatepass")
    if salt.startswith(REDACTED):
        return hashlib.sha256(told).digest() == salt[len(REDACTED) :]
    return hashlib.sha256(salt + told).digest() == digest


def redacted_salt(body: str) -> bytes:
    """Return the salt of a payload of another machine of which `body` is left."""
    return REDACTED + hashlib.sha256(body.encode("utf-8", "surrogatepass")).digest()


def derivation_checksum(step: str, source: str, input_hash: str, body: str) -> int:
    """Return the CRC-32 of a derivation; it only has to detect changes, because derivations can be recomputed."""
    return zlib.crc32("\0".join((step, source, input_hash, body)).encode("utf-8", "surrogatepass"))


def changed_derivations(db: sqlite3.Connection, only: str = "") -> Iterator[tuple[int, str, str]]:
    """Yield (number, step, source) of modified derivations; `only` of one step."""
    told = "CAST(step || char(0) || source || char(0) || input_hash || char(0) || body AS BLOB)"  # as for the checksum
    query = f"SELECT number, checksum, {told} FROM derivations WHERE checksum IS NOT NULL"
    chosen = " AND +step = ?" if only else ""  # in file order, not in index order
    for number, checksum, whole in db.execute(query + chosen, (only,) if only else ()):
        if zlib.crc32(whole) != checksum:
            step, source = db.execute("SELECT step, source FROM derivations WHERE number = ?", (number,)).fetchone()
            yield number, step, source


def broken_chains(db: Connection, table: str = "events") -> Iterator[str]:
    """Yield problems of events, except payloads, one sentence each. Reads the `table` in order of positions, in
    which each origin is sequential. The first event after a gap cannot be verified."""
    last: dict[str, tuple[int, bytes]] = {}
    for *envelope, checksum in db.execute(
        "SELECT id, origin, sequence, clock, type, version, at, session, project, actor, digest, checksum"
        f" FROM {table} ORDER BY position"
    ):
        event_id, origin, sequence = envelope[:3]
        before, link = last.get(origin, (0, b""))
        if sequence > before + 1:
            yield f"{counted(sequence - before - 1, 'event is', 'events are')} missing before {event_id}"
        elif sequence <= before or not continues_chain(link, envelope, checksum):
            yield f"the envelope of event {event_id} was changed"
        last[origin] = sequence, checksum


def changed_envelopes(db: Connection, positions: Sequence[int]) -> Iterator[str]:
    """Yield ids of events with a modified envelope, if the predecessor is available for comparison."""
    for start in range(0, len(positions), _TOGETHER):
        part = positions[start : start + _TOGETHER]
        for *envelope, checksum, link in db.execute(
            "SELECT e.id, e.origin, e.sequence, e.clock, e.type, e.version, e.at, e.session, e.project, e.actor, e.digest,"
            " e.checksum, b.checksum FROM events e LEFT JOIN events b ON b.origin = e.origin AND b.sequence = e.sequence - 1"
            f" WHERE e.position IN ({','.join('?' * len(part))})",
            part,
        ):
            first = envelope[2] == 1
            if (link is not None or first) and not continues_chain(b"" if first else link, envelope, checksum):
                yield envelope[0]


def broken_payloads(db: Connection) -> Iterator[str]:
    """Yield modified payloads of events that were not forgotten, one sentence each."""
    for event_id, digest, salt, body in db.execute(
        "SELECT e.id, digest, salt, body FROM events e LEFT JOIN payloads USING (position)"
        " LEFT JOIN forgotten f USING (position) WHERE body IS NOT NULL OR f.position IS NULL"
    ):
        if body is None:
            yield f"the payload of event {event_id} is missing"
        elif not is_payload(salt, body, digest):
            yield f"the payload of event {event_id} was changed"


def told_by_sqlite(db: sqlite3.Connection, check: str) -> list[str]:
    """Return what one of SQLite's checks finds, each problem in one line with the number of those like it; none if all is well."""
    found = []
    for (told,) in db.execute(f"PRAGMA {check}"):
        lines = [line for line in str(told).split("\n") if line and not line.startswith("***")]
        more = f" and {counted(len(lines) - 1, 'problem')} more" if len(lines) > 1 else ""
        if lines and lines[0] != "ok":
            found.append(lines[0] + more)
    return found


def torn_tables(db: sqlite3.Connection) -> Iterator[str]:
    """Return SQLite's problems with the pages of the events, except their indexes."""
    return iter(told_by_sqlite(db, "quick_check(5)"))


def torn_indexes(db: sqlite3.Connection) -> Iterator[str]:
    """Return differences between events and their indexes, which can be rebuilt."""
    return (row[0] for row in db.execute("PRAGMA integrity_check(events)") if row[0] != "ok")


def file_problems(path: Path, name: str) -> list[str]:
    """Return SQLite's problems with a file; none if it does not exist."""
    if not path.exists():
        return []
    try:
        with closing(sqlite3.connect(**connect_arguments(path), timeout=30)) as db:
            return [f"{name}: {problem}" for problem in told_by_sqlite(db, "quick_check(5)")]
    except sqlite3.Error as error:
        return [f"{name}: {explain_sqlite_error(error, path) or message_of(error)}"]


def verify_log(db: sqlite3.Connection) -> list[str]:
    """Return all problems of a log, one sentence each: SQLite's own check, then the chains."""
    found = told_by_sqlite(db, "integrity_check(5)")
    problems = [f"{TORN}: {one}" if " index " in one and " tree " not in one else f"log: {one}" for one in found]
    problems += [f"log: {problem}" for problem in (*broken_chains(db, UNINDEXED), *broken_payloads(db))]
    problems += [
        f"derivations: what {step} made of event {source} was changed" for _, step, source in changed_derivations(db)
    ]
    return problems
