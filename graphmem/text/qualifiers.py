"""Reads which one of several like things a statement is about: "In region 1 the limit …", "the port of node 2", "the 2nd replica",
"Server A: …", "1번 서버: …". What is said of one of them changes nothing about its siblings."""

from __future__ import annotations

import re
from functools import lru_cache

from graphmem.patterns import compile_later

_ROMAN = r"(?:I{1,3}|IV|VI{0,3}|IX|XI{0,3})\b"
Named = dict[str, frozenset[str]]  # kind of thing -> which of them

_MONTHS = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\b"
_NUMBERED = (
    rf"(?!(?i:{_MONTHS}|port\b|version\b|rule\b|the\b))(?P<noun>[A-Za-z][a-z]{{1,20}}) "
    rf"(?P<id>{_ROMAN}|[A-Z]|[A-Za-z]?-?\d{{1,6}})"
)
_PLACED = compile_later(
    rf"(?:[Ii]n|[Oo]n|[Ff]or|[Aa]t) (?:the |our )?{_NUMBERED},? (?=(?:the|our|a|an|we|it|there|[a-z]+)\b)"
)
_LABELLED = compile_later(rf"(?:[A-Z][a-z]{{1,20}} )?{_NUMBERED}: ")
_NAMED = compile_later(
    r"(?!(?:Correction|Update|Decision|Decided|Conclusion|Rule|Note|Fact|Reminder|Preference|Convention|Policy|Actually|Sorry|Oops"
    r"|Wait|No|Ok|Okay|Fyi|Info|Change|Changed|New|Now|Important|Warning|Status|Amendment|Amended|Result|Summary|Todo|Fix"
    r"|Heads)\b)(?P<id>[A-Z][a-z]{2,20}): (?=(?:the|our) )"
)
_COUNTED = r"호기|호점|호선|호차|호관|분기|학년|학기|층|동|반|조|팀|구역|라인|공장"
_KOREAN = compile_later(
    rf"(?:(?P<id>\d{{1,6}}|[A-Z])번? (?P<noun>[가-힣]{{2,8}}?)|(?P<noun2>[가-힣]{{2,8}}) (?P<id2>\d{{1,6}}|[A-Z])"
    rf"|(?P<id3>\d{{1,4}}|[A-Z])(?P<noun3>{_COUNTED}))(?:: | ?(?:에서는|에서|에는|의)[, ]| ?[은는] )"
)
# What a number follows for another reason: "at least 3", "of about 12", "on port 80", "for Python 3", "the last 5".
_NO_THING = (
    r"(?:about|least|most|under|over|up|than|last|next|first|top|past|around|roughly|nearly|exactly|only|just|max|min|maximum|minimum"
    r"|timeout|limit|port|version|release|size|count|ttl|age|rule|step|line|page|python|node\.js|java|postgres\w*|the|a|an|our|all"
    rf"|these|those|other|same|time|half|place|thing|attempt|try|party|{_MONTHS})"
)
_ORDINALS = dict(
    zip("first second third fourth fifth sixth seventh eighth ninth tenth".split(), map(str, range(1, 11)), strict=True)
)
_WHERE = r"(?:^|(?<=[,:;(] )|\b(?:in|on|at|for|of|with|by|via|inside|within|per|behind|and)\s)"
_ENGLISH_PLACE = compile_later(
    rf"{_WHERE}(?:the |our )?(?!{_NO_THING}\b)(?P<noun>[a-z]{{3,20}})"
    rf"(?: (?:#|no\. ?|number )?(?P<id>\d{{1,6}}|(?-i:{_ROMAN}|[A-Z]))|-(?P<hyphened>\d{{1,6}}))(?![\w%]|[.,:]\d)(?P<end>'s|:|,)?",
    re.IGNORECASE,
)
_ENGLISH_ORDINAL = compile_later(
    rf"{_WHERE}(?:the|our) (?P<id>\d{{1,3}}(?=st|nd|rd|th)|{'|'.join(_ORDINALS)})(?:st|nd|rd|th)? (?!{_NO_THING}\b|day|week)"
    r"(?P<noun>[a-z]{3,20})\b(?P<end>'s|:|,)?",
    re.IGNORECASE,
)
_BEHIND = r"(?P<end>: | ?(?:에서는|에서|에는|에게|에|의|은|는|이|가)(?= |,|$))"
_NO_KOREAN_THING = r"포트|버전|한도|규칙|단계|줄|쪽|번째"
_KOREAN_COUNTS = dict(zip("첫 두 세 네 다섯 여섯 일곱 여덟 아홉 열".split(), map(str, range(1, 11)), strict=True))
_KOREAN_PLACE = compile_later(
    rf"(?:(?<=\s)|^)(?:(?:(?P<id>\d{{1,6}})번(?:째)? ?|(?P<count>{'|'.join(_KOREAN_COUNTS)}) ?번째 |(?P<letter>[A-Z]) ?)"
    rf"(?!{_NO_KOREAN_THING})(?P<noun>[가-힣]{{1,8}}?)|(?!{_NO_KOREAN_THING})(?P<noun2>[가-힣]{{1,8}}) ?(?P<id2>\d{{1,6}}|[A-Z])번?"
    rf"|(?P<id3>\d{{1,4}})(?P<noun3>{_COUNTED}))(?:{_BEHIND})"
)
_KOREAN_NAMED = compile_later(
    r"(?:(?<=\s)|^)(?:(?P<id>스테이징|프로덕션|운영|개발|테스트|로컬)(?: ?(?P<noun>환경))?"
    r"|(?!(?:이|그|저|우리|해당|각|모든|새|기존|다른|같은|현재|전체|공용|공통) )(?P<id2>[가-힣A-Za-z]{2,12})"
    rf" (?P<noun2>서비스|팀|서버|프로젝트|모듈|앱|저장소|클러스터|지점|매장|고객사))(?:{_BEHIND})"
)
# A version that a statement opens with; elsewhere it may be what is said: "The app is on version 1.3 now".
_VERSION = compile_later(
    rf"^(?:in |for |as of )?(?P<noun>version|버전) (?P<id>\d[\d.]*\d|\d)(?:{_BEHIND}|'s|(?=,? [a-z]))", re.IGNORECASE
)
# A program's version in the same place: "Python 3.11 builds take …"
_RELEASE = compile_later(
    r"^(?:in |for |with |on |under )?"
    r"(?!(?:timeout|limit|ratio|factor|threshold|rate|weight|uses?|set|the|we|about|over|than|least|most)\b)"
    r"(?P<noun>[a-z][a-z.+#]{1,20}) v?(?P<id>\d{1,3}\.\d[\d.]*)(?=,? [a-z])",
    re.IGNORECASE,
)
_NUMBER = compile_later(r"\b(?P<noun>[a-z]{3,20}) (?:number |no\. ?|#)(?P<id>\d{1,6})\b(?!\.\d)", re.IGNORECASE)
_PATTERNS = (_VERSION, _RELEASE, _ENGLISH_PLACE, _ENGLISH_ORDINAL, _KOREAN_PLACE, _KOREAN_NAMED)
_WORDS = compile_later(r"\w+")
_STRAY = compile_later(r" ([.,;:!?])")
_TELLS_CHANGE = frozenset("now currently actually again the a is are be 이제 지금 현재".split())


