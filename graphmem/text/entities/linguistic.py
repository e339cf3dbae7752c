"""The part of entity extraction that uses spaCy, for capitalised words that the rules leave undecided: tagger, named
entities, an entity ruler for known names (of a code graph) and an own component. Only spaCy's persons and organisations
are accepted, and never against a rule: it labels Docker a person."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from graphmem.text import pipeline
from graphmem.text.entities.entity_scan import CALENDAR, EntityScan
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


def refine_with_spacy(scans: Sequence[EntityScan], known: Mapping[str, str] | None = None) -> bool:
    """Add what spaCy knows about undecided words to the scans. Return False without a model."""
    jobs = [(scan, start, end) for scan in scans for start, end in open_parts(scan)]
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


def open_parts(scan: EntityScan) -> Iterator[tuple[int, int]]:
    """Yield (start, end) of text parts with a capitalised word that no rule knows, in a prose sentence: there spaCy may
    find a person. Disjoint, in order. One sentence in ten in technical prose."""
    last = 0
    for i, shape in enumerate(scan.words.shapes):
        if shape != "title" or scan.words.starts[i] < last or not _is_open(scan, i):
            continue
        start, end = scan.words.starts[i], scan.words.ends[i]
        first = max(last, scan.text.rfind("\n", max(0, start - REACH), start) + 1, start - REACH)
        line_end = scan.text.find("\n", end, end + REACH)
        last = min(len(scan.text), end + REACH) if line_end < 0 else line_end
        yield first, last


def _is_open(scan: EntityScan, i: int) -> bool:
    if (i in scan.claimed and i not in scan.guesses) or i in scan.quiet or scan.low(i) in CALENDAR:
        return False
    before = scan.text[max(0, scan.words.starts[i] - 1) : scan.words.starts[i]]
    after = scan.text[scan.words.ends[i] : scan.words.ends[i] + 1]
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
    return in_prose and not scan.opens_sentence(i)


@cache
def _pipeline() -> Language | None:
    nlp = pipeline.fresh_pipeline(parser=False)
    if nlp is None:
        return None
    register_names()
    nlp.add_pipe("entity_ruler", name=RULER, config={"overwrite_ents": True})
    nlp.add_pipe(COMPONENT)
    return nlp


pipeline.call_on_release(_pipeline.cache_clear)


def _teach(nlp: Language, known: Mapping[str, str]) -> None:
    """Give the ruler these names, unless it has them already."""
    ruler: Any = nlp.get_pipe(RULER)
    patterns = [{"label": KNOWN + kind, "pattern": name} for name, kind in known.items() if name.strip()]
    if ruler.patterns != patterns:
        ruler.clear()
        ruler.add_patterns(patterns)


def _document(nlp: Language, scan: EntityScan, start: int, end: int) -> Doc:
    doc = nlp.make_doc(pipeline.encodable_text(scan.text[start:end]))
    doc._.scan = scan
    doc._.offset = start
    return doc


@cache
def register_names() -> None:
    """Register the spaCy component `software_entities`, with its extensions of `Doc`: `scan` and `offset` (the scan that
    contains the document, and where) and `software_entities` (the mentions, without a scan)."""
    from spacy.language import Language
    from spacy.tokens import Doc

    Doc.set_extension("scan", default=None, force=True)
    Doc.set_extension("offset", default=0, force=True)
    Doc.set_extension("software_entities", default=(), force=True)
    Language.component(COMPONENT, func=software_entities, assigns=["doc._.software_entities"])


def software_entities(doc: Doc) -> Doc:
    """Add spaCy's persons and organisations to the scan of the document, or to a new one."""
    scan, whole = doc._.scan, doc._.scan is None
    if whole:
        given = [
            (e.start_char, e.end_char, e.label_.removeprefix(KNOWN)) for e in doc.ents if e.label_.startswith(KNOWN)
        ]
        scan = find_entities(doc.text, given=given)
    for entity in doc.ents:
        _named_entity(scan, entity, doc._.offset)
    if whole:
        doc._.software_entities = scan.mentions()
    return doc


def _named_entity(scan: EntityScan, entity: Span, offset: int) -> None:
    """Claims a person or organisation whose words are free and look like a name; drops a guess that is a place."""
    words = scan.between(offset + entity.start_char, offset + entity.end_char)
    if entity.label_ in PLACES:
        for i in scan.guesses.intersection(words):
            scan.release(scan.claimed[i])
    if entity.label_ not in ("PERSON", "ORG"):
        return
    if words and scan.low(words[0]) in PERSON_BEFORE:  # "Thanks Ada"
        words = words[1:]
    if not words or any(scan.shape(i) != "title" or (i in scan.claimed and i not in scan.guesses) for i in words):
        return
    if any(scan.is_ordinary(i) for i in words) or any(
        not token.tag_.startswith("NNP") for token in entity[-len(words) :]
    ):
        return
    first, end = words[0], words[-1] + 1
    if entity.label_ == "PERSON" and (len(words) > 1 or _acts(scan, first, end, entity)):
        scan.claim(first, end, "person")
    elif entity.label_ == "ORG" and len(words) > 1 and scan.low(first - 1) in ORG_BEFORE:
        scan.claim(first, end, "org")


def _acts(scan: EntityScan, first: int, end: int, entity: Span) -> bool:
    """Return whether a single name does what persons do: it has something, says something, or is spoken to."""
    if scan.low(first - 1) in PERSON_BEFORE or (scan.low(end) in ("'", "’") and scan.low(end + 1) == "s"):
        return True
    after = entity.doc[entity.end].tag_ if entity.end < len(entity.doc) else ""
    return after in ("VBD", "VBZ", "MD") and scan.low(first - 1) != "the"
