"""What a fact claims, where it claims something that can have one value only at a time: the port of a server, where a
person lives, whether a thing supports another. Only such claims can replace or contradict each other; most facts make
none, and a sentence that fits no form is left alone."""

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
_UNSURE = re.compile(
    r"^(?:not|only|also|still|being|either|both|all|any|the same|too|very|one of|there|here|[a-z]+(?:ed|ing))\b", re.I
)


class Claim(NamedTuple):
    """`subject` has `value` as its `predicate`, or has not. `former` is the value that it says it had before, `changed`
    whether its words tell of a change."""

    subject: str
    predicate: str
    value: str
    holds: bool = True
    former: str = ""
    changed: bool = False


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
        forms.append(_Form(predicate, re.compile(pattern, re.I), frozenset(flags)))
    return tuple(forms)


def claim_of(content: str) -> Claim | None:
    """The claim of a fact that stands alone; None for the many that make none."""
    text = " ".join(content.replace("`", "").replace("**", "").split()).rstrip(" .!")
    text = _LEADING.sub("", text)
    return next(_claims(text), None)


def _claims(text: str) -> Iterator[Claim]:
    for form in _forms():
        match = form.pattern.match(text)
        claim = match and _claim(form, {name: part.strip() for name, part in match.groupdict().items() if part}, text)
        if claim:
            yield claim


def _claim(form: _Form, parts: dict[str, str], text: str) -> Claim | None:
    subject = _subject(parts.get("subject", ""))
    if subject is None or not (subject or form.flags & {"bare", "own"}):
        return None
    changed = "changed" in form.flags or bool(_NOW.search(text))
    holds = not ("negative" in form.flags or "no" in parts)
    if "flip" in form.flags:  # the thing said is part of what it is about, and it holds or not
        what = _value(parts.get("what", ""))
        if "what" in parts and not what:
            return None
        return Claim(subject, f"{form.predicate} {what}".strip(), "", holds, "", changed)
    predicate = canonical_key(_ARTICLE.sub("", parts.get("name", ""))) if form.predicate == "*" else form.predicate
    (value, where), (former, before) = (_placed(parts.get(name, ""), predicate) for name in ("value", "former"))
    if not value or not predicate or value == former:
        return None
    predicate = f"{predicate} {where or before}".strip()
    if form.predicate == "choice":  # between these two, whatever else is chosen
        predicate = f"{predicate}: {' | '.join(sorted((value, former)))}"
    return Claim(subject, predicate, value, holds, former, changed)


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
    return canonical_key(re.sub(r"'s\b", "", text)) or None


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
