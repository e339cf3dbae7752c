"""Analyses the query: weighted terms, names, the period and the kinds of memory that it asks for. Uses word lists and
patterns; a model only for the vector."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from graphmem.ports.embedder import QueryEmbedder
from graphmem.retrieve.asking import BY_FORM, asked_kinds
from graphmem.retrieve.merged_entities import name_of
from graphmem.retrieve.ports import Ports
from graphmem.retrieve.present import to_microseconds
from graphmem.retrieve.records import Analysis, Request
from graphmem.text.times import anchor_times
from graphmem.text.words import NAME_WORD, content_words, is_question, name_key, stopwords

if TYPE_CHECKING:
    import numpy as np

CAMEL = re.compile(r"[a-z][A-Z]")  # within a name that only code has
_MAX_QUERY_CHARS = 2_000  # characters of a query that are read; more words find nothing better
_MAX_TERMS = 80
_MAX_NAME_CHARS, _MAX_NAME_WORDS = 60, 3  # characters and words of a query that is a name
_MIN_REPORT_CHARS, _MIN_REPORT_WORDS = 120, 18  # characters and different words from which a text tells a story
_MAX_ASKING_CHARS = 400  # characters of a text that tells something and then asks
_MAX_REPORT_CHARS, _MAX_HEADLINE_CHARS = 6_000, 200  # characters of a report that are read, and of its first line
_HEADLINE_WEIGHT, _CODE_WEIGHT = 2.0, 0.3  # weight of a word in the first line, and in code, beside one in a sentence
_CODE_BLOCK = re.compile(r"```.*?(?:```|\Z)|(?m:^(?: {4}|\t|>>> |\$ ).*$)", re.DOTALL)
_FORM_FIELDS = re.compile(
    r"<!--.*?(?:-->|\Z)|(?m:^[ \t]*[-*] \[[ xX]\].*$)"
    r"|(?m:^[ \t]*[\w.-]+[ \t]*(?:==|:)?[ \t]*v?\d+(?:\.\d+)+\S*[ \t]*$)",
    re.DOTALL,
)
_MAX_EXPANDED_TERMS = 20  # a longer query says everything itself
_MAX_RELATED = 6
_MIN_SIMILARITY = 0.35  # least similarity of a related word
_RELATED_WEIGHT = 0.3  # weight of a related word, next to the word
_RESPELT_WEIGHT = 0.6  # weight of a word that is spelt alike
_MERGED_WEIGHT = 0.9  # weight of a name that a person said is another name of the same thing
_SUBWORD_WEIGHT = 0.4  # weight of a part of a word, next to the word
_KIND_PATTERNS = {
    kind: re.compile(pattern, re.VERBOSE)
    for kind, pattern in {
        "commit": r"""(?i)
            \bcommit(?:s|ted)?\b
            |\b(?:when|why)\ (?:was|were|did|does|do|is|are)\b
            |\bwho\b
            |\b(?:added|removed|changed|dropped|deprecated|introduced|renamed|replaced|moved|switched|fixed)\b
            |커밋|언제|누가|왜|변경|추가|삭제""",
        "task": r"(?i)\b(?:tasks?|todos?|blocked|blockers?)\b|할\ 일|작업",
        "gotcha": r"(?i)\b(?:errors?|fail(?:s|ed|ing|ure)?|broken|crash(?:es|ed)?|fix(?:es|ed)?)\b|오류|에러|실패",
        "document": r"""(?i)
            \bhow\ (?:do|to|can|should|does)\b
            |\b(?:docs?|documents?|documentation|readme|guide|configur\w+|install\w*|set(?:ting)?\ up|using|what\ (?:is|are))\b
            |문서|방법|어떻게|설정|설치""",
        "symbol": r"""
            (?i:
                \bwhere\ (?:is|are|does|do|was)\b
                |\b(?:functions?|class(?:es)?|methods?|code|modules?|implement\w*|call(?:s|ed|ers?)
                    |what\ (?!is|was|has)\w+s         # what removes
                    |how\ (?:does|is|are)
                    |(?:which|what|any)\ (?:\w+\ )?tests?)\b
                |테스트|함수|클래스|메서드|모듈|구현|코드|어디)
            |[a-z]\w*_\w                               # read_file
            |\w\(\)                                   # read()
            |[a-z][A-Z]\w                              # readFile
            |\w{2,}\.(?!md\b|rst\b|txt\b|com\b|org\b|io\b)[A-Za-z]\w{2,}  # app.read, but not notes.md""",
        "skill": r"""(?i)
            \bskills?\b|\b(?:usually|practices?|conventions?)\b|\bhow\ (?:do|did|should)\ we\b|관례|보통""",
    }.items()
}
_TEMPORAL = re.compile(
    r"""\d
    |\b(?:today|yesterday|tomorrow|ago|last|this|next|past|recent(?:ly)?
        |weeks?|months?|years?|days?|hours?|morning|evening|night|noon
        |(?:mon|tues|wednes|thurs|fri|satur|sun)day
        |jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec
        |january|february|march|april|june|july|august|september|october|november|december
        |spring|summer|autumn|winter)\b
    |어제|오늘|내일|그제|지난|이번|다음|전에|최근|아침|저녁|주말|요일""",
    re.IGNORECASE | re.VERBOSE,
)


