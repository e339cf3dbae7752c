"""TypeScript: makes a source readable for its grammar, keeping byte positions. The grammar takes a call signature that begins a
line with `<T>` for type arguments of the line before, and then loses all of the file; and it does not know the variance of type
parameters (`<in T>`, `<out T>`) nor `export type *`."""

from __future__ import annotations

import re

_GENERIC = re.compile(rb"^[ \t]+(<)(?=\s*(?:const\s+)?[A-Za-z_$])", re.M)
_MARKS = re.compile(
    rb"[<>()\[\]{}]|=>|//[^\n]*|/\*.*?\*/|'(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\"|`(?:\\.|[^`\\])*`", re.S
)
_OPENING, _CLOSING = b"<([{", b">)]}"
_FARTHEST = 20_000  # bytes of one signature
_TAKEN = re.compile(rb"\s*\(")
_RESULT = re.compile(rb"\s*:")
_LAST_COMMENT = re.compile(rb"(?:/\*(?:[^*]|\*(?!/))*\*/|(?<![:\w])//[^\n]*)\s*\Z")
_VARIANCE = re.compile(rb"(?<=[<,])(\s*)(in\s+out\s+|in\s+|out\s+)(?=[A-Za-z_$][\w$]*\s*(?:extends\b|[=,>]))")
_EXPORTED = re.compile(rb"\bexport[ \t]+(type)(?=[ \t]+\*)")
_SPACES = bytes(byte if byte in b"\r\n" else 32 for byte in range(256))
_BEFORE = 2_000  # bytes that are looked at before a signature


def separate(source: bytes) -> bytes:
    """Return the source with a semicolon before each such call signature, without variance; same length."""
    out = bytearray(source)
    for mark in _VARIANCE.finditer(source):
        begin, end = mark.span(2)
        out[begin:end] = source[begin:end].translate(_SPACES)
    for mark in _EXPORTED.finditer(source):
        out[mark.start(1) : mark.end(1)] = b"    "
    for mark in _GENERIC.finditer(source):
        if _is_signature(source, mark.start(1)) and _follows_another(source, mark.start()):
            out[mark.start(1) - 1 : mark.start(1)] = b";"
    return bytes(out)


def _is_signature(source: bytes, start: int) -> bool:
    """Return whether `<...>(...):` begins here."""
    end = _closed(source, start)
    taken = _TAKEN.match(source, end) if end > 0 else None
    end = _closed(source, taken.end() - 1) if taken else -1
    return end > 0 and _RESULT.match(source, end) is not None


def _closed(source: bytes, start: int) -> int:
    """Return the position behind the bracket that closes the one at `start`, -1 if none does."""
    depth = 0
    for mark in _MARKS.finditer(source, start, start + _FARTHEST):
        if mark[0] in _OPENING:
            depth += 1
        elif mark[0] in _CLOSING:
            depth -= 1
            if depth == 0:
                return mark.end()
    return -1


def _follows_another(source: bytes, at: int) -> bool:
    """Return whether a member stands before, without a mark that ends it."""
    before = source[max(0, at - _BEFORE) : at].rstrip()
    while (comment := _LAST_COMMENT.search(before)) is not None:
        before = before[: comment.start()].rstrip()
    return bool(before) and before[-1:] not in b"{;,(<|&=:?"
