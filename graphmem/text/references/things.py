"""The things that a text mentions (named software entities and descriptions such as "a race condition in the scheduler"),
and the salience of each at a position. Persons are in `ranker.py`."""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

from graphmem.model.text import EntityMention
from graphmem.patterns import compile_later

_SENTENCE_END = compile_later(r"[.!?。？！]+[\"'”’)\]]*(?=\s)|\n+")
_SAME_NOUN_ONLY = frozenset({"work"})
_NOT_THINGS = frozenset({"person", "date", "value", "email", "license", "file_type"})
# What a line or list item is about: "- **parser**: slow", "The parser ..." at its start.
_HEADLINE = compile_later(
    r"^[ \t]*(?:[-*+•] |\d+[.)] )?[*_`]{0,3}([^\s*:][^*:\n]{0,60}?)[*_`]{0,3}:(?=\s|\*)", re.MULTILINE
)
_LEAD = compile_later(r"(?:\A|\n|[.!?。]\s)[ \t]*(?:[-*+•] |\d+[.)] )?(?:the |The )?[*_`\"“]*\Z")

# Salience in the manner of Lappin and Leass (1994): what a mention gains, halved with each sentence that passes.
_RECENT, _NAMED, _SAME_NOUN, _REPEATED, _HEADLINED, _BRACKETED = 100.0, 30.0, 30.0, 10.0, 60.0, -60.0
ROLE_GAIN = {"subj": 40.0, "pass": 40.0, "obj": 25.0, "dat": 15.0, "by": 15.0, "pobj": 10.0, "mod": -20.0, "": 15.0}


@dataclass(slots=True)
class Thing:
    """Something at `start:end`; `kinds` says what it may be called, `noun` by which common noun it was introduced.
    `places` are the offsets where it was last spoken of, with the gain of the role it played there."""

    start: int
    end: int
    kinds: frozenset[str]
    named: bool
    noun: str = ""
    plural: bool = False
    places: list[tuple[int, float]] = field(default_factory=list)


_WORD = compile_later(r"[^\W\d_]{2}")


class Kinds:
    """The table of kinds, both ways."""

    def __init__(self) -> None:
        table = tomllib.loads(files(__package__).joinpath("kinds.toml").read_text("utf-8"))
        self.of_noun = _inverse(table, "nouns")
        self.of_korean = _inverse(table, "korean")
        self.of_entity = _inverse(table, "entities")


def _inverse(table: dict[str, dict[str, str]], column: str) -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for kind, row in table.items():
        for word in row[column].split():
            word = word if column == "entities" else word.replace("_", " ")
            found[word] = found.get(word, frozenset()) | {kind}
    return found


@cache
def load_kinds() -> Kinds:
    """Return the table, read once."""
    return Kinds()


class Stage:
    """The things of one text and what is in focus while it is read from left to right."""

    def __init__(self, text: str, things: Iterable[Thing]) -> None:
        self.text = text
        self.things = sorted((t for t in things if _WORD.search(text, t.start, t.end)), key=lambda t: (t.start, -t.end))
        headlines = [m.span(1) for m in _HEADLINE.finditer(text)]
        for thing in self.things:
            if any(start <= thing.start and thing.end <= end for start, end in headlines):
                thing.places.append((thing.start, _HEADLINED))
            elif thing.named and _LEAD.search(text, max(0, thing.start - 12), thing.start):
                thing.places.append((thing.start, ROLE_GAIN["subj"]))
        self._ends = [m.end() for m in _SENTENCE_END.finditer(text)]

    def sentence(self, offset: int) -> int:
        """Return the number of the sentence at an offset, from 0."""
        return bisect_right(self._ends, offset)

    def salience(self, thing: Thing, at: int) -> float:
        """Return how much `thing` is in mind at offset `at`; 0 if it was not spoken of before."""
        total = 0.0
        for start, gain in [(thing.start, ROLE_GAIN[""]), *thing.places]:
            if start < at:
                passed = self.sentence(at) - self.sentence(start)
                total = max(total, (_RECENT + gain + (at > start) * start / (at + 1)) * 0.5**passed)
        if not total:
            return 0.0
        spoken = len({start for start, _ in thing.places if start < at})
        aside = _BRACKETED if self._in_closed_bracket(thing, at) else 0.0
        return total + _NAMED * thing.named + _REPEATED * min(spoken, 3) + aside

    def _in_closed_bracket(self, thing: Thing, at: int) -> bool:
        opened = self.text.rfind("(", max(0, thing.start - 80), thing.start)
        return opened > self.text.rfind(")", 0, thing.start) and self.text.find(")", thing.end, at) >= 0

    def before(self, at: int, sentences: int) -> Iterator[Thing]:
        """Yield things spoken of before `at`, at most so many sentences back."""
        here = self.sentence(at)
        for thing in self.things:
            last = max((s for s, _ in [(thing.start, 0.0), *thing.places] if s < at), default=-1)
            if last >= 0 and thing.end <= at and here - self.sentence(last) <= sentences:
                yield thing

    def drop(self, start: int, end: int) -> None:
        """Forget things introduced inside `start:end`: that mention turned out to mean another."""
        self.things = [t for t in self.things if not (start <= t.start and t.end <= end)]

    def find(self, at: int, wanted: frozenset[str], noun: str, sentences: int) -> Thing | None:
        """Return the thing of a wanted kind that is most in mind, a namesake (`noun`) before others."""
        fitting = [
            t
            for t in self.before(at, sentences)
            if not t.plural and (t.kinds & wanted - _SAME_NOUN_ONLY or (t.kinds & wanted and t.noun == noun))
        ]
        return max(
            fitting,
            key=lambda t: self.salience(t, at) + (_SAME_NOUN if noun and t.noun == noun else 0.0),
            default=None,
        )


def named_things(entities: Iterable[EntityMention]) -> list[Thing]:
    """Named entities as things; a name that comes back is one thing. A test is known by its name."""
    found: dict[str, Thing] = {}
    for entity in entities:
        if entity.type in _NOT_THINGS:
            continue
        thing = found.get(entity.text)
        if thing is None:
            of_type = load_kinds().of_entity.get(entity.type, frozenset())
            extra = {"test"} if entity.type in {"file", "function", "class"} and _TEST.search(entity.text) else set()
            found[entity.text] = Thing(entity.start, entity.end, of_type | extra, named=True)
        else:
            thing.places.append((entity.start, ROLE_GAIN[""]))
    return list(found.values())


_TEST = compile_later(r"(?:\A|[/_.])[Tt]ests?(?:[/_.]|\Z)|\ATest[A-Z]|[a-z]Test\Z|\Atest_|\.spec\.|\.test\.")
