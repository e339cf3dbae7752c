"""Encodes messages between the owner of a graph and its clients, one line of JSON each.

Data and records differ in structure, never by a key or text. A JSON object is always a dictionary with data keys. Values
without a JSON form are arrays with a type number first: `[LIST, 1, 2]`, `[TIME, "2026-01-01T00:00:00+00:00"]`, `[RECORD,
"Rows", ...fields]`. Record names come from a closed table; nothing is imported or called by a name in a message, and no
field contains code.
"""

from __future__ import annotations

import base64
import dataclasses
import json
from collections.abc import Callable, Mapping, Sequence, Set
from datetime import date, datetime, timedelta
from decimal import Decimal
from operator import attrgetter
from pathlib import Path
from types import UnionType
from typing import Any, Final, Union, get_args, get_origin, get_type_hints
from uuid import UUID

from graphmem.errors import MalformedMessage

MAX_MESSAGE_BYTES: Final = 256 << 20  # maximum bytes of a message
DEEPEST: Final = 100  # maximum nesting depth
_MAX_VALUES: Final = 10_000_000  # values of a message: an empty list takes 15 times the memory of its four bytes
_BIG: Final = 1 << 63  # Python rejects decimal numbers with thousands of digits

LIST, RECORD, TUPLE, SET, FROZENSET, DICT, TIME, DATE, DURATION, BYTES, PATH, DECIMAL, ID, INTEGER = range(14)

Records = Mapping[str, type]
_Fields = Callable[[Any], Sequence[Any]]


class Codec:
    """Encodes and decodes values. `records` are the allowed dataclasses and NamedTuples, by name."""

    def __init__(self, records: Records) -> None:
        self._records = records
        self._known: dict[type, tuple[str, _Fields]] = {}
        self._expected: dict[type, tuple[tuple[type, ...], ...]] = {}

    def encode(self, value: Any) -> bytes:
        """Encode a value as a line. Raises MalformedMessage for an unsupported type, or excessive nesting."""
        plain = self._plain(value, DEEPEST)
        text = json.dumps(plain, ensure_ascii=False, separators=(",", ":"))
        return text.encode("utf-8", "surrogatepass") + b"\n"

    def decode(self, line: bytes) -> Any:
        """Decode a line. Raises only MalformedMessage, for anything that `encode` does not produce."""
        if len(line) > MAX_MESSAGE_BYTES or line.count(b",") + line.count(b"[") + line.count(b"{") > _MAX_VALUES:
            raise MalformedMessage("the message is too long")
        try:
            return self._value(json.loads(line.decode("utf-8", "surrogatepass")), DEEPEST)
        except MalformedMessage:
            raise
        except Exception as error:  # constructors may raise anything for invalid fields
            raise MalformedMessage(f"the message cannot be decoded: {type(error).__name__}") from error

    # -- to JSON

    def _plain(self, value: Any, depth: int) -> Any:
        kind = type(value)
        if kind is str or value is None or kind is bool or kind is float:
            return value
        if kind is int:
            return value if -_BIG < value < _BIG else [INTEGER, hex(value)]
        if depth <= 0:
            raise MalformedMessage(f"a value is nested more than {DEEPEST} deep")
        depth -= 1
        if kind is dict:
            return self._plain_dict(value, depth)
        if kind is list:
            return [LIST, *[self._plain(item, depth) for item in value]]
        if kind in self._known or dataclasses.is_dataclass(kind) or (isinstance(value, tuple) and kind is not tuple):
            name, fields = self._known.get(kind) or self._learn(kind)
            return [RECORD, name, *[self._plain(item, depth) for item in fields(value)]]
        return self._special(value, depth)

    def _plain_dict(self, value: Mapping[Any, Any], depth: int) -> Any:
        if all(type(key) is str for key in value):
            return {key: self._plain(item, depth) for key, item in value.items()}
        return [DICT, *[[self._plain(key, depth), self._plain(item, depth)] for key, item in value.items()]]

    def _learn(self, kind: type) -> tuple[str, _Fields]:
        if self._records.get(kind.__name__) is not kind:
            raise MalformedMessage(f"{kind.__module__}.{kind.__qualname__} is not a record of the protocol")
        known = self._known[kind] = kind.__name__, _fields_of(kind)
        return known

    def _special(self, value: Any, depth: int) -> Any:
        """Encode values without a JSON form, and subclasses of those with one."""
        for kinds, number in _CONTAINERS:
            if isinstance(value, kinds):
                return [number, *[self._plain(item, depth) for item in value]]
        for kind, number, text in _SCALARS:
            if isinstance(value, kind):
                return [number, text(value)]
        for base in (str, bool, int, float):
            if isinstance(value, base):
                return self._plain(base(value), depth + 1)
        if isinstance(value, Mapping):
            return self._plain_dict(value, depth)
        raise MalformedMessage(f"a value of {type(value).__module__}.{type(value).__qualname__} cannot be sent")

    # -- from JSON

    def _value(self, found: Any, depth: int) -> Any:
        kind = type(found)
        if kind is not list and kind is not dict:
            return found
        if depth <= 0:
            raise MalformedMessage(f"a message is nested more than {DEEPEST} deep")
        depth -= 1
        if kind is dict:
            return {key: self._value(item, depth) for key, item in found.items()}
        number = found[0]
        if type(number) is not int:
            raise MalformedMessage("the message has an array of unknown type")
        if number == LIST:
            return [self._value(item, depth) for item in found[1:]]
        if number == RECORD:
            return self._record(found[1], [self._value(item, depth) for item in found[2:]])
        if number == DICT:
            return {self._value(key, depth): self._value(item, depth) for key, item in found[1:]}
        if (make := _MAKERS.get(number)) is not None:
            return make(self._value(item, depth) for item in found[1:])
        (text,) = found[1:]
        if number not in _READERS or type(text) is not str:
            raise MalformedMessage(f"the message has a value of unknown type: {number}")
        return _READERS[number](text)

    def _record(self, name: Any, fields: Sequence[Any]) -> Any:
        kind = self._records.get(name) if type(name) is str else None
        if kind is None:
            raise MalformedMessage("the message has an unknown record type")
        expected = self._expected.get(kind)
        if expected is None:
            expected = self._expected[kind] = _field_types(kind)
        if not all(map(isinstance, fields, expected)):
            raise MalformedMessage(f"a field of {name} has the wrong type")
        return kind(*fields)


