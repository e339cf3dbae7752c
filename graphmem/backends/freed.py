"""Gives memory back to the system that a large piece of work has freed: allocators keep it otherwise, and an owner that
stays for hours would hold its highest. It frees nothing itself, and does nothing where the allocator has no such call."""

from __future__ import annotations

import ctypes
import sys
from functools import cache
from typing import Any


def give_back() -> None:
    """Return what is free, in some milliseconds."""
    arrow: Any = sys.modules.get("pyarrow")  # it has a pool of its own, where it was used at all
    if arrow is not None:
        arrow.default_memory_pool().release_unused()
    trim = _trim()
    if trim is not None:
        trim(0)


@cache
def _trim() -> Any:
    """`malloc_trim` of glibc, None in other worlds."""
    return getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
