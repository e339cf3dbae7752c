"""Events out of rows of the log file: the columns to ask for, which of several twins counts, and the check that a payload is
what was appended."""

from __future__ import annotations

import json
import sqlite3
from typing import Any

from graphmem.backends.log.chain import is_payload, parse_canonical
from graphmem.errors import StoreDamaged
from graphmem.model.bounds import DEPTH_MOST, TEXT_MOST, TIME_LEAST, TIME_MOST, bound, clamp_time, name, plausible_time
from graphmem.model.events import Event
from graphmem.model.shapes import conform

RESTORE = "run `graphmem doctor`, restore log.db from a backup"
COLUMNS = (
    "e.position, e.id, e.type, e.version, e.at, e.clock, e.origin, e.session, e.project, e.actor, e.digest, p.salt, p.body"
    " FROM events e LEFT JOIN payloads p USING (position) LEFT JOIN forgotten f USING (position)"
)


def earliest_condition(db: sqlite3.Connection) -> str:
    """A condition for merged logs, where an act can stand twice: the earliest by clock is the one that counts."""
    (merged,) = db.execute(  # two look-ups in the index: DISTINCT would read all of it
        "SELECT (SELECT min(origin) FROM events) <> (SELECT max(origin) FROM events)"
    ).fetchone()
    twin = "SELECT 1 FROM events o WHERE o.id = e.id AND (o.clock, o.origin) < (e.clock, e.origin)"
    return f" AND NOT EXISTS ({twin})" if merged else ""


def event_from_row(row: tuple[Any, ...], own: str = "") -> Event:
    """An event from its row; `own` is the origin of this log, which tells what came from another machine. Its payload must be what
    was appended: nothing wrong is ever projected. Whatever an older version or another machine appended, all that is read is
    within the bounds, and of the shape of its type."""
    *envelope, digest, salt, body = row
    if body is None:  # rows of what was forgotten are not asked for
        raise StoreDamaged(f"the payload of event {envelope[1]} is missing: {RESTORE}")
    if not is_payload(salt, body, digest):
        raise StoreDamaged(f"the payload of event {envelope[1]} was changed: {RESTORE}")
    if not (TIME_LEAST < envelope[4] < TIME_MOST and TIME_LEAST < envelope[5] < TIME_MOST):
        envelope[4:6] = plausible_time(envelope[4], envelope[5]), clamp_time(envelope[5])
    if not (type(envelope[7]) is type(envelope[8]) is type(envelope[9]) is str):
        envelope[7:10] = map(name, envelope[7:10])
    payload, problem = _payload(envelope[2], body)
    foreign = own not in ("", envelope[6])
    return Event(*envelope, payload, problem, foreign)  # type: ignore[call-arg]


def _payload(event_type: str, body: str) -> tuple[dict[str, Any], str]:
    """The payload of a type, and why it is to be set aside ("" where it is sound)."""
    try:
        value = _sound(body)
        if value is None:
            value = bound(parse_canonical(body))
    except (ValueError, RecursionError):  # endless digits or levels, which an earlier version took
        return {}, "its payload cannot be read"
    return conform(event_type, value) if isinstance(value, dict) else ({}, "its payload is no object")


def _sound(body: str) -> Any:
    """The value of a payload that is within the bounds for sure, None for any other: to look at the text takes a tenth of the
    time that going through the values does."""
    if len(body) > TEXT_MOST or "\\u0000" in body or "\\ud" in body or body.count("{") + body.count("[") > DEPTH_MOST:
        return None
    try:
        return _DECODER.raw_decode(body)[0]
    except _Odd:
        return None


class _Odd(Exception):
    """A number beyond the bounds."""


def _int(digits: str) -> int:
    if len(digits) > _SAFE:
        raise _Odd
    return int(digits)


def _float(digits: str) -> float:
    number = float(digits)
    if number - number != 0:
        raise _Odd
    return number


def _constant(name: str) -> float:
    raise _Odd


_SAFE = 18  # digits of a number that 64 bits hold, whatever they are
_DECODER = json.JSONDecoder(parse_int=_int, parse_float=_float, parse_constant=_constant)
