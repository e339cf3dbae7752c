"""Reads which one of several like things a statement opens with: "In region 1 the limit …", "Server A: …", "1번 서버: …". What is
said of one of them changes nothing about its siblings."""

from __future__ import annotations

from graphmem.patterns import compile_later

_MONTHS = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\b"
_NUMBERED = rf"(?!(?i:{_MONTHS}|port\b|version\b|rule\b|the\b))(?P<noun>[A-Za-z][a-z]{{1,20}}) (?P<id>[A-Z]|[A-Za-z]?-?\d{{1,6}})"
_PLACED = compile_later(
    rf"(?:[Ii]n|[Oo]n|[Ff]or|[Aa]t) (?:the |our )?{_NUMBERED},? (?=(?:the|our|a|an|we|it|there|[a-z]+)\b)"
)
_LABELLED = compile_later(rf"(?:[A-Z][a-z]{{1,20}} )?{_NUMBERED}: ")
_NAMED = compile_later(
    r"(?!(?:Correction|Update|Decision|Decided|Conclusion|Rule|Note|Fact|Reminder|Preference|Convention|Policy|Actually|Sorry|Oops"
    r"|Wait|No|Ok|Okay|Fyi|Info|Change|Changed|New|Now|Important|Warning|Status|Amendment|Amended|Result|Summary|Todo|Fix"
    r"|Heads)\b)(?P<id>[A-Z][a-z]{2,20}): (?=(?:the|our) )"
)
_KOREAN = compile_later(
    r"(?:(?P<id>\d{1,6}|[A-Z])번? (?P<noun>[가-힣]{2,8}?)|(?P<noun2>[가-힣]{2,8}) (?P<id2>\d{1,6}|[A-Z]))"
    r"(?:: |(?:에서는|에서|에는|의)[, ]|[은는] )"
)


def qualifier_of(text: str) -> tuple[str, str] | None:
    """Return the kind and the name of the one that a statement opens with, None where it opens with none."""
    if match := _PLACED.match(text) or _LABELLED.match(text):
        return match["noun"].lower(), match["id"].lower()
    if match := _NAMED.match(text):
        return "", match["id"].lower()
    if match := _KOREAN.match(text):
        return match["noun"] or match["noun2"], (match["id"] or match["id2"]).lower()
    return None


def tell_of_siblings(one: str, other: str) -> bool:
    """Return whether two statements open with two things of one kind: "In region 1 …", "In region 2 …"."""
    first, second = qualifier_of(one), qualifier_of(other)
    return first is not None and second is not None and first[0] == second[0] and first != second
