"""Finds, by shape alone, English and Korean noun phrases that describe a thing ("a memory leak in the worker",
"로그인 버그") and those that point back to one ("the bug", "그 버그"). Needs no parser, so it serves where
there is none."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from graphmem.patterns import compile_later
from graphmem.text.references.things import ROLE_GAIN, Thing, load_kinds


class Pointer(NamedTuple):
    """A definite mention at `start:end` of something of one of the `kinds`."""

    start: int
    end: int
    kinds: frozenset[str]
    noun: str


_SAME = r"(?:same|above|aforementioned|said|offending|whole|entire|latter|former|very)"
_AFTER = compile_later(
    r"\s+(?:in(?!\s+(?:commit|pr|version|release|production|#|[0-9a-f]{7}))|of|with|that|which|whose|where|for|from|we|you|i|he|she|they)\b",
    re.IGNORECASE,
)
_RELATIVE = compile_later(r"\s+(?:that|which)\b", re.IGNORECASE)
# Nouns after which the one before is no head any more: the error message, the file system.
_COMPOUND = compile_later(
    r"[ -](?:systems?|suites?|messages?|paths?|names?|sizes?|handles?|handlers?|types?|lists?|trackers?|reports?|code|"
    r"levels?|calls?|signatures?|body|files?|lines?|numbers?|servers?|runners?|base|history|hash|branch|tags?|data|"
    r"formats?|extensions?|managers?|managements?|uploads?|upload|downloads?|log|logs|rate|case|cases|page|pages|"
    r"plan|coverage|driver|drivers|results?|output|registry|budget|table|tables|schema|connections?|index|manager)\b",
    re.IGNORECASE,
)
_FUNCTION_WORD = (
    r"(?:is|was|are|were|be|been|has|have|had|and|or|but|to|in|on|at|of|for|with|from|by|that|which|who|as|it|not|the|"
    r"an?)"
)
_MODIFIER = rf"(?!{_FUNCTION_WORD}\b)[\w'./+#-]+"
_SITE = r"(?:`[^`\n]+`|[\w./#:()-]*[\w)])"
_PLACE = (
    rf"(?:\s+(?:in|with|of|on|at|for|when|during|inside|between)\s+(?:(?:the|our|an?)\s+)?{_SITE}"
    r"(?:\s+(?:module|file|parser|service|server|function|method|class|handler|worker|client|code|page|tests?|job|queue|"
    rf"cache)\b)?(?:\s+and\s+(?:the\s+)?{_SITE})?)"
)


@cache
def _pointer() -> re.Pattern[str]:
    nouns = "|".join(sorted(load_kinds().of_noun, key=len, reverse=True)).replace(" ", r"\s")
    return re.compile(rf"\b(the|that|this)\s+(?:{_SAME}\s+)?({nouns})\b(?!-\w|['’]s\s+name)", re.IGNORECASE)


@cache
def _description() -> re.Pattern[str]:
    nouns = "|".join(sorted(load_kinds().of_noun, key=len, reverse=True)).replace(" ", r"\s")
    return re.compile(
        rf"\b(?:an?|another|the|our|my|your|its|their)\s+((?:{_MODIFIER}\s+){{0,3}}?)({nouns})\b({_PLACE})?",
        re.IGNORECASE,
    )


def find_pointers(text: str) -> Iterator[Pointer]:
    """Definite mentions that say nothing about the thing but its kind."""
    for match in _pointer().finditer(text):
        noun = _noun(match.group(2))
        after = match.end()
        described = _AFTER if match.group(1).lower() == "the" else _RELATIVE
        if not (_COMPOUND.match(text, after) or described.match(text, after)):
            yield Pointer(match.start(), match.end(), load_kinds().of_noun[noun], noun)
    yield from _korean_pointers(text)


def find_descriptions(text: str) -> Iterator[Thing]:
    """Yield phrases that say more of a thing than its kind, and so can stand for it."""
    for match in _description().finditer(text):
        modifiers, noun, place = match.groups()
        if not (modifiers.strip() or place) or _COMPOUND.match(text, match.end()):
            continue
        yield Thing(match.start(), match.end(), load_kinds().of_noun[_noun(noun)], named=False, noun=_noun(noun))
    yield from _korean_descriptions(text)


def _noun(matched: str) -> str:
    return " ".join(matched.lower().split())


# --- Korean -----------------------------------------------------------------------------------------------------------

_DEMONSTRATIVE = r"(?<![가-힣A-Za-z0-9])(?:아까\s+)?(?:바로\s+)?(?:그|이|저|해당|위의?|앞의|방금|그런)\s+"
_PARTICLE = r"(?:에서는|에서|에게|에는|에도|으로|부터|까지|처럼|마다|이나|은|는|이|가|을|를|의|에|로|과|와|도|만|들)"
_NOT_IN_PHRASE = compile_later(
    rf"(?:{_PARTICLE}|다|고|며|서|면|지만|니까|는데|한|된|할|될|던|해|했|그|이|저|해당|새|모든|다른|어떤)\Z"
)


@cache
def _korean_patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return a demonstrative with its noun, and the noun alone."""
    noun = rf"({'|'.join(sorted(load_kinds().of_korean, key=len, reverse=True))})(?={_PARTICLE}|[^가-힣]|\Z)"
    return re.compile(_DEMONSTRATIVE + noun), re.compile(r"(?<![가-힣])" + noun)


_KOREAN_IT = compile_later(rf"(?<![가-힣])(?:그것|이것|그거|이거)(?={_PARTICLE}|[^가-힣]|\Z)")
_KOREAN_WORD = compile_later(r"[가-힣A-Za-z0-9_/-]+(?:\.[A-Za-z0-9_]+)*")


def _korean_pointers(text: str) -> Iterator[Pointer]:
    for match in _korean_patterns()[0].finditer(text):
        yield Pointer(match.start(), match.end(), load_kinds().of_korean[match.group(1)], match.group(1))
    for match in _KOREAN_IT.finditer(text):
        yield Pointer(match.start(), match.end(), frozenset(), match.group())


def _korean_descriptions(text: str) -> Iterator[Thing]:
    """Up to three bare words before a noun of a kind: "메모리 누수", "결제 서버의 로그인 버그"."""
    for match in _korean_patterns()[1].finditer(text):
        start = match.start()
        words = list(_KOREAN_WORD.finditer(text, max(0, start - 40), start))
        for word in reversed(words[-3:]):
            name = word.group()
            bound = _NOT_IN_PHRASE.search(name) and not name.endswith("의")
            if text[word.end() : start] != " " or bound or len(name) < 2:
                break
            start = word.start()
        if start < match.start():
            noun = match.group(1)
            yield Thing(start, match.end(), load_kinds().of_korean[noun], named=False, noun=noun)


def subject_gain(text: str, thing: Thing) -> float:
    """Return the gain of a Korean subject or topic, by the particle that follows it."""
    after = text[thing.end : thing.end + 2]
    if after[:1] in {"은", "는", "이", "가"}:
        return ROLE_GAIN["subj"]
    return ROLE_GAIN["obj"] if after[:1] in {"을", "를"} else ROLE_GAIN[""]