def analyse_query(ports: Ports, request: Request) -> Analysis:
    """Return the terms, names, time and kinds of the query, and its vector."""
    query = request.query[:_MAX_QUERY_CHARS]
    terms, names = _weigh_terms(ports, request.query), candidate_names(query)
    own_name, aliases, alias_words = _find_aliases(query, names)
    merged = _find_merged(ports, names)
    related = {**_respell(ports, terms), **_find_related(ports, terms)}
    related |= {word: 0.5 for word in alias_words if word not in terms}
    merged_words = (word for entity in merged for word in content_words(name_of(entity)))
    related |= {word: _MERGED_WEIGHT for word in merged_words if word not in terms}
    span, time_failed = _find_span(request, query)
    vector, unrelated, vector_failed = _embed_query(ports, query)
    return Analysis(
        terms,
        related,
        {**names, **own_name},
        aliases,
        merged,
        span,
        _find_wanted_kinds(ports, request),
        vector,
        unrelated,
        failures={**time_failed, **vector_failed},
    )


def _find_wanted_kinds(ports: Ports, request: Request) -> tuple[str, ...]:
    """Return the kinds that a query asks for and the store has: code, documents and history by the form of the question, all
    others by its words."""
    query = request.query[:_MAX_QUERY_CHARS]
    wanted = tuple(kind for kind, pattern in _KIND_PATTERNS.items() if pattern.search(query))
    asked = None if is_report_text(query) else asked_kinds(query)
    if asked is not None:
        wanted = (*asked, *(kind for kind in wanted if kind not in BY_FORM))
    return tuple(kind for kind in wanted if ports.text.mask(replace(request.where, kinds=(kind,))).any())


def is_report_text(text: str) -> bool:
    """Return whether a text tells a story, such as a report of a fault, rather than asks; a short one that ends with a question
    asks."""
    if len(text) <= _MIN_REPORT_CHARS or len(set(content_words(text))) < _MIN_REPORT_WORDS:
        return False
    asked = text.strip()
    return len(asked) > _MAX_ASKING_CHARS or "\n" in asked or not is_question(asked)


def _weigh_report(text: str) -> dict[str, float]:
    """Return the words of a report in their order: those of its first line count more, those of code and output less. Forms to
    fill in, check boxes and lists of versions are left out."""
    text = _FORM_FIELDS.sub(" ", text)
    prose, weights = _CODE_BLOCK.sub(" ", text), dict[str, float]()
    first, _, rest = prose.strip().partition("\n")
    code = " ".join(_CODE_BLOCK.findall(text))
    for part, weight in (
        (first[:_MAX_HEADLINE_CHARS], _HEADLINE_WEIGHT),
        (f"{first[_MAX_HEADLINE_CHARS:]} {rest}", 1.0),
        (code, _CODE_WEIGHT),
    ):
        for word in content_words(part):
            weights.setdefault(word, weight)
    return weights


def _weigh_terms(ports: Ports, query: str) -> dict[str, float]:
    read = query[:_MAX_QUERY_CHARS]
    words = (
        _weigh_report(query[:_MAX_REPORT_CHARS]) if is_report_text(query) else dict.fromkeys(content_words(read), 1.0)
    )
    parts = {term: _SUBWORD_WEIGHT for term in ports.text.terms(read) if term not in words and term not in stopwords()}
    return dict(list({**words, **parts}.items())[:_MAX_TERMS])


