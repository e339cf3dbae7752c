"""Languages without imports that name something."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphmem.codegraph.generic.entities import Found
from graphmem.codegraph.generic.summary import Import

if TYPE_CHECKING:
    from graphmem.codegraph.generic.resolver import Resolver


def resolve(resolver: Resolver, path: str, item: Import) -> Found | None:
    """Nothing is known about such an import."""
    return None
