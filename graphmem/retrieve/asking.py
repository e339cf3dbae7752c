"""Determines from the form of a question which kinds of memory it asks for: "where" asks for a symbol, "who" and "when"
for a commit, "how do I" for a document, else for code. The first matching row of the table decides. The topic does not matter:
"where are names removed" asks for code."""

from __future__ import annotations

import re
from typing import NamedTuple

from graphmem.retrieve.kinds import CODE_QUESTION_KINDS, COMMITS, DOCUMENTS, SYMBOLS

BY_FORM = CODE_QUESTION_KINDS
_MAX_END = 500  # characters of each end of a long query
_VERSION = r"\bv?\d+\.\d+(?:\.\d+)*(?!\.?[0-9A-Za-z_])"


_MENDED = r"(?:fixed|mended|repaired|remedied|resolved|solved|addressed|corrected|dealt with|sorted out|taken care of)"
_KOREAN_CODE_NOUN = r"(?:함수|클래스|메서드|메소드|모듈|코드|파일|타입|구조체|인터페이스|상수)"

# A fault that is told and not asked about, of no one's own program: a commit or a changelog says that it was mended.
_TOLD = (
    r"^(?!.*\b(?:my|i|i'm|i've|me)\b)(?!\W*(?:wh\w+|how|can|could|may|should|must|is|are|does|do|did|find|show|list)\b)"
)
_FAILS = (
    r"segfaults?|crash(?:es|ed)?|mangled|bl[eo]ws? up|hangs?|deadlocks?|leaks?|fails?|breaks?|panics?|garbled|corrupted"
    r"|stack overflows?|throws?|raises?|infinite loop"
)
# What a test does.
_CHECKS = r"(?:test|cover|check|exercise|run|show|prove|verif|assert|ensure|guard|demonstrate|make sure|confirm)(?:y|ies|s|es|ing)?"
_TESTS = r"(?:\w+ )?(?:tests?|specs?)"
_IN_WRITING = (
    r"docs?|documentation|documented|manual|readme|guide|changelog|licen[cs]e|warranty"  # covered, but not by tests
)
# What somebody wants done, without "how do I".
_WISHES = (
    r"(?:i|we) (?:want|need|would like|wish) to"
    r"|(?:apply|avoid|benchmark|build|call|change|combine|compare|compute|configure|convert|copy|create|customi[sz]e|debug|disable"
    r"|enable|export|extend|filter|format|get|handle|hide|ignore|import|install|keep|limit|load|log|make|measure|merge|mock|override"
    r"|parse|pass|print|process|put|read|redirect|register|replace|retry|return|run|save|send|set|share|show|skip|sort|split|start"
    r"|stop|store|stream|take|test|turn|update|upload|use|validate|wait|wrap|write)"
    r" (?:a|an|all|any|both|each|every|everything|only|my|our|some|several|something|the|two|multiple|its|one|more)"
    r"|(?:find out|detect|determine|discover|(?:check|know|tell) (?:whether|if|when))"
)


class _Form(NamedTuple):
    """A form of question: the kinds that it asks for, and its patterns, each with a question that it recognises."""

    kinds: tuple[str, ...]
    examples: dict[str, str]