def _respell(ports: Ports, terms: Mapping[str, float]) -> dict[str, float]:
    """Return, for words that occur nowhere, words that contain them or are spelt like them."""
    words = [word for word, weight in terms.items() if weight == 1.0][:_MAX_EXPANDED_TERMS]
    return {
        other: _RESPELT_WEIGHT * similarity
        for word in ports.text.unknown(words)
        for other, similarity in ports.text.similar(word, 3)
        if similarity >= _MIN_SIMILARITY
    }


def _find_related(ports: Ports, terms: Mapping[str, float]) -> dict[str, float]:
    """Return words of similar meaning, each with a small share of the weight of the word that it stands for."""
    found: dict[str, float] = {}
    if ports.thesaurus is not None and len(terms) <= _MAX_EXPANDED_TERMS:
        words = [word for word, weight in terms.items() if weight == 1.0]
        for near in ports.thesaurus.related(words, _MAX_RELATED, _MIN_SIMILARITY).values():
            for other, similarity in near:
                if other not in terms:
                    found[other] = max(found.get(other, 0.0), _RELATED_WEIGHT * similarity)
    return found


def candidate_names(query: str) -> dict[str, float]:
    """Return runs of up to six words that could be a name, longest first, each with the probability that it is one. Several
    words, or a capital letter within a word, are the surest."""
    words = NAME_WORD.findall(query)[:60]
    found: dict[str, float] = {}
    for size in range(min(6, len(words)), 0, -1):
        for start in range(len(words) - size + 1):
            run = words[start : start + size]
            if size > 1 or run[0].lower() not in stopwords():
                found.setdefault(
                    name_key(" ".join(run)),
                    1.0 if size > 1 or CAMEL.search(run[0]) else 0.7 if run[0][0].isupper() else 0.4,
                )
    return found


def _find_aliases(query: str, names: Mapping[str, float]) -> tuple[dict[str, float], dict[str, float], list[str]]:
    """Return, if the query is little more than a name: this name, its aliases with their strengths, and the words of its
    canonical names."""
    if len(query) > _MAX_NAME_CHARS or len(content_words(query)) > _MAX_NAME_WORDS:
        return {}, {}, []
    from graphmem.text.aliases import aliases, canonical_names, name_variants

    name = query.strip(" ?!.,\"'`")
    found: dict[str, float] = {}
    for others, strength in ((canonical_names(name), 0.95), (aliases(name), 0.8), (name_variants(name), 0.6)):
        for other in others:
            if (key := name_key(other)) not in names and key != name_key(name):
                found.setdefault(key, strength)
    return {name_key(name): 1.0}, found, [word for other in canonical_names(name) for word in content_words(other)]


def _find_merged(ports: Ports, names: Mapping[str, float]) -> dict[str, float]:
    """Return the ids of entities that a person has merged with what the query names, with their strengths."""
    same = ports.merged_entities()
    return {entity: _MERGED_WEIGHT * names[name] for name in names if name in same for entity in same[name]}


def _find_span(request: Request, query: str) -> tuple[tuple[int, int] | None, dict[str, str]]:
    """Return the period that the query speaks of, and why it could not be read."""
    if not _TEMPORAL.search(query):  # the grammar takes long to load
        return None, {}
    try:
        bounds = [(m.begin, m.until) for m in anchor_times(query, request.now) if m.begin and m.until]
    except Exception as error:  # noqa: BLE001 - a query is never refused for a date that cannot be read
        return None, {"time": str(error) or type(error).__name__}
    if not bounds:
        return None, {}
    first, last = min(to_microseconds(begin) for begin, _ in bounds), max(to_microseconds(until) for _, until in bounds)
    return (first, last), {}


def _embed_query(ports: Ports, query: str) -> tuple[np.ndarray | None, float, dict[str, str]]:
    """Return the vector of the query, the cosine of unrelated texts, and why embedding failed."""
    embedder = ports.embedder
    if embedder is None or ports.vectors is None:
        return None, 0.0, {}
    try:
        if isinstance(embedder, QueryEmbedder):
            return embedder.embed_query(query), embedder.unrelated, {}
        # a mean of words is clearer without those that say nothing
        return embedder.embed([" ".join(content_words(query)) or query])[0], 0.0, {}
    except Exception as error:  # noqa: BLE001 - whatever an embedder raises, words still find something
        return None, 0.0, {"vectors": str(error) or type(error).__name__}
