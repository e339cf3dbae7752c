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
_WORD_SIGN = (
    r"[^\r\n()\[\]{},;]"  # brackets and separators stay: a value without quotes may have those of the code behind it
)
_BEHIND = ")]},;"


class MaskedSource(NamedTuple):
    """A source with secrets and private sections masked, of the same length in bytes and lines; `clean`: there was nothing
    to mask, not even by the rules for text that is read."""

    source: bytes
    clean: bool


def mask_preserving_offsets(source: bytes, language: str = "") -> MaskedSource:
    """Mask a source in a language of the code graph."""
    try:
        text, is_text = source.decode("utf-8"), True
    except UnicodeDecodeError:
        text, is_text = source.decode("utf-8", "surrogateescape"), False
    tagged = has_tags(text)
    safe = _mask_spans(text, private_sections(text).sections, " ") if tagged else text
    found = find_secrets(safe)
    sign = _SIGN if language in _WORDS else _WORD_SIGN
    safe = _mask_spans(safe, [span for span in found if language in _WORDS or not _is_code(safe, span)], "x", sign)
    changed = safe is not text
    return MaskedSource(
        safe.encode("utf-8", "surrogateescape") if changed else source, is_text and not found and not tagged
    )


def _mask_spans(text: str, spans: Iterable[Span | Section], letter: str, sign: str = _SIGN) -> str:
    """Return the text with each byte of the spans replaced by a letter, except for what `sign` leaves out."""
    pieces, at = [], 0
    for span in spans:
        hidden = text[span.start : span.end]
        masked = compile_pattern(sign).sub(
            lambda each: letter * len(each[0].encode("utf-8", "surrogateescape")), hidden
        )
        pieces += [text[at : span.start], masked]
        at = span.end
    return "".join([*pieces, text[at:]]) if pieces else text


def _is_code(text: str, span: Span) -> bool:
    """Return whether only the name next to a value gives it away as a secret, while it could be a name itself, outside of
    quotes; brackets of the code behind it do not count."""
    value = text[span.start : span.end].rstrip(_BEHIND)
    if span.kind not in _NAMED or not compile_pattern(_CODE).fullmatch(value):
        return False
    if looks_random(value):
        return False
    line = text[text.rfind("\n", 0, span.start) + 1 : span.start]
    return not any(line.count(quote) % 2 for quote in "\"'`")
