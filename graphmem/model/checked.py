"""Run-time type checks for public methods: an argument of the wrong type raises UsageError before anything is done. Types
are read from annotations; unknown types are not checked."""

from __future__ import annotations

import functools
import inspect
import json
import os
from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import datetime
from typing import Any, NamedTuple, TypeVar

from graphmem.errors import UsageError

T = TypeVar("T")
_MAX_QUOTED_CHARS = 40  # maximum characters of a quoted value
_NAMES = frozenset(
    {"id", "ids", "a", "b", "old", "new", "params"}
)  # parameters that name or query something, and record nothing

_COUNTS = frozenset({"limit", "budget"})


class _Kind(NamedTuple):
    """A type: its name in messages, and a test for its values."""

    name: str
    fits: Callable[[Any], bool]


def _whole(value: Any) -> bool:
    return hasattr(value, "__index__") and not isinstance(value, bool)


def _texts(value: Any) -> bool:
    """Return whether this is an iterable of strings. One-shot iterators are not consumed, and so accepted."""
    several = isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping)
    return several and (not isinstance(value, Collection) or all(isinstance(each, str) for each in value))


_KINDS = {
    "str": _Kind("a string", lambda value: isinstance(value, str)),
    "int": _Kind("an integer", _whole),
    "float": _Kind("a number", lambda value: _whole(value) or isinstance(value, float)),
    "bool": _Kind("True or False", lambda value: isinstance(value, bool)),
    "datetime": _Kind("a datetime", lambda value: isinstance(value, datetime)),
    "Path": _Kind("a path", lambda value: isinstance(value, os.PathLike)),
    "Sequence[str]": _Kind("a list of strings", _texts),
    "Iterable[str]": _Kind("a list of strings", _texts),
    "tuple[str, ...]": _Kind("a list of strings", _texts),
    "Iterable[Mapping[str, Any]]": _Kind(
        "a list of dictionaries",
        lambda value: isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping),
    ),
    "Mapping[str, Any]": _Kind("a dictionary", lambda value: isinstance(value, Mapping)),
    "Task": _Kind("a task", lambda value: type(value).__name__ == "Task"),
}


def check_argument(name: str, value: Any, annotation: str) -> None:
    """Raise UsageError if a value does not match an annotation such as `str | None`."""
    kinds, optional = _read(annotation)
    if name in _COUNTS and _whole(value) and value < 0:
        raise UsageError(f"`{name}` must be at least 0, not {value}", name=name)
    if (value is None and optional) or not kinds or any(kind.fits(value) for kind in kinds):
        if name in _NAMES:
            reject_surrogates(name, value)
        return
    wanted = " or ".join(dict.fromkeys(kind.name for kind in kinds))
    hint = f": write [{_shown(value)}]" if wanted == "a list of strings" and isinstance(value, str) else ""
    raise UsageError(f"`{name}` must be {wanted}, not {_shown(value)}{hint}", name=name)


def reject_surrogates(name: str, value: Any) -> None:
    """Raise UsageError if a string, or a value in a list or dictionary, contains a lone surrogate: no name or query can.
    Recorded text may; it is repaired when recorded."""
    if isinstance(value, str):
        if not value.isascii() and any("\ud800" <= letter <= "\udfff" for letter in value):
            raise UsageError(f"`{name}` contains a lone surrogate, which is not valid text: {_shown(value)}", name=name)
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            reject_surrogates(str(key), inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            reject_surrogates(name, inner)


def storable_metadata(metadata: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return metadata as plain JSON values. Raises UsageError for values that JSON cannot represent."""
    try:
        text = json.dumps(dict(metadata or {}), ensure_ascii=False)
        return dict(json.loads(text.encode("utf-8", "replace")))
    except (TypeError, ValueError, RecursionError) as error:
        raise UsageError("`metadata` may only contain strings, numbers, lists and dictionaries") from error


@functools.cache
def _read(annotation: str) -> tuple[tuple[_Kind, ...], bool]:
    """Return the known types in an annotation (empty if one is unknown), and whether None is allowed."""
    names = [part.strip() for part in annotation.split(" | ")]
    kinds = [_KINDS.get(part) for part in names if part != "None"]
    known = tuple(kind for kind in kinds if kind is not None)
    return (known if len(known) == len(kinds) else ()), "None" in names


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _MAX_QUOTED_CHARS else text[: _MAX_QUOTED_CHARS - 1] + "…"


def check_arguments(kind: type[T]) -> type[T]:
    """Make the public methods of a class, including inherited ones, reject arguments of the wrong type."""
    for name in dir(kind):
        member = inspect.getattr_static(kind, name)  # what a call reaches: another decorator may have replaced it
        if inspect.isfunction(member) and not name.startswith("_"):
            setattr(kind, name, _guarded(member))
    return kind


def with_checked_arguments(function: Callable[..., T]) -> Callable[..., T]:
    """Return the function with type-checked arguments."""
    return _guarded(function, 0)


def _guarded(function: Callable[..., Any], first: int = 1) -> Callable[..., Any]:
    """Wrap a function to check its arguments, starting with the first one that callers pass."""
    said: list[tuple[str, str]] = []  # names and annotations, read at the first call

    @functools.wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:
        if not said:
            parameters = list(inspect.signature(function).parameters.values())
            said.extend((one.name, str(one.annotation)) for one in parameters[first:])
        for (name, annotation), value in zip(said, arguments[first:], strict=False):
            check_argument(name, value, annotation)
        for name, annotation in said:
            if name in named:
                check_argument(name, named[name], annotation)
        return function(*arguments, **named)

    return call
