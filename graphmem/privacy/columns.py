"""Finds secrets in tables whose columns only blanks align: a head such as `USER   PASSWORD   HOST`, then rows. `labels` judges the
head, `judge` the cells."""

from __future__ import annotations

from collections.abc import Iterator

from graphmem.model.text import Span
from graphmem.privacy import judge
from graphmem.privacy.labels import secrecy_of_label
from graphmem.privacy.names import Secrecy
from graphmem.privacy.patterns import compile_pattern

_ROWS = 200  # of a table that are looked at
_LONGEST = 1_000  # characters of a row
_COLUMNS = 24
_HEAD = r"[ \t]*[^\W\d_][\w./#%() -]{0,40}(?:(?:[ ]{2}|\t| )[^\n;={}<>\"'`,:!?]{1,60}){1,24}"
_CELL = r"\S+(?:[ ]\S+)*"
_WORD = r"\S+"
_RULER = r"[ \t=─━-]{3,}"


def find_aligned_secrets(text: str, line: int) -> tuple[list[Span], int]:
    """Return the secrets below the head of a table that begins at `line`, and where the table ends: there if it is none."""
    end = text.find("\n", line, line + _LONGEST)
    if end < 0 or compile_pattern(_HEAD).match(text, line, end) is None:
        return [], line
    head = text[line:end].rstrip("\r")
    pattern = _CELL
    cells = [match.span() for match in compile_pattern(pattern).finditer(head)]
    if len(cells) < 2 and head.isupper():
        pattern = _WORD
        cells = [match.span() for match in compile_pattern(pattern).finditer(head)]
    if not 2 <= len(cells) <= _COLUMNS:
        return [], line
    secrets = {
        at: secret
        for at, (start, stop) in enumerate(cells)
        if (secret := secrecy_of_label(head[start:stop])).level > 1 and secret.kind != "credential"
    }
    found: list[Span] = []
    for start, row in _rows(text, end + 1) if secrets else ():
        for at, secret in secrets.items():
            place = _cell(row, pattern, cells, at)
            if place and secrecy_of_label(row[slice(*place)]).level:  # the head of another table
                return found, start if found else line
            if place and _is_secret(row[slice(*place)], secret):
                found.append(Span(start + place[0], start + place[1], secret.kind))
        end = start + len(row)
    return found, end if found else line


def _rows(text: str, start: int) -> Iterator[tuple[int, str]]:
    for _ in range(_ROWS):
        end = text.find("\n", start, start + _LONGEST)
        if end < 0:
            if len(text) - start > _LONGEST:
                return
            end = len(text)
        row = text[start:end].rstrip("\r")
        if not row.strip() or "\0" in row:
            return
        if not compile_pattern(_RULER).fullmatch(row):
            yield start, row
        start = end + 1


def _cell(row: str, pattern: str, heads: list[tuple[int, int]], at: int) -> tuple[int, int] | None:
    """Return the cell of a row below a head: by its number where all are there, else by where it begins or ends."""
    for cells in ([match.span() for match in compile_pattern(each).finditer(row)] for each in (pattern, _WORD)):
        if len(cells) == len(heads):
            return cells[at]
    start, stop = heads[at]
    for match in compile_pattern(_WORD).finditer(row):
        if abs(match.start() - start) <= 1 or match.end() == stop:
            return match.span()
    return None


def _is_secret(value: str, secret: Secrecy) -> bool:
    """Return whether a cell is random or chosen, be it of letters of both cases only."""
    scattered = (
        len(value) >= 10 and value.isalpha() and judge.is_mixed_case(value) and judge.nonword_share(value) >= 0.6
    )
    return judge.is_stated(value, secret.level, False) or scattered
