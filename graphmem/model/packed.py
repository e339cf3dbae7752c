"""Serialises records for files of a store and for pipes between its processes, as msgpack in a fixed shape.

The bytes contain only plain values. The reader's type annotations determine the record type, never the bytes, so an
untrusted file can at worst be rejected. Rows of one record type are packed by column, which is several times faster.
Supported are NamedTuples, dataclasses, tuples, lists, dictionaries, sets, unions of numbered records, `None`, scalars,
and `Any` for plain values (an inner list becomes a tuple).
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from types import NoneType, UnionType
from typing import IO, Any, Generic, Literal, Protocol, TypeVar, Union, cast, get_args, get_origin, get_type_hints

import msgpack

T = TypeVar("T")
_Step = Callable[[Any], Any]
_SCALARS = (str, int, float, bool, bytes, NoneType)
_BIG = 1  # extension code of integers above 64 bits
_TEXT: frozenset[type] = frozenset({str})
_LENGTH = 8  # bytes of the length header of a pipe frame


class Sink(Protocol):
    """A writable binary stream."""

    def write(self, data: bytes, /) -> object: ...
    def flush(self) -> None: ...


class Damaged(ValueError):
    """The bytes are not packed data of this type."""


def pack_plain(value: Any) -> bytes:
    """Pack tuples, lists, dictionaries, strings, numbers, bytes and None. Raises RecursionError if nested more than 500
    levels deep."""
    try:
        return cast(bytes, msgpack.packb(value, default=_big, unicode_errors="surrogatepass"))
    except ValueError:
        raise RecursionError("nested too deep to be packed") from None


def unpack_plain(data: bytes | memoryview) -> Any:
    """Unpack a plain value; lists become tuples. Raises ValueError or TypeError for invalid bytes."""
    return msgpack.unpackb(data, use_list=False, strict_map_key=False, ext_hook=_hooked, unicode_errors="surrogatepass")


class Schema(Generic[T]):
    """Packs values of one type."""

    def __init__(self, kind: Any) -> None:
        self._shape = _Shape.of(kind)

    def pack(self, value: T) -> bytes:
        """Pack a value. Raises RecursionError if nested more than 500 levels deep."""
        return pack_plain(self._shape.plain(value))

    def unpack(self, data: bytes | memoryview) -> T:
        """Unpack a value. Raises only Damaged, for bytes that `pack` does not produce."""
        try:
            return cast(T, self._shape.made(unpack_plain(data)))
        except Damaged:
            raise
        except Exception as error:  # constructors may raise anything for invalid values
            raise Damaged(f"these bytes are not packed data: {type(error).__name__}") from error


def write_frame(out: Sink, data: bytes) -> None:
    """Write one message to a pipe."""
    out.write(len(data).to_bytes(_LENGTH, "big"))
    out.write(data)
    out.flush()


def read_frame(source: IO[bytes]) -> bytes:
    """Read one message from a pipe. Raises EOFError if the other side ended before the message was complete."""
    length = int.from_bytes(head := source.read(_LENGTH), "big")
    data = source.read(length) if len(head) == _LENGTH else b""
    if len(head) < _LENGTH or len(data) < length:
        raise EOFError
    return data


def _big(value: object) -> Any:
    if type(value) is int:
        return msgpack.ExtType(_BIG, hex(value).encode())
    raise TypeError(f"{type(value).__name__} cannot be packed")


def _hooked(code: int, data: bytes) -> int:
    if code != _BIG:
        raise Damaged("an unknown kind of value")
    return int(data, 16)


def _same(value: Any) -> Any:
    return value


class _Shape:
    """Conversion of a type to and from plain values. `types` are the plain types it may have, if no further check is
    needed."""

    def __init__(self, plain: _Step, made: _Step, types: frozenset[type] | None = None) -> None:
        self.plain = plain
        self.made = made
        self.types = types

    @classmethod
    def of(cls, hint: Any) -> _Shape:
        """Return the shape of an annotation."""
        origin, inner = get_origin(hint), get_args(hint)
        if hint is Any or hint is object:
            return cls(_same, _same)
        if origin in (Union, UnionType):
            return _union(inner)
        if hint in _SCALARS:
            return _checked({hint, int} if hint is float else {hint})
        if origin is Literal:
            return _checked(map(type, inner))
        if origin is tuple:
            return _tuple(inner)
        if origin in (dict, Mapping, Counter) or hint in (dict, Counter):
            return _dict(Counter if Counter in (origin, hint) else dict, inner)
        if origin in _COLLECTIONS:
            return _collection(_COLLECTIONS[origin], cls.of(inner[0]))
        if dataclasses.is_dataclass(hint) or hasattr(hint, "_fields"):
            return _record(cast(type, hint))
        raise TypeError(f"{hint} has no shape")


_COLLECTIONS: dict[Any, Callable[[Iterable[Any]], Any]] = {
    list: list, set: set, frozenset: frozenset, Sequence: tuple, Collection: tuple,
}  # fmt: skip


def _require(is_right: bool) -> None:
    if not is_right:
        raise Damaged("a value has another type")


def _checked(types: Iterable[type]) -> _Shape:
    allowed = frozenset(types)

    def made(value: Any) -> Any:
        _require(type(value) in allowed)
        return value

    return _Shape(_same, made, allowed)


def _many(shape: _Shape) -> tuple[_Step, _Step]:
    """Apply both directions of a shape to the elements of an iterable."""
    plain, types = shape.plain, shape.types
    if types is None:
        to = _same if plain is _same else lambda values: tuple(map(plain, values))
        return to, (_same if shape.made is _same else lambda values: tuple(map(shape.made, values)))

    def made(values: Any) -> Any:
        _require(types.issuperset(map(type, values)))
        return values

    return _same, made


def _union(parts: Sequence[Any]) -> _Shape:
    shapes = [_Shape.of(part) for part in parts]
    if all(shape.types is not None for shape in shapes):
        return _checked(frozenset().union(*(shape.types for shape in shapes if shape.types)))
    some = [(part, shape) for part, shape in zip(parts, shapes, strict=True) if part is not NoneType]
    if len(some) == 1:
        return _optional(some[0][1])

    def plain(value: Any) -> Any:
        if value is None:
            return None
        number, shape = next((n, s) for n, (part, s) in enumerate(some) if type(value) is part)
        return number, shape.plain(value)

    def made(value: Any) -> Any:
        return None if value is None else some[value[0]][1].made(value[1])

    return _Shape(plain, made)


def _optional(shape: _Shape) -> _Shape:
    return _Shape(
        lambda value: None if value is None else shape.plain(value),
        lambda value: None if value is None else shape.made(value),
    )


def _tuple(inner: Sequence[Any]) -> _Shape:
    if len(inner) == 2 and inner[1] is ...:
        if inner[0] is Any:
            return _checked({tuple})
        if hasattr(inner[0], "_fields"):
            return _rows(inner[0])
        return _collection(tuple, _Shape.of(inner[0]))
    shapes = [_Shape.of(part) for part in inner]

    def made(value: Any) -> Any:
        _require(type(value) is tuple)
        return tuple(shape.made(part) for shape, part in zip(shapes, value, strict=True))

    if all(shape.plain is _same for shape in shapes):
        return _Shape(_same, made)
    return _Shape(lambda value: tuple(s.plain(part) for s, part in zip(shapes, value, strict=True)), made)


def _collection(kind: Callable[[Iterable[Any]], Any], element: _Shape) -> _Shape:
    plain, make = _many(element)

    def made(value: Any) -> Any:
        _require(type(value) is tuple)
        return kind(make(value))

    return _Shape(plain if kind in (tuple, list) else lambda values: tuple(plain(values)), made)


def _dict(kind: Callable[[Any], Any], inner: Sequence[Any]) -> _Shape:
    key, of = _Shape.of(inner[0]), inner[1] if len(inner) > 1 else int
    is_rows = get_origin(of) is tuple and hasattr(get_args(of)[0], "_fields")
    value = _few(get_args(of)[0]) if is_rows else _Shape.of(of)
    (keys_to, keys_from), (values_to, values_from) = _many(key), _many(value)

    def plain(found: Mapping[Any, Any]) -> Any:
        if keys_to is _same and values_to is _same:
            return dict(found)
        return dict(zip(keys_to(found), values_to(found.values()), strict=True))

    def made(found: Any) -> Any:
        _require(type(found) is dict)
        return kind(dict(zip(keys_from(found), values_from(found.values()), strict=True)))

    return _Shape(plain, made)


def _shapes_of(kind: type) -> dict[str, _Shape]:
    hints = get_type_hints(kind)
    names = [f.name for f in dataclasses.fields(kind)] if dataclasses.is_dataclass(kind) else kind._fields  # type: ignore[attr-defined]
    return {name: _Shape.of(hints[name]) for name in names}


def _record(kind: type) -> _Shape:
    shapes = _shapes_of(kind)
    steps = list(shapes.values())
    is_plain = all(shape.plain is _same for shape in steps)

    def plain(value: Any) -> Any:
        found = [getattr(value, name) for name in shapes] if dataclasses.is_dataclass(value) else value
        return tuple(found) if is_plain else tuple(s.plain(part) for s, part in zip(steps, found, strict=True))

    def made(value: Any) -> Any:
        _require(type(value) is tuple)
        return kind(*(shape.made(part) for shape, part in zip(steps, value, strict=True)))

    return _Shape(plain, made)


def _rows(kind: Any) -> _Shape:
    """Return the shape of a tuple of NamedTuples of one type, packed by column. Repeated strings are packed once, which
    is smaller; after reading they are one object again."""
    shapes = _shapes_of(kind).values()
    columns = [_texts if shape.types == _TEXT else _many(shape) for shape in shapes]

    def plain(rows: Sequence[Any]) -> Any:
        return (
            tuple(to(column) for (to, _), column in zip(columns, zip(*rows, strict=True), strict=True)) if rows else ()
        )

    def made(value: Any) -> Any:
        _require(type(value) is tuple)
        if not value:
            return ()
        found = [make(column) for (_, make), column in zip(columns, value, strict=True)]
        return tuple(map(kind._make, zip(*found, strict=True)))

    return _Shape(plain, made)


def _few(kind: Any) -> _Shape:
    """Like `_rows`, for one or two rows: unchanged, only counted on reading."""
    if any(shape.plain is not _same for shape in _shapes_of(kind).values()):
        return _rows(kind)
    return _Shape(_same, lambda rows: tuple(map(kind._make, rows)))


def _texts_plain(column: Sequence[str]) -> Any:
    numbers = dict.fromkeys(column, 0)
    if 2 * len(numbers) > len(column):
        return column
    for number, text in enumerate(numbers):
        numbers[text] = number
    return [tuple(numbers), tuple(map(numbers.__getitem__, column))]


def _texts_made(column: Any) -> Any:
    if len(column) == 2 and type(column[0]) is tuple:
        texts, numbers = column
        _require(_TEXT.issuperset(map(type, texts)) and min(numbers) >= 0)
        return tuple(map(texts.__getitem__, numbers))
    _require(type(column) is tuple and _TEXT.issuperset(map(type, column)))
    return column


_texts = _texts_plain, _texts_made


__all__ = ["Damaged", "Schema", "read_frame", "write_frame"]
