"""The tier of entity finding that uses spaCy: a pipeline of tagger, named entities, an entity ruler for the caller's
own names (of a code graph) and a component that runs the rules with spaCy's tags. spaCy's own entities are trusted for
persons and organisations only, and never against a rule: it calls Docker a person."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from graphmem.language import pipeline
from graphmem.language.entities.page import CALENDAR, Mention, Page
from graphmem.language.entities.rules import read
from graphmem.language.entities.wordlists import word_set

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Span

COMPONENT = "software_entities"
RULER = "known_names"
KNOWN = "known:"  # how the labels of the ruler begin
PERSON_BEFORE = word_set(
    """
    by told tell tells ask asked asks thanks thank hi hello dear hey met meet with @
    """
)
ORG_BEFORE = word_set("at for by from of with joined")


LONGEST = 100_000  # characters: a longer text is a dump, and spaCy would take a gigabyte for a million


def needs_spacy(page: Page) -> bool:
    """Whether the rules left a capitalised word within a sentence that they do not know or only guessed: there spaCy
    may know a person. In technical prose that is one sentence in ten."""
    if len(page.text) > LONGEST:
        return False
    for i, shape in enumerate(page.words.shapes):
        if shape != "title" or page.low(i) in CALENDAR or i in page.quiet:
            continue
        if (i not in page.claimed or i in page.guesses) and not page.opens_sentence(i):
            return True
    return False


def analyse(texts: Iterable[str], known: Mapping[str, str] | None = None) -> list[list[Mention]] | None:
    """The mentions of each text; None when there is no model."""
    with pipeline.lock():
        nlp = _pipeline()
        if nlp is None:
            return None
        _teach(nlp, known or {})
        with nlp.select_pipes(disable=[] if known else [RULER]):  # an empty ruler warns
            return pipeline.run_with(nlp, texts, lambda doc: list(doc._.software_entities))


@cache
def _pipeline() -> Language | None:
    nlp = pipeline.fresh(parser=False)
    if nlp is None:
        return None
    register()
    nlp.add_pipe("entity_ruler", name=RULER, config={"overwrite_ents": True})
    nlp.add_pipe(COMPONENT)
    return nlp


def _teach(nlp: Language, known: Mapping[str, str]) -> None:
    """Gives the ruler these names, unless it has them already."""
    ruler: Any = nlp.get_pipe(RULER)
    patterns = [{"label": KNOWN + kind, "pattern": name} for name, kind in known.items() if name.strip()]
    if ruler.patterns != patterns:
        ruler.clear()
        ruler.add_patterns(patterns)


@cache
def register() -> None:
    """Makes the component known to spaCy as `software_entities`, with the extension `doc._.software_entities`."""
    from spacy.language import Language
    from spacy.tokens import Doc

    Doc.set_extension("software_entities", default=(), force=True)
    Language.component(COMPONENT, func=software_entities, assigns=["doc._.software_entities"])


def software_entities(doc: Doc) -> Doc:
    """The component: rules first, then what spaCy knows of persons and organisations."""
    tags = {token.idx: token.tag_ for token in doc}
    given = [(e.start_char, e.end_char, e.label_.removeprefix(KNOWN)) for e in doc.ents if e.label_.startswith(KNOWN)]
    page = read(doc.text, given=given, tags=tags)
    for entity in doc.ents:
        _named_entity(page, entity)
    doc._.software_entities = page.mentions()
    return doc


def _named_entity(page: Page, entity: Span) -> None:
    """Claims a person or organisation, when its words are free and look like a name; drops a guess that is a place."""
    if entity.label_ in ("GPE", "NORP", "LOC"):
        for i in page.guesses.intersection(page.between(entity.start_char, entity.end_char)):
            page.release(page.claimed[i])
    if entity.label_ not in ("PERSON", "ORG"):
        return
    words = page.between(entity.start_char, entity.end_char)
    if words and page.low(words[0]) in PERSON_BEFORE:  # "Thanks Ada"
        words = words[1:]
    if not words or any(page.shape(i) != "title" or (i in page.claimed and i not in page.guesses) for i in words):
        return
    first, end = words[0], words[-1] + 1
    if entity.label_ == "PERSON" and (len(words) > 1 or _acts(page, first, end)):
        page.claim(first, end, "person")
    elif entity.label_ == "ORG" and len(words) > 1 and page.low(first - 1) in ORG_BEFORE:
        page.claim(first, end, "org")


def _acts(page: Page, first: int, end: int) -> bool:
    """Whether a single name does what persons do: it has something, says something, or is spoken to."""
    if page.low(first - 1) in PERSON_BEFORE or (page.low(end) in ("'", "’") and page.low(end + 1) == "s"):
        return True
    return page.tag(end) in ("VBD", "VBZ", "MD") and page.low(first - 1) != "the"
