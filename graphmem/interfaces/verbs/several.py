"""Answers about several symbols in one call, in the order of the symbols."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from graphmem.errors import AmbiguousName, NotFound, UsageError
from graphmem.plurals import counted

_MOST = 4  # meanings of a name that are answered; the others are named
_NAMED = 8


@dataclass(frozen=True, slots=True)
class Several:
    """The answer about each symbol; for one that does not exist, a sentence."""

    answers: tuple[Any, ...]


def share(budget: int, parts: int) -> int:
    """Return the tokens of each of some answers; an invalid budget unchanged."""
    return budget if budget < 1 else max(1, budget // parts)


def answer_each(symbols: str | Sequence[str], ask: Callable[[str, int], Any]) -> Any:
    """Return the answer about a symbol, or for several symbols the answers about each. Of a name that several symbols have, the
    most used ones are answered and the others named. `ask` takes a symbol and the number of answers that share a budget.
    An unknown symbol does not spoil the answers about the others. Raises NotFound if none is known, UsageError without a symbol."""
    names = [symbols] if isinstance(symbols, str) else list(dict.fromkeys(symbols))
    if not names:
        raise UsageError("name at least one symbol")
    if len(names) == 1:
        return _answer(names[0], 1, ask)
    answers, errors = list[Any](), list[NotFound]()
    for name in names:
        try:
            answer = _answer(name, len(names), ask)
            answers += answer.answers if isinstance(answer, Several) else [answer]
        except NotFound as error:
            errors.append(error)
            answers.append(str(error))
    if len(errors) == len(names):
        raise NotFound("; ".join(map(str, errors)))
    return Several(tuple(answers))


def _answer(name: str, parts: int, ask: Callable[[str, int], Any]) -> Any:
    """Return the answer about a name, or those about what it may mean."""
    try:
        return ask(name, parts)
    except AmbiguousName as error:
        candidates = list[str](error.data["candidates"])
    asked, rest = candidates[:_MOST], candidates[_MOST:]
    found = {each: ask(each, parts * len(asked)) for each in asked}
    empty = [each for each, answer in found.items() if getattr(answer, "total", 1) == 0]
    if len(empty) == len(found):
        empty = empty[1:]
    said = f"`{name}` is the name of {counted(len(candidates), 'symbol')}"
    said += f"; nothing is known of {_listed(empty)}" if empty else ""
    said += f"; not asked about: {_listed(rest)}" if rest else ""
    return Several((f"{said}.", *(answer for each, answer in found.items() if each not in empty)))


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:_NAMED]) + (f" and {len(names) - _NAMED} more" if len(names) > _NAMED else "")
