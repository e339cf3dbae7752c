"""Looks a second time at what a person states, which is mostly about the work at hand: orders, complaints, and pasted output.
A linear model in whole numbers that corrects `classifier` (`training --person`). What somebody decides, demands or claims
needs less worth than what is merely said. Without the file of its weights, the first model decides alone; no model has read
Korean: the rules decide there."""

from __future__ import annotations

import re
from enum import Enum, auto
from pathlib import Path

from graphmem.cognify import cues
from graphmem.cognify.classifier import UNIT, load_model, score_of
from graphmem.cognify.features import Read, features_of
from graphmem.patterns import compile_later
from graphmem.text.restating import states_value
from graphmem.text.typed_values import gives_exact_value

WEIGHTS = Path(__file__).with_name("person_look.json")


class Grounds(Enum):
    """Why a statement of a person would be kept: because somebody revises what was said, decides or demands something, or only
    for what it says; in few words, which are mostly meant, or within a longer text."""

    REVISION = auto()
    BINDING = auto()
    WORTH = auto()
    BINDING_IN_TEXT = auto()
    WORTH_IN_TEXT = auto()


# Least worth, chosen for few wrong ones (`guides/benchmarks`).
_LEAST = {
    Grounds.REVISION: round(0.2 * UNIT),
    Grounds.BINDING: round(0.12 * UNIT),
    Grounds.WORTH: round(0.24 * UNIT),
    Grounds.BINDING_IN_TEXT: round(0.38 * UNIT),
    Grounds.WORTH_IN_TEXT: round(0.38 * UNIT),
}
_MOST_COUNTED = 5
_LINES = 4  # of a text, counted as one
_I = re.IGNORECASE
_SOFTENED = r"^(?:please |ok(?:ay)?,? |now,? |also,? |then,? |and |so )*"
# In the sentence as it was said.
_SAID = {
    "small first": r"^(?-i:[a-z])",
    "work first": (
        rf"{_SOFTENED}(?:load|split|complete|run|reformat|organi[sz]e|optimi[sz]e|turn (?:on|off)|separate|sort|scratch|install"
        r"|configure|move|rename|merge|switch|improve|enhance|clean|commit|push|deploy|print|replace|extend|simplify|connect"
        r"|integrate|test|verify|open|close|copy|paste|format|extract|add|create|write|fix|check|update|remove|delete|show|give"
        r"|find|look|try|implement|adjust|make|set|go|help|tell|list|build|read|change|continue|start|put|get|refer|figure"
        r"|identify|type|select|click|redesign)\b"
    ),
    "way first": rf"{_SOFTENED}(?:use|keep|prefer|ensure|make sure|include|store|name|call)\b",
    "connective first": r"^(?:because|as|so|or|like|if|when|but|and)\b",
    "own wish": r"\bI (?:want|would like|need|prefer)\b",
}
# In the statement.
_HOLDS = {
    "printed": (
        r"^\[|^\d|^#|^@|^:|\bat \S+:\d+|error=|Errno|Uncaught|^E |\b\d{2}:\d{2}:\d{2}\b|\.(?:js|ts|tsx|py):\d+|Failed to"
        r"|packages? (?:in|are)"
    ),
    "shouted": r"(?-i:\b(?:MUST|NOT|NEVER|ALWAYS|ONLY|DO NOT)\b)",
    "ban first": r"^(?:never|always|do not|don't|only|avoid)\b",
    "should": r"\bshould\b",
    "wants": r"\bthe user (?:wants|needs|prefers|would)",
    "team decides": r"^(?:ok\w* |so |yeah,? )*(?:the team decided|let'?s)",
    "instead": r"\binstead\b|\brather than\b",
    "is a": r"\b(?:is|are) (?:an?|the|called|located|stored|running|using|used)\b",
    "passing": r"\b(?:now|still|again|yet|already)\b",
    "looks": (
        r"\b(?:page|button|screen|column|row|box|icon|color|colour|font|image|click|menu|title|tab|text|scroll|header|card)\w*\b"
    ),
    "symbol": r"`|\w+_\w+|\w+\.\w+\(|\b(?-i:[a-z]+[A-Z]\w+)",
    "points first": r"^(?:this|that|it|there|here|these|those|they)\b",
    "three commas": r",\s.*,\s.*,\s",
    "no end": r"[^.!?]$",
    "mention": r"@\S+|#file",
    "no verb": (
        r"^(?!.*\b(?:is|are|was|were|has|have|had|does|do|did|must|should|can|will|may|need|needs|never|always|use|uses|not"
        r"|n't)\b)"
    ),
}
_SAID_PATTERNS = tuple((f"person said {name}", compile_later(pattern, _I)) for name, pattern in _SAID.items())
_HOLDS_PATTERNS = tuple((f"person has {name}", compile_later(pattern, _I)) for name, pattern in _HOLDS.items())


# What a plain sentence has none of: it is part of an order, of a complaint, or was never said.
_NOT_PLAIN = frozenset(
    {"person said work first", "person said connective first", "person said own wish"}
    | {"person has printed", "person has mention", "person has points first"}
)
_SMALL = "person said small first"
_DIGIT = compile_later(r"\d")


def is_plain_sentence(read: Read) -> bool:
    """Return whether somebody says it as a whole sentence that needs no others, or as a value: in a short turn, it is meant."""
    raw, found = read.text[read.start : read.end].rstrip(), person_features(read).keys()
    if _NOT_PLAIN & found:
        return False
    is_value = states_value(read.content) or gives_exact_value(read.content)
    return (raw.endswith(".") and _SMALL not in found) or (is_value and bool(_DIGIT.search(raw)))


def look_at_person(read: Read, grounds: Grounds) -> bool:
    """Return whether a statement of a person that the rules would keep is worth keeping. `grounds` is why it would be kept.
    True where no model judges it."""
    model = None if cues.HANGUL.search(read.content) else load_model(WEIGHTS)
    return model is None or score_of(model, person_features(read)) >= _LEAST[grounds]


def person_features(read: Read) -> dict[str, int]:
    """Return the features of a person's statement that are not 0: those of the first model, its wording and its place."""
    raw = read.text[read.start : read.end]
    found = {name for name, pattern in _SAID_PATTERNS if pattern.search(raw)}
    found |= {name for name, pattern in _HOLDS_PATTERNS if pattern.search(read.content)}
    counted = {
        "person place in text": min(_MOST_COUNTED, _MOST_COUNTED * read.start // max(1, len(read.text))),
        "person lines": min(_MOST_COUNTED, read.text.count("\n") // _LINES),
    }
    told = dict.fromkeys(sorted(found), 1) | {name: count for name, count in counted.items() if count}
    return features_of(read) | told