def qualifier_of(text: str) -> tuple[str, str] | None:
    """Return the kind and the name of the one that a statement opens with, None where it opens with none."""
    if match := _PLACED.match(text) or _LABELLED.match(text):
        return match["noun"].lower(), match["id"].lower()
    if match := _NAMED.match(text):
        return "", match["id"].lower()
    if match := _KOREAN.match(text):
        return match["noun"] or match["noun2"] or match["noun3"], (match["id"] or match["id2"] or match["id3"]).lower()
    return None


def tell_of_siblings(one: str, other: str) -> bool:
    """Return whether two statements are about two things of one kind: "In region 1 …", "In region 2 …". Where nothing but the
    name of the thing differs, that is what is said: "The primary runs on node 2"."""
    first, second = qualifier_of(one), qualifier_of(other)
    if first is not None and second is not None and first[0] == second[0]:
        return first != second
    numbers, others = (
        {match["noun"].lower(): match["id"] for match in _NUMBER.finditer(text)} for text in (one, other)
    )
    if any(numbers[noun] != others[noun] for noun in numbers.keys() & others.keys()):
        return True
    (ours, rest), (theirs, other_rest) = _split(one), _split(other)
    differ = any(ours[kind].isdisjoint(theirs[kind]) for kind in ours.keys() & theirs.keys())
    return differ and _words(rest) != _words(other_rest)


def without_places(one: str, other: str) -> tuple[str, str] | None:
    """Return two statements about one thing without its name, which may stand anywhere: "Rack C: the count is 3", "The count in
    rack C is 7". None unless both name the same things."""
    (ours, rest), (theirs, other_rest) = _split(one), _split(other)
    return (rest, other_rest) if ours and ours == theirs else None


@lru_cache(maxsize=8_192)
def _split(text: str) -> tuple[Named, str]:
    """Return the things that a statement names by number, letter or place, and the statement without them."""
    found: dict[str, set[str]] = {}
    for pattern in _PATTERNS:
        text = pattern.sub(lambda match: _noted(match, found), text)
    rest = _STRAY.sub(r"\1", " ".join(text.split())).strip(" ,")
    return {kind: frozenset(ids) for kind, ids in found.items()}, rest[:1].upper() + rest[1:]


def _noted(match: re.Match[str], found: dict[str, set[str]]) -> str:
    groups = {name.rstrip("23"): value for name, value in match.groupdict().items() if value}
    named = groups.get("id") or groups.get("hyphened") or groups.get("letter") or groups.get("count", "")
    named = _ORDINALS.get(named.lower()) or _KOREAN_COUNTS.get(named) or named.lower()
    found.setdefault(groups.get("noun", "환경").lower(), set()).add(named)
    return " the " if groups.get("end") == "'s" else " "


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORDS.findall(text.lower())) - _TELLS_CHANGE
