"""Extracts entities from software text: libraries, files, functions, versions, persons and so on, with exact offsets. The
public interface of the package. Does not link mentions to graph nodes or resolve references."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

from graphmem.model.text import EntityMention
from graphmem.text.entities.wordlists import word_set

if TYPE_CHECKING:
    from graphmem.text.entities.entity_scan import EntityScan

TYPES = word_set(
    """
    person org library language file function class variable command flag version error url issue commit date
    email website application operating_system data_type data_structure ui_element file_type tag algorithm
    device value key license
    """
)


def extract_entities(
    text: str, *, linguistic: bool | None = None, known: Mapping[str, str] | None = None, generic: bool = True
) -> list[EntityMention]:
    """Return the entities of `text`, ordered by start, each with a type of `TYPES` (or of `known`). Only a command may
    overlap other entities: those inside it. Never raises; linear in the length of the text.

    `linguistic`: True also uses spaCy where the rules are undecided; False never does (about 10,000 sentences a second);
    None uses it if a model is installed. `known`: names with their types, such as the symbols of a code graph; they
    take precedence. `generic`: whether to include common nouns ("button", "array"), single letters, plain numbers and guesses.
    """
    if linguistic is False and not known:
        return list(_plain(text, generic))
    return extract_all([text], linguistic=linguistic, known=known, generic=generic)[0]


@lru_cache(maxsize=1_500)  # the steps of a batch read the same thousand texts one after the other
def _plain(text: str, generic: bool) -> tuple[EntityMention, ...]:
    return tuple(extract_all([text], linguistic=False, generic=generic)[0])


def extract_all(
    texts: Iterable[str],
    *,
    linguistic: bool | None = None,
    known: Mapping[str, str] | None = None,
    generic: bool = True,
) -> list[list[EntityMention]]:
    """Run `extract_entities` on many texts, which is faster with spaCy."""
    scans = _by_rules(texts, known)
    if linguistic is not False:
        from graphmem.text.entities.linguistic import refine_with_spacy

        refine_with_spacy(scans, known)
    return [_public(scan, generic) for scan in scans]


def _by_rules(texts: Iterable[str], known: Mapping[str, str] | None) -> list[EntityScan]:
    from graphmem.text.entities.rules import find_in_texts

    return find_in_texts(texts, known)


def _public(scan: EntityScan, generic: bool) -> list[EntityMention]:
    mentions = (m for m in scan.mentions() if generic or not m.generic)
    return [EntityMention(m.start, m.end, scan.text[m.start : m.end], m.type) for m in mentions]
