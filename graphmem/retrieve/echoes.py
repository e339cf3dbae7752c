"""Demotes echoes: conversation turns that only ask. They often match the query best but do not answer it, so they move to the
end of the ranking, and the reply to each takes its place."""

from __future__ import annotations

import re
from collections.abc import Mapping

from graphmem.model.changes import Item
from graphmem.retrieve.concepts import FRAME_WORDS
from graphmem.retrieve.kinds import TURN
from graphmem.retrieve.ports import Index
from graphmem.retrieve.records import Candidate, sort_scores
from graphmem.retrieve.stems import stem
from graphmem.text.questions import is_request_for_answer
from graphmem.text.reports import is_acknowledgement
from graphmem.text.sentences import sentences
from graphmem.text.words import content_words

_SUMMARY = "summary"
ECHO_FACTOR = 0.1  # of the probability of a turn, where it only asks
_REPLY_SHARE = 0.8  # of that probability, which goes to the reply
_MAX_QUESTION_CHARS = 400  # characters of a turn that only asks
_MAX_REPLY_DISTANCE = 2  # turns after a question among which its reply is
_MAX_NO_ANSWER_CHARS = 60  # of a turn that says that it knows nothing, and no more
_MIN_SAME_SHARE = 0.6  # share of its words from which a question asks the same
_QUESTION_WORD = re.compile(r"(?:what|which|how|why|whose|who|where|when)\b", re.I)  # often without a question mark
_LABEL = re.compile(r"^(?:- |[A-Z][a-z]+(?: [a-z]+){0,2}: )")

_KNOWS_NOTHING = re.compile(
    r"\b(?:(?:did|do|could|can)(?: not|n't) (?:find|know|remember|tell)|cannot (?:find|tell)"
    r"|(?:would|will|'ll) have to (?:look|check)"
    r"|(?:found|know|have|there is|there's|recorded|remember) nothing|nothing (?:is |was )?(?:known|found|recorded|about that)"
    r"|no (?:record|memory|trace) of|not sure|no idea)\b|모르|찾지 못|찾을 수 없|없습니다",
    re.I,
)


def only_asks(text: str) -> bool:
    """Return whether every sentence of a short text asks.

    >>> only_asks("Which port? Tell me again."), only_asks("It is 7070. Is that right?")
    (True, False)
    """
    return (
        len(text) <= _MAX_QUESTION_CHARS
        and bool(text.strip())
        and all(is_request_for_answer(part) for part in sentences(text))
    )


def replace_echoes_by_replies(
    text: Index, query: str, ranked: list[Candidate], items: Mapping[int, Item]
) -> list[Candidate]:
    """Return the candidates with each echo of a question moved to the end, and its reply in its place; what only acknowledges is
    last. Scores fall in the new order; probabilities do not. `items` maps rows to items."""
    asks = only_asks(query) or bool(_QUESTION_WORD.match(query.strip()))
    asked = set(map(stem, content_words(query)))
    turns = ((one.row, items[one.row]) for one in ranked if one.row in items and items[one.row].kind == TURN)
    least = _MIN_SAME_SHARE if asks else 0.0
    echoes = [row for row, item in turns if only_asks(item.text) and _asked_share(asked, item.text) >= least]
    retold = [row for row, item in items.items() if asks and item.kind == _SUMMARY and only_retells(asked, item.text)]
    empty = [row for row, item in items.items() if item.kind == TURN and _says_nothing(item.text)]
    if not echoes and not empty and not retold:
        return ranked
    places = {one.row: float(place) for place, one in enumerate(ranked)}
    chances = {one.row: one.probability for one in ranked}
    for row, near in zip(echoes, text.neighbours(echoes, _MAX_REPLY_DISTANCE), strict=True):
        following = (other for other in near[_MAX_REPLY_DISTANCE + 1 :] if other in places)
        reply = next((other for other in following if _is_reply(items.get(other), items[row])), None)
        if reply is not None and _REPLY_SHARE * chances[row] > chances[reply]:
            chances[reply] = _REPLY_SHARE * chances[row]
            places[reply] = min(places[reply], places[row] % len(ranked))
        chances[row] *= ECHO_FACTOR
        places[row] += len(ranked)
    for row in set(retold) & places.keys():
        chances[row] *= ECHO_FACTOR
        places[row] += len(ranked)
    for row in set(empty) & places.keys():  # "ok" answers nothing by itself
        chances[row] *= ECHO_FACTOR
        places[row] += 2 * len(ranked)
    ordered = sort_scores(sorted(ranked, key=lambda one: places[one.row]))
    return [one._replace(probability=chances[one.row]) for one in ordered]


def only_retells(asked: set[str], text: str) -> bool:
    """Return whether a summary has the words (stems) of a question only where it tells what was asked.

    >>> only_retells({stem("cache"), "ttl"}, "Goal: What is the cache TTL?\\nResult: 1 commit")
    True
    """
    lines = [_LABEL.sub("", line) for line in text.splitlines()]
    told = {word for line in lines if not only_asks(line) for word in map(stem, content_words(line))}
    whole = {word for line in lines for word in map(stem, content_words(line))}
    return len(asked & whole) >= _MIN_SAME_SHARE * len(asked) and len(asked & told) < _MIN_SAME_SHARE * len(asked)


def _asked_share(asked: set[str], text: str) -> float:
    """Return the share of the words of a question that the query has: one that adds much may tell something by what it adds. Words
    that only say what kind of answer is asked for ("decided", "try") count only if there are no others."""
    whole = set(map(stem, content_words(text)))
    said = whole - FRAME_WORDS or whole
    return len(said & asked) / (len(said) or 1)


def _says_nothing(text: str) -> bool:
    """Return whether a text only acknowledges ("ok"), or is a short one that knows nothing ("I found nothing about that.")."""
    return is_acknowledgement(text) or (len(text) <= _MAX_NO_ANSWER_CHARS and bool(_KNOWS_NOTHING.search(text)))


def _is_reply(item: Item | None, asked: Item) -> bool:
    return (
        item is not None
        and item.role not in ("tool", asked.role)
        and not only_asks(item.text)
        and not is_acknowledgement(item.text)
        and not _KNOWS_NOTHING.search(item.text[:_MAX_QUESTION_CHARS])
    )
