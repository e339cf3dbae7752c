"""Holds callers to the types that a public method says it takes: what is of another kind is refused in one sentence, before
anything is done with it or written. It reads the annotations as they stand; types it does not know are not checked."""

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
_LONGEST = 40  # characters of a value that is quoted
_NAMES = frozenset(
    {"id", "ids", "a", "b", "old", "new", "params"}
)  # of parameters that name or ask, and record nothing

_COUNTS = frozenset({"limit", "budget"})


class _Kind(NamedTuple):
    """A type by the words of a sentence, and whether a value is of it."""

    name: str
    fits: Callable[[Any], bool]


def _whole(value: Any) -> bool:
    return hasattr(value, "__index__") and not isinstance(value, bool)


def _texts(value: Any) -> bool:
    """Several texts; what can be gone through only once is taken as it is."""
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
    """Raise UsageError for a value of another type than an annotation such as `str | None` says."""
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
    """Raise UsageError for a text that holds half a character (a lone surrogate), or that is among the values of a list or
    dictionary: neither a name of something nor a query can. What is recorded may: it is mended there."""
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
    """Metadata as the log can keep it. Raises UsageError for what JSON cannot hold."""
    try:
        text = json.dumps(dict(metadata or {}), ensure_ascii=False)
        return dict(json.loads(text.encode("utf-8", "replace")))
    except (TypeError, ValueError, RecursionError) as error:
        raise UsageError("`metadata` may only contain strings, numbers, lists and dictionaries") from error


@functools.cache
def _read(annotation: str) -> tuple[tuple[_Kind, ...], bool]:
    """The kinds that an annotation names, none where one is not known, and whether None is among them."""
    names = [part.strip() for part in annotation.split(" | ")]
    kinds = [_KINDS.get(part) for part in names if part != "None"]
    known = tuple(kind for kind in kinds if kind is not None)
    return (known if len(known) == len(kinds) else ()), "None" in names


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def check_arguments(kind: type[T]) -> type[T]:
    """A decorator of classes: their public methods, inherited ones too, refuse arguments of a wrong type."""
    for base in reversed(kind.__mro__[:-1]):
        for name, member in list(vars(base).items()):
            if inspect.isfunction(member) and not name.startswith("_"):
                setattr(kind, name, _guarded(member))
    return kind


def with_checked_arguments(function: Callable[..., T]) -> Callable[..., T]:
    """The function as others call it: it refuses arguments of a wrong type, too."""
    return _guarded(function, 0)


def _guarded(function: Callable[..., Any], first: int = 1) -> Callable[..., Any]:
    """The function with its arguments looked at, from the first one that a caller gives."""
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
