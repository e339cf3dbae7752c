"""Looks a second time at the few sentences of long agent texts that `classifier` would keep, now with what it cannot afford
for every sentence: the entities that a sentence names, and the layout around it (`layout`). A linear model in whole numbers,
which corrects the first one. Only what both find worth keeping becomes a fact. Without the file of its weights, the first
one decides alone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from graphmem.cognify.classifier import UNIT, load_model, score_of
from graphmem.cognify.features import Read, features_of
from graphmem.cognify.layout import features_around
from graphmem.model.text import EntityMention

WEIGHTS = Path(__file__).with_name("second_look.json")
_KEPT = round(0.43 * UNIT)  # least worth; chosen for few wrong ones, which costs some right ones (`guides/benchmarks`)
_LONG = 1_000  # characters; a shorter text has hardly any layout, and there a second look is no better than chance
_I = re.IGNORECASE
_MOST_NAMED = 4
_NAMED_FIRST = 5  # characters before what a sentence is about
_HOLDS = {
    "order first": (
        r"^(?:use|add|create|ensure|make|check|verify|modify|update|implement|include|consider|define|set|run|convert"
        r"|access|change|remove|return|provide|avoid|keep|write|test|install|configure|look|review|open|click|navigate"
        r"|start|stop|select|choose|find|get|put|move|call|pass|handle|show|display|store|save|load|read|import|export"
        r"|build|deploy|please|try|style|refactor|place|go)\b"
    ),
    "order after label": (
        r"^(?-i:[A-Z])[\w /&'-]{2,40}: (?:use|add|create|ensure|make|check|implement|include|consider|define|set|separate"
        r"|target|configure|clear|log|tailor|instead)\b"
    ),
    "article first": r"^the ",
    "name first": r"^(?-i:[A-Z][a-z]+) ",
    "gerund first": r"^\w+ing\b",
    "limitation": (
        r"\b(?:does(?:n't| not)|do(?:n't| not)|cannot|can't|isn't|aren't|not) (?:\w+ )?(?:support|allow|work|provide|have"
        r"|expose|accept|return|handle|require|respect|apply|persist|need)\w*"
    ),
    "needs": r"\b(?:requires?|expects?|needs?|must|has to|have to|only accepts?)\b",
    "was done": r"\b(?:was|were|wasn't|weren't) (?:being |not )?\w+(?:ed|ing)\b",
    "enables": r"\b(?:allows?|helps?|makes? it|enables?|provides?|ensures?|can be used|useful|essential|important)\b",
    "intends": r"\b(?:will|'ll|going to|gonna|plan(?:s|ned)? to|trying to|wants? to)\b",
}
_SAID = {
    "let us": r"^(?:so |okay,? |ok,? |now,? )?let(?:'s|’s)\b",
    "small first": r"^(?-i:[a-z])",
}
_HOLDS_PATTERNS = tuple((f"has {name}", re.compile(pattern, _I)) for name, pattern in _HOLDS.items())
_SAID_PATTERNS = tuple((f"was {name}", re.compile(pattern, _I)) for name, pattern in _SAID.items())


def look_again(read: Read, mentions: Sequence[EntityMention]) -> bool:
    """Return whether a statement that `classifier` would keep is still worth keeping. `mentions` are the entities that it
    names. True for texts without room for a layout."""
    model = load_model(WEIGHTS) if len(read.text) > _LONG else None
    return model is None or score_of(model, all_features(read, mentions)) >= _KEPT


def all_features(read: Read, mentions: Sequence[EntityMention]) -> dict[str, int]:
    """Return the features of a statement that are not 0: those of the first model, its names and the layout around it."""
    raw = read.text[read.start : read.end]
    found = {name for name, pattern in _HOLDS_PATTERNS if pattern.search(read.content)}
    found |= {name for name, pattern in _SAID_PATTERNS if pattern.search(raw)}
    found |= features_around(read.text, read.start)
    found |= {f"names {mention.type}" for mention in mentions}
    found |= {f"begins with {mention.type}" for mention in mentions if mention.start <= _NAMED_FIRST}
    counted = {"names": min(_MOST_NAMED, len(mentions))} if mentions else {}
    return features_of(read) | dict.fromkeys(sorted(found), 1) | counted
