"""Extracts the claim of a fact: subject, predicate and a value that can be only one at a time, such as the port of a
server, the holder of a role, or whether a thing supports another. Only claims can replace or contradict each other.
Most facts make none: a sentence that matches no form of `queries/claims/forms.txt` has no claim. `amendments` finds the
target of a correction without a subject ("No, 45 seconds")."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import NamedTuple

from graphmem import resources
from graphmem.cognify.assertions import read_assertion
from graphmem.patterns import compile_later
from graphmem.text.keys import canonical_key

_FORMS = "queries/claims/forms.txt"
_LONGEST_SUBJECT, _LONGEST_VALUE = 60, 60  # characters
_ARTICLE = compile_later(r"^(?:the|a|an|our|this|their|its|new|current|old)\s+", re.I)
_PROJECT_ITSELF = compile_later(
    r"^(?:(?:the )?(?:team|project|repo|repository|codebase|we|us)(?:'s)?|우리(?: 팀)?|프로젝트|팀)$", re.I
)
_TRAILING_CLAUSE = compile_later(
    r"\s*(?:[,;(]|\s[-–—]\s|\b(?:because|since|so that|which|while|whereas|instead of|rather than|for now|but|now|again"
    r"|as of|from now|starting|by default|in production too)\b|(?<=\w)\.(?:\s|$)).*$",
    re.I | re.S,
)
_CHANGE_WORDS = compile_later(
    r"\b(?:now|no longer|any ?more|as of|since|from now on|henceforth|today|instead of)\b|이제|더 이상|부터", re.I
)
_RESOLVED = compile_later(r" \(\d{4}-[\dW-]*[^)]{0,20}\)")  # the date that was added to a relative time
_TRAILING_TIME = compile_later(
    r"(?:,? (?:now|from now on|as of (?:now|today)|these days|today|instead|as well|too|since (?:the )?[\w.]+(?: \w+)?|again))+$",
    re.I,
)
_LEADING_TIME = compile_later(
    r"^(?:(?:yesterday|today|last \w+|this \w+|on \w+day|\w+ (?:days?|weeks?|months?) ago"
    r"|어제|오늘|그저께|지난 ?주|지난 ?달|이번 ?주|\d+[일주] 전)"
    r"에?(?: \([^)]*\))?,? )+",
    re.I,
)
_REASON = compile_later(r",? (?:because|since (?:the|it|they|we)|so that) .+$", re.I)  # no part of what is asserted
_LOOSE_COPULA = compile_later(r"(?<=[\w]) (?=(?:이다|입니다|이에요|예요)$)")  # "vim 이다"
# "In staging, the replica count is 2": the place is part of what is claimed.
_LEADING_PLACE = compile_later(
    r"^(?:in|on) (?P<where>(?:the |our )?[\w-]+),? (?P<what>(?:the|our) [\w-]+(?: [\w-]+){0,3}) (?P<verb>is|are|defaults to) ",
    re.I,
)
_CIRCUMSTANCE = compile_later(
    r"(?P<value>.+?) (?P<where>(?:in|for|on|under|when|during|per|unless|if|with|within) .+)$", re.I
)
_VALUE_DATE = compile_later(
    r"\s+(?:\(\d{4}[^)]*\)|(?:in|on|since|last|this) (?:early |late |mid-?)?"
    r"(?:(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\w*\b"
    r"|\d{4}\b|year\b|month\b|week\b|(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|spring\b|summer\b|autumn\b|winter\b)|yesterday\b|today\b).*$",
    re.I,
)
# Words before a claim that only say that it corrects something.
_CORRECTING = compile_later(
    r"^(?:(?:correction|update|change of plans?|actually|no(?: wait)?|wait|sorry|oops|in fact|from now on|as of (?:now|today)"
    r"|(?:please )?note that|heads[- ]up|scratch that|my (?:mistake|bad)|(?:that|this) (?:was|is) (?:wrong|outdated)"
    r"|I (?:misread|mistyped|misspoke|was wrong|mixed (?:it|that|them) up|made a mistake)"
    r"(?: (?:it|that|this))?(?: (?:there|earlier|before))?"
    r"|I(?:'ve| have)? changed my mind|the user(?: has)? changed the user's mind"
    r"|이제(?:는|부터는?)?(?= )|정정(?:합니다|할게요|한다|하자면)?|사실은?|아니요?|앞으로는?|생각이 바뀌었(?:다|어요|습니다)"
    r"|(?:방금|아까|전에) (?:말한|한) (?:건|것은|게|내용은) 틀렸(?:고|어|어요|습니다))(?!\w)[,:.!;]?(?: (?:and|so|but) | |$))+",
    re.I,
)
_ACTUALLY = compile_later(r"(?P<before>.+ (?:is|are|has|have|uses?|takes?)) (?:actually|in fact|really) ", re.I)
# Another source than the speaker, of which nobody knows when it was written.
_SOURCE = (
    r"(?:wiki|docs?|documentation|readme|handbook|manual|runbook|comments?|page|spec(?:ification)?|ticket|contract|changelog"
    r"|file|guide|diagram|config|dashboard|confluence|faq|blog post|blog|slides?|e-?mail|sheet|spreadsheet|table|calendar|intranet"
    r"|console|agreement|announcement|letter|report|notes?|minutes)"
)
_ATTRIBUTION = compile_later(
    r"^(?:according to (?:the |our )?[\w' .-]{2,30}?,? (?=(?:the|our|a|an|[A-Z])\b)"
    rf"|(?:the |our )?(?:[\w-]+ ){{0,2}}?{_SOURCE}(?: (?:from|of|by|in|for|on) [\w' -]{{2,30}}?)?"
    r" (?:says?|states?|claims?|lists?|mentions?|still says)(?: that|:)? "
    r"|(?-i:[A-Z])[\w'-]+(?: (?-i:[A-Z])[\w'-]+)? (?:says|said|claims|claimed|thinks|believes|insists|insisted|wrote"
    r"|told (?:me|us|the user|the team))(?: that|:)? "
    r"|(?:위키|문서|설명서|README|매뉴얼|계약서|[\w가-힣]{2,10} ?(?:문서|위키|파일|페이지))(?:에 따르면|에 의하면|에는|에서는)[, ]+"
    r"|[가-힣A-Za-z]{2,10} ?(?:말로는|말에 따르면|말에 의하면|에 따르면|에 의하면)[, ]+)",
    re.I,
)
_KOREAN_QUOTED = compile_later(
    r"(?:이라고|라고|다고) (?:(?:되어|적혀|쓰여) ?있(?:다|습니다|어요)|한다|합니다|했다|했습니다|하던데)$"
)
_KOREAN_PLACE = re.compile(r"^(?:\S+ )?\S+?(?:에는|에서는)[, ]+")
_KOREAN_SUBJECT = re.compile(r"^(?P<subject>\S+(?: \S+){0,3}?)(?:이|가) (?=\S+이다$)")
# What a source says of a thing that it alone knows: "the timeout is 30 seconds", "555-0134 as the on-call phone".
_REPORTED = re.compile(
    r"^(?:(?:the|our) (?P<name>[\w-]+(?: [\w-]+){0,3}?) (?:is|=|was|should be) (?P<value>.+)"
    r"|(?P<value2>\S+(?: \S+)?) (?:as|for) (?:the|our) (?P<name2>[\w-]+(?: [\w-]+){0,3}))$",
    re.I,
)
# Where a sentence has several clauses, one of them may claim something; not one that holds on a condition only.
_CLAUSES = compile_later(
    r"(?:[,;—–]| - | and(?= (?:the|our|we|I|it)\b)"
    r"| and(?= [A-Z][a-z]+ (?:leads|owns|maintains|took|takes|runs|is)\b)| so(?= (?:the|our|we|I)\b)|[.!](?= ))"
    r"\s*(?:(?:so|and|but)\b\s*)?|(?<=고) (?=\S)"
)
_CONDITIONAL = compile_later(
    r"^(?:if|when|unless|while|although|though|whenever|once|until|before|after|because|since|for|in|with|without|on|at|by|as|to|suppose|assuming|should|could|would|만약)\b"
    r"|\b(?:if|unless|could|would|should)\b|(?:다면|으면|라면|경우) ",
    re.I,
)
_MOST_CLAUSES, _MOST_CLAUSE_WORDS = 3, 28
_LONGEST = 2_000  # characters of a sentence that may claim something
_CORRECTION = compile_later(
    r"^(?:(?:no|nope|wait|sorry|actually)[,.!]? )?(?:(?:that|this|it)(?: is|'s| was) "
    r"(?:wrong|incorrect|not (?:right|correct|true)|outdated)"
    r"|correction|i (?:meant|mean)|make (?:it|that)"
    r"(?! (?:work|happen|clear\w*|go|possible|so|eas\w+|better|faster"
    r"|simpler|look|feel|more|less|pass|fail|run|stop)\b)|아니,? (?:그건|그게) (?:틀렸어요?|틀렸습니다|아니야|아닙니다)|정정)"
    r"[:;,.—– -]+(?:it(?: is|'s) |it should be |the (?:right|correct) value is )?(?P<value>[^,;]{1,60}?)[.!]?$",
    re.I,
)
# "Sorry, I was wrong: it's seven brokers", "Oops, it is /v2/hooks".
_MISTAKEN = r"(?:i (?:was wrong|misread|mistyped|misspoke|made a mistake|mixed (?:it|that|them) up)(?: (?:it|that|this|there))?)"
_CORRECTION_OF_IT = re.compile(
    rf"^(?:(?:no|nope|wait|sorry|oops|whoops|actually|correction|my (?:mistake|bad)|{_MISTAKEN})(?!\w)[,.:;!]*(?: [-–—])? )+"
    r"it(?: is|'s| should be| must be| ought to be) (?P<value>[^,;]{1,60}?)[.!]?$",
    re.I,
)
# "Make it 30 instead of 60", "60 말고 30으로 하자": which value of an earlier statement becomes which.
_REPLACING = compile_later(
    r"^(?:(?:no|nope|wait|sorry|oops|whoops|actually|correction|on second thought)\b[,.!:]* )*"
    r"(?:(?:let's |please |we should |i want to )?(?:make|change|set|bring|turn) (?:it|that|this)(?: to| into)? "
    r"|it(?: is|'s| should be) |(?=\d))"
    r"(?P<value>[\w.:/%+-]+(?: [\w.%+-]+)?)(?: instead of| rather than|,? (?:and )?not) "
    r"(?P<former>[\w.:/%+-]+(?: [\w.%+-]+)?)[.!]?$",
    re.I,
)
_REPLACING_KOREAN = compile_later(
    r"^(?:(?:아니요?|아냐|사실|잠깐)[,.!]? )?(?P<former>\S*\d\S*?)(?:[을를은는])? ?(?:말고|대신(?:에)?) "
    r"(?P<value>\S*\d\S*?)(?:으로|로) ?"
    r"(?:하자|합시다|하죠|해요|한다|합니다|해 ?줘|해 ?주세요|바꾸자|바꿔 ?줘|바꿔 ?주세요|변경(?:하자|한다|합니다|해 ?줘))[.!]?$"
)
# "Scrap that rule, one approval is enough", "그 규칙은 취소": an earlier statement no longer holds.
_WITHDRAWAL = compile_later(
    r"^(?:(?:no|wait|sorry|actually|ok|okay|on second thought)\b[,.!:]* )*(?:let's |please |we )?"
    r"(?:scrap|drop|forget|cancel|revoke|withdraw|scrapped|dropped|cancell?ed|revoked)(?: about)? "
    r"(?:(?:that|this|the (?:last|previous|earlier|above)) (?:rule|decision|policy|convention|one)|(?<=scrap )(?:that|this|it))"
    r"(?:[,;.:]| [-–—]) ?(?P<rest>\S.{8,})?$"
    r"|^(?:(?:아니요?|잠깐)[,.!]? )?(?:그|이|방금|아까|앞의|이전) ?(?:말한 )?(?:규칙|결정|방침|기준|건)(?:은|는|을|를)? ?"
    r"(?:취소|철회|폐지|없던 일로|없애)[가-힣 ]{0,12}[.!]?$",
    re.I,
)
# What was not done changes nothing.
_NOT_CHANGED = compile_later(
    r"\b(?:did not|didn't|has not|hasn't|have not|haven't|never) (?:yet )?"
    r"(?:move|switch|change|drop|migrate|raise|lower|replace|hand|take over|turn)\w*\b"
    r"|지 (?:않았|못했|않기로)|(?:으면|라면|다면) (?:어떨까|좋겠|좋을)",
    re.I,
)
_STATES = {"on": "enabled", "activated": "enabled", "off": "disabled", "deactivated": "disabled", "켰": "켜져", "켜졌": "켜져",
           "껐": "꺼져", "꺼졌": "꺼져", "활성화했": "활성화되어", "활성화됐": "활성화되어", "활성화되었": "활성화되어",
           "비활성화했": "비활성화되어", "비활성화됐": "비활성화되어", "비활성화되었": "비활성화되어"}  # fmt: skip
_CLAUSE = compile_later(r" (?:is|are|was|were|has|have|had|uses?|will|should|must|can)\b|(?:은|는|이|가) ", re.I)
_SAME = {"maintainer": "owner", "담당자": "owner", "담당": "owner", "책임자": "owner"}  # names of one attribute
CORRECTION = "correction"  # the predicate of a claim about what was claimed last
SAYS = "says"  # the predicate of a plain assertion, which excludes nothing by itself
_VAGUE = frozenset(
    """bug issue problem error failure fix code change reason cause answer question idea goal point thing task plan test
    result output difference rest solution approach reviewer next step best way key trick catch caveat exception one other
    file function line message value name list word part story book movie song favorite favourite weather day week""".split()
)
_UNSURE = compile_later(
    r"^(?:(?:not|only|also|still|being|either|both|all|any|the same|too|very|one of|there|here|[a-z]+(?:ed|ing))\b"
    r"|(?:gone|fine|ok|okay|wrong|right|broken|missing|important|high|low|higher|lower|good|bad|big|small|back|better|worse"
    r"|unclear|unknown)(?=[ ,.]|$))",
    re.I,
)
_NO_VALUE = compile_later(
    r"(?:in|at|on|for|to|by|from|with|about|because|that|what|how|why|when|where|if|as|like) ", re.I
)


class Claim(NamedTuple):
    """`subject` has `value` as its `predicate`, or has not. `former` is the value that it says it had before, `changed`
    whether its words tell of a change, `reported` whether they cite a source of unknown date."""

    subject: str
    predicate: str
    value: str
    holds: bool = True
    former: str = ""
    changed: bool = False
    reported: bool = False


class _Form(NamedTuple):
    predicate: str
    pattern: re.Pattern[str]
    flags: frozenset[str]


@cache
def _load_forms() -> tuple[_Form, ...]:
    """Return the forms of sentences, from their file: `predicate [flags] | pattern`."""
    words: dict[str, str] = {}
    forms = []
    for line in resources.text(_FORMS).splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        head, _, pattern = line.partition(" | ")
        for name, alternatives in words.items():
            pattern = pattern.replace(f"{{{name}}}", alternatives)
        if head.startswith("let "):
            words[head[4:].strip()] = pattern
            continue
        predicate, *flags = head.split()
        forms.append(_Form(predicate.replace("_", " "), re.compile(pattern, re.I), frozenset(flags)))
    return tuple(forms)


@lru_cache(maxsize=4096)
def claim_of(content: str) -> Claim | None:
    """Return the claim of a fact that stands alone; None for the many that make none."""
    if len(content) > _LONGEST:
        return None
    text = _RESOLVED.sub("", " ".join(content.replace("`", "").replace("**", "").split())).rstrip(" .!")
    text = _LOOSE_COPULA.sub("", text)
    replacing = _REPLACING.match(text) or _REPLACING_KOREAN.match(text)
    if (
        replacing
        and (value := _normalise_value(replacing["value"]))
        and (former := _normalise_value(replacing["former"]))
    ):
        return Claim("", CORRECTION, value, former=former, changed=True)
    correction = _CORRECTION.match(text) or _CORRECTION_OF_IT.match(text)
    if (
        correction
        and not _CLAUSE.search(correction["value"])
        and not _claim_of_whole(correction["value"])
        and (value := _normalise_value(correction["value"]))
    ):
        return Claim("", CORRECTION, value, changed=True)
    if withdrawal := _WITHDRAWAL.match(f"{text}."):
        return Claim("", CORRECTION, (withdrawal["rest"] or "").rstrip(" ."), holds=False, changed=True)
    prefix = _CORRECTING.match(text) or (_ACTUALLY.match(text) and _CORRECTING.match("actually "))
    if _ACTUALLY.match(text):
        text = _ACTUALLY.sub(r"\g<before> ", text)
    elif prefix:
        text = text[prefix.end() :]
    text = _LEADING_PLACE.sub(r"\g<what> in \g<where> \g<verb> ", _LEADING_TIME.sub("", text))
    source = _ATTRIBUTION.match(text)
    if source:
        text = text[source.end() :]
    if _KOREAN_QUOTED.search(text):
        source = source or _KOREAN_PLACE.match(text)
        text = _KOREAN_PLACE.sub("", text)
        text = _KOREAN_QUOTED.sub("이다" if "라고" in text else "다", text)
        text = _KOREAN_SUBJECT.sub(r"\g<subject>은 ", text)
    if _NOT_CHANGED.search(text):
        return None
    claim = (
        _claim_of_whole(text)
        or _claim_of_clause(text)
        or (source and _claim_of_source(text))
        or _claim_of_assertion(text)
    )
    if claim is None:
        return None
    return claim._replace(changed=not source and (claim.changed or bool(prefix)), reported=bool(source))


def _claim_of_whole(text: str) -> Claim | None:
    """Return the claim of the first form that a sentence matches, without or with a time at its end ("… since May")."""
    plain = _TRAILING_TIME.sub("", text)
    claim = next(_matching_claims(plain), None) or (next(_matching_claims(text), None) if plain != text else None)
    return claim and claim._replace(changed=claim.changed or bool(_CHANGE_WORDS.search(text)))


def tells_of_change(text: str) -> bool:
    """Return whether the words say that something is so from now on: "now", "as of today", "이제"."""
    return bool(_CHANGE_WORDS.search(text))


def is_correcting(text: str) -> bool:
    """Return whether a text only says that what follows corrects something: "I changed my mind.", "정정합니다."."""
    prefix = _CORRECTING.match(text.strip())
    return prefix is not None and not text.strip()[prefix.end() :].strip(" .!,:;")


def claim_clause(content: str) -> str:
    """Return the clause of a sentence that makes a claim, without its introduction; "" if no clause makes one."""
    text = " ".join(content.split()).rstrip(" .!")
    plain = _TRAILING_TIME.sub("", text)
    if plain != text and _claim_of_whole(plain):
        return f"{plain} now."
    prefix = _CORRECTING.match(text)
    rest = text[prefix.end() :] if prefix else text
    corrects = bool(prefix)
    if not prefix or _claim_of_whole(rest) is None:
        for part in _split_clauses(rest):
            inner = _CORRECTING.match(part)
            corrects = corrects or bool(inner)
            clause = part[inner.end() :] if inner else part
            if _claim_of_whole(clause) or _claim_of_assertion(clause):
                rest = clause
                break
        else:
            return ""
    mark = "" if not corrects else "정정: " if re.search(r"[가-힣]", rest) else "Correction: "
    return f"{mark}{rest}." if mark else f"{rest[:1].upper()}{rest[1:]}."


def _split_clauses(text: str) -> list[str]:
    """Return the clauses of a sentence; none if it has one clause, is long, or is conditional."""
    parts = [part.strip() for part in _CLAUSES.split(text) if part and part.strip()]
    few = 2 <= len(parts) <= _MOST_CLAUSES and len(text.split()) <= _MOST_CLAUSE_WORDS
    return parts if few and not _CONDITIONAL.search(text) else []


def _claim_of_clause(text: str) -> Claim | None:
    """Return the claim of one clause, for a sentence that as a whole matches no form."""
    for part in _split_clauses(text):
        prefix = _CORRECTING.match(part)
        clause = part[prefix.end() :] if prefix else part
        if claim := _claim_of_whole(clause) or _claim_of_assertion(clause):
            return claim._replace(changed=claim.changed or bool(_CHANGE_WORDS.search(text)))
    return None


def _claim_of_assertion(text: str) -> Claim | None:
    """Return a plain assertion as a claim. It is exclusive only if a later sentence says that it changed."""
    asserted = read_assertion(_REASON.sub("", text))
    subject = _subject_key(asserted.subject) if asserted else None
    if asserted is None or subject is None:
        return None
    return Claim(subject, SAYS, asserted.words, asserted.holds, "", bool(_CHANGE_WORDS.search(text)))


def _claim_of_source(text: str) -> Claim | None:
    """Return the claim of what a source says of "the" thing, which need not be named where nothing is superseded by it."""
    match = _REPORTED.match(text)
    value = match and (match["value"] or match["value2"])
    if not match or not value or not _is_exact(value):
        return None
    name, told = canonical_key(match["name"] or match["name2"]), _normalise_value(value)
    return Claim("", name, told) if name and told else None


def _matching_claims(text: str) -> Iterator[Claim]:
    for form in _load_forms():
        match = form.pattern.match(text)
        claim = match and _build_claim(
            form, {name: part.strip() for name, part in match.groupdict().items() if part}, text
        )
        if claim:
            yield claim


def _build_claim(form: _Form, parts: dict[str, str], text: str) -> Claim | None:
    if "whole" in parts:
        subject, attribute = split_attribute(parts["whole"])
        if (
            subject is None
            and "changed" in form.flags
            and re.fullmatch(r"(?:the |our )?[\w-]{2,}", parts["whole"], re.I)
        ):
            subject, attribute = "", parts["whole"]  # the thing itself: "migrated the monorepo to …"
        parts = parts | {"name": attribute}
    else:
        subject = _subject_key(parts.get("subject", ""))
    if "typed" in form.flags and not _is_exact(parts.get("value", "")):
        return None
    if subject is None or not (subject or form.flags & {"bare", "own"}):
        return None
    changed = "changed" in form.flags or bool(_CHANGE_WORDS.search(text))
    holds = not ("negative" in form.flags or "no" in parts)
    if "flip" in form.flags:  # the thing said is part of what it is about, and it holds or not
        what = _normalise_value(parts.get("what", ""))
        if "what" in parts and not what:
            return None
        return Claim(subject, f"{form.predicate} {what}".strip(), "", holds, "", changed)
    predicate = form.predicate
    if predicate == "state":
        if re.match(r"(?:all|both|every|each|some|most|no|two|three|\d)", subject):
            return None  # how far the work is, not how a thing stands
        value = _normalise_value(parts["value"], state=True)
        return Claim(subject, predicate, _STATES.get(value, value), holds, "", changed)
    if predicate.endswith("*"):
        name = canonical_key(_ARTICLE.sub("", parts.get("name", "")))
        if not name or (name in _VAGUE and not subject):
            return None
        predicate = predicate[:-1] + _SAME.get(name, name)
    if "ends" in form.flags:  # whatever the value was
        return Claim(subject, predicate, "", False, "", True)
    (value, where), (former, before) = (
        _split_circumstance(parts.get(name, ""), predicate) for name in ("value", "former")
    )
    if not value or not predicate or value == former or _NO_VALUE.match(value):
        return None
    if not subject and (versioned := _VERSION.fullmatch(predicate)):
        subject, predicate = versioned["of"], "version"
    predicate = f"{predicate} {where or before}".strip()
    if form.predicate == "choice":  # between these two, whatever else is chosen
        predicate = f"{predicate}: {' | '.join(sorted((value, former)))}"
    return Claim(subject, predicate, value, holds, former, changed)


@cache
def _attribute_pattern() -> re.Pattern[str]:
    """Return the names of attributes that may end a noun phrase: "the upload limit" is the limit of uploads."""
    names = next(line for line in resources.text(_FORMS).splitlines() if line.startswith("let attribute | "))
    korean = next(line for line in resources.text(_FORMS).splitlines() if line.startswith("let korean | "))
    return re.compile(rf"(?P<subject>.+?) (?P<name>{names.partition(' | ')[2]}|{korean.partition(' | ')[2]})", re.I)


def split_attribute(phrase: str) -> tuple[str | None, str]:
    """Split a noun phrase into the key of its subject ("" for the project) and its attribute: "the port of the gateway",
    "the gateway's port", "the gateway port", "the CEO". The subject is None if the phrase is too vague to compare."""
    text = _ARTICLE.sub("", phrase.strip())
    of = re.fullmatch(r"(?P<name>[\w-]+(?: [\w-]+){0,2}) (?:of|for) (?P<subject>.+)", text, re.I)
    of = of or re.fullmatch(r"(?P<subject>.+?)'s (?P<name>[\w-]+(?: [\w-]+){0,2})", text, re.I)
    of = of or re.fullmatch(r"(?P<subject>\S.*?)의 (?P<name>\S+(?: \S+)?)", text)
    compound = None if of else _attribute_pattern().fullmatch(text)
    if compound and (subject := _subject_key(compound["subject"])):
        return subject, compound["name"]
    if (
        of
        and of["name"].lower().rpartition(" ")[2] not in _VAGUE
        and (subject := _subject_key(of["subject"])) is not None
    ):
        return subject, of["name"]
    words = canonical_key(text).split()
    if of or not 1 <= len(words) <= 4 or words[-1] in _VAGUE or re.search(r"[,;:()]", text):
        return None, ""
    if len(words) == 1 and not _ROLE.fullmatch(text):
        return None, ""
    return "", text


_ROLE = compile_later(
    r"C[ETFOI]O|CISO|lead|manager|director|president|release|launch|deadline|standup|retro|demo|freeze|출시일|마감일|마감|배포일|담당자|팀장|대표",
    re.I,
)
_VERSION = compile_later(r"(?P<of>(?!default|minimum|required|supported|current)\w+) version")
_EXACT = compile_later(
    r"[\d`~/]|https?:|\b[A-Z]\w+|\b\w+[.-]\w+|^(?:on|off|true|false|yes|no|none|daily|weekly|hourly|monthly)$"
    r"|^(?:two|three|four|five|six|seven|eight|nine|ten|one)\b|^[\w-]+$|[가-힣]"
)


def _is_exact(value: str) -> bool:
    """Return whether a value is a name, a number, a path or one word. Descriptions are not exclusive: several may hold."""
    text = _ARTICLE.sub("", _TRAILING_CLAUSE.sub("", _VALUE_DATE.sub("", value)).strip(" .\"'"))
    return bool(_EXACT.search(text)) and len(text.split()) <= 4


def _subject_key(words: str) -> str | None:
    """Return the key of a subject, "" for the project itself; None if the words are too vague or too long."""
    text = re.sub(r"'s?$", "", words).strip()
    text = re.sub(r"^(?:the )?(?:team|project|repo)'s (?=\w)|(?<=\w) env(?:ironment)?$", "", text, flags=re.I)
    if _PROJECT_ITSELF.match(text) or not text:
        return ""
    text = _ARTICLE.sub("", re.sub(r"(?<=\w) (?:now|currently)$|(?<=[가-힣]) 이제$", "", text))
    if re.fullmatch(r"the|an?|this|that|our|its|default|main|current|new|old|기본|최대|최소", text, re.I):
        return None
    if (
        len(text) > _LONGEST_SUBJECT
        or len(text.split()) > 6
        or re.search(r"[,;:()]|\b(?:if|when|that|which|and|or)\b", text)
    ):
        return None
    key = canonical_key(re.sub(r"'s\b", "", text))
    return None if key in _VAGUE else key or None


def _split_circumstance(words: str, predicate: str) -> tuple[str, str]:
    """Split a value from its circumstance ("30 in production"): values in different circumstances do not contradict."""
    value = _VALUE_DATE.sub("", words)
    match = None if predicate in ("location", "deployment") else _CIRCUMSTANCE.match(value)
    return (
        (_normalise_value(match["value"]), _normalise_value(match["where"])) if match else (_normalise_value(value), "")
    )


def _normalise_value(words: str, *, state: bool = False) -> str:
    text = _ARTICLE.sub("", (words if state else _TRAILING_CLAUSE.sub("", words)).strip(" .\"'"))
    if len(text) > _LONGEST_VALUE or len(text.split()) > 7 or (not state and _UNSURE.match(text)):
        return ""
    return " ".join(text.lower().split())
