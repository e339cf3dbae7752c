"""What a fork of this process does with the stores that are open: connections, locks and threads stay the parent's, and the
child opens its own when it asks. So it becomes a client of the parent where that owns the graph."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

Store = TypeVar("Store")
_open: WeakKeyDictionary[Any, Callable[[Any], None]] = WeakKeyDictionary()
_inherited: list[Any] = []  # closing any of it would close, or wait for, what the parent uses


def watch(store: Store, let_go: Callable[[Store], None]) -> None:
    """Call `let_go` with a store that is still in use in each fork of this process."""
    _open[store] = let_go


def keep_for_ever(backends: list[Any]) -> None:
    """See to it that these are never finalised in this process, not even when it ends."""
    _inherited.extend(backends)


def _after_fork() -> None:
    for store, let_go in list(_open.items()):
        let_go(store)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(_inherited))
