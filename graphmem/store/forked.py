"""Handles stores that are open during a fork: connections, locks and threads belong to the parent. The child opens its
own on demand, and becomes a client if the parent owns the graph."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

Store = TypeVar("Store")
_open: WeakKeyDictionary[Any, Callable[[Any], None]] = WeakKeyDictionary()
_inherited: list[Any] = []  # closing any of these would close or block what the parent uses


def watch(store: Store, let_go: Callable[[Store], None]) -> None:
    """Register a callback for forks of this process; it is called with the store if the store is still in use."""
    _open[store] = let_go


def keep_for_ever(backends: list[Any]) -> None:
    """Prevent finalisation of these objects in this process, even at exit."""
    _inherited.extend(backends)


def _after_fork() -> None:
    for store, let_go in list(_open.items()):
        let_go(store)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(_inherited))
