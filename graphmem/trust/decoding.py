"""Finds hidden text: encoded (base64, base32, hexadecimal, percent-encoding, entities, escapes, rot13) or invisible on a
page (comments, elements without size or colour)."""

from __future__ import annotations

import base64
import binascii
import codecs
import html
import re
from collections.abc import Iterator
from itertools import islice
from urllib.parse import unquote

from graphmem.patterns import compile_later

_MAX_PIECES = 200  # maximum decoded pieces of a text
_BASE64 = compile_later(r"(?<![\w+/=-])[A-Za-z0-9_+/-]{20,4000}={0,2}(?![\w+/])")
_NAME = compile_later(r"[a-z_./-]*|[A-Z_./-]*|[0-9a-f]*|[0-9A-F]*")
_BASE32 = compile_later(r"(?<![\w=])[A-Z2-7]{24,4000}={0,6}(?![\w=])")
_HEX = compile_later(r"(?<![0-9A-Za-z])(?:0x)?((?:[2-7][0-9a-f]){12,2000}|(?:[2-7][0-9A-F]){12,2000})(?![0-9A-Za-z])")
_PERCENT = compile_later(r"(?:(?:^|(?<=[^\w.+-]))[\w.+-]{1,40})?(?:%[0-9A-Fa-f]{2}[\w.+-]{0,40}){4,400}")
_ENTITIES = compile_later(r"(?:&#x?[0-9A-Fa-f]{2,6};[\w ,.]{0,3}){6,2000}")
_ESCAPES = compile_later(r"(?:\\x[0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}){6,2000}")
_ROT13 = compile_later(r"\brot-?13\b|\bcaesar\b", re.I)
_MARKDOWN_COMMENT = compile_later(  # anywhere: in a comment of source code, a quotation, a docstring in one line
    r"(?<![\w)\]])\[[^\]\n]{0,40}\]:\s*(?:#|<>)\s*[(\"'](.{4,1000}?)[)\"'](?!\S)"
)
# A tag up to its ">" with quoted values; possessive, so that each start costs a bounded number of steps.
_TAG = compile_later(r"<(\w{1,12})\b((?:[^<>\"']++|\"[^\"]{0,600}+\"|'[^']{0,600}+'|[\"']){0,60}+)(>?)")
_UNSEEN = compile_later(
    r"display\s{0,9}:\s{0,9}none|visibility\s{0,9}:\s{0,9}hidden|font-size\s{0,9}:\s{0,9}0|opacity\s{0,9}:\s{0,9}0|\bhidden\b"
    r"|color\s{0,9}[:=]\s{0,9}[\"']?\s{0,9}(?:white|#fff(?:fff)?|transparent)\b|\bsize=[\"']?[01]\b",
    re.I,
)
_ATTRIBUTE = compile_later(
    r"\b(?:alt|title|aria-label|content|data-[\w-]{1,20})=(?:\"([^\"]{8,600})\"|'([^']{8,600})')", re.I
)
_UNSHOWN = frozenset({"desc", "metadata", "template", "noscript"})
_PLAIN_SCRIPT = compile_later(r"\s+type=[\"']text/plain", re.I)
_COMMENTED, _INNER, _UNSHOWN_INNER = 4_000, 2_000, 1_000  # maximum characters of such a part
_LETTERS = compile_later(r"[A-Za-z가-힣]{2,}")


def hidden_parts(text: str) -> Iterator[str]:
    """Yield text that readers of the page do not see."""
    if "<" not in text and "]:" not in text:
        return
    found: tuple[Iterator[str], ...] = (
        _comments(text),
        (match[1] for match in _MARKDOWN_COMMENT.finditer(text)),
        _in_tags(text),
    )
    for parts in found:
        yield from islice(parts, _MAX_PIECES)


def _comments(text: str) -> Iterator[str]:
    """Yield the content of comments, closed or at the end of the text."""
    start, end = text.find("<!--"), -1
    while start >= 0:
        inner = start + 4
        if end < inner + 4:
            end = text.find("-->", inner + 4)
            end = len(text) if end < 0 else end
        short = 4 <= end - inner <= _COMMENTED
        if short:
            yield text[inner:end]
        start = text.find("<!--", end if short else inner)


def _in_tags(text: str) -> Iterator[str]:
    """Yield text in attributes, and the content of elements that are not shown."""
    for tag in _TAG.finditer(text):
        name, attributes = tag[1].lower(), tag[2]
        yield from (match[1] or match[2] for match in _ATTRIBUTE.finditer(attributes))
        if not tag[3]:
            continue
        if name in _UNSHOWN or (name == "script" and _PLAIN_SCRIPT.match(attributes)):
            yield from _content(text, tag.end(), "</", _UNSHOWN_INNER)
        elif _UNSEEN.search(attributes):
            yield from _content(text, tag.end(), f"</{name}", _INNER)


def _content(text: str, start: int, mark: str, most: int) -> Iterator[str]:
    """Yield the text up to a mark or the end of the text, unless it is longer."""
    ahead = text[start : start + most + len(mark)]
    end = ahead.lower().find(mark, 4)
    if end < 0 and len(ahead) > most:
        return
    if end < 0 or end <= most:
        yield ahead[: end if end >= 0 else len(ahead)]


def decoded_parts(text: str) -> Iterator[str]:
    """Yield the content of encoded pieces, if it is prose."""
    for sign, pattern, decode in _DECODERS:
        if sign not in text:
            continue
        for count, match in enumerate(pattern.finditer(text)):
            if count >= _MAX_PIECES:
                break
            said = decode(match)
            if said and _is_prose(said):
                yield said
    if _ROT13.search(text):
        yield codecs.decode(text, "rot13")


def _is_prose(text: str) -> bool:
    """Return whether it is words rather than bytes that happen to be letters."""
    shown = sum(char.isprintable() or char in "\n\t" for char in text)
    return shown == len(text) and " " in text.strip() and len(_LETTERS.findall(text)) >= 3


def _base64(match: re.Match[str]) -> str:
    if _NAME.fullmatch(match[0]):
        return ""
    word = match[0].rstrip("=").replace("-", "+").replace("_", "/")
    return _try_decode(
        base64.b64decode, word[: len(word) // 4 * 4] if len(word) % 4 == 1 else word + "=" * (-len(word) % 4)
    )


def _base32(match: re.Match[str]) -> str:
    word = match[0].rstrip("=")
    return _try_decode(base64.b32decode, word + "=" * (-len(word) % 8))


def _try_decode(decode: object, word: str) -> str:
    try:
        raw: bytes = decode(word)  # type: ignore[operator]
        return raw.decode("utf-8")
    except (binascii.Error, ValueError):
        return ""


def _escaped(match: re.Match[str]) -> str:
    pairs = re.findall(r"\\x([0-9a-fA-F]{2})|\\u([0-9a-fA-F]{4})", match[0])
    return "".join(chr(int(short or long, 16)) for short, long in pairs)


_DECODERS = (
    ("", _BASE64, _base64),
    ("", _BASE32, _base32),
    ("", _HEX, lambda match: _try_decode(bytes.fromhex, match[1])),
    ("%", _PERCENT, lambda match: unquote(match[0].replace("+", " "), errors="ignore")),
    ("&#", _ENTITIES, lambda match: html.unescape(match[0])),
    ("\\", _ESCAPES, _escaped),
)
