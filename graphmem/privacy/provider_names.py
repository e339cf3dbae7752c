"""Finds values of providers' formats whose shape alone says nothing: a name with a word of the provider stands next to them, as in
`DATADOG_APP: 0a1b...`. Names that tell of secrets by themselves are for `assignments`."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from graphmem.model.text import Span
from graphmem.privacy.formats import Format, load_formats, pattern_of
from graphmem.privacy.judge import is_filler, is_placeholder, looks_random
from graphmem.privacy.patterns import compile_pattern, find_words

NAME = r"[\w.-]{0,40}"
SEPARATOR = (
    r"[\"'`]?\]?[ \t]{0,8}(?::=|=>|={1,2}|:(?!:)|->|,)[ \t]{0,8}(?:[bru]?[\"'`])?|[\"'][^<>\n]{0,80}>|[ "
    r"\t]{1,3}(?=[A-Za-z0-9])"
)
VALUE = r"[A-Za-z0-9+/=_.:%~-]{16,1024}"
MORE = (  # after a provider's name, in names without dashes
    r"(?i)(?:api|app|access|auth|client|consumer|secret|key|token|personal|account|pass|pwd|private|oauth|user|bot|service"
    r"|prod|dev|test|io|ai)"
)
OTHER = (
    r"(?i)(?:sha\d*|hash|digest|checksum|commit|integrity|rev|revision|version|etag|md5|fingerprint|uuid|guid|id"
    r"|url|uri|path|file|ref|sum)\Z"
)


def _is_word(text: str, start: int, end: int) -> bool:
    """Return whether `text[start:end]` is a word of a name, be it in camel case: not `sumo` of `sumOfAll`, not
    `meraki` of `cameraKit`."""
    if text[start - 1 : start].isalpha() and not (text[start].isupper() and text[start - 1].islower()):
        return False
    return not text[end : end + 1].islower() or compile_pattern(MORE).match(text, end) is not None


@cache
def _by_word(without: frozenset[str]) -> dict[str, list[Format]]:
    found: dict[str, list[Format]] = {}
    for row in load_formats():
        for word in row.beside if row.provider not in without else ():
            found.setdefault(word, []).append(row)
    return found


def find_named_values(text: str, lower: str, without: frozenset[str] = frozenset()) -> Iterator[Span]:
    """Yield values of the formats of providers that the names next to them tell, except for the providers `without`. `lower`:
    the text in lower case, every character at its place."""
    rows = _by_word(without)
    done = 0
    for at, word in find_words(lower, tuple(rows)):
        if at < done or not _is_word(text, at, at + len(word)):
            continue
        name = compile_pattern(NAME).match(text, at)
        end = name.end() if name else at
        separator = compile_pattern(SEPARATOR).match(text, end)
        if separator is None or compile_pattern(OTHER).search(text, at, end):
            continue
        value = compile_pattern(VALUE).match(text, separator.end())
        if value is None or not looks_random(value[0]) or is_placeholder(value[0]) or is_filler(value[0]):
            continue
        for row in rows[word]:
            if compile_pattern(pattern_of(row.parts)).fullmatch(value[0]):
                yield Span(*value.span(), row.label)
                done = value.end()
                break
