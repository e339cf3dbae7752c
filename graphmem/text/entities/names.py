"""Finds known names and common nouns of software, and decides whether an ambiguous word ("Go", "spring") has its
technical meaning. The names are in `vocabulary.py`."""

from __future__ import annotations

from collections.abc import Callable

from graphmem.text.entities.entity_scan import EntityScan
from graphmem.text.entities.vocabulary import Entry, Vocabulary
from graphmem.text.entities.wordlists import word_set

# After these a name of a tool or language is likely.
TOOL_SIGNS = word_set(
    """
    using use used uses via install installed installing with in on from into for run running through under by
    of learn learning like called named latest upgrade upgraded against integrate
    """
)
# What may follow a name at the start of a sentence, but hardly a verb in the imperative.
AFTER_SUBJECT = word_set(
    """
    is has was does can will would should could may might doesn isn hasn uses provides supports allows requires
    needs comes seems and or ' , ( version app application server code file project developer library framework
    's also already
    """
)
NUMBERED = frozenset(("number", "version", "korean"))
APOSTROPHES = frozenset("'’&")


def given_names(scan: EntityScan, known: Vocabulary) -> None:
    """Claim the caller's own names in their exact spelling, whatever they mean."""
    _claim_all(scan, known, lambda scan, entry, i, j: scan.slice(i, j) == entry.spelling)


def known_names(scan: EntityScan, vocabulary: Vocabulary) -> None:
    """Claim phrases of the word lists, longest first."""
    _claim_all(scan, vocabulary, _meant)


def _claim_all(scan: EntityScan, vocabulary: Vocabulary, meant: Callable[[EntityScan, Entry, int, int], bool]) -> None:
    lows, longest = scan.words.lows, vocabulary.longest
    i = 0
    while i < scan.size:
        step = 1
        if lows[i] in longest and i not in scan.claimed and i not in scan.quiet:
            step = _claim_longest(scan, vocabulary, i, meant)
        i += step


def _claim_longest(
    scan: EntityScan, vocabulary: Vocabulary, i: int, meant: Callable[[EntityScan, Entry, int, int], bool]
) -> int:
    """Returns the number of words that were dealt with."""
    for n, entries in vocabulary.at(scan.words.lows, i):
        for entry in entries:
            if scan.free(i, i + n) and meant(scan, entry, i, i + n):
                scan.claim(i, i + n, entry.type, entry.generic)
                return n
    return 1


def _meant(scan: EntityScan, entry: Entry, i: int, j: int) -> bool:
    """Return whether this known phrase has its technical meaning here."""
    if entry.spelling is not None and scan.slice(i, j) != entry.spelling:
        return False
    if j - i == 1 and _part_of_word(scan, i):
        return False
    if entry.generic:
        return j - i > 1 or not (scan.is_verb(i) or scan.shape(i) in ("class", "camel"))
    if not entry.ambiguous:
        return True
    if scan.words.texts[i].islower():
        return scan.low(i - 1) in TOOL_SIGNS or scan.shape(j) in NUMBERED
    if scan.opens_sentence(i):
        return scan.low(j) in AFTER_SUBJECT or scan.shape(j) in NUMBERED or j == scan.size
    return True


def _part_of_word(scan: EntityScan, i: int) -> bool:
    """Return whether a letter is part of a word and no name: the t of "don't", the R of "R&D"."""
    if len(scan.words.texts[i]) > 1:
        return False
    return (scan.touches(i - 1) and scan.low(i - 1) in APOSTROPHES) or (
        scan.touches(i) and scan.low(i + 1) in APOSTROPHES
    )
