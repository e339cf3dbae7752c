"""Filters false time expressions: "may", "sun", "march" and "fall" as ordinary words, bare numbers, names in code. Judges
single weak matches by the neighbouring words; matches of two rules pass."""

from __future__ import annotations

import re
from collections.abc import Callable

from graphmem.text.times.engine import Node
from graphmem.text.times.meaning.periods import Year

_BEFORE = re.compile(r"(?:^|[\s(\"'“|])([A-Za-z']+)\s+$")
_AFTER = re.compile(r"\s+([A-Za-z][A-Za-z'’]*)")
_BEFORE_AT = re.compile(r"([A-Za-z]+)\s+at\s+$", re.IGNORECASE)
_REACH = 24
# Words that lead up to a time.
_PREPOSITIONS = frozenset(
    "in on at by of for from to since until till before after during through between around about last next this every "
    "early late mid past each and or than month year circa starting beginning ending effective not".split()
)
_DAY_PREPOSITIONS = frozenset("on by until till since before after from to through next this last every".split())
# Words that may follow a time without being counted or described by it.
_FOLLOWERS = frozenset(
    "a about after again also although am an and any are as at be because been before between but by can could did do does "
    "during else for from had has have he her here his how i if in instead into is it its just last later let may maybe "
    "meeting must my next no not now of on only or our please pm she should since so sometime than that the their then "
    "there these they this those though through till to today tomorrow tonight too until was we were what when where "
    "which while who why will with without works would you your".split()
)
_COUNTED = frozenset(
    "bytes byte bits items rows lines tokens chars characters requests users people records files tests times chunks "
    "entries errors dimensions dims pixels px points units steps iterations samples nodes edges workers threads words "
    "calls events messages commits docs documents vectors tables columns objects values elements keys clients "
    "kb mb gb tb hz khz mhz ghz rpm".split()
)
_INDEXING = frozenset(
    "look looking looked line lines column columns index position offset port version byte row page frame level depth "
    "step epoch stuck capped limited set starts started staying stayed size length peaked aim aimed mark".split()
)
_PARTS_ALONE = frozenset("morning afternoon evening lunchtime dinnertime daytime nighttime".split())
_PLAIN_MONTHS = frozenset("may march mar dec oct".split())

_CODE_BEFORE = re.compile(r"[\w.\\/$#%=`<>{\[-]$")
_CODE_AFTER = re.compile(r"[A-Za-z0-9_+*(\\/`\]}]|\s?=|\.\w|-\w|:\w")


def is_plausible(text: str, node: Node, kind: str) -> bool:
    """Return whether the weak mention `node` is meant as a time; strong kinds are always so."""
    judge = _JUDGES.get(kind)
    if judge is None:
        return kind not in _NEVER_ALONE
    return judge(_Place(text, node))


class _Place:
    """A mention with its neighbouring words in lower case, "" if there is none."""

    def __init__(self, text: str, node: Node) -> None:
        self.words = text[node.start : node.end]
        before = text[max(0, node.start - _REACH) : node.start]
        after = text[node.end : node.end + _REACH]
        self.previous = _first_group(_BEFORE.search(before))
        self.before_at = _first_group(_BEFORE_AT.search(before))
        self.following = _first_group(_AFTER.match(after))
        rest = len(text) - (node.end - node.start)
        self.alone = rest < _REACH and not (text[: node.start] + text[node.end :]).strip(" .!?")
        self.in_code = bool(_CODE_BEFORE.search(before) or _CODE_AFTER.match(after))
        self.value = node.value

    @property
    def ends_phrase(self) -> bool:
        """Return whether nothing follows that the mention could describe or count."""
        return not self.following or self.following in _FOLLOWERS


def _first_group(match: re.Match[str] | None) -> str:
    return match[1].lower() if match else ""


def _word(place: _Place) -> bool:
    return not place.in_code


