"""Two decisions about pronouns, by rules: whether an "it" refers to anything ("it is clear that" does not), and whether
a "this" without a noun refers to one thing or to a whole statement."""

from __future__ import annotations

import re
from collections.abc import Iterator

from graphmem.patterns import compile_later
from graphmem.text.entities.wordlists import word_set
from graphmem.text.references.descriptions import Pointer

_BE = r"(?:\s+(?:is|was|would\s+be|will\s+be|may\s+be|might\s+be|has\s+been|became|becomes)|['’]s)"
_ADVERBS = r"(?:\s+(?:\w+ly|not|also|very|still|quite|too))*"
_TRUTHS = (
    r"\s+(?:clear|true|likely|unlikely|possible|obvious|known|believed|said|reported|unclear|noted|announced|decided|agreed|"
    r"found|thought|expected|time|worth|late|early|raining|cold|dark|as\s+if|because)\b"
)
# "It is hard to read the log" means nothing, "it is hard to read" does.
_JUDGEMENTS = (
    r"\s+(?:easy|hard|difficult|impossible|important|necessary|better|best|good|safe|enough|useful|a\s+good\s+idea)\s+"
    r"(?:that|if|to\s+\w+\s+(?!\W)(?!in\b|on\b|and\b|but\b|because\b)\w)"
)
_SEEMING = (
    r"\s+(?:seems?|seemed|appears?|appeared|turns?\s+out|turned\s+out|follows|makes?\s+sense|depends\s+on|"
    r"looks?\s+(?:like|as))\b"
)
_TAKING = r"\s+(?:takes?|took)\s+(?:\w+\s+){1,4}(?:to|until|before)\b"
_EXPLETIVE = compile_later(rf"it(?:{_BE}{_ADVERBS}(?:{_TRUTHS}|{_JUDGEMENTS})|{_SEEMING}|{_TAKING})", re.IGNORECASE)

_DEMONSTRATIVE = compile_later(
    r"(?:\A|(?<=[.!?,;:\n]\s)|(?<=\band\s)|(?<=\bbut\s)|(?<=\bbecause\s))(this|that)\s+(\w+)\b"
    r"(?!\s+(?:why|how|what|when|where|because|the\s+reason|means)\b)",
    re.IGNORECASE,
)
_EVENTS = word_set("happens happened occurs occurred fails failed crashes crashed breaks broke blocks blocked")
_STATES = word_set("is was needs should must will works worked has does")
_FAILING = frozenset({"problem", "test", "command", "service"})
_LASTING = frozenset({"problem", "test", "file", "function", "class", "commit", "library", "service"})


def is_expletive(text: str, at: int) -> bool:
    """Return whether the "it" at an offset stands for nothing: "it is clear that", "it seems", "it took two hours
    to"."""
    return _EXPLETIVE.match(text, at) is not None


def bare_demonstratives(text: str) -> Iterator[Pointer]:
    """ "This happened twice", "that is broken": only where the verb tells that an error or a named thing is meant."""
    for match in _DEMONSTRATIVE.finditer(text):
        verb = match.group(2).lower()
        wanted = _FAILING if verb in _EVENTS else _LASTING if verb in _STATES else None
        if wanted:
            yield Pointer(match.start(1), match.end(1), wanted, match.group(1).lower())
