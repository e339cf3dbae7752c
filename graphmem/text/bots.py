"""Recognises programs among the authors of commits."""

from __future__ import annotations

import re

from graphmem.patterns import compile_later

_BOT = compile_later(
    r"\[bot\]|\bbot$|^(?:dependabot|renovate|greenkeeper|snyk|pre-commit-ci|github-actions|mergify)\b", re.I
)


def is_bot(author: str) -> bool:
    """Return whether the name of an author is that of a program.

    >>> is_bot("renovate[bot]"), is_bot("Dependabot"), is_bot("Ada Abbot")
    (True, True, False)
    """
    return _BOT.search(author) is not None
