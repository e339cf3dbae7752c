"""Finds what somebody stated that answers a short query: a fact or a statement of a person with (nearly) all of its words. In a
store with code it precedes code and documents that only share the topic: "what is the cache TTL" is answered by "The cache TTL is
45 minutes", not by the page about caching."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from graphmem.model.changes import Item
from graphmem.retrieve.analyse import is_report_text
from graphmem.retrieve.asking import asked_kinds
from graphmem.retrieve.concepts import weigh_concepts
from graphmem.retrieve.kinds import CODE_QUESTION_KINDS, COMMITS, SYMBOLS, TURN
from graphmem.retrieve.ports import Reader
from graphmem.retrieve.records import Candidate, Family, Request, scale_scores
from graphmem.retrieve.stems import stem
from graphmem.retrieve.vocabulary import Concept
from graphmem.text.questions import is_request_for_answer
from graphmem.text.sentences import sentences
from graphmem.text.settling import score_conclusiveness
from graphmem.text.words import content_words

STATED = "stated"  # in `why`: the share of the query that a statement has
_DERIVED = frozenset({"pattern", "gotcha", "skill", "task", "test_run", "snapshot", "summary"})
_MAX_QUERY_WORDS = 12  # content words of a query; a longer one tells a story
_MAX_CANDIDATES = 80  # candidates that are read
_MAX_CHARS = 2_000  # characters of a statement that are read
_MIN_SHARE = 0.75  # share of the information in a query that a statement needs
_FULL_SHARE = 0.95  # the same, from which it has all of it
_FULL, _MOST = 0.9, 0.97  # probability of a full statement, and at most, next to likely code
_PLAIN = 0.8  # probability of a full statement of an agent, or of a person who settles nothing with it
_MIN_PLAIN_CONCEPTS = 3  # words of a query that such a statement may answer
_MAX_PLAIN_CHARS = 300  # characters of it
_WHERE = 0.5  # factor where the query asks for a place in the code
_MIN_CONCLUSIVENESS = 10  # of a sentence of a person that is no fact
_ASKING = re.compile(  # words that ask, and that no answer repeats
    r"(?:many|much|long|often|once|big|large|value|values|number|amount|rule|rules|policy|decision|decided|currently|current|exactly"
    r"|어느|어떤|무슨|몇|며칠\S*|언제\S*|얼마나?|무엇\S*|뭐\S*|하나요?|되나요?|됩니까|합니까|인가요?|있나요?"
    r"|규칙\S*|결정\S*|[분개일번초명건]?(?:까지)?(?:인가요?|이야|이지|입니까|일까|이에요|예요))$"
)
_OURS = re.compile(r"\b(?:we|our|us|i|my)\b|우리|저희", re.IGNORECASE)


def raise_statements(reader: Reader, request: Request, families: Sequence[Family]) -> list[Family]:
    """Return the families with statements that answer the query at a higher probability, before the other items."""
    concepts = _asked_concepts(reader, request)
    if not concepts:
        return list(families)
    others = [one.ranked[0].probability for one in families if _is_code(one) and one.ranked]
    asked = asked_kinds(request.query)
    factor = _WHERE if asked == SYMBOLS and not _OURS.search(request.query) else 1.0
    best = max(others, default=0.0) if factor == 1.0 else 0.0
    plain = 0.0 if asked in (SYMBOLS, COMMITS) else _PLAIN  # who did it, and when, is what a commit says
    return [one if _is_code(one) else _raise(reader, one, concepts, factor, best, plain) for one in families]


def _is_code(family: Family) -> bool:
    return CODE_QUESTION_KINDS.issuperset(family.request.where.kinds or ("",))


def _asked_concepts(reader: Reader, request: Request) -> list[tuple[Concept, float]]:
    """Return the concepts of a short query with their weights, without words that only ask."""
    words = content_words(request.query)
    if len(words) > _MAX_QUERY_WORDS or is_report_text(request.query):
        return []
    weighed = weigh_concepts(reader, replace(request, where=replace(request.where, kinds=None)))
    asking = {stem(word) for word in words if _ASKING.fullmatch(word)}
    return [
        (one, weight) for one, weight in weighed if stem(one.word) not in asking and not _ASKING.fullmatch(one.word)
    ]


def _raise(
    reader: Reader,
    family: Family,
    concepts: Sequence[tuple[Concept, float]],
    factor: float,
    best: float,
    least: float,
) -> Family:
    """Return the family with statements first. `factor` is that of their probabilities, `best` the highest one of code, `least`
    the probability of a sentence that has all of the query without settling anything."""
    head, rest = list(family.ranked[:_MAX_CANDIDATES]), family.ranked[_MAX_CANDIDATES:]
    items = {one.row: one.item for one in reader.load(one.row for one in head)}
    shares: dict[str, float] = defaultdict(float)  # by event: a fact answers with the turn that it was read from
    plain = set[str]()  # events of turns in which one sentence says all of it
    for item in items.values():
        name = item.event or item.id
        shares[name] = max(shares[name], _stated_share(item, concepts))
        if least and _says_all_plainly(item, concepts):
            plain.add(name)
    raised: list[Candidate] = []
    seen: set[str] = set()
    for one in head:
        found = items.get(one.row)
        name = (found.event or found.id) if found else str(one.row)
        if name in seen or not one.features or (shares[name] < _MIN_SHARE and name not in plain):
            raised.append(one)
            continue
        seen.add(name)
        if shares[name] < _MIN_SHARE:
            raised.append(one._replace(probability=max(one.probability, least), score=max(one.score, 1.0)))
        else:
            raised.append(_with_share(one, shares[name], factor, best))
    if not seen:
        return family
    raised.sort(key=lambda one: -one.probability)
    return replace(family, ranked=[*scale_scores(raised), *rest])


def _with_share(one: Candidate, share: float, factor: float, best: float) -> Candidate:
    full = min(_MOST, max(_FULL, best + 0.01))
    probability = factor * (full if share >= _FULL_SHARE else _FULL * share**2)
    why = {**one.why, STATED: round(share, 4)}
    return one._replace(probability=max(one.probability, probability), score=max(one.score, 1.0), why=why)


def _stated_share(item: Item, concepts: Sequence[tuple[Concept, float]]) -> float:
    """Return the share of the query's information in the best statement of an item; 0 if it states nothing, or if the query has
    one word and no statement says what that is."""
    if not _is_said(item):
        return 0.0
    best = 0.0
    for text, words, settles in _statements(item.kind, item.text[:_MAX_CHARS]):
        if settles and (
            sum(_worth(one, words) > 0 for one, _ in concepts) > 1
            or (len(concepts) == 1 and _defines(text, concepts[0][0].word))
        ):
            best = max(best, _share(concepts, words))
    return best


def _says_all_plainly(item: Item, concepts: Sequence[tuple[Concept, float]]) -> bool:
    """Return whether one sentence of a turn, of whoever, says all of a query of several words."""
    if item.kind != TURN or item.role not in ("user", "assistant") or len(concepts) < _MIN_PLAIN_CONCEPTS:
        return False
    return any(
        len(text) <= _MAX_PLAIN_CHARS and _share(concepts, words) >= _FULL_SHARE
        for text, words, _ in _statements(item.kind, item.text[:_MAX_CHARS])
    )


def _share(concepts: Sequence[tuple[Concept, float]], words: frozenset[str]) -> float:
    """Return the share of the query's information in a statement of these stems, in [0, 1]."""
    whole = sum(weight for _, weight in concepts)
    return min(1.0, sum(weight * _worth(one, words) for one, weight in concepts) / whole)


