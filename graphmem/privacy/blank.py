"""Blanks secrets out of source code before it is parsed: every sign of a value becomes an `x`, so that lines, columns and
syntax stay and no cache of what was parsed can hold it. For text that is to be read use `filter`."""

from __future__ import annotations

import re
from typing import NamedTuple

from graphmem.model.text import Span
from graphmem.privacy.patterns import compiled
from graphmem.privacy.scan import find_secrets
from graphmem.privacy.tags import has_tags

_NAMED = frozenset({"password", "secret", "token", "api_key", "credential", "key", "private_key"})
_CODE = r"[A-Za-z_$][\w$]*(?:(?:\.|::|->|=|\[)[\w$\]]*)*"
_SIGN = r"[^\r\n]"


class Blanked(NamedTuple):
    """A source with its secrets blanked, of the same length in bytes and lines; `clean`: not even in a text that is to be
    read there is anything to hide."""

    source: bytes
    clean: bool


def blanked(source: bytes) -> Blanked:
    """Blank a source."""
    try:
        text, is_text = source.decode("utf-8"), True
    except UnicodeDecodeError:
        text, is_text = source.decode("utf-8", "surrogateescape"), False
    pieces, at = [], 0
    found = find_secrets(text)
    for span in found:
        if not _is_code(text, span):
            pieces += [text[at : span.start], compiled(_SIGN).sub(_crosses, text[span.start : span.end])]
            at = span.end
    safe = "".join([*pieces, text[at:]]).encode("utf-8", "surrogateescape") if pieces else source
    return Blanked(safe, is_text and not found and not has_tags(text))


def _crosses(sign: re.Match[str]) -> str:
    return "x" * len(sign[0].encode("utf-8", "surrogateescape"))


def _is_code(text: str, span: Span) -> bool:
    """What only the name beside it gives away, and could be a name itself, outside of quotes."""
    if span.kind not in _NAMED or not compiled(_CODE).fullmatch(text, span.start, span.end):
        return False
    line = text[text.rfind("\n", 0, span.start) + 1 : span.start]
    return not any(line.count(quote) % 2 for quote in "\"'`")
