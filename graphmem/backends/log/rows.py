"""Converts rows of the log to events: columns, and verification of payloads."""

from __future__ import annotations

import json
from typing import Any

from graphmem.backends.log.chain import is_payload, parse_canonical
from graphmem.backends.log.merges import MergeTrust
from graphmem.errors import StoreDamaged
from graphmem.model.bounds import MAX_TIME_US, MIN_TIME_US, bound, clamp_time, name, plausible_time
from graphmem.model.events import Event
from graphmem.model.limits import MAX_DEPTH, TEXT_READ
from graphmem.model.shapes import conform

RESTORE = "run `graphmem doctor`, restore log.db from a backup"
COLUMNS = (
    "e.position, e.id, e.type, e.version, e.at, e.clock, e.origin, e.session, e.project, e.actor, e.sequence, e.digest,"
    " p.salt, p.body"
    " FROM events e LEFT JOIN payloads p USING (position) LEFT JOIN forgotten f USING (position)"
)


def event_from_row(row: tuple[Any, ...], trust: MergeTrust) -> Event:
    """Convert a row to an event; `trust`: which merged events the user vouched for. The payload is verified, limited and
    conformed to the shape of its type, because older versions and other machines may have written anything."""
    *envelope, sequence, digest, salt, body = row
    if body is None:  # rows of forgotten events are not selected
        raise StoreDamaged(f"the payload of event {envelope[1]} is missing: {RESTORE}")
    if not is_payload(salt, body, digest):
        raise StoreDamaged(f"the payload of event {envelope[1]} was changed: {RESTORE}")
    if not (MIN_TIME_US < envelope[4] < MAX_TIME_US and MIN_TIME_US < envelope[5] < MAX_TIME_US):
        envelope[4:6] = plausible_time(envelope[4], envelope[5]), clamp_time(envelope[5])
    if not (type(envelope[7]) is type(envelope[8]) is type(envelope[9]) is str):
        envelope[7:10] = map(name, envelope[7:10])
    envelope[8] = trust.project_of(envelope[8])
    payload, problem = _payload(envelope[2], body)
    return Event(*envelope, payload, problem, trust.is_foreign(envelope[6], sequence))  # type: ignore[call-arg]


def is_sound(event: Event) -> bool:
    """Return whether readers of its type use an event: it has the shape of its type, and is no decision of a machine that
    the user did not vouch for."""
    return not event.problem and not event.is_ignored


def _payload(event_type: str, body: str) -> tuple[dict[str, Any], str]:
    """Return the payload of a type, and the reason to set it aside ("" if valid)."""
    try:
        value = _parse_within_limits(body)
        if value is None:
            value = bound(parse_canonical(body), TEXT_READ)
    except (ValueError, RecursionError):  # endless digits or levels, which an earlier version accepted
        return {}, "its payload cannot be read"
    return conform(event_type, value) if isinstance(value, dict) else ({}, "its payload is no object")


def _parse_within_limits(body: str) -> Any:
    """Return the value of a payload that is certainly within limits, otherwise None: checking the text takes a tenth of
    the time of checking the values."""
    if len(body) > TEXT_READ or "\\u0000" in body or "\\ud" in body or body.count("{") + body.count("[") > MAX_DEPTH:
        return None
    try:
        return _DECODER.raw_decode(body)[0]
    except _Odd:
        return None


class _Odd(Exception):
    """A number out of range."""


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


_SAFE = 18  # digits that any 64-bit number can have
_DECODER = json.JSONDecoder(parse_int=_int, parse_float=_float, parse_constant=_constant)
