"""What a fact claims, where it claims something that can have one value only at a time: the port of a server, who holds a
role, where a person lives, whether a thing supports another. Only such claims can replace or contradict each other; most
facts make none, and a sentence that fits no form is left alone. What a correction without a subject ("No, 45 seconds")
is about is found by `amendments`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from graphmem import resources
from graphmem.text.keys import canonical_key

_FORMS = "queries/claims/forms.txt"
_LONGEST_SUBJECT, _LONGEST_VALUE = 60, 60  # characters
_ARTICLE = re.compile(r"^(?:the|a|an|our|this|their|its|new|current|old)\s+", re.I)
_OURS = re.compile(
    r"^(?:(?:the )?(?:team|project|repo|repository|codebase|we|us)(?:'s)?|우리(?: 팀)?|프로젝트|팀)$", re.I
)
_TAIL = re.compile(
    r"\s*(?:[,;(]|\s[-–—]\s|\b(?:because|since|so that|which|while|whereas|instead of|rather than|for now|but|now|again"
    r"|as of|from now|starting|by default|in production too)\b|(?<=\w)\.(?:\s|$)).*$",
    re.I | re.S,
)
_NOW = re.compile(r"\b(?:now|no longer|any ?more|as of|since|from now on|henceforth|today)\b|이제|더 이상|부터", re.I)
_LEADING = re.compile(
    r"^(?:(?:yesterday|today|last \w+|this \w+|on \w+day|\w+ (?:days?|weeks?|months?) ago"
    r"|어제|오늘|그저께|지난 ?주|지난 ?달|이번 ?주|\d+[일주] 전)"
    r"에?(?: \([^)]*\))?,? )+",
    re.I,
)
_WHERE = re.compile(r"(?P<value>.+?) (?P<where>(?:in|for|on|under|when|during|per|unless|if|with|within) .+)$", re.I)
_WHEN = re.compile(
    r"\s+(?:\(\d{4}[^)]*\)|(?:in|on|since|last|this) (?:early |late |mid-?)?"
    r"(?:(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\w*\b"
    r"|\d{4}\b|year\b|month\b|week\b|(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|spring\b|summer\b|autumn\b|winter\b)|yesterday\b|today\b).*$",
    re.I,
)
# Words before a claim that only say that it corrects something.
_CORRECTING = re.compile(
    r"^(?:(?:correction|update|actually|no|sorry|in fact|from now on|as of (?:now|today)"
    r"|정정|사실은?|아니요?|앞으로는?)\b[,:.!]? )+",
    re.I,
)
# Another source than the speaker, of which nobody knows when it was written.
_REPORTED = re.compile(
    r"^(?:according to (?:the |our )?[\w' -]{2,30}?,? (?=(?:the|our|a|an|[A-Z])\b)"
    r"|(?:the |our )?(?:[\w-]+ )?(?:wiki|docs?|documentation|readme|handbook|manual|runbook|comment"
    r"|page|spec(?:ification)?|ticket)"
    r" (?:says?|states?|claims?)(?: that|:)? "
    r"|(?:위키|문서|설명서|README|매뉴얼)(?:에 따르면|에는|에서는)[, ]+)",
    re.I,
)
_CORRECTION = re.compile(
    r"^(?:(?:no|nope|wait|sorry|actually)[,.!]? )?(?:(?:that|this|it)(?: is|'s| was) "
    r"(?:wrong|incorrect|not (?:right|correct|true)|outdated)"
    r"|correction|i (?:meant|mean)|make (?:it|that)|아니,? (?:그건|그게) (?:틀렸어요?|틀렸습니다|아니야|아닙니다)|정정)"
    r"[:;,.—– -]+(?:it(?: is|'s) |it should be |the (?:right|correct) value is )?(?P<value>[^,;]{1,60}?)[.!]?$",
    re.I,
)
_CLAUSE = re.compile(r" (?:is|are|was|were|has|have|had|uses?|will|should|must|can)\b|(?:은|는|이|가) ", re.I)
CORRECTION = "correction"  # the predicate of a claim about what was claimed last
_VAGUE = frozenset(
    """bug issue problem error failure fix code change reason cause answer question idea goal point thing task plan test
    result output difference rest solution approach reviewer next step best way key trick catch caveat exception one other
    file function line message value name list word part story book movie song favorite favourite weather day week""".split()
)
_UNSURE = re.compile(
    r"^(?:(?:not|only|also|still|being|either|both|all|any|the same|too|very|one of|there|here|[a-z]+(?:ed|ing))\b"
    r"|(?:gone|fine|ok|okay|wrong|right|broken|missing|important|high|low|higher|lower|good|bad|big|small|back|better|worse"
    r"|unclear|unknown)(?=[ ,.]|$))",
    re.I,
)
_NO_VALUE = re.compile(r"(?:in|at|on|for|to|by|from|with|about|because|that|what|how|why|when|where|if|as|like) ", re.I)


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
def _forms() -> tuple[_Form, ...]:
    """The forms of sentences, from their file: `predicate [flags] | pattern`."""
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


def claim_of(content: str) -> Claim | None:
    """The claim of a fact that stands alone; None for the many that make none."""
    text = " ".join(content.replace("`", "").replace("**", "").split()).rstrip(" .!")
    correction = _CORRECTION.match(text)
    if correction and not _CLAUSE.search(correction["value"]) and (value := _value(correction["value"])):
        return Claim("", CORRECTION, value, changed=True)
    lead = _CORRECTING.match(text)
    text = _LEADING.sub("", text[lead.end() :] if lead else text)
    source = _REPORTED.match(text)
    claim = next(_claims(text[source.end() :] if source else text), None)
    if claim is None:
        return None
    return claim._replace(changed=not source and (claim.changed or bool(lead)), reported=bool(source))


def _claims(text: str) -> Iterator[Claim]:
    for form in _forms():
        match = form.pattern.match(text)
        claim = match and _claim(form, {name: part.strip() for name, part in match.groupdict().items() if part}, text)
        if claim:
            yield claim


def _claim(form: _Form, parts: dict[str, str], text: str) -> Claim | None:
    if "whole" in parts:
        subject, attribute = split_attribute(parts["whole"])
        parts = parts | {"name": attribute}
    else:
        subject = _subject(parts.get("subject", ""))
    if "typed" in form.flags and not _is_exact(parts.get("value", "")):
        return None
    if subject is None or not (subject or form.flags & {"bare", "own"}):
        return None
    changed = "changed" in form.flags or bool(_NOW.search(text))
    holds = not ("negative" in form.flags or "no" in parts)
    if "flip" in form.flags:  # the thing said is part of what it is about, and it holds or not
        what = _value(parts.get("what", ""))
        if "what" in parts and not what:
            return None
        return Claim(subject, f"{form.predicate} {what}".strip(), "", holds, "", changed)
    predicate = form.predicate
    if predicate.endswith("*"):
        name = canonical_key(_ARTICLE.sub("", parts.get("name", "")))
        if not name or (name in _VAGUE and not subject):
            return None
        predicate = predicate[:-1] + name
    if "ends" in form.flags:  # whatever the value was
        return Claim(subject, predicate, "", False, "", True)
    (value, where), (former, before) = (_placed(parts.get(name, ""), predicate) for name in ("value", "former"))
    if not value or not predicate or value == former or _NO_VALUE.match(value):
        return None
    predicate = f"{predicate} {where or before}".strip()
    if form.predicate == "choice":  # between these two, whatever else is chosen
        predicate = f"{predicate}: {' | '.join(sorted((value, former)))}"
    return Claim(subject, predicate, value, holds, former, changed)


@cache
def _attribute() -> re.Pattern[str]:
    """The names of attributes that may end a noun phrase: "the upload limit" is the limit of uploads."""
    names = next(line for line in resources.text(_FORMS).splitlines() if line.startswith("let attribute | "))
    korean = next(line for line in resources.text(_FORMS).splitlines() if line.startswith("let korean | "))
    return re.compile(rf"(?P<subject>.+?) (?P<name>{names.partition(' | ')[2]}|{korean.partition(' | ')[2]})", re.I)


def split_attribute(phrase: str) -> tuple[str | None, str]:
    """Split a noun phrase into the key of its subject ("" for the project) and its attribute: "the port of the gateway",
    "the gateway's port", "the gateway port", "the CEO". The subject is None where the phrase is too vague to compare."""
    text = _ARTICLE.sub("", phrase.strip())
    of = re.fullmatch(r"(?P<name>[\w-]+(?: [\w-]+){0,2}) (?:of|for) (?P<subject>.+)", text, re.I)
    of = of or re.fullmatch(r"(?P<subject>.+?)'s (?P<name>[\w-]+(?: [\w-]+){0,2})", text, re.I)
    of = of or re.fullmatch(r"(?P<subject>\S.*?)의 (?P<name>\S+(?: \S+)?)", text)
    compound = None if of else _attribute().fullmatch(text)
    if compound and (subject := _subject(compound["subject"])):
        return subject, compound["name"]
    if of and of["name"].lower().rpartition(" ")[2] not in _VAGUE and (subject := _subject(of["subject"])):
        return subject, of["name"]
    words = canonical_key(text).split()
    if of or not 1 <= len(words) <= 4 or set(words) & _VAGUE or re.search(r"[,;:()]", text):
        return None, ""
    if len(words) == 1 and not _ROLE.fullmatch(text):
        return None, ""
    return "", text


_ROLE = re.compile(
    r"C[ETFOI]O|CISO|lead|manager|director|president|release|launch|deadline|standup|retro|demo|freeze|출시일|마감일|마감|배포일|담당자|팀장|대표",
    re.I,
)
_EXACT = re.compile(
    r"[\d`~/]|https?:|\b[A-Z]\w+|\b\w+[.-]\w+|^(?:on|off|true|false|yes|no|none|daily|weekly|hourly|monthly)$"
    r"|^(?:two|three|four|five|six|seven|eight|nine|ten|one)\b|^[\w-]+$|[가-힣]"
)


def _is_exact(value: str) -> bool:
    """Whether a value is a name, a number, a path, one word: not a description, of which several may hold."""
    text = _ARTICLE.sub("", _TAIL.sub("", _WHEN.sub("", value)).strip(" .\"'"))
    return bool(_EXACT.search(text)) and len(text.split()) <= 4


def _subject(words: str) -> str | None:
    """A key for what is spoken of, "" for the project itself; None where it is not clear what that is."""
    text = re.sub(r"'s?$", "", words).strip()
    if _OURS.match(text) or not text:
        return ""
    text = _ARTICLE.sub("", text)
    if re.fullmatch(r"the|an?|this|that|our|its|default|main|current|new|old", text, re.I):
        return None
    if (
        len(text) > _LONGEST_SUBJECT
        or len(text.split()) > 6
        or re.search(r"[,;:()]|\b(?:if|when|that|which|and|or)\b", text)
    ):
        return None
    key = canonical_key(re.sub(r"'s\b", "", text))
    return None if key in _VAGUE else key or None


def _placed(words: str, predicate: str) -> tuple[str, str]:
    """A value, and under which circumstances it is that: another value in production does not contradict it."""
    value = _WHEN.sub("", words)
    match = None if predicate in ("location", "deployment") else _WHERE.match(value)
    return (_value(match["value"]), _value(match["where"])) if match else (_value(value), "")


def _value(words: str) -> str:
    text = _ARTICLE.sub("", _TAIL.sub("", words).strip(" .\"'"))
    if len(text) > _LONGEST_VALUE or len(text.split()) > 7 or _UNSURE.match(text):
        return ""
    return " ".join(text.lower().split())
