"""Finds what a clause may say of its topic: typed values (times, measures, versions, addresses, paths) and names, in lower case,
too, where they stand behind a copula, a preposition or a verb of use ("the frontend is react", "goes through postmark")."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from graphmem.patterns import compile_later
from graphmem.text.frames import is_counted
from graphmem.text.slot_words import LIGHT, has_hangul, stems_of
from graphmem.text.typed_values import find_values

_I = re.IGNORECASE
_FREQUENCY = compile_later(
    r"\b(?P<word>hourly|daily|nightly|weekly|fortnightly|biweekly|monthly|quarterly|yearly)\b"
    r"|\bevery (?P<count>\d+|two|three|four|five|six|other)? ?(?P<unit>minute|hour|day|night|week|month|quarter|year)s?\b"
    r"|\bonce an? (?P<once>minute|hour|day|night|week|month|quarter|year)\b|매(?P<korean>일|주|월|시간)",
    _I,
)
_RANGE = compile_later(r"(?<![\w.-])\d{1,2}(?::\d\d)?\s?[-–]\s?\d{1,2}(?::\d\d)?(?![\w.-])")
_COLOUR = compile_later(r"#[0-9a-f]{3,8}\b", _I)
_VARIABLE = re.compile(r"(?<![\w.])[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+(?!\w)")
_EDITION = compile_later(r"(?<![\w./-])(?P<name>[a-z]{2,12}?)(?P<number>\d{2,4})(?![\w.])", _I)  # "es2019"
_DURATION = frozenset(("s", "ms", "min", "hour", "day", "week", "month", "year", "m", "d", "개월", "년", "sec", "hr"))
_SIZE = frozenset(("b", "kb", "mb", "gb", "tb", "k", "kib", "mib", "gib"))
_CLASSES = dict.fromkeys(_DURATION, "duration") | dict.fromkeys(_SIZE - {"k"}, "size")
_SECONDS = {
    "ms": 0.001,
    "s": 1,
    "sec": 1,
    "min": 60,
    "m": 60,
    "hour": 3600,
    "hr": 3600,
    "d": 86400,
    "day": 86400,
    "week": 604800,
}
_SUFFIX = compile_later(r"(?P<count>(?<![\w.-])\d+(?:\.\d+)?) ?(?P<unit>ms|s|sec|min|h|hrs?|d|kb|mb|gb|tb|k)(?!\w)", _I)
_NUMBER_WORD = compile_later(r" ?(?:of )?(?P<unit>[a-z]+)$", _I)
_END = (
    r"(?=$|[,;:.!)]|\s(?:now|again|these|everywhere|here|for|in|on|at|since|from|with|to|by|when|while|until|unless"
    r"|as|any|this|because|so"
    r"|and|or|but|instead|after|before|please|pls|starting|via|under|too|like|last|today|per|of|only|altogether)\b|\s[-–—→(])"
)
_SLOT = compile_later(
    r"(?:(?<=\s)|(?<=^)|(?<=[\w]))(?P<anchor>(?:'s|'re)(?= )|(?<![\w'])(?:is|are|be|=|equals|use|uses|using|run|runs"
    r"|with|by|through|via|on|in"
    r"|at|to|from|under|into|as|prefer|prefers|for|target|call(?:ed)?|named|ping|ask|trying|try|wants?|follow|follows"
    r"|supports?|drop)) "
    r"(?:(?:the|an?|our|my|now|only|still|going|back|called|plain|about) )*"
    rf"(?P<value>[\w+#@/][\w.+#/@-]*(?: [\w+#@/][\w.+#/@-]*){{0,2}}?){_END}",
    _I,
)
_CHOSEN = compile_later(r"\b(?:in favou?r of|replaced (?:by|with)) (?:the |our )?(?P<value>[\w./+#-]+)", _I)
_SENT_TO = compile_later(
    r"\b(?:to|by|is|was|ask|ping) (?P<value>[A-Z][\w'-]+(?: [A-Z][\w'-]+)?)(?=$|[,.;]| (?:since|now|from|who|while"
    r"|instead|for)\b)"
)
_WHO = compile_later(
    r"^(?P<value>[A-Z][\w'-]+(?: [A-Z][\w'-]+)?) (?:is |was )?(?:now )?(?:who )?(?:(?:owns?|leads?|led|reviews?"
    r"|maintains?|handles?|runs|manages?"
    r"|took over|takes over|wrote|writes|covers?|does|approves?)\b|(?:is )?on call\b|is (?:the )?(?:new )?(?:owner"
    r"|lead|cto|ceo|pm|head|maintainer))"
)
_BEFORE_ROLE = compile_later(r"\bthe (?:C[A-Z]O|PM|lead|owner) (?:is|was) (?P<value>[A-Z][\w'-]+(?: [A-Z][\w'-]+)?)")
_KOREAN_NAME = re.compile(
    r"(?P<value>[A-Za-z][\w.+#-]*|[가-힣]{2,10}?)(?: ?[씨님])?(?P<end>이야|야|이다|입니다|이에요|예요|임|으로|로|을"
    r"|를|이|가)(?= |$)"
)
_KOREAN_SINGULAR = frozenset(("으로", "로", "이야", "야", "이다", "입니다", "이에요", "예요"))
_PREDICATE = compile_later(
    r" (?:is|are|isn't|aren't|has|have|had|must|can|cannot|can't|will|won't|should|may|does|doesn't)\b", _I
)
_BRIEF = 3  # words of a clause that begins with a number and gives only that
_NAMEY = frozenset({"name", "word", "identifier", "variable", "person"})


_NAMED = re.compile(r"[A-Z]|\d|[a-z][-_./][a-z]|[가-힣]")


class Value(NamedTuple):
    """A value at `start`: its `kind` ("clock", "duration", "address", "word", …), normal `text`, `stems`, and the word
    before it."""

    kind: str
    text: str
    stems: frozenset[str]
    anchor: str
    start: int
    raw: str

    @property
    def is_exact(self) -> bool:
        """Return whether it has a type, rather than being a name or a word in a slot."""
        return self.kind not in _NAMEY

    @property
    def is_written_as_name(self) -> bool:
        """Return whether it is spelt like a name: with a capital, a digit or a hyphen."""
        return self.kind == "person" or bool(_NAMED.search(self.raw))

    @property
    def is_name(self) -> bool:
        """Return whether it names something."""
        return self.kind in _NAMEY


@lru_cache(maxsize=16_384)
def find_slot_values(text: str) -> tuple[Value, ...]:
    """Return the values of a clause, typed ones before words in slots."""
    found: list[Value] = []
    taken: list[tuple[int, int]] = []

    def add(kind: str, value: str, start: int, raw: str) -> None:
        if any(a < start + len(raw) and start < b for a, b in taken):
            return
        taken.append((start, start + len(raw)))
        found.append(Value(kind, " ".join(value.lower().split()), stems_of(raw), _before(text, start), start, raw))

    for match in _FREQUENCY.finditer(text):
        add("frequency", _frequency(match), match.start(), match[0])
    for form, kind in ((_COLOUR, "colour"), (_RANGE, "range"), (_VARIABLE, "variable")):
        for match in form.finditer(text):
            add(kind, match[0], match.start(), match[0])
    for match in _EDITION.finditer(text):
        if not re.fullmatch(r"v", match["name"], _I):
            add(f"version of {match['name'].lower()}", match["number"], match.start(), match[0])
    for match in _SUFFIX.finditer(text):
        add(*_measure(match["count"], match["unit"].lower()), match.start(), match[0])
    typed = [(value, _typed(text, value.kind, value.text, value.raw, value.start)) for value in find_values(text)]
    for value, read in typed:
        if read and read[0] not in _NAMEY:
            add(*read, value.start, value.raw)
    found += _words(text, taken)
    taken += [(value.start, value.start + len(value.raw)) for value in found]
    for value, read in typed:
        if read and read[0] in _NAMEY:
            add(*read, value.start, value.raw)
    return tuple(found)


def _typed(text: str, kind: str, value: str, raw: str, start: int) -> tuple[str, str] | None:
    if kind == "name":
        return _named(raw)
    if kind.startswith("number of "):
        unit = kind.removeprefix("number of ")
        if unit in _CLASSES or unit in ("h",):
            return _measure(value, unit)
        return ("number", value) if unit in LIGHT or unit == "actuall" else (kind, value)
    if kind == "number":
        before = re.search(r"([A-Za-z][\w-]*) $", text[:start])
        word = before[1].lower() if before else ""
        if re.fullmatch(r"v\d*", word) or is_counted(word) or word in ("option", "line", "lines"):
            return None
        if not text[:start].strip(" -*#(") and len(text.split()) > _BRIEF:
            return None  # which one of many it is about: "step 3"
        if before and _PREDICATE.match(text, start + len(raw)):
            return None  # the same: "buoy 2 is lit"
        return "number", value
    return kind, value


def _measure(count: str, unit: str) -> tuple[str, str]:
    unit = {"h": "hour", "hrs": "hour", "hr": "hour", "d": "day", "sec": "s"}.get(unit, unit)
    group = _CLASSES.get(unit, f"number of {unit}")
    if group == "duration" and unit in _SECONDS and re.fullmatch(r"\d+(?:\.\d+)?", count):
        return group, f"{float(count) * _SECONDS[unit]:g}s"
    return group, f"{count} {unit}"


def _named(raw: str) -> tuple[str, str] | None:
    plain = raw.strip("`\"'")
    if re.search(
        r"://|^(?:[\w-]+\.)+(?:com|net|org|io|dev|app|lan|no|de|kr|local|internal|co|ai|cloud|sh|uk|eu|test|[a-z]{2})(?:[/:]|$)",
        plain,
        _I,
    ):
        return "address", plain
    if "/" in plain:
        return "path", plain
    if re.fullmatch(r"[\w-]+\.[a-z]\w{1,5}", plain):
        return "file", plain
    if re.search(r"[a-z0-9][-_][a-z0-9]", plain):
        return "identifier", plain
    return "name", plain


def _frequency(match: re.Match[str]) -> str:
    if word := match["word"]:
        return {"nightly": "1 day", "daily": "1 day"}.get(word.lower(), f"1 {word.lower().removesuffix('ly')}")
    if match["korean"]:
        return f"1 {match['korean']}"
    return f"{match['count'] or 1} {(match['unit'] or match['once']).lower()}"


def _words(text: str, taken: list[tuple[int, int]]) -> list[Value]:
    found: list[Value] = []

    def add(kind: str, match: re.Match[str], anchor: str) -> None:
        start, raw = match.start("value"), match["value"]
        stems = stems_of(raw) - LIGHT
        if stems and not any(a < start + len(raw) and start < b for a, b in taken):
            found.append(Value(kind, raw.lower(), stems, anchor, start, raw))

    if has_hangul(text):
        for match in _KOREAN_NAME.finditer(text):
            if match["end"] in _KOREAN_SINGULAR or not has_hangul(match["value"]):
                add(
                    "word",
                    match,
                    "로" if match["end"] in ("으로", "로") else "이다" if match["end"] in _KOREAN_SINGULAR else "을",
                )
            elif re.search(r"(?:맡|담당)", text[match.end() :]):
                add("person", match, "이다")
        return found
    for form in (_WHO, _SENT_TO, _BEFORE_ROLE):
        for match in form.finditer(text):
            add("person", match, "who")
    for match in _CHOSEN.finditer(text):
        add("word", match, "use")
    place = 0
    while slot := _SLOT.search(text, place):
        anchor = slot["anchor"].lower()
        add(
            "word",
            slot,
            "is" if anchor in ("'s", "'re", "are", "be", "=", "equals", "called", "named", "call") else anchor,
        )
        place = slot.end("anchor")
    return found


def _before(text: str, start: int) -> str:
    words = re.findall(r"[\w']+", text[:start])
    return words[-1].lower() if words else ""
