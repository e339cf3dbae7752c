"""Splits a session into topics, so that what is injected about a place does not carry rules and values of another topic."""

from __future__ import annotations

import re
from collections.abc import Sequence

from graphmem.ports.text import Stored
from graphmem.text.questions import is_request_for_answer
from graphmem.text.sentences import sentences
from graphmem.text.settling import starts_by_agreeing
from graphmem.tree.words import stem_for_topics, topic_words

_MAX_CHARS = 4_000  # characters of a turn that are compared
_REFERS = re.compile(  # to what was said just before
    r"\W*(?:no\b|not\b|nope\b|yes\b|yeah\b|ok\b|okay\b|exactly\b|right\b|correct\b|wrong\b|actually\b|and\b|but\b|so\b|or\b|also\b"
    r"|then\b|that\b|this\b|these\b|those\b|it\b|they\b|he\b|she\b|both\b|same\b|good\b|fine\b|sure\b|agreed\b|confirmed\b|thanks\b"
    r"|amend\w*\b|final\w*\b|in (?:that|this|short|both)\b|only\b|except\b|otherwise\b|because\b|instead\b|again\b|still\b)"
    r"|\s*(?:아니|네|예|맞|응|그|이건|이것|저건|그리고|하지만|또|좋|확인|안 )",
    re.IGNORECASE,
)


def same_topic(turns: Sequence[Stored], named: set[int]) -> list[Stored]:
    """Return the turns of a session that belong to a topic with a turn that names the place (rows in `named`)."""
    kept: list[Stored] = []
    topic: list[Stored] = []
    words: set[str] = set()
    for at, one in enumerate(turns):
        own = set(map(stem_for_topics, topic_words(one.item.text[:_MAX_CHARS])))
        if at and _begins_topic(one, turns[at - 1]) and not own & words:
            kept += topic if any(each.row in named for each in topic) else []
            topic, words = [], set()
        topic.append(one)
        words |= own
    return kept + (topic if any(each.row in named for each in topic) else [])


def _begins_topic(one: Stored, before: Stored) -> bool:
    """Return whether a turn may begin a topic: a person says it, and not as a reply."""
    text = one.item.text
    if one.item.role != "user" or before.item.role != "assistant":
        return one.item.role == "user"
    asked = any(is_request_for_answer(sentence) for sentence in list(sentences(before.item.text[:_MAX_CHARS]))[-2:])
    return not (asked or _REFERS.match(text) or starts_by_agreeing(text))
