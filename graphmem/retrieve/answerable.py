"""Estimates whether a conversation answers a question, not only whether it is about the same topic."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

from graphmem.retrieve.stems import stem
from graphmem.text.words import stopwords

_MAX_PASSAGE_CHARS = 3_000  # characters of each
_MAX_QUESTION_CHARS = 1_000  # characters of a question
_MAX_ASPECT_WORDS = 2  # words that name a detail
_WORD = re.compile(r"[^\W_]+")
_SENTENCE = re.compile(r"(?<=[.!?。！？])\s|\n+")
_HANGUL = re.compile(r"[가-힣]")
_QUESTION_WORD = re.compile(r"\b(?:what|which|how|why|whose|who|where|when)\b", re.IGNORECASE)
_VAGUE_WORDS = frozenset(
    "specific specifically kind kinds type types sort some different main particular exactly exact various tell new like".split()
)
_ASKS_OVERVIEW = re.compile(  # of many passages, none of which is needed
    r"\b(?:summar\w+|overview|recap|walk me through|everything|throughout|over time|in (?:what )?order|the order|timeline"
    r"|list (?:all|the|every)|across (?:all )?(?:our|my|the)"
    r"|how (?:has|have|did) [^.?!]* (?:chang|evolv|develop|progress|improv)\w*)\b"
    r"|요약|정리해|순서대로|전부|모두",
    re.IGNORECASE,
)
_ASKS_HELP = re.compile(  # of help with something, which the topic is enough for
    r"^(?:[^.?!]*[.?!](?=\s))*?\s*(?:(?:can|could|would|will) you (?:please )?(?!tell me about|remind|recall)"
    r"|how (?:do|can|should|could|would|to)\b|what (?:should|would|can|could)"
    r"|(?:i'm|i am|i) (?:want|planning|trying|looking|working|need|would like)|please|help me|suggest|recommend|show me|explain"
    r"|give me)|\b(?:would|do|can) you (?:suggest|recommend|help|advise)|추천해|알려 ?줘|도와|어떻게 (?:하|해야)",
    re.IGNORECASE,
)
_ASKS_MEASURE = re.compile(  # a number, a time, yes or no: said together with its subject
    r"^\s*(?:have|has|had|did|do|does|is|are|was|were|will|am)\s+(?!you\b)|\b(?:since )?when\b"
    r"|\bhow (?:many|much|long|far|old|often|big|large|tall|fast)\b|\baverage\b"
    r"|\bwhat (?:\w+ )?(?:number|percentage|percent|amount|total|price|cost|score|average|size|age|rate|probability|version"
    r"|budget)\b"
    r"|\b(?:what|which) (?:\w+ )?(?:dates?|days?|times?|years?|months?|deadline)\b|언제|며칠|몇 ?|얼마",
    re.IGNORECASE,
)
_ASKS_WHAT_WAS_SAID = re.compile(  # which the asker remembers as said
    r"\b(?:(?:did|do|have|had) (?:i|you|we) (?:\w+ )?(?:say|said|mention(?:ed)?|tell|told|recommend(?:ed)?|suggest(?:ed)?|advised?"
    r"|help(?:ed)?|bring up|ask(?:ed)?)|i (?:said|mentioned|told)|you (?:said|recommended|suggested|told|mentioned))\b"
    r"|말했|말한|추천(?:했|한)",
    re.IGNORECASE,
)
# Fitted once on long conversations, each left out in turn, by logistic regression. The program is not kept: treat them as
# constants, and check a change with `graphmem bench`.
_TOPIC_WEIGHTS = {"first_window": 10.1, "best_own": 4.9, "best_coverage": 1.3, "best_cosine": 6.9, "unknown": -2.4}
_TOPIC_BIAS = -3.7
_ANSWER_WEIGHTS = {"there": 0.42, "topic": 2.34, "aspect": 1.27}
_ANSWER_BIAS = -0.9


def topic_probability(features: Mapping[str, float]) -> float:
    """Return the probability that a conversation is about the topic of the question (`features`: `answer_evidence`)."""
    return _logistic(_TOPIC_BIAS + sum(weight * features.get(name, 0.0) for name, weight in _TOPIC_WEIGHTS.items()))


def answer_probability(query: str, texts: Sequence[str], there: float) -> float:
    """Return the probability that a conversation about the topic also contains the answer. `texts` are its best passages;
    `there` is the probability that one of them answers, judged by its match alone."""
    read = query[:_MAX_QUESTION_CHARS]
    anywhere = bool(_ASKS_OVERVIEW.search(read) or _ASKS_HELP.search(read))
    # A request, a summary or a count needs the topic only; a detail needs a passage that mentions it.
    topic = anywhere or bool(_ASKS_MEASURE.search(read) or _ASKS_WHAT_WAS_SAID.search(read))
    features = {
        "there": 0.0 if anywhere else math.log(max(1e-6, there) / max(1e-6, 1 - there)),
        "topic": float(topic),
        "aspect": 0.0 if topic else _aspect_share(query, texts),
    }
    return _logistic(_ANSWER_BIAS + sum(weight * features[name] for name, weight in _ANSWER_WEIGHTS.items()))


def asked_aspect(query: str) -> list[str]:
    """Return the words that name the detail which a question is about: the first ones after its question word that are neither
    names nor vague.

    >>> asked_aspect("What specific techniques were taught in the July workshop?")
    ['techniques', 'taught']
    """
    asking = _QUESTION_WORD.search(query)
    words = _WORD.findall(query[asking.end() :] if asking else query)
    plain = [word for word in words if not (word[0].isupper() or word[0].isdigit())]
    return [word for word in map(str.lower, plain) if word not in stopwords() and word not in _VAGUE_WORDS][
        :_MAX_ASPECT_WORDS
    ]


def _aspect_share(query: str, texts: Sequence[str]) -> float:
    """Return how much of the detail asked for the best sentence of these texts names, in [0, 1]."""
    asked = {stem(word) for word in asked_aspect(query)}
    if not asked or _HANGUL.search(query):  # the place of a Korean question word says nothing
        return 0.5
    best = 0
    for text in texts:
        for sentence in _SENTENCE.split(text[:_MAX_PASSAGE_CHARS].lower()):
            best = max(best, len(asked.intersection(map(stem, _WORD.findall(sentence)))))
        if best == len(asked):
            break
    return best / len(asked)


def _logistic(odds: float) -> float:
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, odds))))
