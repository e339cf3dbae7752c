"""Determines from the form of a question which kinds of memory it asks for: "where" asks for a symbol, "who" and "when"
for a commit, "how do I" for a document. The first matching row of the table decides. The topic does not matter: "where
are names removed" asks for code."""

from __future__ import annotations

import re

from graphmem.retrieve.kinds import CODE_QUESTION_KINDS, COMMITS, DOCUMENTS, SYMBOLS

BY_FORM = CODE_QUESTION_KINDS
_MAX_END = 500  # characters of each end of a long query
_VERSION = r"\bv?\d+\.\d+(?:\.\d+)*\b"


def _row(kinds: tuple[str, ...], *patterns: str) -> tuple[tuple[str, ...], re.Pattern[str]]:
    return kinds, re.compile("|".join(patterns), re.IGNORECASE)


_KOREAN_CODE_NOUN = r"(?:함수|클래스|메서드|메소드|모듈|코드|파일|타입|구조체|인터페이스|상수)"
# In Korean what is asked for stands at the end, so "코드를 어떻게" asks how, and only "코드는 어디" asks for code.
_QUESTION_FORMS = (
    _row(SYMBOLS, r"\b(?:which|what|any) (?:\w+ )?tests?\b", r"\btests? (?:that )?(?:covers?|checks?|exercises?)\b",
         r"테스트(?:는|가|를|들|코드)?\s*(?:\S+\s*)?(?:어디|어느|어떤|무엇|무슨|뭐|있)|테스트(?:는"
        r"|들은)\s", r"(?:어떤|무슨|어느) 테스트"),
    _row(COMMITS, r"\b(?:which|what) commits?\b", r"커밋"),
    _row(DOCUMENTS, rf"^\W*what(?:'s| is| was| were)? .*\b(?:fixed|changed|new|came|added|released|introduced"
         rf"|included)\b.*{_VERSION}",
         rf"^\W*what .*{_VERSION}.*\b(?:fix|change|bring|add|include|introduce)", rf"{_VERSION}.*(?:바뀌|변경|추가|수정|달라)",
         r"\b(?:where|which (?:page|section|doc\w*)) .*\b(?:documented|explained|described)\b", r"문서|설명서|가이드",
         r"(?:적혀|쓰여|나와|설명(?:돼|되어|해)|안내(?:돼|되어)) ?(?:있|놓)",
         r"(?:기준|규칙|방침|정책|지침)[은는이가]? (?:어디|무엇|뭐|어떻게|있)"),
    _row(COMMITS, r"^\W*(?:who|whose|whom)\b(?! (?:calls?|uses?))", r"^\W*(?:since )?when\b(?! (?:i|you|we"
         r"|the user|someone)\b)",
         r"\bhow long ago\b|\bauthor of\b|\bin (?:which|what) (?:release"
        r"|version|year|month)\b", r"언제|누가|누구|작성자|만든 사람|몇 년",
         r"(?:몇|어느|어떤|무슨) (?:버전|릴리[스즈])(?:에서|부터|에)"),
    _row((*COMMITS, *DOCUMENTS), r"^\W*(?:and |so |but )?why\b", r"\bon what grounds\b|\brationale\b"
         r"|\breason(?:s|ing)?\b|^(?!\W*(?:where|which)\b).*\bdecided\b",
         r"\b(?:did|have|had) (?:we|i|you|they) (?:\w+ )?(?:decide|agree|settle|ch[oe]+se|conclude)\w*",
         r"\bsettled on\b|\bdecision\b|\bno longer\b.*\bor\b",
         r"왜|이유|까닭|배경[은이]|결정(?:했|됐|되었|한 이유)|기로 (?:했|한|결정|정)"),
    _row(SYMBOLS, r"\bif (?:i|we|somebody|someone) (?:change|remove|rename|delete|touch|break)", r"\b(?:breaks?"
         r"|affected|impacted|relies|rely|depends? on)\b",
         r"^\W*(?:what|who|which) (?:\w+ )?(?:calls?|uses?|invokes?|imports?)\b", r"영향|호출하는|사용하는 곳"),
    _row(SYMBOLS, r"^\W*(?:where|in which (?:file|function|class|module))\b",
         r"^\W*(?:which|what) (?:\w+ )?(?:code|functions?|class(?:es)?|methods?|helpers?|modules?|files?"
         r"|types?|structs?|traits?|macros?|interfaces?|routines?)\b",
         r"^\W*what (?!is|was|are|were|has|does|did|happen\w*|came|changed)\w+s\b", r"어디",
         rf"(?:어떤|어느|무슨) {_KOREAN_CODE_NOUN}|{_KOREAN_CODE_NOUN}(?:인가|이에요|예요|입니까)",
         rf"{_KOREAN_CODE_NOUN}[은는이가]? ?(?:무엇|뭐|뭔|어느|어떤 것|있(?:나|어|는지|습))"),
    _row(DOCUMENTS, r"^\W*how (?:do|can|could|should|would|to|must|might)\b", r"^\W*(?:can|could|may|should"
         r"|do|must) (?:i|we|one|you)\b",
         r"^\W*is (?:it|there) (?:possible|a way|an? (?:option|setting|flag))\b", r"\b(?:my|i|me|i'm"
         r"|i've)\b.*[.?]", r"어떻게|방법|려면|싶|(?:어떤|무슨) (?:순서|절차|설정|옵션)|(?:순서|절차)[가는]",
         r"[가-힣] 수 있|(?:되|돼|하|주|받|가능한|필요한)(?:나요|는지요?|가요)|[아어여해]도 (?:되|돼|될|괜찮)",
         r"될까|할까|하면 좋|해야 (?:하|되|돼|할)"),
    _row((*COMMITS, *DOCUMENTS), r"^\W*what (?:has )?changed\b", r"\bwhat(?:'s| is) new\b",
         r"(?:무엇이|뭐가|어떤 점이|무슨 점이) (?:바뀌|변경|달라)|(?:바뀐|달라진|변경된) (?:점|것|내용)"),
    _row(SYMBOLS, r"함수|클래스|메서드|메소드|모듈|코드"),
)  # fmt: skip


_ASKS_PERMISSION = re.compile(
    r"^\W*(?:can|may|should|must|shall|are|am) (?:i|we)\b|[아어여해]도 (?:되|돼|될|괜찮)|될까|[해아어]야 (?:하|되|돼|할)",
    re.IGNORECASE,
)


def asks_what_was_said(query: str) -> bool:
    """Return whether a question asks for a reason, a decision or a permission, which a conversation may have settled.

    >>> asks_what_was_said("Can we deploy on a Friday?"), asks_what_was_said("Where is the parser?")
    (True, False)
    """
    return asked_kinds(query) == (*COMMITS, *DOCUMENTS) or bool(_ASKS_PERMISSION.search(_ends(query)))


def asked_kinds(query: str) -> tuple[str, ...] | None:
    """Return the kinds that a question asks for, the likeliest first; None where its form says nothing.

    >>> asked_kinds("Where are deleted rows removed?"), asked_kinds("Who dropped it?"), asked_kinds("How do I log in?")
    (('symbol',), ('commit',), ('document',))
    """
    read = _ends(query)
    return next((kinds for kinds, pattern in _QUESTION_FORMS if pattern.search(read)), None)


def _ends(query: str) -> str:
    """Return both ends of a long query, where its form stands; some patterns are too slow for thousands of characters."""
    return query if len(query) <= 2 * _MAX_END else f"{query[:_MAX_END]}\n{query[-_MAX_END:]}"
