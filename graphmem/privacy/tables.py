"""Finds secrets by the header of their column, in Markdown, terminal and CSV tables and in
`INSERT INTO users (name, password) VALUES (...)`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from graphmem.model.text import Span
from graphmem.privacy import judge
from graphmem.privacy.columns import find_aligned_secrets
from graphmem.privacy.labels import secrecy_of_label
from graphmem.privacy.names import Secrecy, secrecy_of
from graphmem.privacy.patterns import compile_pattern, find_words

BARS = str.maketrans("│┃║¦┆", "|||||")
DELIMITED_HEADER = r"[\w\"' .-]{1,40}(?:(?P<sign>[,;\t])[\w\"' .-]{1,40}){1,30}\r?(?:\n|\Z)"
# Below a header: `|---|---|`, `├─────┼─────┤`, `+-----+-----+`, `-----+-----`
HEADER_RULE = r"[ \t]*[|├┝┞╞╟╠┠┣+:╪┡]?(?=[^\n]{0,400}?(?:-|─|═|━))[ \t|:+┼╪╬╫┿╋┤╡╢╣┨┫┩│┃║╇─═━-]{3,2000}+(?:\r?\n|\Z)"
MAX_ROWS = 500  # of a table
MAX_ROW_LENGTH = 2_000  # characters
_INSERT_INTO = "into "
INSERT = r"into\s{1,4}[\w.\"`\[\]]{1,120}\s{0,4}\(([^()]{1,2000})\)\s{0,4}(?i:values)\s{0,4}"
TUPLE = r"\(((?:[^()'\"]|'(?:[^'\\]|\\.|'')*+'|\"(?:[^\"\\]|\\.)*+\"|\([^()]{0,200}\)){1,4000}+)\)\s{0,4},?\s{0,40}"
CELL = r"'((?:[^'\\]|\\.|'')*+)'|\"((?:[^\"\\]|\\.)*+)\"|((?:[^,'\"()]|\([^()]{0,200}\)){1,2000}+)|,"


def find_column_secrets(text: str, lower: str, labels: Iterable[int]) -> Iterator[Span]:
    """Yield the values of columns whose header names a secret. `lower` is the text in lower case, of the same length.
    `labels` are the offsets of words that may name a secret, ascending. Runs in linear time."""
    lines = list(_find_label_lines(text, labels))
    if lines:
        yield from _scan_tables(text, lines)
        yield from _scan_inserts(text, lower)


def _find_label_lines(text: str, labels: Iterable[int]) -> Iterator[int]:
    """Yield the offsets of lines that contain a label and are not longer than a row may be."""
    done = -1
    for at in labels:
        if at < done:
            continue
        start = text.rfind("\n", max(0, at - MAX_ROW_LENGTH), at) + 1
        end = text.find("\n", at)
        done = len(text) if end < 0 else end
        if start or at < MAX_ROW_LENGTH:
            yield start


def _scan_tables(text: str, lines: list[int]) -> Iterator[Span]:
    done = 0
    for line in lines:
        if line < done:
            continue
        if (header := _find_header(text, line)) is None:
            aligned, done = find_aligned_secrets(text, line)
            yield from aligned
            continue
        columns, separator, at = header
        for _ in range(MAX_ROWS):
            if separator == "|" and (rule := compile_pattern(HEADER_RULE).match(text, at)) is not None:
                at = rule.end()
                continue
            end = _next_line_start(text, at)
            cells = _cells(text, at, end, separator)
            if len(cells) != len(columns):
                break
            for (first, last), secrecy in zip(cells, columns, strict=True):
                yield from _yield_if_secret(text, first, last, secrecy)
            done = at = end


def _find_header(text: str, line: int) -> tuple[list[Secrecy], str, int] | None:
    """Return the columns of the table whose header is at an offset, their separator, and where the rows begin; None if
    there is no header or it names no secret."""
    end = _next_line_start(text, line)
    separator, rows = "|", end
    if (delimited := compile_pattern(DELIMITED_HEADER).match(text, line)) is not None:
        separator = delimited["sign"]
    elif (rule := compile_pattern(HEADER_RULE).match(text, end)) is not None:
        rows = rule.end()
    else:
        return None
    columns = [secrecy_of_label(text[a:b]) for a, b in _cells(text, line, end, separator)]
    return (columns, separator, rows) if len(columns) > 1 and any(map(_is_named_secret, columns)) else None


def _is_named_secret(secrecy: Secrecy) -> bool:
    """Return whether a header names a secret of its own kind; "credential" may be any word of an account."""
    return secrecy.level > 1 and secrecy.kind != "credential"


def _next_line_start(text: str, start: int) -> int:
    """Return where the next line begins, at most the length of a row away."""
    end = text.find("\n", start, start + MAX_ROW_LENGTH)
    return min(len(text), start + MAX_ROW_LENGTH) if end < 0 else end + 1


def _cells(text: str, start: int, end: int, separator: str) -> list[tuple[int, int]]:
    """Return start and end of the cells of a line, without blanks and quotes around them."""
    line = text[start:end].rstrip("\r\n \t" if separator == "|" else "\r\n")
    if separator == "|":
        line = line.translate(BARS)
        inner = line.lstrip(" \t").removeprefix("|")
        start += len(line) - len(inner)
        line = inner.removesuffix("|")
    cells: list[tuple[int, int]] = []
    for piece in line.split(separator):
        bare = piece.strip(" \t\"'`*")
        first = start + (piece.find(bare) if bare else 0)
        cells.append((first, first + len(bare)))
        start += len(piece) + len(separator)
    return cells


def _scan_inserts(text: str, lower: str) -> Iterator[Span]:
    for into, _ in find_words(lower, (_INSERT_INTO,)):
        insert = compile_pattern(INSERT).match(text, into) or compile_pattern(INSERT).match(lower, into)
        if insert is None:
            continue
        columns = [secrecy_of(name.strip(" \t\r\n\"`[]'")) for name in insert[1].split(",")]
        if not any(secrecy.level > 1 for secrecy in columns):
            continue
        at = insert.end()
        for _ in range(MAX_ROWS):
            row = compile_pattern(TUPLE).match(text, at)
            if row is None:
                break
            column = 0
            for cell in compile_pattern(CELL).finditer(text, *row.span(1)):
                if cell[0] == ",":
                    column += 1
                elif column < len(columns) and (cell[1] or cell[2]):
                    yield from _yield_if_secret(text, *cell.span(1 if cell[1] else 2), columns[column])
            at = row.end()


def _yield_if_secret(text: str, start: int, end: int, secrecy: Secrecy) -> Iterator[Span]:
    value = text[start:end]
    if (
        _is_named_secret(secrecy)
        and value
        and judge.is_assigned_secret(value, secrecy.level, secrecy.kind, judge.Place.LITERAL, quoted=False)
    ):
        yield Span(start, end, secrecy.kind)