_WHICH_TESTS = _Form(SYMBOLS, {
    r"\b(?:which|what|any) (?:\w+ )?tests?\b": "which tests check the parser?",
    rf"\b(?:tests?|specs?|test cases?|test suite) (?:that |which |where |to )?{_CHECKS}\b":
        "show the tests that cover the parser",
    r"^\W*(?:unit |integration |regression |the |a )?tests? (?:cases? )?(?:for|of|on|around|about|against)\b":
        "tests for broken input",
    rf"\b(?:is|are) there (?:a |an |any |some )?{_TESTS}\b": "is there a test for broken input?",
    rf"\b(?:do|did|have) (?:we|they|you) have (?:a |an |any |some )?{_TESTS}\b": "do we have a test for it?",
    r"^\W*where (?:is|are|do we|do they|does it) .*\btest(?:s|ed)?\b": "where is the parser tested?",
    rf"^\W*(?:is|are|was|were|has|have)\b(?!.*\b(?:{_IN_WRITING})\b).*\b(?:tested|covered|exercised|under test)\b(?! up\b)":
        "is broken input covered?",
    rf"^\W*(?:do|does|did) (?:they|we|(?:the|any) (?:{_TESTS}|(?:\w+ )?suite|ci)) (?:\w+ )?{_CHECKS}\b":
        "do they verify that input is refused?",
    r"^\W*(?:unit |integration |regression )?(?:tests?|specs?) (?:for|that|which|where|with)\b": "spec for broken input",
    r"테스트(?:는|가|를|들|코드)?\s*(?:\S+\s*)?(?:어디|어느|어떤|무엇|무슨|뭐|있)": "파서 테스트는 어디 있나요",
    r"테스트(?:는|들은)\s": "파서의 테스트는 무엇을 검사하나요",
    r"테스트(?:\s?(?:코드|케이스))?(?:로|에서|가|를)?\s?(?:확인|검증|검사|다루|커버|하나요|하고 있|되나요|되고|[돼됐]|되어|했나요)":
        "파서를 테스트하나요",
    r"^\W*what (?:covers|tests|exercises|verifies|asserts)\b|\bfuzz(?:ing)? (?:targets?|tests?)\b": "what covers broken input?",
    r"^\W*what (?:proves|guarantees|demonstrates|makes sure|ensures|shows) that\b": "what proves that input is refused?",
    r"^\W*is it (?:\w+ )?(?:checked|verified|ensured|proven|asserted)(?: anywhere| somewhere)? (?:that|whether)\b":
        "is it checked that input is refused?",
    r"테스트(?: (?:파일|코드|함수|케이스))?\W*$": "파서를 검사하는 테스트",
    r"(?:어떤|무슨|어느) 테스트": "어떤 테스트가 파서를 검사하나요",
})  # fmt: skip
_WHICH_CHANGE = _Form((*COMMITS, *DOCUMENTS), {
    rf"^\W*(?:is|was|are|were|has|have|did)\b(?! there).*\b{_MENDED}\b": "has the leak been fixed?",
    r"^\W*(?:is|was|are|were|has|have|did)\b(?! there).*\b(?:kept|reverted|undone|taken back|rolled back|withdrawn)\b":
        "was the second cache kept?",
    r"^\W*(?:is (?:that|this|it) )?(?:already |a )?known(?: (?:bug|issue|problem|fault))?\W*$": "is that a known bug?",
    r"(?:고쳐|해결|수정)(?:졌|진|됐|된|되었)": "파일이 새던 문제는 고쳐졌나요",
    r"\b(?:in (?:which|what) (?:release|version)|(?:which|what) (?:release|version)s? (?!of\b))\b":
        "which release got the cache?",
})  # fmt: skip
# In Korean what is asked for stands at the end, so "코드를 어떻게" asks how, and only "코드는 어디" asks for code.
_FORMS = (
    _WHICH_TESTS,
    _Form(COMMITS, {
        r"\b(?:which|what) commits?\b": "which commit broke the parser?",
        r"커밋": "파서를 바꾼 커밋",
    }),
    _Form(DOCUMENTS, {
        rf"^\W*what(?:'s| is| was| were)? .*\b(?:fixed|changed|new|came|added|released|introduced|included)\b.*{_VERSION}":
            "what was fixed in 2.1?",
        rf"^\W*what .*{_VERSION}.*\b(?:fix|change|bring|add|include|introduce)": "what did 2.1 bring?",
        rf"{_VERSION}.*(?:바뀌|변경|추가|수정|달라)": "2.1 버전에서 변경된 점",
        r"\b(?:where|which (?:page|section|doc\w*)) .*\b(?:documented|explained|described)\b": "where is the format described?",
        r"문서|설명서|가이드": "형식에 대한 문서",
        r"(?:적혀|쓰여|나와|설명(?:돼|되어|해)|안내(?:돼|되어)) ?(?:있|놓)": "형식이 적혀 있는 곳",
        r"(?:기준|규칙|방침|정책|지침)[은는이가]? (?:어디|무엇|뭐|어떻게|있)": "이름 규칙은 무엇인가요",
    }),
    _WHICH_CHANGE,
    _Form(COMMITS, {
        r"^\W*(?:who|whose|whom)\b(?! (?:calls?|uses?))": "who dropped the cache?",
        r"^\W*(?:since when|when (?:is|are|will) .*\b(?:released?|ship(?:ped)?)|when\b(?! (?:i|you|we|the user|someone"
        r"|is|are|does|do|should|must|will|would|can|may)\b))": "since when is the cache gone?",
        r"^(?!\W*(?:what|how)\b).*\b(?:since )?when\W*$": "the cache removed when?",
        r"^\W*(?:most )?(?:recent|latest|newest|last) (?:change|commit|fix|edit|work)(?:s|es)?\b": "recent changes to the cache",
        r"^\W*what happened (?:to|with|in)\b": "what happened to the cache in May?",
        r"\b(?:written|added|made|introduced|removed|changed|fixed|contributed) by(?: wh?om?| which person)?\W*$":
            "the cache was written by?",
        r"\bhow long ago\b|\bauthor of\b|\bin (?:which|what) (?:year|month)\b": "in which year was it dropped?",
        r"언제|누가|누구|작성자|만든 사람|몇 년": "누가 캐시를 없앴나요",
    }),
    _Form((*COMMITS, *DOCUMENTS), {
        r"(?:몇|어느|어떤|무슨) (?:버전|릴리[스즈])(?:에서|부터|에)": "어느 버전에서 없어졌나요",
        r"^\W*how (?:did|was|were|has|have)\b": "how did the cache get faster?",
        r"\b(?:i|we|it|they|this|that|there) (?!is |are |was |were |be |being )(?:\w+ )?used to\b": "it used to cache everything",
        r"\bused to\b.*\b(?:now|any ?more|suddenly|again|instead)\b": "the cache used to keep everything, now it does not",
        r"^\W*what (?:has |have )?(?:replaced|superseded|became of|happened)\b": "what replaced the cache?",
        r"^(?!\W*(?:where|which|who)\b).*\b(?:lately|recently|nowadays|these days|renamed)\b"
        r"|\b(?:has|have|had|got|gets|under) (?:a |an )?(?:new|another|other|different) (?:\w+ )?name\b":
            "was the limit of the cache raised lately?",
        r"^\W*(?:is|are|does|do|can|could)\b.*\b(?:still|any ?more|any longer)\b": "are two caches still possible?",
    }),
    _Form((*COMMITS, *DOCUMENTS), {
        r"^\W*(?:and |so |but )?(?:why|how come|what made|for (?:what|which) reason|what(?:'s| is| was) behind)\b":
            "so why is there no cache?",
        r"\bon what grounds\b|\brationale\b|\breason(?:s|ing)?\b|^(?!\W*(?:where|which)\b).*\bdecided\b":
            "the rationale for the cache",
        r"^\W*what (?:was|has been|were|is) (?:settled|agreed|concluded|planned)\b": "what was settled about the cache?",
        r"\b(?:did|have|had) (?:we|i|you|they) (?:\w+ )?(?:decide|agree|settle|ch[oe]+se|conclude)\w*": "what did we agree on?",
        r"\bsettled on\b|\bdecision\b|\bno longer\b.*\bor\b": "the decision about the cache",
        r"왜|이유|까닭|배경[은이]|결정(?:했|됐|되었|한 이유)|기로 (?:했|한|결정|정)": "왜 캐시가 없나요",
        r"(?:어떻게|무엇으로|뭘로) 정(?:했|해졌|한)": "캐시 이름은 어떻게 정했나요",
    }),
    _Form(SYMBOLS, {
        r"\bif (?:i|we|somebody|someone) (?:change|remove|rename|delete|touch|break)": "what happens if I rename parse?",
        r"\b(?<!line )(?<!page )(?<!word )breaks?\b|\b(?:affected|impacted|relies|rely|depends? on)\b": "what depends on parse?",
        r"^\W*(?:what|who|which) (?:\w+ )?(?:calls?|uses?|invokes?|imports?)\b": "who calls parse?",
        r"영향|호출하는|사용하는 곳": "파서를 호출하는 곳",
    }),
    _Form(SYMBOLS, {
        r"^\W*(?:where|in which (?:file|function|class|module))\b": "where are names removed?",
        r"^\W*(?:which|what) (?:\w+ )?(?:code|functions?|class(?:es)?|methods?|helpers?|modules?|files?"
        r"|types?|structs?|traits?|macros?|interfaces?|routines?)\b": "which function removes names?",
        r"^\W*what (?!is|was|are|were|has|does|did|happen\w*|came|changed)\w+s\b": "what removes names?",
        r"^(?!\W*(?:how|why|when|who|what)\b).*\b(?:where|(?:which|what|in which) (?:file|function|class|method|module))\W*$":
            "names are removed where?",
        r"^\W*(?:the )?(?:code|function|class|method|place|part|spot|logic|routine|struct|type)s? (?:which|that|where|for|to)\b":
            "the code that removes names",
        r"어디": "이름은 어디에서 지우나요",
        rf"(?:어떤|어느|무슨) {_KOREAN_CODE_NOUN}|{_KOREAN_CODE_NOUN}(?:인가|이에요|예요|입니까)": "어떤 함수가 이름을 지우나요",
        rf"{_KOREAN_CODE_NOUN}[은는이가]? ?(?:무엇|뭐|뭔|어느|어떤 것|있(?:나|어|는지|습))": "이름을 지우는 함수는 무엇인가요",
    }),
    _Form((*COMMITS, *DOCUMENTS), {
        rf"{_TOLD}.*\b(?:{_FAILS})\b": "quotes get mangled when the name has a blank",
    }),
    _Form((*DOCUMENTS, *SYMBOLS), {
        rf"^\W*(?:{_WISHES})\b": "keep some of the rows and drop the rest",
        r"^\W*how (?:do|can|could|should|would|to|must|might)\b": "how do I log in?",
        r"^\W*(?:can|could|may|should|do|must) (?:i|we|one|you)\b": "can I log in twice?",
        r"^\W*is (?:it|there) (?:possible|a way|an? (?:option|setting|flag))\b": "is there a way to log in twice?",
        r"\b(?:my|i|me|i'm|i've)\b.*[.?]": "The login loses my name.",
        r"어떻게|방법|려면|싶|(?:어떤|무슨) (?:순서|절차|설정|옵션)|(?:순서|절차)[가는]": "어떻게 로그인하나요",
        r"[가-힣] 수 있|(?:되|돼|하|주|받|가능한|필요한)(?:나요|는지요?|가요)|[아어여해]도 (?:되|돼|될|괜찮)":
            "두 번 로그인할 수 있나요",
        r"될까|할까|하면 좋|해야 (?:하|되|돼|할)": "로그인은 몇 번 해야 하지",
    }),
    _Form((*DOCUMENTS, *COMMITS), {
        r"^\W*(?:do|does|would|will|is|are) (?:you|the (?:project|maintainers?|authors?|team|library|package))"
        r" (?:\w+ )?(?:accept|promise|guarantee|support|plan|intend|want|take|recommend|commit|require|maintain)\w*":
            "would you accept a second cache?",
        r"\b(?:patch(?:es)?|pull requests?|prs?|contributions?|proposals?|feature requests?)\b.*"
        r"\b(?:accept(?:ed)?|merged?|welcomed?|wanted|considered|rejected)\b":
            "would a patch from outside be merged?",
        r"보장[이은을]|받아 ?주": "순서가 보장이 되나요",
    }),
    _Form((*SYMBOLS, *DOCUMENTS), {
        r"^\W*when (?:is|are|does|do|should|must|will|would|can|may)\b": "when is the cache emptied?",
        r"^\W*how (?:does|is|are)\b": "how does the cache find an entry?",
        r"^\W*what(?:'s| is| are| does)\b(?!.*\b(?:new|changed|different|wrong)\b)": "what is a cache line?",
        r"^\W*(?:the )?default\b|\bdefaults? (?:value|to|for|of)\b|\bby default\W*$": "default size of the cache",
        r"기본 ?값|(?:이|가|은|는|란) (?:무엇|뭐|뭔)": "캐시의 기본값",
    }),
    _Form((*COMMITS, *DOCUMENTS), {
        r"^\W*(?:what are |any |the )?(?:breaking |api |behaviou?r )?changes (?:to|in|of|around|between|since|from|for)\b":
            "changes around the cache in 2025",
        r"^\W*what (?:has )?changed\b": "what has changed in the login?",
        r"\bwhat(?:'s| is) (?:new|different)\b": "tell me what's new",
        r"(?:무엇이|뭐가|어떤 점이|무슨 점이) (?:바뀌|변경|달라)|(?:바뀐|달라진|변경된) (?:점|것|내용)|이름[을이] (?:바꾼|바뀐)":
            "로그인에서 무엇이 바뀌었지",
    }),
    _Form(SYMBOLS, {r"함수|클래스|메서드|메소드|모듈|코드": "이름을 지우는 함수"}),
)  # fmt: skip
_PATTERNS = tuple((form, re.compile("|".join(form.examples), re.IGNORECASE)) for form in _FORMS)


