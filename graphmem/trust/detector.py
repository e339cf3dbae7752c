"""Detects text with instructions for the agent that reads it. Passages of two sentences are scored by classes of
features; a passage is suspicious if several classes add up. Hidden or encoded text needs a lower score.

The result describes the text, not its author: people give instructions all day. Whether it matters depends on the origin
(see `origin`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from graphmem.trust.decoding import decoded_parts, hidden_parts
from graphmem.trust.features import Feature, possible_features
from graphmem.trust.hidden import fold_lookalikes, hides_text, reveal_tags, unmask

THRESHOLD, UNSEEN = 0.5, 0.7  # thresholds for visible and hidden text
HIDDEN, ENCODED, MARKUP, TEMPLATE = "hidden characters", "encoded text", "hidden markup", "template"
ORDER, COMMAND = "order", "command"
_PLAIN = frozenset({"audience", "address", ORDER, "timing"})  # classes that also occur in manuals for agents
_SHOWN, _SURE = 0.3, 0.7  # weight of a quoted command, and of a class that is sufficient by itself
_INSISTENT = 1.3  # threshold for plain instructions to a program
_MAX_CHARS = 2_000_000  # maximum characters that are checked; longer text is judged by its start
_PASSAGE = 600  # characters checked at once
_CHUNK = 4_000  # characters for which possible features are preselected
_SHORTEST = 8
_SENTENCE = re.compile(r"(?<=[.!?。])\s+(?=[^\s])|\n\s*\n|\n(?=\s*[-*#>|\d])")


def is_suspicious(text: str) -> bool:
    """Return whether a text gives instructions to the agent."""
    return bool(assess(text))


def assess(text: str) -> tuple[str, ...]:
    """Return why a text looks like instructions to the agent: sorted feature classes; empty if it does not."""
    if len(text) < _SHORTEST:
        return ()
    return _assess(text[:_MAX_CHARS])


@lru_cache(maxsize=2_048)
def _assess(text: str) -> tuple[str, ...]:
    reasons: set[str] = set()
    if hides_text(text):
        reasons |= {HIDDEN, *_scored(reveal_tags(text), unseen=True)}
    plain = unmask(text)
    reasons |= _scored(plain) | _of_hosts(plain)
    folded = fold_lookalikes(plain)
    if folded != plain:
        reasons |= _scored(folded)
    for part in hidden_parts(plain):
        found = _scored(part, unseen=True) | {reason for inner in decoded_parts(part) for reason in _decoded(inner)}
        if found:
            reasons |= {MARKUP, *found}
    for part in decoded_parts(plain):
        reasons |= _decoded(part)
    return tuple(sorted(reasons))


def _of_hosts(text: str) -> set[str]:
    """Return markers of agent hosts that span several lines."""
    hosts = (feature for feature in possible_features(text.lower()) if feature.name == TEMPLATE)
    return {TEMPLATE} if any(feature.occurs(text) for feature in hosts) else set()


def _decoded(part: str) -> set[str]:
    found = _scored(unmask(part), unseen=True)
    return {ENCODED, *found} if found else set()


def _scored(text: str, *, unseen: bool = False) -> set[str]:
    """Return the classes of passages that reach the threshold: each sentence with its predecessor."""
    reasons: set[str] = set()
    before: dict[str, float] = {}
    for start in range(0, len(text), _CHUNK):
        chunk = text[max(0, start - _PASSAGE) : start + _CHUNK]
        if _most(possible_features(chunk.lower())) < THRESHOLD:
            continue
        last = ""
        for sentence in _sentences(chunk):
            own = features_of(sentence)
            both = own | {name: max(weight, own.get(name, 0.0)) for name, weight in before.items()}
            if both:  # almost every text matches this class, so it is checked last
                both |= features_of(sentence, orders=True) or features_of(last, orders=True)
            if _is_enough(both, unseen=unseen):
                reasons |= both.keys()
            before, last = own, sentence
    return reasons


def _is_enough(found: Mapping[str, float], *, unseen: bool) -> bool:
    """Return whether the classes of a passage make it suspicious: sufficient weight, and at least one class of malicious
    intent. Manuals contain instructions for agents, so instructions alone need more."""
    total = sum(found.values()) + 1e-9
    if unseen:
        return total >= UNSEEN
    if all(name in _PLAIN or (name == COMMAND and weight <= _SHOWN) for name, weight in found.items()):
        return total >= _INSISTENT
    return total >= THRESHOLD and (len(found) > 1 or total >= _SURE)


def _most(chosen: Iterable[Feature]) -> float:
    """Return the maximum total weight of these features."""
    return sum({feature.name: feature.weight for feature in reversed(list(chosen))}.values())


def features_of(text: str, *, orders: bool = False) -> dict[str, float]:
    """Return the weight of the strongest feature of each matching class: of the class of orders, or of all others."""
    found: dict[str, float] = {}
    for feature in possible_features(text.lower()):
        if (feature.name == ORDER) == orders and feature.name not in found and feature.occurs(text):
            found[feature.name] = feature.weight
    return found


def _sentences(text: str) -> Iterator[str]:
    """Yield sentences and lines; long ones in overlapping pieces."""
    for sentence in _SENTENCE.split(text):
        if sentence and not sentence.isspace():
            for start in range(0, len(sentence), _PASSAGE):
                yield sentence[max(0, start - _PASSAGE // 4) : start + _PASSAGE]
