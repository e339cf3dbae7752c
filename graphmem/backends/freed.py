"""Keeps little memory that nobody uses: what a large piece of work has freed is given back to the system (allocators keep it
otherwise, and an owner that stays for hours would hold its highest), and threads share heaps. It frees nothing itself, and
does nothing where the allocator has no such calls."""

from __future__ import annotations

import ctypes
import sys
from functools import cache
from typing import Any

_ARENA_MAX, _HEAPS = -8, 2  # `M_ARENA_MAX` of glibc


def give_back() -> None:
    """Return what is free, in some milliseconds."""
    arrow: Any = sys.modules.get("pyarrow")  # it has a pool of its own, where it was used at all
    if arrow is not None:
        arrow.default_memory_pool().release_unused()
    if trim := _of_glibc("malloc_trim"):
        trim(0)


def share_heaps() -> None:
    """Let the threads of this process allocate from two heaps: a dozen threads would have one each, with what is free in it."""
    if choose := _of_glibc("mallopt"):
        choose(_ARENA_MAX, _HEAPS)


@cache
def _of_glibc(name: str) -> Any:
    """A function of it, None in other worlds."""
    return getattr(ctypes.CDLL(None), name, None) if sys.platform == "linux" else None
