"""graphmem: memory for coding agents as one property graph, embedded and offline.

`Memory` is an open store; `GraphmemError` is the base of its errors, and the other classes are what it returns. The functions are
pure functions on text. Modules are imported on first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from graphmem.errors import GraphmemError
    from graphmem.memory import Memory
    from graphmem.model.results import Answer, Detail, Hit, SearchResult
    from graphmem.model.table import Table
    from graphmem.model.tasks import Task
    from graphmem.privacy import redact
    from graphmem.resources import VERSION as __version__
    from graphmem.text.align import align, align_all, grounded_ratio
    from graphmem.text.entities import extract_entities
    from graphmem.text.keys import canonical_key
    from graphmem.text.references import resolve_references
    from graphmem.text.times import anchor_times

_HOMES = {
    "Answer": "graphmem.model.results",
    "Detail": "graphmem.model.results",
    "GraphmemError": "graphmem.errors",
    "Hit": "graphmem.model.results",
    "Memory": "graphmem.memory",
    "SearchResult": "graphmem.model.results",
    "Table": "graphmem.model.table",
    "Task": "graphmem.model.tasks",
    "align": "graphmem.text.align",
    "align_all": "graphmem.text.align",
    "anchor_times": "graphmem.text.times",
    "canonical_key": "graphmem.text.keys",
    "extract_entities": "graphmem.text.entities",
    "grounded_ratio": "graphmem.text.align",
    "redact": "graphmem.privacy",
    "resolve_references": "graphmem.text.references",
}
_NAMES = {"__version__": ("graphmem.resources", "VERSION")} | {name: (home, name) for name, home in _HOMES.items()}

__all__ = [
    "Answer",
    "Detail",
    "GraphmemError",
    "Hit",
    "Memory",
    "SearchResult",
    "Table",
    "Task",
    "align",
    "align_all",
    "anchor_times",
    "canonical_key",
    "extract_entities",
    "grounded_ratio",
    "redact",
    "resolve_references",
]


if not TYPE_CHECKING:  # otherwise a type checker would accept any name

    def __getattr__(name: str) -> Any:
        if name not in _NAMES:
            raise AttributeError(f"module 'graphmem' has no attribute {name!r}")
        module, attribute = _NAMES[name]
        found = getattr(import_module(module), attribute)
        if callable(found) and not isinstance(found, type):
            from graphmem.model.checked import with_checked_arguments

            found = globals()[name] = with_checked_arguments(found)
        return found


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
