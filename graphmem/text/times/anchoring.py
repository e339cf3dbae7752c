"""From text to time mentions: token islands pass through the levels of the grammar and are anchored. Holds the compiled
grammar; the rules are in `grammar`, filtering in `plausible`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import cache

from graphmem.model.text import TimeMention
from graphmem.text.times import korean, lexicon
from graphmem.text.times.engine import Alphabet, Level, Node
from graphmem.text.times.grammar import HINTS, LEVELS, UNIONS
from graphmem.text.times.lexer import Lexer
from graphmem.text.times.meaning.base import UNKNOWN, Anchored, Context, Meaning
from graphmem.text.times.meaning.spans import Length, Span
from graphmem.text.times.plausible import is_plausible
from graphmem.text.times.prefilter import Prefilter
from graphmem.text.times.tense import tense_at


class Grammar:
    """The compiled rules: about 0.2 s to build, so built once and only when a text is read."""

    def __init__(self) -> None:
        self.alphabet = Alphabet(lexicon.CLASSES | korean.CLASSES, UNIONS, lexicon.COMMON)
        self.levels = [Level(rules, self.alphabet) for rules in LEVELS]
        self.lexer = Lexer(self.alphabet)
        self.prefilter = Prefilter(set(self.alphabet.words()) - lexicon.COMMON)
        # An island is worth reading when it holds more than common words: a word of time, a shape, an hour after "at".
        hints = [name for name in self.alphabet.names() if name not in lexicon.COMMON]
        phrases = [self.alphabet.regex(phrase) for phrase in HINTS]
        self._hint = re.compile("|".join([self.alphabet.charset_of(hints), *phrases]))
        self._kinds = self.alphabet.kinds()

    def kind(self, node: Node) -> str:
        """Return the name of a node's kind, "" for a word."""
        return self._kinds.get(node.symbol, "")

    def reduce(self, island: list[Node]) -> list[Node]:
        """Return the island after all levels."""
        symbols = "".join([node.symbol for node in island])
        if self._hint.search(symbols) is None:
            return []
        for level in self.levels:
            reduced = level.apply(island, symbols)
            if reduced is not island:
                island = reduced
                symbols = "".join([node.symbol for node in island])
        return island


@cache
def load_grammar() -> Grammar:
    """Return the grammar, compiled at the first call."""
    return Grammar()


def anchored_mentions(text: str, now: datetime) -> Iterator[TimeMention]:
    """See `anchor_times`."""
    grammar = load_grammar()
    wall = now.replace(tzinfo=None, microsecond=0)
    zone = now.tzinfo or UTC
    for start, end in grammar.prefilter.stretches(text):
        for island in grammar.lexer.islands(text, start, end):
            yield from _mentions(text, grammar.reduce(island), wall, zone)


def _mentions(text: str, nodes: list[Node], wall: datetime, zone: tzinfo) -> Iterator[TimeMention]:
    for node in nodes:
        meaning = Span(node.value) if isinstance(node.value, Length) else node.value
        if not isinstance(meaning, Meaning) or not is_plausible(text, node, load_grammar().kind(node)):
            continue
        tense = tense_at(text, node.start, node.end) if meaning.openness else UNKNOWN
        found = _anchor(meaning, Context(wall, tense))
        if found is not None:
            yield _mention(text, node, found, zone)


def _anchor(meaning: Meaning, context: Context) -> Anchored | None:
    try:
        return meaning.anchor(context)
    except (ValueError, OverflowError):  # no such date, or one outside the calendar
        return None


def _mention(text: str, node: Node, found: Anchored, zone: tzinfo) -> TimeMention:
    if found.offset_minutes is not None:
        zone = timezone(timedelta(minutes=found.offset_minutes))
    begin, until = _utc(found.begin, zone), _utc(found.until, zone)
    return TimeMention(node.start, node.end, text[node.start : node.end], found.value, begin, until)


def _utc(moment: datetime | None, zone: tzinfo) -> datetime | None:
    if moment is None:
        return None
    try:
        return moment.replace(tzinfo=zone).astimezone(UTC)
    except OverflowError:  # in the first or last hours of the calendar
        return (datetime.min if moment.year == 1 else datetime.max).replace(tzinfo=UTC)
