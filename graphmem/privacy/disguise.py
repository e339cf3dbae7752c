"""Reverses what splits or hides secrets in a text: terminal colours, zero-width characters, full-width letters, line
continuations. Returns the plain text and a map to positions in the original; detects nothing itself."""

from __future__ import annotations

from bisect import bisect_right
from typing import NamedTuple

from graphmem.model.text import Span
from graphmem.privacy.patterns import compile_pattern

COLOUR = r"\x1b(?:\[[0-9;:?]{0,24}[A-Za-z]|\][^\x07\x1b\n]{0,400}(?:\x07|\x1b\\))"
WRITTEN = r"\\(?:u001[bB]|x1[bB]|033|e)\[[0-9;:?]{0,24}[A-Za-z]"  # as strings of programs have it
INVISIBLE = "[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]+"
CONTINUED = r"\\\r?\n(?<=\S\\\n|\\\r\n)[ \t]{0,40}(?=\S)"
WIDE = "[\uff01-\uff5e\u3000]"
_NARROW = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: 0x20}


class Plain(NamedTuple):
    """The text without disguise; `kept` are the places in it where pieces of the original begin, at `origins`."""

    text: str
    kept: tuple[int, ...]
    origins: tuple[int, ...]

    def original(self, span: Span) -> Span:
        """Return a span of the plain text as one of the original."""
        return Span(self._place(span.start), self._place(span.end - 1) + 1, span.kind)

    def _place(self, at: int) -> int:
        piece = bisect_right(self.kept, at) - 1
        return self.origins[piece] + at - self.kept[piece]


def _is_written(text: str) -> bool:
    return "\\" in text and any(sign in text for sign in ("1b[", "1B[", "33[", "\\e["))


def undisguised(text: str) -> Plain | None:
    """Return the plain text, None if the text is plain already."""
    signs = (
        [COLOUR] * ("\x1b" in text) + [WRITTEN] * _is_written(text) + [CONTINUED] * ("\\\n" in text or "\\\r" in text)
    )
    signs += [INVISIBLE] * (not text.isascii())
    cuts = sorted(match.span() for sign in signs for match in compile_pattern(sign).finditer(text))
    wide = not text.isascii() and compile_pattern(WIDE).search(text) is not None
    if not cuts and not wide:
        return None
    pieces: list[str] = []
    kept: list[int] = []
    origins: list[int] = []
    at = size = 0
    for start, end in [*cuts, (len(text), len(text))]:
        if start > at or not kept:
            kept.append(size)
            origins.append(at)
            pieces.append(text[at:start])
            size += start - at
        at = end
    plain = "".join(pieces)
    return Plain(plain.translate(_NARROW) if wide else plain, tuple(kept), tuple(origins))