def _field_types(kind: type) -> tuple[tuple[type, ...], ...]:
    """Return the types that each field of a record may have. Only the outermost type is checked: inner values were
    created here."""
    hints = get_type_hints(kind)
    names = [field.name for field in dataclasses.fields(kind)] if dataclasses.is_dataclass(kind) else list(hints)
    return tuple(_types_of(hints[name]) for name in names)


def _types_of(hint: Any) -> tuple[type, ...]:
    if hint is float:
        return (float, int)
    if isinstance(hint, UnionType) or get_origin(hint) is Union:
        return tuple(kind for part in get_args(hint) for kind in _types_of(part))
    kind = get_origin(hint) or hint
    return (kind,) if isinstance(kind, type) and kind is not Any else (object,)


def _fields_of(kind: type) -> _Fields:
    """Return a function that returns the fields of a record in constructor order."""
    if not dataclasses.is_dataclass(kind):
        return tuple
    names = [field.name for field in dataclasses.fields(kind)]
    if len(names) > 1:
        return attrgetter(*names)
    return lambda value: [getattr(value, name) for name in names]


def _duration(text: str) -> timedelta:
    days, seconds, microseconds = map(int, text.split(" "))
    return timedelta(days, seconds, microseconds)


# Subclasses first: a datetime is a date.
_CONTAINERS: tuple[tuple[Any, int], ...] = ((tuple, TUPLE), (list, LIST), (frozenset, FROZENSET), (Set, SET))
_SCALARS: tuple[tuple[type, int, Callable[[Any], str]], ...] = (
    (datetime, TIME, datetime.isoformat),
    (date, DATE, date.isoformat),
    (timedelta, DURATION, lambda value: f"{value.days} {value.seconds} {value.microseconds}"),
    (bytes, BYTES, lambda value: base64.b64encode(value).decode()),
    (Path, PATH, str),
    (Decimal, DECIMAL, str),
    (UUID, ID, str),
)
_MAKERS: dict[int, Callable[[Any], Any]] = {TUPLE: tuple, SET: set, FROZENSET: frozenset}
_READERS: dict[int, Callable[[str], Any]] = {
    TIME: datetime.fromisoformat,
    DATE: date.fromisoformat,
    DURATION: _duration,
    BYTES: lambda text: base64.b64decode(text, validate=True),
    PATH: Path,
    DECIMAL: Decimal,
    ID: UUID,
    INTEGER: lambda text: int(text, 16),
}
