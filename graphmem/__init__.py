"""graphmem: memory for coding agents as one property graph, embedded and offline.

`Memory` is an open store. All other names are pure functions on text. Modules are imported on first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from graphmem.memory import Memory
    from graphmem.privacy import redact
    from graphmem.resources import VERSION as __version__
    from graphmem.text.align import align, align_all, grounded_ratio
    from graphmem.text.entities import extract_entities
    from graphmem.text.keys import canonical_key
    from graphmem.text.references import resolve_references
    from graphmem.text.times import anchor_times

_HOMES = {
    "Memory": "graphmem.memory",
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
    "Memory",
    "align",
    "align_all",
    "anchor_times",
    "canonical_key",
    "extract_entities",
    "grounded_ratio",
    "redact",
    "resolve_references",
]


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
