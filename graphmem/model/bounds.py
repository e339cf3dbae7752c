"""Bounds of what enters from outside: numbers, times, depths and lengths. Beyond its bound a number becomes text, a time is
clamped, and the rest is cut, marked either way. The same bounds hold where a log is read again, since older logs were
written without them. Nothing here knows what a value means."""

from __future__ import annotations

from collections import Counter
from typing import Any

INT_LEAST, INT_MOST = -(2**63), 2**63 - 1  # what SQLite, Arrow and the graph engine hold
# What nanoseconds in 64 bits can tell (1677 to 2262): every engine and every `datetime` holds it, with room to calculate.
TIME_LEAST, TIME_MOST = -9_223_372_036_000_000, 9_223_372_036_000_000  # microseconds since 1970
COUNT_MOST = 10**12  # of tests, lines, bytes that a report tells; sums of them still are 64-bit numbers
DEPTH_MOST = 60  # lists and objects inside each other
TEXT_MOST = 8_000_000  # characters of one text
VALUES_MOST = 5_000_000  # values of one payload
MARK = (
    "bounded"  # key of a payload under which it is told what was cut: {"numbers", "texts", "depth", "values", "time"}
)
_DIGITS = 40  # of a number that is quoted
_DEEP, _MORE = "[nested too deeply]", "[more values]"
_NO_TEXT = {**dict.fromkeys(range(0xD800, 0xE000), "?"), 0: "\ufffd"}  # half characters, and what ends a text in C


def clamp_time(at: Any) -> int:
    """A time in microseconds within the bounds; 0 for what is no number."""
    if isinstance(at, float) and at == at and abs(at) != float("inf"):
        at = int(at)
    if not isinstance(at, int) or isinstance(at, bool):
        return 0
    return TIME_LEAST if at < TIME_LEAST else TIME_MOST if at > TIME_MOST else at


def seconds_to_time(seconds: float) -> int:
    """Microseconds of seconds since 1970, within the bounds; 0 for what is no number."""
    return clamp_time(seconds * 1_000_000) if seconds == seconds else 0


def plausible_time(at: Any, recorded: int) -> int:
    """The world time of an event: when it was `recorded`, where the time that was told lies beyond the bounds or at them."""
    return at if type(at) is int and TIME_LEAST < at < TIME_MOST else clamp_time(recorded)


def is_time(at: Any) -> bool:
    """Whether this is a time in microseconds within the bounds."""
    return type(at) is int and TIME_LEAST <= at <= TIME_MOST


def is_int(value: Any) -> bool:
    """Whether this is a whole number that 64 bits hold."""
    return type(value) is int and INT_LEAST <= value <= INT_MOST


def exit_status(digits: str) -> int:
    """The exit status that a text of digits tells; beyond 32 bits it is 1, since what was printed is no status."""
    return int(digits) if len(digits) < 10 else 1


def exit_code(value: int) -> int:
    """An exit status that a program gave as a number; beyond 32 bits it is 1, as of `exit_status`."""
    return int(value) if -(2**31) <= value < 2**32 else 1


def count(value: Any) -> int:
    """A count out of a report, from a number or its digits: at least 0, at most `COUNT_MOST`, 0 for what is none."""
    if isinstance(value, str):
        digits = value.strip()
        if not (digits.isascii() and digits.isdigit()):
            return 0
        return int(digits) if len(digits) < 13 else COUNT_MOST
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
        return 0
    return int(min(max(value, 0), COUNT_MOST))


def amount(value: Any) -> float:
    """A finite amount (seconds, a percentage) out of a report, at least 0; 0.0 for what is none."""
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return 0.0
    return min(max(number, 0.0), float(COUNT_MOST)) if number == number else 0.0


def text(value: str) -> str:
    """A text that every encoder and engine takes: no half characters, no NUL, not endless."""
    if len(value) > TEXT_MOST:
        half = TEXT_MOST // 2
        value = f"{value[:half]}\n[…]\n{value[-half:]}"
    if "\0" not in value:
        if value.isascii():
            return value
        try:
            value.encode()
        except UnicodeEncodeError:
            return value.translate(_NO_TEXT)
        return value
    return value.translate(_NO_TEXT)


def name(value: Any) -> str:
    """A name of a session, project or person: a bounded text."""
    return text(value) if isinstance(value, str) else "" if value is None else text(str(value))[:TEXT_MOST]


def is_bounded(payload: dict[str, Any]) -> bool:
    """Whether a payload holds nothing but JSON values within the bounds. It takes a microsecond for ten values."""
    rest: list[Any] = [payload]
    depth, seen = 0, 0
    while rest:
        depth += 1
        seen += len(rest)
        if depth > DEPTH_MOST or seen > VALUES_MOST:
            return False
        inner: list[Any] = []
        for value in rest:
            kind = type(value)
            if kind is str:
                if "\0" in value or len(value) > TEXT_MOST or not (value.isascii() or _encodes(value)):
                    return False
            elif kind is int:
                if not INT_LEAST <= value <= INT_MOST:
                    return False
            elif kind is dict:
                inner += value
                inner += value.values()
            elif kind is list:
                inner += value
            elif kind is float:
                if value - value != 0:  # not a number, or without end
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


def bound(payload: Any) -> dict[str, Any]:
    """A payload within the bounds; what was cut is counted under `bounded`. One that is no object becomes empty."""
    if not isinstance(payload, dict):
        payload = {}
    if is_bounded(payload):
        return dict(payload) if type(payload) is not dict else payload
    cut: Counter[str] = Counter()
    bounded: dict[str, Any] = _bounded(payload, DEPTH_MOST, [VALUES_MOST], cut)
    bounded[MARK] = dict(sorted(cut.items()))
    return bounded


def _bounded(value: Any, depth: int, left: list[int], cut: Counter[str]) -> Any:
    left[0] -= 1
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, str):
        whole = text(str(value))
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
            made[text(str(key))] = _bounded(inner, depth - 1, left, cut)
        return made
    listed = []
    for inner in value:
        if left[0] <= 0:
            cut["values"] += 1
            listed.append(_MORE)
            break
        listed.append(_bounded(inner, depth - 1, left, cut))
    return listed


def _number(value: float, cut: Counter[str]) -> Any:
    """The number, or its text where an engine would not take it."""
    if isinstance(value, float):
        if value - value == 0:
            return float(value)
        cut["numbers"] += 1
        return str(value)
    if INT_LEAST <= value <= INT_MOST:
        return int(value)
    cut["numbers"] += 1
    if value.bit_length() > 4 * _DIGITS:
        return f"a number of about {value.bit_length() * 3 // 10} digits"
    return str(value)
