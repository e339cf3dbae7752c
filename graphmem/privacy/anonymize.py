"""Finds what names a person: e-mail addresses and the user's name in paths of home directories. Off unless asked for;
secrets are for `scan`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from graphmem.model.text import Span
from graphmem.privacy.patterns import compile_pattern

EMAIL = r"(?<![\w.+-])(?!git@)[A-Za-z0-9][\w.+-]{0,63}@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}(?![\w@])"
HOMES = r"(?:(?<![\w.])/(?:home|Users)/|(?<![A-Za-z])[A-Za-z]:\\{1,2}Users\\{1,2})"
HOME = rf"{HOMES}(?!(?:Shared|Public|Default)\b)([\w.-]{{1,64}})"


def find_personal(text: str) -> Iterator[Span]:
    """E-mail addresses (not those of `example.com` and the like) and user names of home directories."""
    if "@" in text:
        for match in compile_pattern(EMAIL).finditer(text):
            if not re.search(r"@(?:[\w-]+\.)*example\.|@localhost|noreply", match[0]):
                yield Span(*match.span(), "email")
    for match in compile_pattern(HOME).finditer(text):
        yield Span(*match.span(1), "user_name")
