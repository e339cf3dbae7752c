"""Joins adjacent names that are one: a maker and its product ("Microsoft Outlook"), a thing and its interface ("Excel
API"), a product and following capitalised words ("Azure Mobile Service")."""

from __future__ import annotations

from graphmem.text.entities.page import Page

PRODUCTS = frozenset(("application", "library", "operating_system", "device", "website"))
HEADS = frozenset(("application", "library", "language", "operating_system", "org", "website"))
INTERFACES = frozenset(("API", "APIs", "SDK"))


def join_compounds(page: Page) -> None:
    """Join adjacent entities."""
    for found in page.found():
        if page.claimed.get(found.first) is not found or found.generic or found.type not in HEADS:
            continue
        after = page.claimed.get(found.end)
        if found.type == "org" and after is not None and after.type in PRODUCTS and not after.generic:
            page.claim(found.first, after.end, after.type)
        elif found.end < page.size and page.words.texts[found.end] in INTERFACES:
            page.claim(found.first, found.end + 1, "library")
