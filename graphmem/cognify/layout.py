"""What a linear model sees around a statement: what the heading above it announces, and what kind of text it stands in: a
tutorial, a report with headings, a list of steps. The same sentence is worth keeping under "Root cause" and not under "Next
steps". Like `features`, small whole numbers from cheap patterns."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import lru_cache
from typing import NamedTuple

from graphmem.patterns import compile_later

_I = re.IGNORECASE
_NEAR = 3_000  # characters that a heading reaches
_LONGEST_HEADING = 64  # characters
_MANY_HEADINGS = 2
_SHARES_OF_CODE = (10, 30, 60)  # percent of the text
_SHARES_OF_ITEMS = (30, 60, 80)  # percent of the lines
_ADDRESSED = (1, 4, 8)  # "you" and "your" in a thousand characters
_SECTIONS = {
    "explanation": (
        r"explanation|how it works|breakdown|overview|key (?:points|features|concepts|improvements|benefits|changes)"
        r"|benefits|features|notes?$|usage|example|walkthrough|what (?:it|this) does|structure|설명|개요|예시"
    ),
    "plan": (
        r"plan|next steps?|steps?|todo|implementation|deliverables?|requirements?|tasks?|approach|proposal|recommend"
        r"|suggest|option|phase|strategy|action|solution|계획|다음 단계|할 일|제안|요구"
    ),
    "done": (
        r"changes|summary|completed|accomplish|what (?:i|we|was)|updates?|added|fixed|results?|status|implemented"
        r"|verification|변경|요약|완료|결과"
    ),
    "cause": r"cause|issue|problem|error|why|bug|what went wrong|findings?|diagnos|analysis|원인|문제|오류|분석",
    "rule": (
        r"rules?|constraints?|polic|convention|guideline|important|warning|caveat|limitation|gotcha|decision"
        r"|preference|defaults?|config|environment|규칙|주의|제약|결정|설정"
    ),
}
_SECTION_PATTERNS = tuple((name, compile_later(pattern, _I)) for name, pattern in _SECTIONS.items())
_ITEM = compile_later(r"\s*(?:[-*+•]|\d{1,3}[.)])\s")
_BOLD_HEADING = compile_later(r"(?:[-*] |\d{1,3}\. )?\*\*([^*]+)\*\*:?")
_YOU = compile_later(r"\byou(?:r)?\b", _I)
_TUTOR = compile_later(
    r"\s*(?:certainly|absolutely|sure|of course|great|to (?:help|achieve)|here(?:'s| is| are))\b|\s*(?:물론|네,)", _I
)


class Layout(NamedTuple):
    """Where the headings of a text end, what each announces, and the features of the text as a whole."""

    ends: list[int]
    headings: list[str]
    features: frozenset[str]


def features_around(text: str, start: int) -> frozenset[str]:
    """Return the names of the features of the text around a statement that begins at `start`."""
    layout = _layout_of(text)
    place = bisect_right(layout.ends, start) - 1
    if place < 0 or start - layout.ends[place] > _NEAR:
        return layout.features | {"under no heading"}
    heading = layout.headings[place]
    return layout.features | {f"under {name}" for name, pattern in _SECTION_PATTERNS if pattern.search(heading)}


@lru_cache(maxsize=4)
def _layout_of(text: str) -> Layout:
    ends: list[int] = []
    headings: list[str] = []
    place = code = items = lines = 0
    fenced = False
    prose: list[str] = []
    for line in text.split("\n"):
        end = place + len(line)
        place = end + 1
        if line.startswith("```"):
            fenced = not fenced
        if fenced or line.startswith("```"):
            code += len(line)
            continue
        prose.append(line)
        if not line.strip():
            continue
        lines += 1
        items += _ITEM.match(line) is not None
        if heading := _heading_of(line):
            ends.append(end)
            headings.append(heading)
    return Layout(ends, headings, _features_of_text(text, "\n".join(prose), code, items, lines, len(headings)))


def _heading_of(line: str) -> str:
    """Return what a line announces if it is a heading, as Markdown, in bold, or with a colon at its end, else ''."""
    told = line.strip()
    if told.startswith("#"):
        return told.lstrip("#").strip()
    if bold := _BOLD_HEADING.fullmatch(told[: _LONGEST_HEADING + 10]):
        return bold[1]
    announces = told.endswith(":") and told[0].isupper() and len(told) <= _LONGEST_HEADING
    return told[:-1] if announces and not any(mark in told for mark in ".!?") else ""


def _features_of_text(text: str, prose: str, code: int, items: int, lines: int, headings: int) -> frozenset[str]:
    found = {f"code over {share} %" for share in _SHARES_OF_CODE if 100 * code > share * len(text)}
    found |= {f"items over {share} %" for share in _SHARES_OF_ITEMS if 100 * items > share * lines}
    you = len(_YOU.findall(prose))
    found |= {f"addressed over {often}" for often in _ADDRESSED if 1_000 * you > often * len(prose)}
    if headings > _MANY_HEADINGS:
        found.add("many headings")
    if _TUTOR.match(text):
        found.add("opens as a tutor")
    return frozenset(found)
