"""Parses untrusted XML safely: no entities, no external documents."""

from __future__ import annotations

from typing import Any


def parse_xml(text: str) -> Any:
    """Return the root element; None if it is not XML or an attack."""
    from defusedxml import DefusedXmlException
    from defusedxml.ElementTree import ParseError, fromstring

    try:
        return fromstring(text.encode("utf-8", "replace") if "encoding=" in text[:100] else text)
    except (ParseError, DefusedXmlException, ValueError, LookupError):
        return None
