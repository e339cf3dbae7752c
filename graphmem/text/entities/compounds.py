"""Joins adjacent names that are one: a maker and its product ("Microsoft Outlook"), a thing and its interface ("Excel
API"), a product and following capitalised words ("Azure Mobile Service")."""

from __future__ import annotations

from graphmem.text.entities.entity_scan import EntityScan

_PRODUCTS = frozenset(("application", "library", "operating_system", "device", "website"))
_JOINABLE_TYPES = frozenset(("application", "library", "language", "operating_system", "org", "website"))
_INTERFACES = frozenset(("API", "APIs", "SDK"))


def join_compounds(scan: EntityScan) -> None:
    """Merge adjacent entities that form one name, in place."""
    for found in scan.found():
        if scan.claimed.get(found.first) is not found or found.generic or found.type not in _JOINABLE_TYPES:
            continue
        after = scan.claimed.get(found.end)
        if found.type == "org" and after is not None and after.type in _PRODUCTS and not after.generic:
            scan.claim(found.first, after.end, after.type)
        elif found.end < scan.size and scan.words.texts[found.end] in _INTERFACES:
            scan.claim(found.first, found.end + 1, "library")