_LAST_QUESTION = re.compile(r"[.!?]\s+([^.!?]+(?:\.[^\s.!?][^.!?]*)*\?)\s*$")
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


def asks_which_tests(query: str) -> bool:
    """Return whether a query asks for tests.

    >>> asks_which_tests("Is the parser tested?"), asks_which_tests("Who wrote the test runner?")
    (True, False)
    """
    return bool(_PATTERNS[0][1].search(_ends(query)))


def asks_which_change(query: str) -> bool:
    """Return whether a question asks whether something was mended, or in which release: a commit or a changelog tells.

    >>> asks_which_change("The oven lost its heat. Is that fixed?"), asks_which_change("Is the oven hot?")
    (True, False)
    """
    return _form_of(query) is _WHICH_CHANGE


def asked_kinds(query: str) -> tuple[str, ...] | None:
    """Return the kinds that a question asks for, the likeliest first; None where its form says nothing.

    >>> asked_kinds("Where are deleted rows removed?"), asked_kinds("Who dropped it?"), asked_kinds("How do I log in?")
    (('symbol',), ('commit',), ('document', 'symbol'))
    """
    form = _form_of(query)
    return form.kinds if form else None


def _form_of(query: str) -> _Form | None:
    last = _LAST_QUESTION.search(query) if len(query) <= _MAX_END else None  # behind what it tells before
    parts = (last[1], query) if last else (_ends(query),)
    return next((form for part in parts for form, pattern in _PATTERNS if pattern.search(part)), None)


def _ends(query: str) -> str:
    """Return both ends of a long query, where its form stands; some patterns are too slow for thousands of characters."""
    return query if len(query) <= 2 * _MAX_END else f"{query[:_MAX_END]}\n{query[-_MAX_END:]}"
