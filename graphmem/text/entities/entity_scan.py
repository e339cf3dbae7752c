"""A text during entity extraction: its words, their neighbours, and which word belongs to which entity. Parts of speech
are guessed from word lists, because spaCy's tags did not improve results."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import NamedTuple

from graphmem.text.entities.wordlists import word_set
from graphmem.text.entities.words import Words

SENTENCE_ENDS = frozenset(".!?:;…")
OPENERS = frozenset("\"'(`“‘[*-")
CALENDAR = word_set(
    """
    monday tuesday wednesday thursday friday saturday sunday january february march april may june july august
    september october november december english korean korea american german french internet unicode advance
    """
)
QUOTES = frozenset("\"'`“”‘’")

# After these a word that can be a noun or a verb is a verb.
VERB_SIGNS = word_set(
    """
    to i we you they can will should must could would cannot let n't not 'll do does did don please
    """
)
# Words of software that are as often verbs.
VERBS = word_set(
    """
    list form map set log cache plot frame tab box screen label queue stack buffer graph button toggle pin open
    close read sort print query index table string double scan monitor register port mouse row text image
    picture photo window heap tree
    """
)


class EntityWords(NamedTuple):
    """The words from `first` to before `end` are a `type`; `generic` for common nouns such as "button"."""

    first: int
    end: int
    type: str
    generic: bool = False


class Mention(NamedTuple):
    """A result as plain data: `text[start:end]` is a `type`."""

    start: int
    end: int
    type: str
    generic: bool


class EntityScan:
    """A text, its words and the entities found so far. `claimed` maps the index of a word to the entity that it belongs
    to; `guesses` are words claimed for want of anything better; `around` holds longer spans that may contain entities
    (commands); `quiet` the words inside of code blocks, where ordinary words mean nothing."""

    def __init__(self, text: str, words: Words) -> None:
        self.text = text
        self.words = words
        self.size = len(words.starts)
        self.claimed: dict[int, EntityWords] = {}
        self.guesses: set[int] = set()
        self.around: list[EntityWords] = []
        self.quiet: set[int] = set()
        self._lower_case: frozenset[str] | None = None

    # words

    def low(self, i: int) -> str:
        """Return the word at `i` in lower case; "" outside of the text."""
        return self.words.lows[i] if 0 <= i < self.size else ""

    def shape(self, i: int) -> str:
        """Return the shape of the word at `i` (see `wordshape.py`); "" outside of the text."""
        return self.words.shapes[i] if 0 <= i < self.size else ""

    def slice(self, i: int, j: int) -> str:
        """Return the text from word `i` to before word `j`."""
        return self.text[self.words.starts[i] : self.words.ends[j - 1]]

    def between(self, start: int, end: int) -> range:
        """Return the words inside `text[start:end]`."""
        return range(bisect_left(self.words.starts, start), bisect_right(self.words.ends, end))

    def touches(self, i: int) -> bool:
        """Return whether there is no space between the words `i` and `i + 1`."""
        return 0 <= i < self.size - 1 and self.words.ends[i] == self.words.starts[i + 1]

    def opens_sentence(self, i: int) -> bool:
        """Return whether the word at `i` is the first of a sentence, line or list item."""
        for _ in range(4):  # quotes and brackets before it; more would be no sentence
            if self.low(i - 1) in OPENERS:
                i -= 1
        if i == 0 or self.low(i - 1) in SENTENCE_ENDS:
            return True
        return "\n" in self.text[self.words.ends[i - 1] : self.words.starts[i]]

    def is_verb(self, i: int) -> bool:
        """Return whether the word at `i`, which can be verb or noun, is a verb here."""
        if self.low(i - 1) in VERB_SIGNS:
            return True
        if self.low(i) not in VERBS:
            return False
        return self.opens_sentence(i) and self.low(i + 1) in ("the", "a", "an", "all", "your", "it", "up")

    def quoted(self, i: int, j: int) -> bool:
        """Return whether the words from `i` to before `j` are in quotes."""
        return self.low(i - 1) in QUOTES and self.low(j) in QUOTES

    def is_ordinary(self, i: int) -> bool:
        """Return whether the word at `i` also occurs without a capital: then it is rarely a name."""
        if self._lower_case is None:
            self._lower_case = frozenset(word for word in self.words.texts if word.islower())
        return self.low(i) in self._lower_case

    # entities

    def claim(self, first: int, end: int, kind: str, generic: bool = False) -> None:
        """Assign the words from `first` to before `end` to a new entity; an entity that loses a word is removed."""
        for i in range(first, end):
            if i in self.claimed:
                self.release(self.claimed[i])
        found = EntityWords(first, end, kind, generic)
        for i in range(first, end):
            self.claimed[i] = found

    def release(self, found: EntityWords) -> None:
        for i in range(found.first, found.end):
            self.claimed.pop(i, None)
            self.guesses.discard(i)

    def free(self, i: int, j: int) -> bool:
        return not any(k in self.claimed for k in range(i, j))

    def type_at(self, i: int) -> str:
        """Return the type of the entity at word `i`; "" if there is none."""
        found = self.claimed.get(i)
        return found.type if found is not None else ""

    def mentions(self) -> list[Mention]:
        """Return `found` with offsets in the text."""
        starts, ends = self.words.starts, self.words.ends
        return [Mention(starts[f.first], ends[f.end - 1], f.type, f.generic) for f in self.found()]

    def found(self) -> list[EntityWords]:
        """Return all entities in the order of the text; of two with the same start, the longer one first."""
        return sorted({*self.claimed.values(), *self.around}, key=lambda f: (f.first, -f.end, f.type))