def _is_said(item: Item) -> bool:
    """Return whether a person said something or somebody saved it, or it was read from a conversation. What was read from a
    commit or a file is no better than its source."""
    if item.kind == TURN:
        return item.role == "user"
    return item.kind not in _DERIVED and bool(item.session or item.sequence or item.id == item.event)


def _worth(concept: Concept, words: Mapping[str, None] | frozenset[str]) -> float:
    """Return 1 if a statement has the word or its translation, the worth of a synonym otherwise."""
    own = max((worth for form, worth in concept.forms.items() if form in words), default=0.0)
    return 1.0 if own >= _TRANSLATED else own


_TRANSLATED = 0.9  # worth of a form from which it is the word itself, in either language


@lru_cache(maxsize=2_048)
def _statements(kind: str, text: str) -> tuple[tuple[str, frozenset[str], bool], ...]:
    """Return the sentences of an item that ask for nothing, each with its stems and whether it settles something."""
    return tuple(
        (
            sentence,
            frozenset(map(stem, content_words(sentence))),
            kind != TURN or score_conclusiveness(sentence) >= _MIN_CONCLUSIVENESS,
        )
        for sentence in sentences(text)
        if not is_request_for_answer(sentence)
    )


def _defines(text: str, word: str) -> bool:
    """Return whether a statement says what something is."""
    return bool(
        re.search(rf"\b{re.escape(word)}(?:\s+(?:is|are|was|were|means)\b|\s*[:=]|[은는이가]\s)", text, re.IGNORECASE)
    )
