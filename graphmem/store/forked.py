"""Open stores in a forked process. SQLite, the graph engine and the vector index keep locks of their own, which a thread
of the parent may have held during the fork: nobody releases them in the child, and SQLite believes that the child has the
file locks of its parent. So a child never touches an inherited store: its memories become proxies for a new process."""

from __future__ import annotations

import ctypes
import gc
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple, Protocol
from weakref import WeakKeyDictionary, WeakSet

from graphmem.errors import UsageError
from graphmem.settings import Settings

_INHERITED = "this object was opened before a fork: take it from the memory again"
_KEPT: list[Any] = []  # closing any of these would close or block what the parent uses
_stores: WeakSet[Any] = WeakSet()
_memories: WeakKeyDictionary[Any, Callable[[Any], None]] = WeakKeyDictionary()
_state = {"inherits": False}


class Opening(NamedTuple):
    """How to open the store of a memory again."""

    path: Path
    settings: Settings
    project: str | None
    daemon: bool
    name: str


class Inheritable(Protocol):
    """An object with open files, which it detaches in a forked child."""

    def detach_inherited(self) -> list[Any]:
        """Return the objects with open files and forget them; nothing is closed."""
        ...


class Refusing:
    """Refuses every use of an object whose files belong to the parent."""

    def __getattribute__(self, name: str) -> Any:
        if name.startswith("__"):
            return object.__getattribute__(self, name)
        raise UsageError(_INHERITED)


def watch_store(store: Inheritable) -> None:
    """Register a store that may be open during a fork."""
    _stores.add(store)


def watch_memory(memory: object, replace: Callable[[Any], None]) -> None:
    """Register a facade, which `replace` turns into a proxy: in a fork of a process that has stores open, or at once
    in such a fork."""
    _memories[memory] = replace
    if _state["inherits"]:
        replace(memory)


def keep_for_ever(inherited: object) -> None:
    """Prevent finalisation of an object in this process, even at exit."""
    _KEPT.append(inherited)


def change_class(instance: Any, base: type) -> None:
    """Make `base` answer for an instance before its own class, of which it remains an instance."""
    own = type(instance)
    with suppress(TypeError):  # no such layout: an object without attributes of its own
        instance.__class__ = type(own.__name__, (base, own), {})


def _after_fork() -> None:
    opened = [one for store in list(_stores) for one in store.detach_inherited()]
    if not opened and not _state["inherits"]:
        return
    _state["inherits"] = True
    gc.freeze()  # garbage of the parent is never collected here: it may contain open connections
    for memory, replace in list(_memories.items()):
        replace(memory)
    for one in (*opened, *_stores):
        keep_for_ever(one)
        change_class(one, Refusing)
    _stores.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(_KEPT))
