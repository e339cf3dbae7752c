"""Resolves pronouns and definite mentions ("she", "it", "the bug", "그 파일") to their antecedents within one text.
English pronouns need the spaCy pipeline. Without it, and in Korean, simpler rules resolve fewer of them. The text itself
is not changed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from graphmem.model.text import EntityMention, Reference
from graphmem.patterns import compile_later
from graphmem.text import pipeline
from graphmem.text.entities import extract_entities
from graphmem.text.references.analysis import Analysis, analyse_text
from graphmem.text.references.focus import Link, resolve_things
from graphmem.text.references.mentions import PRONOUNS
from graphmem.text.references.plain import resolve_people_plainly
from graphmem.text.references.ranker import resolve_people

__all__ = ["resolve_many", "resolve_references"]

_MAX_PART_CHARS = 12_000  # characters: longer texts are resolved part by part, so that time stays linear
_MAYBE_PERSONS = frozenset({"person", "org", "class", "tag"})  # McCallum has the shape of a class
_NEEDS_PARSE = compile_later(rf"\b(?:{'|'.join(PRONOUNS)})\b", re.IGNORECASE)


def resolve_references(text: str, entities: Sequence[EntityMention] | None = None) -> list[Reference]:
    """Return the references of `text`, in order and without overlaps, each with its antecedent and offsets into `text`.

    `entities`: the entities of the text, if already extracted; otherwise rules extract them. A pronoun whose antecedent
    is a pronoun is followed to a name. Never raises.
    """
    return resolve_many([text], None if entities is None else [entities])[0]


def resolve_many(
    texts: Iterable[str], entities: Iterable[Sequence[EntityMention]] | None = None
) -> list[list[Reference]]:
    """Return `resolve_references` for many texts; faster, as they are parsed in batches."""
    texts = list(texts)
    known = [_rules(text) for text in texts] if entities is None else list(entities)
    parts = [(i, offset, part) for i, text in enumerate(texts) for offset, part in _parts(text)]
    wanted = [k for k, (_, _, part) in enumerate(parts) if _NEEDS_PARSE.search(part)]
    analyses = dict(zip(wanted, _analyse([parts[k][2] for k in wanted]), strict=True))
    found: list[list[Reference]] = [[] for _ in texts]
    for k, (i, offset, part) in enumerate(parts):
        here = [_shifted(e, offset) for e in known[i] if offset <= e.start and e.end <= offset + len(part)]
        found[i] += [_reference(texts[i], offset, link) for link in _links(part, here, analyses.get(k))]
    return found


def _links(text: str, entities: list[EntityMention], analysis: Analysis | None) -> list[Link]:
    links = resolve_people_plainly(text, entities, korean_only=analysis is not None)
    if analysis is not None:
        tokens = analysis.tokens
        things = [(e.start, e.end) for e in entities if e.type not in _MAYBE_PERSONS]
        links += [Link(tokens[i].start, tokens[i].end, m.start, m.end) for i, m in resolve_people(analysis, things)]
    links += resolve_things(text, entities, analysis)
    disjoint: list[Link] = []
    for link in sorted(links, key=lambda item: (item.start, -item.end)):
        if not disjoint or link.start >= disjoint[-1].end:
            disjoint.append(link)
    return disjoint


def _analyse(texts: list[str]) -> list[Analysis | None]:
    if not texts:
        return []
    analyses = pipeline.run_pipeline(texts, analyse_text, parser=True)
    return [None] * len(texts) if analyses is None else list(analyses)


def _rules(text: str) -> list[EntityMention]:
    return extract_entities(text, linguistic=False, generic=False)


def _parts(text: str) -> Iterator[tuple[int, str]]:
    """Pieces of at most `_PART` characters, cut at the end of a line or at least of a word."""
    start = 0
    while start < len(text):
        end = start + _MAX_PART_CHARS
        if end < len(text):
            cut = max(text.rfind("\n", start + _MAX_PART_CHARS // 2, end), text.rfind(" ", end - 200, end))
            end = cut + 1 if cut > start else end
        yield start, text[start:end]
        start = end


def _shifted(entity: EntityMention, offset: int) -> EntityMention:
    return EntityMention(entity.start - offset, entity.end - offset, entity.text, entity.type)


def _reference(text: str, offset: int, link: Link) -> Reference:
    start, end, first, last = (position + offset for position in link)
    return Reference(start, end, text[start:end], first, last, text[first:last])
