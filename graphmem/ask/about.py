"""Whether evidence is about all that a question asks: a name that merely shares a word with it answers something else."""

from __future__ import annotations

import re

from graphmem.ask.evidence import Evidence
from graphmem.ask.reasons import tells_reason
from graphmem.ask.types import Question
from graphmem.retrieve.concepts import FRAME_WORDS
from graphmem.retrieve.stems import stem
from graphmem.text.words import content_words

_MAX_KOREAN_WORDS = 3  # of a question that asks for a name
_WORD = re.compile(r"\d+(?:\.\d+)+|[^\W_]+")  # the numbers of a version belong together
_CODE = re.compile(r"[^\W_]_[^\W_]|[a-z][A-Z]")
_OF_A_SYMBOL = frozenset({"tests", "impact", "callers"})  # a name written as code says what is meant
# What code does with a name that no symbol has; the lines around it show which.
_USES = frozenset(
    map(
        stem,
        "read reads get got set sets used handle handled handles caught catch check checked checks evaluated honoured honored"
        " variable variables environment env respected looked parsed consulted raised thrown emitted printed logged"
        " returned".split(),
    )
)
# What a thing is, beside its name: "the retry_for option".
_SORTS = frozenset(
    map(
        stem,
        "option options flag flags constant variable command field property type attribute hook key keyword decorator macro"
        " signal struct interface trait helper feature api callback enum value default alias".split(),
    )
)
_OF_A_RELEASE = frozenset(map(stem, "new release released version included added fixed notes brought bring".split()))
# Korean words that only ask who or when, or say what sort of thing a name is.
_ASKED_KOREAN = re.compile(
    r"추가|도입|만들|만든|작성|생기|생겼|생긴|들어|넣|구현|썼|쓴|처음|바꾸|바꿨|바꾼|바뀌|변경|수정|고쳤|고친|지원"
    r"|담당|관리|유지|알고|알아|주로|가장|제일|많이|대부분|기여|옵션|함수|메서드|클래스|모듈|파일|폴더|코드|기능|설정|쪽"
)
_OF_HISTORY = frozenset({"introduced", "last change"})


def is_about(question: Question, evidence: Evidence) -> bool:
    """Return whether the evidence has every word that the question is about."""
    if question.type == "unreleased":
        return not question.exact
    if question.type in ("releases", "extension"):
        return True  # each row has all of the words
    if question.type == "decided" and tells_reason(evidence):
        return True
    if question.type == "where" and len(_korean_words(question.text)) > _MAX_KOREAN_WORDS:
        return False  # it is about more than the name that it has
    said = {stem(word) for word in _WORD.findall(" ".join(evidence.lines).lower())}
    alone = len(question.subjects) == 1
    spelt = [name for name in question.exact if _is_spelt(name, question.text) and (alone or not is_acronym(name))]
    subjects = spelt if spelt and question.type in _OF_A_SYMBOL else question.subjects
    asked = {stem(word) for word in _WORD.findall(" ".join(subjects).lower())} - (_SORTS if spelt else set())
    if question.type == "revisions":
        asked -= _OF_A_RELEASE
    elif question.type == "environment" or (question.type in ("where", "reads", "writes") and question.exact):
        asked -= _USES
    return asked <= said


def _is_spelt(name: str, text: str) -> bool:
    """Return whether a text has a name, or its last part written as code (`queues_cmd of Fetch`): words may be the name of a
    symbol by chance."""
    last = name.rpartition(".")[2]
    return name in text or (last in text and _CODE.search(last) is not None)


def _korean_words(text: str) -> list[str]:
    """Return the Korean words of a question but those that only ask."""
    return [word for word in content_words(text) if not word.isascii() and stem(word) not in FRAME_WORDS]


def is_acronym(name: str) -> bool:
    """Return whether a name is a word of capitals, which many things have as part of theirs ("XML")."""
    return name.isalpha() and name.isupper()


def shares_a_word(question: Question, evidence: Evidence) -> bool:
    """Return whether a question about who or when spells out no name but an acronym, and the evidence has only a part of its words:
    it is about another thing, whose name is one of them."""
    if question.type not in (*_OF_HISTORY, "owners") or any(not is_acronym(name) for name in question.exact):
        return False
    if any(not _ASKED_KOREAN.match(word) for word in _korean_words(question.text)):
        return True
    return question.type in _OF_HISTORY and not is_about(question, evidence)
