"""Truncates an answer to a token budget: keeps the first rows that fit and counts the others. Works on the structure of
answers (fields that are tuples of rows, and `left_out`). A row about a symbol costs the tokens of its text line, not of
its record."""

from __future__ import annotations

import dataclasses
import json
from typing import Any, TypeVar

from graphmem.errors import UsageError
from graphmem.model.answers import Endpoint, Place
from graphmem.text.tokens import count_tokens

Answer = TypeVar("Answer")


def truncate_to_budget(answer: Answer, budget: int | None, *fields: str) -> Answer:
    """Return the answer with the rows of these fields, taken in turn, that fit into `budget` tokens as text; unchanged
    without a budget. Raises UsageError for a budget below 1."""
    if budget is None:
        return answer
    if budget < 1:
        raise UsageError(f"budget must be at least 1 token, not {budget}", budget=budget)
    waiting = {name: list(getattr(answer, name)) for name in fields}
    total = sum(map(len, waiting.values()))
    kept: dict[str, list[Any]] = {name: [] for name in fields}
    room = budget - _tokens(_replaced(answer, dict.fromkeys(fields, ())))
    files: set[str] = set()  # its path is already printed above its rows
    while any(waiting.values()):
        for name, rows in waiting.items():
            if not rows:
                continue
            room -= _cost(rows[0], files) + 1
            if room < 0:
                waiting = {}
                break
            kept[name].append(rows.pop(0))
    left_out = getattr(answer, "left_out", 0) + total - sum(map(len, kept.values()))
    return _replaced(answer, {name: tuple(rows) for name, rows in kept.items()} | {"left_out": left_out})


def _cost(row: Any, files: set[str]) -> int:
    place = row if isinstance(row, Place) else getattr(row, "symbol", None)
    if isinstance(row, Endpoint):
        return count_tokens(_line(row))
    if not isinstance(place, Place):
        return _tokens(row)
    values = (getattr(row, field.name) for field in dataclasses.fields(row))
    text = " ".join(str(value) for value in values if isinstance(value, str | int | float)) if row is not place else ""
    path = "" if place.file in files else f"{place.file}\n"
    files.add(place.file)
    return count_tokens(f"{path}  {place.line} {place.name} {text}")


def _line(route: Endpoint) -> str:
    """Return the text line of a route."""
    callers = dict.fromkeys(call.symbol.name for call in route.callers)
    return " ".join((route.method, route.path, route.handler.name if route.handler else "", route.file, "1", *callers))


def _replaced(answer: Answer, changes: dict[str, Any]) -> Answer:
    copied: Answer = dataclasses.replace(answer, **changes)  # type: ignore[type-var]
    return copied


def _tokens(value: Any) -> int:
    return count_tokens(json.dumps(_plain(value), ensure_ascii=False, default=str))


def _plain(value: Any) -> Any:
    """Convert records to dictionaries, as in an envelope."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: _plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return {name: _plain(inner) for name, inner in value._asdict().items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    return value
