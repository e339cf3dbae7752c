"""Tells from the grammar of a sentence whether it demands something for good: things of a kind that must or must never be so
("commit messages must be in English"), what is always to be done ("PR은 항상 squash merge로 합쳐"), one way rather than another
("use pnpm, not npm"). A demand for the work at hand ("use the new helper here", "이번에는 …") is none, nor is what somebody only
observed ("it always fails")."""

from __future__ import annotations

import re

from graphmem.patterns import compile_later

_I = re.IGNORECASE
_LONGEST = 320
_AT_HAND = compile_later(
    r"\b(?:now(?! on)|today|tonight|tomorrow|here|yet|once|this (?:time|once|one|file|test|function|method|class"
    r"|branch|commit|pr|change|line|task"
    r"|bug|issue|session|case|week|run|step|error)|the (?:new|last|second|first|next|current|above|following) \w+|first thing)\b"
    r"|(?:^|\s)(?:지금(?!부터)|오늘|이번|내일|여기|아직|방금|당장|이따|일단"
    r"|이 ?(?:파일|함수|테스트|커밋|브랜치|줄|메서드|클래스|코드|PR|버그|이슈|작업|경우|에러|단계)(?=\S{0,3}(?:\s|$)))",
    _I,
)
_CLAUSE = compile_later(r"(?:;|,? and| but)\s+(?=\S)", _I)
_MOST_CLAUSES = 4
_INTRODUCED = (
    r"^(?:(?:from now on|going forward|in this (?:repo|repository|project|codebase)|as a rule|in general|rule|also|and|please"
    r"|remember)[,:]? )*"
)
_MUST = r"(?:must|ha(?:s|ve) to|needs? to|shall|should(?= (?:always|never|only)\b)|may only|can only|(?:is|are) to)"
# No kind of thing: one thing, a person, a question.
_DEFINITE = (
    r"(?!(?:the|this|that|these|those|it|its|there|he|she|they|i|we|you|my|your|who|what|which|how|why"
    r"|when|where|if|do|does|did|is|are|so"
    r"|but|maybe|one|some\w*|because|since|as|then|not|let\w*|only)\b)"
)
_KIND = rf"{_DEFINITE}(?:(?:every|each|all|any|no|new) )*[\w`'/.-]+(?: [\w`'/.-]+){{0,4}}?"
_VERB = (
    r"(?:use|run|write|put|keep|name|call|prefix|start|prefer|format|sort|store|log|wrap|return|raise|throw|import|commit|push|merge|squash"
    r"|rebase|tag|deploy|test|lint|add|include|document|mark|pin|open|ask|check|update|create|place|declare|define|install|build|handle)"
)
_OBSERVED = r"(?:fail|break|crash|hang|time out|work|pass|take|return|happen|show|appear|seem|look|get stuck|leak|complain|error)"
_DEMANDS = tuple(
    compile_later(_INTRODUCED + pattern, _I)
    for pattern in (
        # "Commit messages must be in English"
        rf"{_KIND} {_MUST}(?: not|n't)?(?: (?:never|always|only))? "
        r"(?!have (?:been|\w+ed|gone|seen|taken|made|done)\b|be (?:fixed|done|finished|resolved|ready|an?|the|wrong|right"
        r"|some\w*)\b)[a-z]{2,}",
        # "we never add …", "you always …"
        r"(?:we|you)(?: must| should)? (?:always|never|only) "
        r"(?!had|saw|been|was|were|got|made|knew|thought|heard|have\b|\w+ed\b)[a-z]{2,}",
        # "every new endpoint needs a contract test"
        r"(?:every|each|all|any) new [\w`'/.-]+(?: [\w`'/.-]+){0,3}? (?:needs?|requires?|gets?|must) \S",
        # "every public function needs a docstring", "all migrations require a rollback script"
        r"(?:every|each|all) [\w`'/.-]+(?: [\w`'/.-]+){0,3}? (?:needs?|requires?|gets?) (?:an?|their|its|two|at least) "
        r"(?!(?:fix|rerun|restart|bit|lot|while|minute|error|second|look|rewrite|few|hour|long|moment"
        r"|\w+ (?:seconds|minutes|hours))\b)\S",
        r"(?<=from now on )(?:every|each|all) [\w`'/.-]+(?: [\w`'/.-]+){0,3}? (?:needs?|requires?|gets?|goes?) \S",
        # "secrets never go into the repository"
        rf"{_KIND}s (?:never|always|only) (?!{_OBSERVED}\b|\w+ed\b)[a-z]{{2,}} ",
        # "all SQL goes into migrations, never into handlers"
        rf"{_KIND} (?:goes?|belongs?) (?:in|into|to|under|through)\b.*, (?:never|not) ",
        # "use pnpm, not npm", "run X before every commit"
        rf"{_VERB} \S.*(?:,? (?:and )?(?:not|never)(?= [\w`])|,? instead of|,? rather than) \S",
        rf"{_VERB} \S.* (?:(?:before|after|on|for|with|in) (?:every|each|any)"
        r"|(?:before|after|when(?:ever)?) you (?:commit|push|merge|deploy|release))\b",
    )
)
_BOUND = compile_later(
    r"(?:^|\s)(?:항상|언제나|매번|반드시|절대로?|무조건|꼭|늘|앞으로는?|이제부터는?|지금부터는?)(?=[\s.!]|$)"
)
_TOLD_NOT = compile_later(
    r"[가-힣]지 ?(?:마|말아|마라|말자|마세요|마십시오|말아 ?줘|말 ?것|않는다|않습니다|않기로 ?해)[.!]*$"
)
_CONDITION = compile_later(r"\S(?:없이|에는|에서는|전에는?|때는?|은|는)(?=\s)")
_TOLD = compile_later(
    r"(?:[세하]요|세요|십시오|줘|줘요|주세요|[가-힣]자|할 ?것|쓸 ?것|둘 ?것"
    r"|[아어여해써워둬와춰쳐켜려겨려봐내대매세붙져]|[가-힣]여)(?:, ?(?:항상|꼭|반드시|무조건))?[.!]*$"
)
# One way rather than another: "로그는 stdout 말고 stderr 로 찍어", but not "그거 말고 이걸로 해줘".
_RATHER = compile_later(
    r"^\S{1,20}(?:[은는]|할 때는?) (?:\S+ ){0,2}?(?!(?:그거|그것|이거|이것|저거|여기|거기|방금)\S* )\S+ 말고 \S", _I
)
_PAST = compile_later(r"[았었했였렸졌갔왔봤줬됐겼꿨쳤]어(?:요)?[.!]*$")
# What is so, rather than what somebody is to do: "항상 실패해", "테스트가 항상 느려".
_IS_SO = compile_later(
    r"(?:실패해|발생해|작동해|동작해|통과해|성공해|나타나|나와|느려|걸려|떠|터져|깨져|죽어|멈춰|있어|없어|돼|이상해|나빠|좋아|같아|맞아|달라|보여|생겨"
    r"|들어와|중요해|복잡해|비슷해|남아|가능해|헷갈려|틀려|막혀|밀려|떨어져|사라져|필요해|싫어|부족해)(?:요)?[.!]*$"
)
_SUBJECT = compile_later(r"[가-힣A-Za-z](?<![같없많높깊굳])(?:이|가) (?!아니)")


def demands_for_good(sentence: str) -> bool:
    """Return whether a sentence demands something that holds from now on.

    >>> demands_for_good("Use pnpm, not npm."), demands_for_good("It always fails.")
    (True, False)
    """
    text = sentence.strip()
    if len(text) > _LONGEST or "?" in text or _AT_HAND.search(text):
        return False
    if re.search(r"[가-힣]", text):
        return _demands_korean(text)
    parts = [text, *_CLAUSE.split(text)[1:_MOST_CLAUSES]]
    return any(form.search(part) for part in parts for form in _DEMANDS)


def _demands_korean(text: str) -> bool:
    if _TOLD_NOT.search(text):
        return bool(_BOUND.search(text) or _CONDITION.search(text))
    if (
        not (_BOUND.search(text) or _RATHER.search(text))
        or _PAST.search(text)
        or _IS_SO.search(text)
        or _SUBJECT.search(text)
    ):
        return False
    return bool(_TOLD.search(text))
