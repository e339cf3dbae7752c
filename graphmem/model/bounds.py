"""Limits for untrusted input: numbers, times, nesting depth and lengths. A number out of range becomes text, a time is
clamped, everything else is truncated; each change is marked. The same limits apply when a log is read, because older logs
were written without them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from functools import partial
from typing import Any

from graphmem.model.limits import MAX_DEPTH, MAX_TEXT_CHARS, MAX_VALUES

MIN_INT, MAX_INT = -(2**63), 2**63 - 1  # 64-bit range of SQLite, Arrow and the graph engine
# Range of nanoseconds in 64 bits (1677 to 2262): supported by every engine and `datetime`, with room for arithmetic.
MIN_TIME_US, MAX_TIME_US = -9_223_372_036_000_000, 9_223_372_036_000_000  # microseconds since 1970
MAX_COUNT = 10**12  # maximum count in a report; sums of them still fit 64 bits
MARK = "bounded"  # payload key that counts changes: {"numbers", "texts", "depth", "values", "time"}
Shorten = Callable[[str], str]
_ROOM = 100  # characters for the mark
_DIGITS = 40  # digits of a quoted number
_DIGITS_OF_TIME = 20
_DEEP, _MORE = "[nested too deeply]", "[more values]"
_NO_TEXT = {**dict.fromkeys(range(0xD800, 0xE000), "?"), 0: "\ufffd"}  # lone surrogates and NUL


def clamp_time(at: Any) -> int:
    """Clamp a time in microseconds to the limits; 0 for a value that is not a number."""
    if isinstance(at, float) and at == at and abs(at) != float("inf"):
        at = int(at)
    if not isinstance(at, int) or isinstance(at, bool):
        return 0
    return MIN_TIME_US if at < MIN_TIME_US else MAX_TIME_US if at > MAX_TIME_US else at


def seconds_to_time(seconds: float) -> int:
    """Convert seconds since 1970 to microseconds within the limits; 0 for a value that is not a number."""
    return clamp_time(seconds * 1_000_000) if seconds == seconds else 0


def to_moment(seconds: float) -> datetime:
    """Convert seconds since 1970, as git prints them, to a moment within the limits."""
    return datetime.fromtimestamp(seconds_to_time(seconds) / 1_000_000, UTC)


def to_authors_moment(said: str) -> datetime:
    """Convert a time with its zone, as git prints it raw ("1700000000 +0900"), to a moment in that zone; in UTC if it has none.

    >>> f"{to_authors_moment('1700000000 +0900'):%Y-%m-%d %H:%M %z}"
    '2023-11-15 07:13 +0900'
    """
    seconds, _, zone = said.strip().partition(" ")
    moment = to_moment(int(seconds) if seconds.lstrip("-").isdigit() and len(seconds) < _DIGITS_OF_TIME else 0)
    hours, minutes = (zone[1:3], zone[3:5]) if len(zone) == 5 and zone[1:].isdigit() else ("0", "0")
    away = timedelta(hours=int(hours), minutes=int(minutes))
    if away >= timedelta(days=1):
        return moment
    try:
        return moment.astimezone(timezone(-away if zone.startswith("-") else away))
    except OverflowError:
        return moment


def plausible_time(at: Any, recorded: int) -> int:
    """Return the world time of an event; the time it was `recorded` if the given time is at or beyond the limits."""
    return at if type(at) is int and MIN_TIME_US < at < MAX_TIME_US else clamp_time(recorded)


def is_time(at: Any) -> bool:
    """Return whether this is a time in microseconds within the limits."""
    return type(at) is int and MIN_TIME_US <= at <= MAX_TIME_US


def is_int(value: Any) -> bool:
    """Return whether this is a 64-bit integer."""
    return type(value) is int and MIN_INT <= value <= MAX_INT


def exit_status(digits: str) -> int:
    """Parse an exit status from digits; 1 if it exceeds 32 bits, because then it is not a real status."""
    return int(digits) if len(digits) < 10 else 1


def exit_code(value: int) -> int:
    """Return an exit status given as a number; 1 if it exceeds 32 bits, as in `exit_status`."""
    return int(value) if -(2**31) <= value < 2**32 else 1


def count(value: Any) -> int:
    """Return a count from a number or its digits, from 0 to `MAX_COUNT`; 0 for anything else."""
    if isinstance(value, str):
        digits = value.strip()
        if not (digits.isascii() and digits.isdigit()):
            return 0
        return int(digits) if len(digits) < 13 else MAX_COUNT
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
        return 0
    return int(min(max(value, 0), MAX_COUNT))


def amount(value: Any) -> float:
    """Return a finite amount (seconds, a percentage), at least 0; 0.0 for anything else."""
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return 0.0
    return min(max(number, 0.0), float(MAX_COUNT)) if number == number else 0.0


def text(value: str, most: int = MAX_TEXT_CHARS) -> str:
    """Return a text without lone surrogates and NUL, truncated to the limit: its beginning and end are kept."""
    if len(value) > most:
        kept = (most - _ROOM) // 2
        value = joined_ends(value[:kept], value[-kept:], len(value))
    if "\0" not in value:
        if value.isascii():
            return value
        try:
            value.encode()
        except UnicodeEncodeError:
            return value.translate(_NO_TEXT)
        return value
    return value.translate(_NO_TEXT)


def joined_ends(head: str, tail: str, whole: int) -> str:
    """Return what is kept of a text that had `whole` characters, with a mark that says how much was left out."""
    return f"{head}\n[… {whole - len(head) - len(tail):,} characters left out …]\n{tail}"


def name(value: Any) -> str:
    """Return the name of a session, project or person, within the limits."""
    return text(value) if isinstance(value, str) else "" if value is None else text(str(value))[:MAX_TEXT_CHARS]


def is_bounded(payload: dict[str, Any], most: int = MAX_TEXT_CHARS) -> bool:
    """Return whether a payload is valid JSON within the limits, with `most` characters a text. Takes a microsecond per ten
    values."""
    rest: list[Any] = [payload]
    depth, seen = 0, 0
    while rest:
        depth += 1
        seen += len(rest)
        if depth > MAX_DEPTH or seen > MAX_VALUES:
            return False
        inner: list[Any] = []
        for value in rest:
            kind = type(value)
            if kind is str:
                if "\0" in value or len(value) > most or not (value.isascii() or _encodes(value)):
                    return False
            elif kind is int:
                if not MIN_INT <= value <= MAX_INT:
                    return False
            elif kind is dict:
                inner += value
                inner += value.values()
            elif kind is list:
                inner += value
            elif kind is float:
                if value - value != 0:  # not a number, or infinite
                    return False
            elif value is not None and kind is not bool:
                return False
        rest = inner
    return True


def _encodes(value: str) -> bool:
    try:
        return bool(value.encode())
    except UnicodeEncodeError:
        return False


def bound(payload: Any, most: int = MAX_TEXT_CHARS, shorten: Shorten | None = None) -> dict[str, Any]:
    """Return a payload within the limits; changes are counted under `bounded`. A payload that is not an object becomes
    empty. `shorten` returns a text of at most `most` characters."""
    if not isinstance(payload, dict):
        payload = {}
    if is_bounded(payload, most):
        return dict(payload) if type(payload) is not dict else payload
    cut: Counter[str] = Counter()
    shorten = shorten or partial(text, most=most)
    bounded: dict[str, Any] = _bounded(payload, MAX_DEPTH, [MAX_VALUES], cut, shorten)
    bounded[MARK] = dict(sorted(cut.items()))
    return bounded


def _bounded(value: Any, depth: int, left: list[int], cut: Counter[str], shorten: Shorten) -> Any:
    left[0] -= 1
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, str):
        whole = shorten(str(value))
        cut["texts"] += whole != value
        return whole
    if isinstance(value, int | float):
        return _number(value, cut)
    if not isinstance(value, dict | list | tuple):
        cut["values"] += 1
        return text(str(value))[:200]
    if depth <= 1:
        cut["depth"] += 1
        return _DEEP
    if isinstance(value, dict):
        made: dict[str, Any] = {}
        for key, inner in value.items():
            if left[0] <= 0:
                cut["values"] += 1
                break
            made[text(str(key))] = _bounded(inner, depth - 1, left, cut, shorten)
        return made
    listed = []
    for inner in value:
        if left[0] <= 0:
            cut["values"] += 1
            listed.append(_MORE)
            break
        listed.append(_bounded(inner, depth - 1, left, cut, shorten))
    return listed


def _number(value: float, cut: Counter[str]) -> Any:
    """Return the number, or its text if an engine cannot store it."""
    if isinstance(value, float):
        if value - value == 0:
            return float(value)
        cut["numbers"] += 1
        return str(value)
    if MIN_INT <= value <= MAX_INT:
        return int(value)
    cut["numbers"] += 1
    if value.bit_length() > 4 * _DIGITS:
        return f"a number of about {value.bit_length() * 3 // 10} digits"
    return str(value)
