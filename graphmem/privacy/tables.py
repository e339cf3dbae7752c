"""Finds secrets by the head of their column: Markdown and CSV tables, and `INSERT INTO users (name, password) VALUES (...)`."""

from __future__ import annotations

from collections.abc import Iterator

from graphmem.model.text import Span
from graphmem.privacy import judge
from graphmem.privacy.names import Secrecy, secrecy_of
from graphmem.privacy.patterns import compile_pattern, find_words

HEADS = (
    "pass",
    "token",
    "secret",
    "pwd",
    "key",
    "비밀번호",
    "토큰",
)  # one of them is in the head of a column of secrets
HEADLINE = (
    r"[ \t]*(?:\|[^|\n]{1,60}){2,20}\|[ \t\r]*(?:\n|\Z)"
    r"|[\w\"' .-]{1,40}(?:(?P<sign>[,;\t])[\w\"' .-]{1,40}){1,30}\r?(?:\n|\Z)"
)
RULER = r"[ \t]*\|?(?:[ \t]*:?-{1,200}:?[ \t]*\|?){1,20}[ \t]*\n"
ROWS = 500  # of a table that are looked at
LONGEST = 2_000  # characters of a row
INTO = "into "
INSERT = r"into\s{1,4}[\w.\"`\[\]]{1,120}\s{0,4}\(([^()]{1,2000})\)\s{0,4}(?i:values)\s{0,4}"
TUPLE = r"\(((?:[^()'\"]|'(?:[^'\\]|\\.|'')*+'|\"(?:[^\"\\]|\\.)*+\"|\([^()]{0,200}\)){1,4000}+)\)\s{0,4},?\s{0,40}"
CELL = r"'((?:[^'\\]|\\.|'')*+)'|\"((?:[^\"\\]|\\.)*+)\"|((?:[^,'\"()]|\([^()]{0,200}\)){1,2000}+)|,"


def find_in_columns(text: str, lower: str) -> Iterator[Span]:
    """Yield secrets in columns whose head tells that they are; `lower`: the text in lower case, every character at its place.
    Linear in the length of `text`."""
    lines = sorted({lower.rfind("\n", 0, at) + 1 for head in HEADS for at in _places(lower, head)})
    if lines:
        yield from _tabulated(text, lines)
        yield from _inserted(text, lower)


def _places(text: str, word: str) -> Iterator[int]:
    """Yield where a word is, once a line, but for lines that are longer than a row may be."""
    at = text.find(word)
    while at >= 0:
        if text.rfind("\n", max(0, at - LONGEST), at) >= 0 or at < LONGEST:
            yield at
        end = text.find("\n", at)
        at = text.find(word, end) if end >= 0 else -1


def _tabulated(text: str, lines: list[int]) -> Iterator[Span]:
    done = 0
    for line in lines:
        head = compile_pattern(HEADLINE).match(text, line) if line >= done else None
        if head is None:
            continue
        sign = head["sign"] or "|"
        columns = [secrecy_of(text[a:b]) for a, b in _cells(text, line, head.end(), sign)]
        if not any(secret.level > 1 and secret.kind != "credential" for secret in columns):
            continue
        at = head.end()
        if sign == "|":
            ruler = compile_pattern(RULER).match(text, at)
            if ruler is None:
                continue
            at = ruler.end()
        for _ in range(ROWS):
            end = text.find("\n", at, at + LONGEST)
            end = min(len(text), at + LONGEST) if end < 0 else end
            cells = _cells(text, at, end, sign)
            if len(cells) != len(columns):
                break
            for (first, last), secret in zip(cells, columns, strict=True):
                yield from _judged(text, first, last, secret)
            done = at = end + 1


def _cells(text: str, start: int, end: int, sign: str) -> list[tuple[int, int]]:
    """Return the places of the cells of a line, without blanks and quotes around them."""
    line = text[start:end].rstrip("\r\n \t" if sign == "|" else "\r\n")
    if sign == "|":
        inner = line.lstrip(" \t")
        start += len(line) - len(inner)
        if not (inner.startswith("|") and inner.endswith("|") and len(inner) > 2):
            return []
        start, line = start + 1, inner[1:-1]
    cells: list[tuple[int, int]] = []
    for piece in line.split(sign):
        bare = piece.strip(" \t\"'`*")
        first = start + (piece.find(bare) if bare else 0)
        cells.append((first, first + len(bare)))
        start += len(piece) + len(sign)
    return cells


def _inserted(text: str, lower: str) -> Iterator[Span]:
    for into, _ in find_words(lower, (INTO,)):
        insert = compile_pattern(INSERT).match(text, into) or compile_pattern(INSERT).match(lower, into)
        if insert is None:
            continue
        columns = [secrecy_of(name.strip(" \t\r\n\"`[]'")) for name in insert[1].split(",")]
        if not any(secret.level > 1 for secret in columns):
            continue
        at = insert.end()
        for _ in range(ROWS):
            row = compile_pattern(TUPLE).match(text, at)
            if row is None:
                break
            column = 0
            for cell in compile_pattern(CELL).finditer(text, *row.span(1)):
                if cell[0] == ",":
                    column += 1
                elif column < len(columns) and (cell[1] or cell[2]):
                    yield from _judged(text, *cell.span(1 if cell[1] else 2), columns[column])
            at = row.end()


def _judged(text: str, start: int, end: int, secret: Secrecy) -> Iterator[Span]:
    value = text[start:end]
    if (
        secret.level > 1
        and secret.kind != "credential"
        and value
        and judge.assigned(value, secret.level, secret.kind, judge.Place.LITERAL, quoted=False)
    ):
        yield Span(start, end, secret.kind)
