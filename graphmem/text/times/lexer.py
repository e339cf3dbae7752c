"""Splits text into islands of nodes. Shapes and known words become nodes; anything unknown ends an island, so that no
rule looks across it. One linear pass."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from graphmem.text.times.engine import Alphabet, Node
from graphmem.text.times.korean import split_words
from graphmem.text.times.lexicon import MONTHS
from graphmem.text.times.shapes import SHAPES, Match, Token

_WORD = r"o['’]clock|[^\W\d_가-힣]+(?![\w])"
# A new paragraph or line ends a phrase unless the line continues in lower case; so does the end of a sentence.
_MONTH = "|".join(word for word in MONTHS if len(word) == 3)
_BREAK = rf"\n(?!(?-i:[a-z]))|[!?;]|(?<!\d)\.\s+(?=['\"“]?(?-i:[A-Z]))|(?<=\d)\.\s+(?=['\"“]?(?-i:[A-Z]))(?!{_MONTH})"
_MAX_ABBREVIATION = 4


class Lexer:
    """Cuts text into islands: lists of adjacent nodes of one phrase."""

    def __init__(self, alphabet: Alphabet) -> None:
        patterns = [f"(?P<{name}>{regex})" for name, regex, _ in SHAPES]
        first, rest = patterns[:-1], patterns[-1]
        words = rf"(?P<KOREAN>[가-힣]+)|(?P<WORD>{_WORD})|(?P<NAME>\w+)|(?P<BREAK>{_BREAK})|(?P<SPACE>\s+)"
        # Plain words first: they are the most frequent, and every alternative before them costs time.
        plain = r"(?P<PLAIN>(?<!\d)(?![ap]\b|[ap]m\b|fy\b|cy\b|sy\b|o['’]clock)[a-z]+(?![\w'’]))"
        parts = [r"(?P<BLANK> +)", plain, *first, words, rest]
        self._regex = re.compile("|".join(parts), re.IGNORECASE)
        self._readers: dict[str, Callable[[Match], Token]] = {name: reader for name, _, reader in SHAPES}
        self._alphabet = alphabet
        self._words = alphabet.words()
        self._dot = alphabet.symbol("DOT")

    def islands(self, text: str, start: int, end: int) -> Iterator[list[Node]]:
        """Yield the islands of `text[start:end]` from left to right, with offsets into the whole text."""
        island: list[Node] = []
        position = start
        for match in self._regex.finditer(text, start, end):
            kind = match.lastgroup or ""
            if match.start() != position:  # a character of no shape
                if island:
                    yield island
                island = []
            position = match.end()
            if kind in ("SPACE", "BLANK"):
                continue
            nodes = self._nodes(kind, match, island)
            if nodes:
                island += nodes
            elif island:
                yield island
                island = []
        if island:
            yield island

    def _nodes(self, kind: str, match: Match, island: list[Node]) -> list[Node]:
        """No nodes mean that the island ends here."""
        start, end = match.span()
        if kind in ("PLAIN", "WORD"):
            word = match[0].lower().replace("’", "'")
            symbol = self._words.get(word)
            return [Node(symbol, start, end, word)] if symbol else []
        if kind == "KOREAN":
            words = split_words(match[0])
            return [Node(self._alphabet.symbol(word), start + at, start + at + len(word), word) for at, word in words]
        if kind == "BREAK":
            abbreviated = island and island[-1].word and len(island[-1].word) <= _MAX_ABBREVIATION
            return [Node(self._dot, start, start + 1)] if match[0][0] == "." and abbreviated else []
        reader = self._readers.get(kind)
        token = reader and self._read(reader, match)
        return [Node(self._alphabet.symbol(token[0]), start, end, "", token[1])] if token else []

    @staticmethod
    def _read(reader: Callable[[Match], Token], match: Match) -> Token:
        try:
            return reader(match)
        except (ValueError, OverflowError, LookupError):  # digits in the shape of a date that is none
            return None
