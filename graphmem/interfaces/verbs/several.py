"""Answers about several symbols in one call, in the order of the symbols."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from graphmem.errors import NotFound, UsageError


@dataclass(frozen=True, slots=True)
class Several:
    """The answer about each symbol; for one that does not exist, a sentence."""

    answers: tuple[Any, ...]


def share(budget: int, symbols: str | Sequence[str]) -> int:
    """Return the tokens of the answer about one of these symbols; an invalid budget unchanged."""
    return budget if budget < 1 else max(1, budget // max(1, len(_names(symbols))))


def answer_each(symbols: str | Sequence[str], ask: Callable[[str], Any]) -> Any:
    """Return the answer about a symbol, or for several symbols the answers about each. An unknown symbol does not spoil the
    answers about the others. Raises NotFound if none is known, UsageError without a symbol."""
    names = _names(symbols)
    if not names:
        raise UsageError("name at least one symbol")
    if len(names) == 1:
        return ask(names[0])
    answers, errors = list[Any](), list[NotFound]()
    for name in names:
        try:
            answers.append(ask(name))
        except NotFound as error:
            errors.append(error)
            answers.append(str(error))
    if len(errors) == len(names):
        raise NotFound("; ".join(map(str, errors)))
    return Several(tuple(answers))


def _names(symbols: str | Sequence[str]) -> list[str]:
    return [symbols] if isinstance(symbols, str) else list(dict.fromkeys(symbols))
