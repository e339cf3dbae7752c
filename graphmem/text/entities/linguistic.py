"""The part of entity extraction that uses spaCy, for capitalised words that the rules leave undecided: tagger, named
entities, an entity ruler for known names (of a code graph) and an own component. Only spaCy's persons and organisations
are accepted, and never against a rule: it labels Docker a person."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from graphmem.text import pipeline
from graphmem.text.entities.page import CALENDAR, Page
from graphmem.text.entities.rules import find_entities
from graphmem.text.entities.wordlists import word_set

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Span

COMPONENT = "software_entities"
RULER = "known_names"
KNOWN = "known:"  # how the labels of the ruler begin
REACH = 200  # characters of the line on either side of an open word that spaCy gets to see
PERSON_BEFORE = word_set("by told tell tells ask asked asks thanks thank hi hello dear hey met meet with @")
ORG_BEFORE = word_set("at for by from of with joined")
PLACES = ("GPE", "NORP", "LOC")


def refine_with_spacy(pages: Sequence[Page], known: Mapping[str, str] | None = None) -> bool:
    """Add what spaCy knows about undecided words to the pages. Return False without a model."""
    jobs = [(page, start, end) for page in pages for start, end in open_parts(page)]
    if not jobs:
        return True
    with pipeline.pipeline_lock():
        nlp = _pipeline()
        if nlp is None:
            return False
        _teach(nlp, known or {})
        with nlp.select_pipes(disable=[] if known else [RULER]):  # an empty ruler warns
            pipeline.run_with(nlp, (_document(nlp, *job) for job in jobs), len)
    return True


def open_parts(page: Page) -> Iterator[tuple[int, int]]:
    """Yield (start, end) of text parts with a capitalised word that no rule knows, in a prose sentence: there spaCy may
    find a person. Disjoint, in order. One sentence in ten in technical prose."""
    last = 0
    for i, shape in enumerate(page.words.shapes):
        if shape != "title" or page.words.starts[i] < last or not _is_open(page, i):
            continue
        start, end = page.words.starts[i], page.words.ends[i]
        first = max(last, page.text.rfind("\n", max(0, start - REACH), start) + 1, start - REACH)
        line_end = page.text.find("\n", end, end + REACH)
        last = min(len(page.text), end + REACH) if line_end < 0 else line_end
        yield first, last


def _is_open(page: Page, i: int) -> bool:
    if (i in page.claimed and i not in page.guesses) or i in page.quiet or page.low(i) in CALENDAR:
        return False
    before = page.text[max(0, page.words.starts[i] - 1) : page.words.starts[i]]
    after = page.text[page.words.ends[i] : page.words.ends[i] + 1]
    in_prose = before in ("", " ", "\n", '"', "'", "(") and after in (
        "",
        " ",
        "\n",
        ",",
        ".",
        "!",
        "?",
        "'",
        "’",
        ";",
        ")",
    )
    return in_prose and not page.opens_sentence(i)


@cache
def _pipeline() -> Language | None:
    nlp = pipeline.fresh_pipeline(parser=False)
    if nlp is None:
        return None
    register_names()
    nlp.add_pipe("entity_ruler", name=RULER, config={"overwrite_ents": True})
    nlp.add_pipe(COMPONENT)
    return nlp


pipeline.kept_by(_pipeline.cache_clear)


def _teach(nlp: Language, known: Mapping[str, str]) -> None:
    """Give the ruler these names, unless it has them already."""
    ruler: Any = nlp.get_pipe(RULER)
    patterns = [{"label": KNOWN + kind, "pattern": name} for name, kind in known.items() if name.strip()]
    if ruler.patterns != patterns:
        ruler.clear()
        ruler.add_patterns(patterns)


def _document(nlp: Language, page: Page, start: int, end: int) -> Doc:
    doc = nlp.make_doc(pipeline.encodable_text(page.text[start:end]))
    doc._.page = page
    doc._.offset = start
    return doc


@cache
def register_names() -> None:
    """Register the spaCy component `software_entities`, with its extensions of `Doc`: `page` and `offset` (the page that
    contains the document, and where) and `software_entities` (the mentions, without a page)."""
    from spacy.language import Language
    from spacy.tokens import Doc

    Doc.set_extension("page", default=None, force=True)
    Doc.set_extension("offset", default=0, force=True)
    Doc.set_extension("software_entities", default=(), force=True)
    Language.component(COMPONENT, func=software_entities, assigns=["doc._.software_entities"])


def software_entities(doc: Doc) -> Doc:
    """Add spaCy's persons and organisations to the page of the document, or to a new one."""
    page, whole = doc._.page, doc._.page is None
    if whole:
        given = [
            (e.start_char, e.end_char, e.label_.removeprefix(KNOWN)) for e in doc.ents if e.label_.startswith(KNOWN)
        ]
        page = find_entities(doc.text, given=given)
    for entity in doc.ents:
        _named_entity(page, entity, doc._.offset)
    if whole:
        doc._.software_entities = page.mentions()
    return doc


def _named_entity(page: Page, entity: Span, offset: int) -> None:
    """Claims a person or organisation whose words are free and look like a name; drops a guess that is a place."""
    words = page.between(offset + entity.start_char, offset + entity.end_char)
    if entity.label_ in PLACES:
        for i in page.guesses.intersection(words):
            page.release(page.claimed[i])
    if entity.label_ not in ("PERSON", "ORG"):
        return
    if words and page.low(words[0]) in PERSON_BEFORE:  # "Thanks Ada"
        words = words[1:]
    if not words or any(page.shape(i) != "title" or (i in page.claimed and i not in page.guesses) for i in words):
        return
    if any(page.is_ordinary(i) for i in words) or any(
        not token.tag_.startswith("NNP") for token in entity[-len(words) :]
    ):
        return
    first, end = words[0], words[-1] + 1
    if entity.label_ == "PERSON" and (len(words) > 1 or _acts(page, first, end, entity)):
        page.claim(first, end, "person")
    elif entity.label_ == "ORG" and len(words) > 1 and page.low(first - 1) in ORG_BEFORE:
        page.claim(first, end, "org")


def _acts(page: Page, first: int, end: int, entity: Span) -> bool:
    """Return whether a single name does what persons do: it has something, says something, or is spoken to."""
    if page.low(first - 1) in PERSON_BEFORE or (page.low(end) in ("'", "’") and page.low(end + 1) == "s"):
        return True
    after = entity.doc[entity.end].tag_ if entity.end < len(entity.doc) else ""
    return after in ("VBD", "VBZ", "MD") and page.low(first - 1) != "the"
