"""Reverses what splits or hides secrets in a text: terminal colours, zero-width characters, full-width letters, line
continuations, percent codes, entities of HTML, escapes of JSON. Returns the plain text and
a map to positions in the original; detects nothing itself."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import NamedTuple

from graphmem.model.text import Span
from graphmem.privacy.patterns import compile_pattern

COLOUR = r"\x1b(?:\[[0-9;:?]{0,24}[A-Za-z]|\][^\x07\x1b\n]{0,400}(?:\x07|\x1b\\))"
WRITTEN = r"\\(?:u001[bB]|x1[bB]|033|e)\[[0-9;:?]{0,24}[A-Za-z]"  # as strings of programs have it
INVISIBLE = "[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]+"
CONTINUED = r"\\\r?\n(?<=\S\\\n|\\\r\n)[ \t]{0,40}(?=\S)"
# A literal that goes on in the next line, as `"abc" +` does; of prose, blanks and signs are at its ends
LITERALS = (
    r"(?<=[A-Za-z0-9_-]{12})[\"'][ \t]{0,4}[+.&\\]?[ \t]{0,4}\r?\n[ \t]{0,80}[+.&]?[ \t]{0,4}[\"'](?=[A-Za-z0-9_-]{12})"
)
# What parts a name from its value, as URLs, HTML and JSON encode it; where none is, nothing is decoded.
SEPARATOR = r"%(?:3[AaDd]|22)|&(?:quot|#34|#39|#x3[AaDd]|#6[01]);|\\u00(?:22|27|3[AaDd])"
ENCODED = (
    r"%(?P<percent>2[0-9A-Fa-f]|3[A-Fa-f]|40|5[BbCcDdEe]|60|7[B-Db-d])|\\u00(?P<escape>2[267]|3[AaC-Ec-e])"
    r"|&(?P<entity>quot|amp|lt|gt|#34|#39|#x3[AaDd]|#6[01]);"
)
_ENTITIES = {"quot": '"', "amp": "&", "lt": "<", "gt": ">", "#34": '"', "#39": "'", "#60": "<", "#61": "="}
_ENTITIES |= {"#x3A": ":", "#x3a": ":", "#x3D": "=", "#x3d": "="}
WIDE = "[\uff01-\uff5e\u3000]"
_NARROW = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: 0x20}


class Plain(NamedTuple):
    """The text without disguise; `kept` are the places in it where pieces of the original begin, at `origins`; `widths` are the
    characters of the original that one character stands for, 0 for a piece that is the same."""

    text: str
    kept: tuple[int, ...]
    origins: tuple[int, ...]
    widths: tuple[int, ...]

    def original(self, span: Span) -> Span:
        """Return a span of the plain text as one of the original."""
        first, last = bisect_right(self.kept, span.start) - 1, bisect_right(self.kept, span.end - 1) - 1
        start = self.origins[first] + (0 if self.widths[first] else span.start - self.kept[first])
        end = self.origins[last] + (self.widths[last] or span.end - self.kept[last])
        return Span(start, end, span.kind)


def _is_written(text: str) -> bool:
    return "\\" in text and any(sign in text for sign in ("1b[", "1B[", "33[", "\\e["))


def undo_disguise(text: str) -> Plain | None:
    """Return the plain text, None if the text is plain already."""
    signs = (
        [COLOUR] * ("\x1b" in text) + [WRITTEN] * _is_written(text) + [CONTINUED] * ("\\\n" in text or "\\\r" in text)
    )
    signs += [INVISIBLE] * (not text.isascii()) + [LITERALS]
    cuts = [(*match.span(), "") for sign in signs for match in compile_pattern(sign).finditer(text)]
    if compile_pattern(SEPARATOR).search(text):
        cuts += [(*match.span(), _decoded(match)) for match in compile_pattern(ENCODED).finditer(text)]
    wide = not text.isascii() and compile_pattern(WIDE).search(text) is not None
    if not cuts and not wide:
        return None
    pieces: list[str] = []
    places: list[tuple[int, int, int]] = []
    at = size = 0
    for start, end, instead in [*sorted(cuts), (len(text), len(text), "")]:
        if start < at:
            continue
        for piece, origin, width in ((text[at:start], at, 0), (instead, start, end - start)):
            if piece or not places:
                places.append((size, origin, width if piece else 0))
                pieces.append(piece)
                size += len(piece)
        at = end
    plain = "".join(pieces)
    kept, origins, widths = zip(*places, strict=True)
    return Plain(plain.translate(_NARROW) if wide else plain, kept, origins, widths)


def _decoded(match: re.Match[str]) -> str:
    """Return the character that a percent code, an entity of HTML or an escape of JSON stands for."""
    number = match["percent"] or match["escape"]
    return chr(int(number, 16)) if number else _ENTITIES[match["entity"]]
