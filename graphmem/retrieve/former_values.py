"""Recognises questions about former values. For these, search includes superseded facts and puts them first; for all
others it returns what is valid now."""

from __future__ import annotations

import re

_FORMERLY = re.compile(
    r"\bused to\b|\b(?:previous(?:ly)?|former(?:ly)?|original(?:ly)?|initial(?:ly)?|earlier|back then|at first|no longer valid"
    r"|superseded|outdated|in between|formerly|prior to|(?:sa(?:y|id)|stated?|named?|told"
    r"|planned?|considered?|thought) (?:at )?first"
    r"|first (?:sa(?:y|id)|stated?|named?|told|planned?|considered?|thought)|old [\w-]+ (?:of|for))\b"
    r"|\b(?:did|was|were|had)\b.*\b(?:before"
    r"|in (?:january|february|march|april|may|june|july|august"
    r"|september|october|november|december|\d{4})|last (?:week|month|year)|until)\b|\bthe old\b|\bbefore that\b"
    r"|^(?:which|what|who|whose|where|how)\b(?!.*\b(?:must|should|do|does|is|are|can|may|will|has to|have to)\b).*\bbefore\b"
    r"|예전|이전에?(?:는|의)? |전에는|(?:^| )전에(?:도)? |그 ?전에|원래|과거에|처음(?:에는?)? |중간에|옛",
    re.IGNORECASE,
)


def asks_for_former(query: str) -> bool:
    """Return whether a question is about a value that may have been replaced since."""
    return bool(_FORMERLY.search(query))
