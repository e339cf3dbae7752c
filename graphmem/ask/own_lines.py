"""Quotes symbols that a search found: the lines of their source that say most of the question. So a reader need not open each
file to see which of the hits answers. It ranks nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress

from graphmem.ask.evidence import Sources, ref_of
from graphmem.errors import GraphmemError
from graphmem.model.results import Hit
from graphmem.retrieve.stems import stem
from graphmem.text.words import content_words

_QUOTED = 3  # hits
_WINDOW = 4  # lines of one hit
_WHOLE = 6  # lines up to which a symbol is quoted whole
_MAX_LINES = 400  # of a symbol that are looked through
_WIDTH = 110  # characters of a line

_CASE = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")  # between the words of a name

Lines = tuple[tuple[int, str], ...]  # number and text


def quote_symbols(text: str, hits: Sequence[Hit], sources: Sources) -> Mapping[str, Lines]:
    """Return lines of the first symbols among the hits, by the id of the hit. Secrets are redacted. A long symbol that has
    no further word of the question below its first line is not quoted."""
    asked = _stems(text)
    quoted = dict[str, Lines]()
    for hit in hits[:_QUOTED]:
        if hit.kind == "symbol" and (lines := _choose_lines(asked, hit, sources)):
            quoted[hit.id] = lines
    return quoted


def _choose_lines(asked: frozenset[str], hit: Hit, sources: Sources) -> Lines:
    with suppress(GraphmemError, OSError):  # deleted or changed since it was indexed
        symbol = next((each for each in sources.code.known(hit.title) if ref_of(each) == hit.ref), None)
        if symbol is None:
            return ()
        body = sources.code.source(symbol.key)
        lines = [(at, line) for at, line in enumerate(body.text.split("\n")[:_MAX_LINES], body.first)]
        return _best_window(asked, lines)
    return ()


def _best_window(asked: frozenset[str], lines: Sequence[tuple[int, str]]) -> Lines:
    """Return the window of lines with most words of the question, without blank lines; a short symbol whole."""
    written = [(at, line) for at, line in lines if line.strip()]
    if 1 < len(written) <= _WHOLE:
        return _shortened(written)
    named, written = written[:1], written[1:]  # the first line has the name, which is shown
    new = asked.difference(*(_stems(line) for _, line in named))
    said = [_stems(line) & asked for _, line in written]
    starts = range(len(written))
    windows = [frozenset().union(*said[at : at + _WINDOW]) for at in starts]
    best = max(starts, key=lambda at: (len(windows[at] & new), len(windows[at]), bool(said[at])), default=0)
    return _shortened(written[best : best + _WINDOW]) if windows and windows[best] & new else ()


def _shortened(lines: Iterable[tuple[int, str]]) -> Lines:
    """Return lines without the indentation that all of them have."""
    lines = list(lines)
    indent = min(len(line) - len(line.lstrip()) for _, line in lines)
    return tuple((at, line[indent : indent + _WIDTH].rstrip()) for at, line in lines)


def _stems(text: str) -> frozenset[str]:
    return frozenset(map(stem, content_words(_CASE.sub(" ", text))))