def _month(place: _Place) -> bool:
    name = place.words.rstrip(".")
    word = name.lower()
    if place.in_code or (place.previous, place.following) == ("the", "of"):
        return False
    if place.previous in _PREPOSITIONS and (word != "may" or place.previous not in ("and", "or", "this")):
        return name[0].isupper() or word not in _PLAIN_MONTHS or place.ends_phrase
    if word in _PLAIN_MONTHS:
        return name[0].isupper() and bool(place.previous or (word == "march" and place.ends_phrase))
    return name[0].isupper() or len(name) > 4


def _shifted_month(place: _Place) -> bool:
    return not place.words.endswith(" may") or not place.following


def _weekday(place: _Place) -> bool:
    name = place.words
    if place.in_code:
        return False
    if len(name) > 4 or place.alone or place.previous in _DAY_PREPOSITIONS:
        return True
    return name[0].isupper() and name.lower() not in ("sat", "sun")


def _season(place: _Place) -> bool:
    name = place.words.lower().removeprefix("the ")
    if name not in ("fall", "spring"):
        return not place.in_code
    return place.previous in _PREPOSITIONS - {"to", "or", "and"} and place.words.islower() and place.ends_phrase


def _day_of_month(place: _Place) -> bool:
    if place.in_code or not place.ends_phrase or place.following in ("of",):
        return False
    if place.previous in _DAY_PREPOSITIONS | {"for"}:
        return True
    return place.previous not in _PREPOSITIONS and re.match(r"the \d", place.words, re.IGNORECASE) is not None


def _slashed(place: _Place) -> bool:
    numbers = sorted(int(number) for number in place.words.split("/"))
    if place.in_code or not place.ends_phrase or numbers == [7, 24]:
        return False
    return place.previous in _DAY_PREPOSITIONS or place.alone or numbers[1] > 12


def _year(place: _Place) -> bool:
    if place.in_code or place.following in _COUNTED:
        return False
    if place.previous in ("the", "a", "an"):
        return isinstance(place.value, Year) and 1900 <= place.value.year < 2040 and bool(place.following)
    in_range = isinstance(place.value, Year) and 1500 <= place.value.year < 2200
    return in_range and (place.previous in _PREPOSITIONS or place.alone)


def _part_of_day(place: _Place) -> bool:
    name = place.words
    return name in _PARTS_ALONE and place.previous != "good" and not place.in_code


def _bare_hour(place: _Place) -> bool:
    if place.words.lower() == "one" and place.following in ("or", "and", "of"):
        return False
    return place.ends_phrase and not place.in_code and place.before_at not in _INDEXING


def _seconds(place: _Place) -> bool:
    # "30s" are seconds, but "in the 30s" and "her 30s" are years
    return not place.in_code and place.previous not in (
        "in",
        "the",
        "his",
        "her",
        "their",
        "my",
        "your",
        "our",
        "early",
        "mid",
        "late",
    )


def _article_length(place: _Place) -> bool:
    unit = place.words.split()[-1].lower()
    return not place.in_code and unit != "quarter" and (unit != "second" or place.ends_phrase)


_JUDGES: dict[str, Callable[[_Place], bool]] = {
    "OPENMONTH": _month,
    "SHIFTEDMONTH": _shifted_month,
    "OPENWEEKDAY": _weekday,
    "OPENSEASON": _season,
    "OPENPART": _part_of_day,
    "OPENDAY": _day_of_month,
    "SLASHED": _slashed,
    "BAREYEAR": _year,
    "BAREHOUR": _bare_hour,
    "ARTICLELENGTH": _article_length,
    "SECONDS": _seconds,
    "REFERRED": _word,
    "RELATIVEDAY": _word,
    "SET": _word,
    "HOLIDAY": _word,
    "QUARTER": _word,
    "YEARRANGE": _word,
}
_NEVER_ALONE = frozenset(("CURRENT", "HALFYEAR", "LETTERLENGTH", "NUMBERDAY"))
