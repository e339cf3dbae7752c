"""Rule-based entity extraction, without spaCy: tokenises a text and runs the passes in order. A word belongs to the first
pass that claims it, unless a later one has better evidence. Linear, some ten thousand sentences per second."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from graphmem.text.entities import markup, neighbours
from graphmem.text.entities.compounds import join_compounds
from graphmem.text.entities.dates import find_dates
from graphmem.text.entities.entity_scan import EntityScan
from graphmem.text.entities.names import given_names, known_names
from graphmem.text.entities.people import find_people
from graphmem.text.entities.shapes import shaped_words
from graphmem.text.entities.vocabulary import Vocabulary, vocabulary, vocabulary_of_names
from graphmem.text.entities.words import scan_words

AFTER_NAMES: tuple[Callable[[EntityScan], None], ...] = (
    find_people,
    shaped_words,
    neighbours.kind_nouns,
    join_compounds,
    neighbours.versions,
    neighbours.calls,
    neighbours.capitalised,
    neighbours.numbers,
    neighbours.status_codes,
    neighbours.file_kinds,
    neighbours.letters,
    find_dates,
    markup.stack_frames,
    markup.prompts,
    markup.inline_code,
    markup.commands,
)


def find_in_texts(texts: Iterable[str], known: Mapping[str, str] | None) -> list[EntityScan]:
    """Return the entities of each text; `known` are names of the caller's own with their types."""
    names = vocabulary_of_names(frozenset(known.items())) if known else None
    return [find_entities(text, names) for text in texts]


def find_entities(
    text: str,
    known: Vocabulary | None = None,
    given: Iterable[tuple[int, int, str]] = (),
) -> EntityScan:
    """Return the entities of `text`. `known`: the caller's own names; `given`: (start, end, type) of already known ones."""
    scan = EntityScan(text, scan_words(text))
    markup.code_blocks(scan)
    for start, end, kind in given:
        words = scan.between(start, end)
        if words:
            scan.claim(words[0], words[-1] + 1, kind)
    if known is not None:
        given_names(scan, known)
    known_names(scan, vocabulary())
    for step in AFTER_NAMES:
        step(scan)
    return scan
