"""Compiles regular expressions when they are first needed, and keeps them. `re` has a cache of its own, but a small one
that forgets. Holds no patterns: those stand beside the code that uses them."""

from __future__ import annotations

import re
from functools import cache


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """The compiled form of `pattern`."""
    return re.compile(pattern)
