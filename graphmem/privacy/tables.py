"""Finds secrets by the head of their column: tables of Markdown, terminals and CSV, and
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
SEPARATED = r"[\w\"' .-]{1,40}(?:(?P<sign>[,;\t])[\w\"' .-]{1,40}){1,30}\r?(?:\n|\Z)"
# Below a head: `|---|---|`, `├─────┼─────┤`, `+-----+-----+`, `-----+-----`
RULER = r"[ \t]*[|├┝┞╞╟╠┠┣+:╪┡]?(?=[^\n]{0,400}?(?:-|─|═|━))[ \t|:+┼╪╬╫┿╋┤╡╢╣┨┫┩│┃║╇─═━-]{3,2000}+(?:\r?\n|\Z)"
ROWS = 500  # of a table that are looked at
LONGEST = 2_000  # characters of a row
INTO = "into "
INSERT = r"into\s{1,4}[\w.\"`\[\]]{1,120}\s{0,4}\(([^()]{1,2000})\)\s{0,4}(?i:values)\s{0,4}"
TUPLE = r"\(((?:[^()'\"]|'(?:[^'\\]|\\.|'')*+'|\"(?:[^\"\\]|\\.)*+\"|\([^()]{0,200}\)){1,4000}+)\)\s{0,4},?\s{0,40}"
CELL = r"'((?:[^'\\]|\\.|'')*+)'|\"((?:[^\"\\]|\\.)*+)\"|((?:[^,'\"()]|\([^()]{0,200}\)){1,2000}+)|,"


def find_column_secrets(text: str, lower: str, labels: Iterable[int]) -> Iterator[Span]:
    """Yield secrets in columns whose head tells that they are; `lower`: the text in lower case, every character at its place;
    `labels`: where labels of secrets are, in order. Linear in the length of `text`."""
    lines = list(_lines(text, labels))
    if lines:
        yield from _tabulated(text, lines)
        yield from _inserted(text, lower)


def _lines(text: str, labels: Iterable[int]) -> Iterator[int]:
    """Yield where lines with a label begin, but for lines that are longer than a row may be."""
    done = -1
    for at in labels:
        if at < done:
            continue
        start = text.rfind("\n", max(0, at - LONGEST), at) + 1
        end = text.find("\n", at)
        done = len(text) if end < 0 else end
        if start or at < LONGEST:
            yield start


def _tabulated(text: str, lines: list[int]) -> Iterator[Span]:
    done = 0
    for line in lines:
        if line < done:
            continue
        at = _line_end(text, line)
        sign = "|"
        if (head := compile_pattern(SEPARATED).match(text, line)) is not None:
            sign = head["sign"]
        elif (ruler := compile_pattern(RULER).match(text, at)) is not None:
            at = ruler.end()
        else:
            aligned, done = find_aligned_secrets(text, line)
            yield from aligned
            continue
        columns = [secrecy_of_label(text[a:b]) for a, b in _cells(text, line, _line_end(text, line), sign)]
        if len(columns) < 2 or not any(secret.level > 1 and secret.kind != "credential" for secret in columns):
            continue
        for _ in range(ROWS):
            if sign == "|" and (ruler := compile_pattern(RULER).match(text, at)) is not None:
                at = ruler.end()
                continue
            end = _line_end(text, at)
            cells = _cells(text, at, end, sign)
            if len(cells) != len(columns):
                break
            for (first, last), secret in zip(cells, columns, strict=True):
                yield from _judged(text, first, last, secret)
            done = at = end


def _line_end(text: str, start: int) -> int:
    """Return where the next line begins, within the length of a row."""
    end = text.find("\n", start, start + LONGEST)
    return min(len(text), start + LONGEST) if end < 0 else end + 1


def _cells(text: str, start: int, end: int, sign: str) -> list[tuple[int, int]]:
    """Return the places of the cells of a line, without blanks and quotes around them."""
    line = text[start:end].rstrip("\r\n \t" if sign == "|" else "\r\n")
    if sign == "|":
        line = line.translate(BARS)
        inner = line.lstrip(" \t").removeprefix("|")
        start += len(line) - len(inner)
        line = inner.removesuffix("|")
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
