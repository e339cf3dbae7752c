"""What becomes of memory that was freed. Little of it is kept: what a large piece of work has freed is given back to the
system (allocators keep it otherwise, and an owner that stays for hours would hold its highest), and threads share heaps. And
none of it gets into a file: the graph's engine writes whole pages, with what stood in their memory before. It frees nothing
itself, and does nothing where the allocator has no such calls."""

from __future__ import annotations

import ctypes
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

_ARENA_MAX, _HEAPS = -8, 2  # `M_ARENA_MAX` of glibc
_PERTURB, _ZEROS, _AS_IT_WAS = -6, 0xFF, 0  # `M_PERTURB`: memory is handed out filled with the complement of this byte

_counted = threading.Lock()
_wanting = 0  # how many want zeros now


def trim_heap() -> None:
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


def _forget() -> None:
    """In a fork: the thread that held the lock is not there, nor is any that wanted zeros."""
    global _counted, _wanting
    _counted, _wanting = threading.Lock(), 0


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


@contextmanager
def zeroed_allocations() -> Iterator[None]:
    """Memory is handed out zeroed meanwhile, in all threads: what was in it before (a text of which the secrets were not
    hidden yet, or one that was forgotten) gets into no page that is written. It costs an eighth of the time if it is always on,
    hence only for who writes such pages."""
    _want(1)
    try:
        yield
    finally:
        _want(-1)


def _want(more: int) -> None:
    global _wanting
    with _counted:
        before, _wanting = _wanting, _wanting + more
        if (before > 0) != (_wanting > 0) and (choose := _of_glibc("mallopt")):
            choose(_PERTURB, _ZEROS if _wanting else _AS_IT_WAS)


@cache
def _of_glibc(name: str) -> Any:
    """A function of it, None in other worlds."""
    return getattr(ctypes.CDLL(None), name, None) if sys.platform == "linux" else None
