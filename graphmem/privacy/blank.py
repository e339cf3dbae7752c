"""Masks secrets (each character becomes an `x`) and private sections (spaces) in source code before it is parsed.
Lines, columns and syntax stay intact, and no parse cache can contain a secret. For text to be read, use `filter`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from graphmem.model.text import Span
from graphmem.privacy.judge import looks_random
from graphmem.privacy.patterns import compile_pattern
from graphmem.privacy.scan import find_secrets
from graphmem.privacy.tags import Section, has_tags, private_sections

_NAMED = frozenset({"password", "secret", "token", "api_key", "credential", "key", "private_key"})
_WORDS = frozenset(
    {"bash", "yaml", "json", "toml", "ini", "dockerfile", "make", "html", "css", "sql", "hcl"}
)  # values need no quotes
_CODE = r"[A-Za-z_$][\w$]*(?:(?:\.|::|->|=|\[)[\w$\]]*)*"
_SIGN = r"[^\r\n]"


class Blanked(NamedTuple):
    """A source with what it hides blanked, of the same length in bytes and lines; `clean`: not even in a text that is to be
    read there is anything to hide."""

    source: bytes
    clean: bool


def mask_preserving_offsets(source: bytes, language: str = "") -> Blanked:
    """Blank a source in a language of the code graph."""
    try:
        text, is_text = source.decode("utf-8"), True
    except UnicodeDecodeError:
        text, is_text = source.decode("utf-8", "surrogateescape"), False
    tagged = has_tags(text)
    safe = _over(text, private_sections(text).sections, " ") if tagged else text
    found = find_secrets(safe)
    safe = _over(safe, [span for span in found if language in _WORDS or not _is_code(safe, span)], "x")
    changed = safe is not text
    return Blanked(safe.encode("utf-8", "surrogateescape") if changed else source, is_text and not found and not tagged)


def _over(text: str, spans: Iterable[Span | Section], cross: str) -> str:
    """Return the text with a cross over each byte of the spans, except for the ends of lines."""
    pieces, at = [], 0
    for span in spans:
        hidden = text[span.start : span.end]
        crossed = compile_pattern(_SIGN).sub(
            lambda sign: cross * len(sign[0].encode("utf-8", "surrogateescape")), hidden
        )
        pieces += [text[at : span.start], crossed]
        at = span.end
    return "".join([*pieces, text[at:]]) if pieces else text


def _is_code(text: str, span: Span) -> bool:
    """Return whether only the name next to a value gives it away as a secret, while it could be a name itself, outside of
    quotes."""
    if span.kind not in _NAMED or not compile_pattern(_CODE).fullmatch(text, span.start, span.end):
        return False
    if looks_random(text[span.start : span.end]):
        return False
    line = text[text.rfind("\n", 0, span.start) + 1 : span.start]
    return not any(line.count(quote) % 2 for quote in "\"'`")
