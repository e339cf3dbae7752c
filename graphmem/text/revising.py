"""Recognises sentences that revise an earlier decision: those that amend it ("Amended rule: …", "from now on …") and those
that drop it ("the rule about … no longer applies"). Patterns in English and Korean; no model. A sentence that asks,
supposes, quotes, denies or only plans a revision revises nothing."""

from __future__ import annotations

import re
from functools import lru_cache

from graphmem.patterns import compile_later
from graphmem.text.denials import denial_of, is_reversal
from graphmem.text.questions import is_request_for_answer

AMENDS, DROPS, REVERSES, ENDS, REPLACES = "amends", "drops", "reverses", "ends", "replaces"
_MAX_SENTENCE_CHARS = 600  # characters of a sentence
_DECISION = (
    r"(?:rules?|polic(?:y|ies)|decisions?|conventions?|agreements?|guidelines?|requirements?|practices?|settings?|limits?|caps?"
    r"|defaults?|contracts?)"
)
_EARLIER = r"(?:(?:old|earlier|previous|original|former|existing|current|last|first) )"
_ENDED = (
    r"(?:dropped|withdrawn|revoked|rescinded|lifted|cancell?ed|scrapped|repealed|abolished|void|obsolete|off the table|gone"
    r"|retired|waived|no longer (?:valid|in force|true|needed))"
)
_AMENDING = compile_later(
    r"\b(?:amend(?:s|ed|ing|ments?)?|supersed(?:es|ed|ing)|overrul(?:es|ed|ing))\b"
    r"|\b(?:updat|revis|chang|correct)(?:e|es|ed|ing|ions?) (?:to |of |for )?(?:the|our|that|this) (?:[\w'-]+ ){0,4}?"
    rf"{_DECISION}\b"
    rf"|\b(?:new|updated|revised|corrected|changed) {_DECISION}\b|\b(?:replac(?:es|ing)|instead of) the {_EARLIER}"
    r"|\b(?:from now on|going forward|henceforth|effective immediately|starting (?:now|today))\b"
    r"|개정(?:합니다|한다|했)|(?:규칙|방침|결정|정책|기준)[을를]? ?(?:변경|수정|개정|바꾸|바꿉|바꿨)"
    r"|앞으로(?:는)? |이제부터(?:는)? ",
    re.I,
)
_WE = r"(?:we|i|the team|the user)"
_DROPPING = compile_later(
    rf"\b{_DECISION}\b[^.;!?]{{0,80}}? (?:is|are|was|were|(?:has|have) been) (?:now |hereby |officially )?{_ENDED}\b"
    rf"|\b{_DECISION}\b[^.;!?]{{0,80}}? (?:no longer|does not|doesn't) (?:holds?|appl(?:y|ies)|stands?)\b"
    r"|\b(?:drop|scrap|revoke|rescind|lift|cancel|repeal|withdraw)(?:p?ed|p?ing|l?ed|l?ing)? (?:the|our) (?:[\w'-]+ ){0,4}?"
    rf"{_DECISION}\b"
    rf"|\b{_WE} no longer (?!use\b|need\b|know\b|have\b|support\b|see\b|care\b)[a-z]+\b"
    rf"|\b{_WE} (?:don't|do not|stopped) [a-z]+\b.* any ?more\b|\b{_WE} stopped [a-z]+ing\b"
    r"|(?:규칙|방침|결정|정책|기준|금지)[은는이가을를]? ?(?:이제 |더 ?이상 )?"
    r"(?:취소|철회|폐지|해제|없던 일로|없앤|없앴|적용되지 않)",
    re.I,
)
_NOT_SO = compile_later(
    r"\b(?:if|unless|whether|would|could|might|should (?:we|i)|suppose|imagine|assuming|maybe|perhaps|propos\w+|suggest\w*|asked"
    r"|wonder\w*|consider\w*|plan(?:s|ned|ning)? to|going to|will (?:be )?(?:drop|chang|amend|revis|updat)\w*|when the|once the)\b"
    r"|\b(?:don't|do not|never|not|nobody|didn't|haven't|hasn't|isn't|wasn't|won't) (?:\w+ ){0,2}?"
    r"(?:drop|scrap|chang|amend|revis|revok|lift|cancel"
    r"|updat|supersed|overrul)\w*|[“\"][^”\"]{4,}[”\"]"
    r"|(?:다면|라면|만약|까요|을까|ㄹ까|지 않았|지 않는|냐고|다고 (?:했|한|물)|그대로|유지한다|유지합니다)",
    re.I,
)
_KOREAN_DENIAL = compile_later(r"지 ?않\S*[.!]?$")
_TALK = frozenset(
    """rule rules policy policies decision decisions convention agreement guideline requirement practice setting
    default contract amend amended amends amending amendment supersede supersedes superseded superseding overrule overruled update
    updated updates revise revised revises change changed changes changing correct corrected correction old earlier previous
    original former existing current last first new now longer anymore more instead going forward henceforth effective immediately
    starting today drop dropped drops scrap scrapped revoke revoked lift lifted cancel cancelled canceled withdrawn rescinded
    repealed abolished void obsolete retired waived valid apply applies applied hold holds stand stands stop stopped settled agreed
    규칙 규칙은 규칙을 방침 방침은 결정 결정은 정책 정책은 기준 기준은 취소 취소한다 취소합니다 철회 폐지 변경 변경합니다 수정 개정
    이제 이제는    앞으로 앞으로는 더 이상 절대 항상 반드시 언제나 마세요 마라 말 것 주세요 써 쓴다 대신 금지 금지는
    decided final always never must should shall please understood full team user about there""".split()
)


def revision_by_person(sentence: str) -> str:
    """Return the same for a sentence of a person, who also reverses ("let's use pnpm instead of npm") and ends ("we no longer
    support WPL") what was so: `REVERSES`, `ENDS`. In an agent's report the same words mostly tell of code."""
    text = sentence[:_MAX_SENTENCE_CHARS]
    ends = denial_of(text) is not None
    if _NOT_SO.search(_KOREAN_DENIAL.sub("", text) if ends else text) or is_request_for_answer(text):
        return ""
    return ENDS if ends else REVERSES if is_reversal(text) else revision_of(sentence)


@lru_cache(maxsize=4096)
def revision_of(sentence: str) -> str:
    """Return `AMENDS` or `DROPS` for a sentence that revises an earlier decision, else "". The answer ends a fact, so it is
    strict: plans, questions and negations revise nothing. `deciding.mentions_amendment` only ranks turns, and is looser."""
    text = sentence[:_MAX_SENTENCE_CHARS]
    if _NOT_SO.search(text) or is_request_for_answer(text):
        return ""
    return DROPS if _DROPPING.search(text) else AMENDS if _AMENDING.search(text) else ""


def is_revision_talk(word: str) -> bool:
    """Return whether a word in lower case speaks of revising, and not of what is revised."""
    return word in _TALK
