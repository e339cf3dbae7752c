"""Controls freed memory. After heavy work, free memory is returned to the system (allocators otherwise keep it), and
threads share heaps. Memory is zeroed before reuse, so that it does not reach the graph file, whose engine writes whole
pages. No effect on other allocators than glibc's."""

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
_PERTURB, _ZEROS, _AS_IT_WAS = -6, 0xFF, 0  # `M_PERTURB`: new memory is filled with the complement of this byte

_counted = threading.Lock()
_wanting = 0  # number of users that need zeroed memory


def trim_heap() -> None:
    """Give free memory back to the system; takes some milliseconds."""
    arrow: Any = sys.modules.get("pyarrow")  # pyarrow has its own pool, if it was used
    if arrow is not None:
        arrow.default_memory_pool().release_unused()
    if trim := _of_glibc("malloc_trim"):
        trim(0)


def share_heaps() -> None:
    """Make the threads of this process share two heaps: otherwise each of a dozen threads has one, with free memory in
    it."""
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
    """Context manager: zero memory on allocation, in all threads, so that its former content (text before redaction,
    forgotten text) does not get into written pages. Costs an eighth of the run time, so only writers of such pages use
    it."""
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
    """Return a glibc function, None on other systems."""
    return getattr(ctypes.CDLL(None), name, None) if sys.platform == "linux" else None
