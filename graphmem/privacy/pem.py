"""Finds private keys in PEM armour, also inside logs, JSON strings and source code, and keys in PuTTY's format.
Certificates and public keys are no secrets and are left alone."""

from __future__ import annotations

import re
from collections.abc import Iterator

from graphmem.model.text import Span
from graphmem.privacy.patterns import compile_pattern

BEGIN = "PRIVATE KEY"
HEAD = r"-{4,5} ?BEGIN[ A-Z0-9]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}"
FOOT = r"-{4,5} ?END[ A-Z0-9]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}"
BODY = r"[A-Za-z0-9+/=_-]{16,}"
MAX_KEY_CHARS = 32_768  # characters: an RSA key of 16,384 bits has 12,700, post-quantum keys somewhat more
# Lines of Base64 after a head that has no foot; a log may put a time before each, source code quotes around it.
CUT_SHORT = (
    r"\s{0,4}(?:[^\n]{0,48}?(?<![A-Za-z0-9+/=])[A-Za-z0-9+/=]{32,4096}+[^\nA-Za-z0-9]{0,8}"
    r"(?:n(?=[A-Za-z0-9+/])|\n|\Z|(?=-))){1,400}+"
)
PUTTY = r"Private-Lines: ?\d{1,4}\r?\n(?:[A-Za-z0-9+/=]{1,80}(?:\r?\n|$)){1,400}+(?:Private-(?:MAC|Hash): ?[0-9a-f]{40,64})?"


def private_keys(text: str) -> Iterator[Span]:
    """Yield spans of private keys from the first dash of the head to the last of the foot; one cut short ends with its body.
    Linear in the length of `text`."""
    if BEGIN in text:
        yield from _armoured(text)
    if "Private-Lines:" in text:
        for match in compile_pattern(PUTTY).finditer(text):
            yield Span(*match.span(), "private_key")


def _armoured(text: str) -> Iterator[Span]:
    foot: re.Match[str] | None = None
    exhausted = False
    done = 0
    for head in compile_pattern(HEAD).finditer(text):
        if head.start() < done:
            continue
        if not exhausted and (foot is None or foot.start() < head.end()):
            foot = compile_pattern(FOOT).search(text, head.end())
            exhausted = foot is None
        if (
            foot is not None
            and foot.start() - head.end() <= MAX_KEY_CHARS
            and _is_body(text[head.end() : foot.start()])
        ):
            done = foot.end()
            yield Span(head.start(), done, "private_key")
        elif (body := compile_pattern(CUT_SHORT).match(text, head.end())) is not None:
            done = body.end()
            yield Span(head.start(), done, "private_key")


def _is_body(between: str) -> bool:
    """Return whether the text between head and foot is mostly Base64, not code that mentions both."""
    runs = sum(map(len, compile_pattern(BODY).findall(between)))
    return runs >= 24 and runs * 3 >= len(between.strip())
