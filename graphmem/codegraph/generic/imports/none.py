"""Languages without named imports."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphmem.codegraph.generic.entities import Found
from graphmem.codegraph.generic.summary import Import

if TYPE_CHECKING:
    from graphmem.codegraph.generic.resolver import Resolver


def resolve(resolver: Resolver, path: str, item: Import) -> Found | None:
    """Return nothing: such imports have no target."""
    return None
