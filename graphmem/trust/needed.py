"""Extracts from a regular expression the literal pieces that each match must contain. Looking for these first is many
times faster than trying the pattern everywhere."""

from __future__ import annotations

from re import _constants as op  # type: ignore[attr-defined]
from re import _parser  # type: ignore[attr-defined]
from typing import Any

_MIN_PIECE_CHARS = 3  # letters of a piece: shorter ones are everywhere
_MAX_ALTERNATIVES = 60  # alternatives of a piece
Pieces = tuple[str, ...]


def needed_by(pattern: str) -> tuple[Pieces, ...]:
    """Return, for each required part of a pattern, its alternatives in lower case, one of which every match
    contains."""
    found = _of(_parser.parse(pattern, 0))
    return tuple(sorted(found, key=_looseness)[:3])


def _looseness(pieces: Pieces) -> tuple[int, int]:
    return len(pieces), -min(map(len, pieces))


def _of(parsed: Any) -> list[Pieces]:
    """Return the required pieces of a sequence."""
    needed: list[Pieces] = []
    run = ""
    for code, argument in parsed:
        if code is op.LITERAL:
            run += chr(argument)
            continue
        needed += _long(run)
        run = ""
        if code is op.SUBPATTERN:
            needed += _of(argument[3])
        elif code is op.BRANCH:
            needed += _either(argument[1])
        elif code in (op.MAX_REPEAT, op.MIN_REPEAT) and argument[0] > 0:
            needed += _of(argument[2])
    return needed + _long(run)


def _long(run: str) -> list[Pieces]:
    piece = run.lower()
    return [(piece,)] if len(piece) >= _MIN_PIECE_CHARS or (piece and not piece.isascii()) else []


def _either(branches: Any) -> list[Pieces]:
    """Return the required pieces of an alternation: one of each branch; none if a branch requires none."""
    chosen: list[str] = []
    for branch in branches:
        pieces = _of(branch)
        if not pieces:
            return []
        best: Pieces = min(pieces, key=_looseness)
        chosen += best
    return [tuple(dict.fromkeys(chosen))] if len(chosen) <= _MAX_ALTERNATIVES else []
