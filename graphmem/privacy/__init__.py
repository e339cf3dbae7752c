"""Removes secrets and private sections before data is stored: redaction, masking of tool inputs, the list of
environment variables. Everything is imported on first use and compiled when first needed. Nothing here stores or logs
anything."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from graphmem.privacy.batch_scan import are_clean, redact_each
    from graphmem.privacy.environment import allowed_environment
    from graphmem.privacy.filter import FilterReport, PrivacySettings, filter_text, redact
    from graphmem.privacy.masking import count_marks, mask_values, secret_kind
    from graphmem.privacy.printing import hide_printed
    from graphmem.privacy.surroundings import is_configuration
    from graphmem.privacy.tags import PRIVATE, hollowed_parts, strip_private_sections

__all__ = [
    "PRIVATE",
    "FilterReport",
    "PrivacySettings",
    "allowed_environment",
    "are_clean",
    "count_marks",
    "filter_text",
    "hide_printed",
    "hollowed_parts",
    "is_configuration",
    "mask_values",
    "redact",
    "redact_each",
    "secret_kind",
    "strip_private_sections",
]

_HOMES = {
    "PRIVATE": "tags",
    "FilterReport": "filter",
    "PrivacySettings": "filter",
    "allowed_environment": "environment",
    "are_clean": "batch_scan",
    "filter_text": "filter",
    "strip_private_sections": "tags",
    "hollowed_parts": "tags",
    "count_marks": "masking",
    "hide_printed": "printing",
    "is_configuration": "surroundings",
    "mask_values": "masking",
    "redact": "filter",
    "redact_each": "batch_scan",
    "secret_kind": "masking",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
