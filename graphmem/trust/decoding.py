"""Finds hidden text: encoded (base64, base32, hexadecimal, percent-encoding, entities, escapes, rot13) or invisible on a
page (comments, elements without size or colour)."""

from __future__ import annotations

import base64
import binascii
import codecs
import html
import re
from collections.abc import Iterator
from urllib.parse import unquote

_MOST = 200  # maximum decoded pieces of a text
_BASE64 = re.compile(r"(?<![\w+/=-])[A-Za-z0-9_+/-]{20,4000}={0,2}(?![\w+/])")
_NAME = re.compile(r"[a-z_./-]*|[A-Z_./-]*|[0-9a-f]*|[0-9A-F]*")
_BASE32 = re.compile(r"(?<![\w=])[A-Z2-7]{24,4000}={0,6}(?![\w=])")
_HEX = re.compile(r"(?<![0-9A-Za-z])(?:0x)?((?:[2-7][0-9a-f]){12,2000}|(?:[2-7][0-9A-F]){12,2000})(?![0-9A-Za-z])")
_PERCENT = re.compile(r"(?:(?:^|(?<=[^\w.+-]))[\w.+-]{1,40})?(?:%[0-9A-Fa-f]{2}[\w.+-]{0,40}){4,400}")
_ENTITIES = re.compile(r"(?:&#x?[0-9A-Fa-f]{2,6};[\w ,.]{0,3}){6,2000}")
_ESCAPES = re.compile(r"(?:\\x[0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}){6,2000}")
_ROT13 = re.compile(r"\brot-?13\b|\bcaesar\b", re.I)
_COMMENT = re.compile(r"<!--(.{4,4000}?)(?:-->|\Z)", re.S)
_MARKDOWN_COMMENT = re.compile(  # anywhere: in a comment of source code, a quotation, a docstring in one line
    r"(?<![\w)\]])\[[^\]\n]{0,40}\]:\s*(?:#|<>)\s*[(\"'](.{4,1000}?)[)\"'](?!\S)"
)
_UNSEEN = re.compile(
    r"<(\w{1,12})\b[^>]{0,300}?(?:display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0|opacity\s*:\s*0|\bhidden\b"
    r"|color\s*[:=]\s*[\"']?\s*(?:white|#fff(?:fff)?|transparent)\b|\bsize=[\"']?[01]\b)[^>]{0,300}>(.{4,2000}?)(?:</\1|\Z)",
    re.S | re.I,
)
_ATTRIBUTE = re.compile(
    r"<\w{1,12}\b[^>]{0,200}?\b(?:alt|title|aria-label|content|data-[\w-]{1,20})=([\"'])(.{8,500}?)\1", re.S | re.I
)
_UNSHOWN = re.compile(
    r"<(desc|metadata|template|noscript|script type=[\"']text/plain)\b[^>]{0,100}>(.{4,1000}?)(?:</|\Z)", re.S | re.I
)
_LETTERS = re.compile(r"[A-Za-z가-힣]{2,}")


def hidden_parts(text: str) -> Iterator[str]:
    """Yield text that readers of the page do not see."""
    if "<" not in text and "]:" not in text:
        return
    for pattern, group in ((_COMMENT, 1), (_MARKDOWN_COMMENT, 1), (_UNSEEN, 2), (_ATTRIBUTE, 2), (_UNSHOWN, 2)):
        for count, match in enumerate(pattern.finditer(text)):
            if count >= _MOST:
                break
            yield match[group]


def decoded_parts(text: str) -> Iterator[str]:
    """Yield the content of encoded pieces, if it is prose."""
    for sign, pattern, decode in _DECODERS:
        if sign not in text:
            continue
        for count, match in enumerate(pattern.finditer(text)):
            if count >= _MOST:
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
