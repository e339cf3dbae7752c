"""Scores candidates by how many concepts of a question about code they mention, each counted once, literally or by a
synonym. In BM25 one frequent word can outweigh many others."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from graphmem.model.changes import Item
from graphmem.ports.embedder import QueryEmbedder
from graphmem.ports.text import idf
from graphmem.retrieve.actions import ACTION_SIGNALS as ACTIONS
from graphmem.retrieve.actions import asked_action, compare_actions
from graphmem.retrieve.analyse import is_report_text
from graphmem.retrieve.asking import asked_kinds, asks_which_change, asks_which_tests
from graphmem.retrieve.kinds import CODE_QUESTION_KINDS, DOCUMENTS, SYMBOLS
from graphmem.retrieve.phrases import rewrite_phrases
from graphmem.retrieve.ports import Ports, Reader
from graphmem.retrieve.records import Analysis, Request
from graphmem.retrieve.scripts import detect_script
from graphmem.retrieve.stems import stem
from graphmem.retrieve.testcode import asks_for_tests, asks_how, is_check, is_example, is_test
from graphmem.retrieve.vocabulary import Concept, find_concepts
from graphmem.text.hangul import strip_endings
from graphmem.text.words import content_words, stopwords

_MAX_QUESTION_WORDS = 30  # of a question; longer texts say everything themselves
SIGNALS = (
    "concepts",
    "concepts_in_title",
    "concepts_in_name",
    "concepts_said",
    "size",
    "container",
    "changelog",
    "changelog_for_how",
    "version",
    "no_release",
    "foreign",
    "test_mismatch",
    *ACTIONS,
)
_MAX_WEIGHT, _MANY_WORDS = 8.0, 8  # about the weight of a word that occurs nowhere; words of a long question
_MAX_CANDIDATES = 64  # candidates whose concepts are looked for
_LARGE_SIZE = math.log1p(400)  # different words of a candidate that says very much
_MAX_CHARS = 3_000  # characters of a candidate that are read
_BODY_WEIGHT = 0.7  # of what a word says among the names and comments of a body, beside one in a signature or docstring
_FRAME_WEIGHT = 0.2  # weight of a word that says what kind of answer is asked for
_MAX_TRANSLATIONS = 2  # words of a translation that are searched for as if they had been asked
_SYNONYM_WEIGHT = 0.7  # weight of a related word in BM25, of what it says of the concept
_UNTRANSLATED_WEIGHT = 0.4  # weight of a Korean word that occurs nowhere and has no translation
_SYLLABLE_PAIR_WEIGHT = 0.4  # weight of two syllables of a Korean word, next to the word
_ACTION_WEIGHT = 0.6  # weight of a word for what was done, which commits and changelogs say of everything
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+")
_CONTAINERS = frozenset({"module", "class", "interface", "struct", "trait", "enum", "type"})
_ASKS_CONTAINER = re.compile(
    r"\b(?:class(?:es)?|modules?|structs?|types?|traits?|interfaces?|files?)\b|클래스|모듈|파일|타입", re.I
)
_CHANGELOG = re.compile(r"(?:^|/)(?:changes|changelog|history|news|releases?|release[-_]notes?)[^/]*:", re.I)
_TELLS_RELEASES = re.compile(rf"{_CHANGELOG.pattern}|(?:^|/)(?:upgrad|migrat)\w*[^/]*:", re.I)
_VERSION = re.compile(r"\bv?(\d+(?:\.\d+)+)(?!\.?[0-9A-Za-z_])")
_OF_A_VERSION = re.compile(r"(?:^|/)v?\d+(?:\.\d+)+/")  # a manual
_SCRIPT_CHARS = 600  # of a page that show its script
_WHICH_RELEASE = re.compile(
    r"\b(?:which|what|in which|in what) (?:release|version)s?\b|(?:몇|어느|어떤|무슨) *(?:버전|릴리[스즈])", re.I
)
FRAME_WORDS = frozenset(
    map(
        stem,
        "code function method class helper module file place part piece thing test tests check checks cover decide decides decided"
        " determine whether happen happens happened framework library project repository commit commits change changed wrote write"
        " written author contribute contributed responsible way use used using say says describe described explain explained"
        " documented documentation define defined implement implemented handle handles just before after out one ones get gets"
        " make makes want need version reason reasoning grounds affect affected somebody something figure anything turn like only"
        " because still instead let without while own kind really already also always another around away back become case come"
        " different done else even ever exactly far few give given go going happening however inside keep kept know lead left look"
        " many may might more most much never next nothing now often once other otherwise over possible put rather right same see"
        " sit several since so some sure take taken tell than through together try under until used useful usually very via well"
        " work yet long end ended call calling".split(),
    )
) | frozenset(
    map(
        stem,
        "코드 함수 메서드 클래스 테스트 커밋 파일 곳은 부분 방법 이유 문서 설명 어디 있는 것들 것은 무엇 하는 누구 언제 정의 구현"
        " 기준 적혀 쓰여 순서 절차 받아 만들".split(),
    )
)
_ACTION_WORDS = frozenset(map(stem, "add introduce remove drop replace support stop start begin".split()))


def _asks_about_code(ports: Ports, request: Request) -> bool:
    """Return whether a short query is searched among code, documents or commits of a store with code."""
    kinds = request.where.kinds
    if not kinds or not CODE_QUESTION_KINDS.issuperset(kinds) or is_report_text(request.query):
        return False
    if not 0 < len(content_words(request.query)) <= _MAX_QUESTION_WORDS:
        return False
    return bool(ports.text.mask(replace(request.where, kinds=("symbol",))).any())


def weigh_concepts(reader: Reader, request: Request) -> list[tuple[Concept, float]]:
    """Return the concepts of the query with their weights: rare ones have more, words of the frame of a question less, and
    Korean words that nothing could say in English."""
    own = {stem(word) for word in re.findall(r"\w+", (request.where.project or "").lower())}
    concepts = [one for one in _find_concepts(reader, request) if stem(one.word) not in own]
    names = list(dict.fromkeys(word for one in concepts for word in (one.word, *one.words[:3])))
    items, counts = reader.ports.text.frequencies(names, request.where)
    having = dict(zip(names, counts, strict=True))
    found = []
    for one in concepts:
        count = having[one.word] or max((having[word] for word in one.words[:3]), default=0)
        weight = idf(items, count) if count else idf(items, 1)
        key = stem(one.word)
        share = _FRAME_WEIGHT if key in FRAME_WORDS else _ACTION_WEIGHT if key in _ACTION_WORDS else 1.0
        if not (count or one.words or one.word.isascii()):
            share *= _UNTRANSLATED_WEIGHT
        found.append((one, weight * share))
    return found


def _find_concepts(reader: Reader, request: Request) -> list[Concept]:
    return find_concepts(content_words(request.query), reader.find_originals)


def reword_query(reader: Reader, request: Request, analysis: Analysis) -> tuple[Request, Analysis]:
    """Return, for a question about code, the request and the analysis with phrasal verbs as the words that code uses."""
    query = rewrite_phrases(request.query) if _asks_about_code(reader.ports, request) else request.query
    if query == request.query:
        return request, analysis
    gone = set(content_words(request.query)) - set(content_words(query))
    terms = {word: weight for word, weight in analysis.terms.items() if word not in gone}
    terms |= {word: 1.0 for word in content_words(query) if word not in terms}
    vector, embedder = analysis.vector, reader.ports.embedder
    if vector is not None and embedder is not None and not isinstance(embedder, QueryEmbedder):
        vector = embedder.embed([" ".join(content_words(query))])[0]
    return replace(request, query=query), replace(analysis, terms=terms, vector=vector)


def translate_query(reader: Reader, request: Request, analysis: Analysis) -> Analysis:
    """Return, for a question about code, the analysis with synonyms of its words and translations of Korean words; for others
    with these translations, because notes about an English project are often English."""
    concepts = _find_concepts(reader, request)
    if not _asks_about_code(reader.ports, request):
        return _with_translations(analysis, concepts)
    korean = [one for one in concepts if not one.word.isascii()]
    terms = dict(analysis.terms)
    if korean:
        terms = _known_terms(reader.ports, request.query, terms)
        for one in korean:
            terms |= {word: max(terms.get(word, 0.0), one.forms[stem(word)]) for word in one.words[:_MAX_TRANSLATIONS]}
    related = dict(analysis.related)
    for one in concepts:
        for word in one.words:
            if word not in terms:
                related[word] = max(related.get(word, 0.0), _SYNONYM_WEIGHT * one.forms.get(stem(word), 0.0))
    vector, embedder = analysis.vector, reader.ports.embedder
    is_translated = any(one.words for one in korean)
    if is_translated and vector is not None and embedder is not None and not isinstance(embedder, QueryEmbedder):
        said = " ".join(one.word if one.word.isascii() else " ".join(one.words[:_MAX_TRANSLATIONS]) for one in concepts)
        vector = embedder.embed([said])[0]
    return replace(analysis, terms=terms, related=related, vector=vector, about_code=True)


def _with_translations(analysis: Analysis, concepts: Sequence[Concept]) -> Analysis:
    related = dict(analysis.related)
    for one in concepts:
        if not one.word.isascii():
            related |= {word: related.get(word, 0.0) or one.forms[stem(word)] for word in one.words[:_MAX_TRANSLATIONS]}
    return replace(analysis, related=related)


def _known_terms(ports: Ports, query: str, terms: Mapping[str, float]) -> dict[str, float]:
    """Return the terms with those of Korean words replaced by the words and pairs of syllables, without particles and endings,
    that occur somewhere: others say nothing of what an English text lacks."""
    bases = [base for word in content_words(query) if not word.isascii() and (base := strip_endings(word))]
    pairs = [base[at : at + 2] for base in bases for at in range(max(1, len(base) - 1))]
    words = {
        **dict.fromkeys(pairs, _SYLLABLE_PAIR_WEIGHT),
        **{word: weight for word, weight in terms.items() if weight == 1.0 and not word.isascii()},
    }
    unknown = set(ports.text.unknown(list(words)))
    plain = {word: weight for word, weight in terms.items() if word.isascii()}
    return {**plain, **{word: weight for word, weight in words.items() if word not in unknown}}


class Knowledge(NamedTuple):
    """What the store knows of the words of a question: the share of its weight in words that occur nowhere, nor a synonym, the
    weight of its rarest word, and the number of its words, each in [0, 1]."""

    unknown: float = 0.0
    rarest: float = 0.0
    words: float = 0.0


def assess_knowledge(reader: Reader, request: Request) -> Knowledge:
    """Return what code, documents and commits say of the words of a question about code."""
    where = replace(request.where, kinds=tuple(sorted(CODE_QUESTION_KINDS)))
    weighed = weigh_concepts(reader, replace(request, where=where))
    if not weighed:
        return Knowledge()
    frequencies = reader.ports.text.frequencies
    counts = frequencies([one.word for one, _ in weighed], request.where)[1]
    unknown = [
        weight
        for (one, weight), count in zip(weighed, counts, strict=True)
        if not count and not any(frequencies(list(one.words[:3]), where)[1] if one.words else ())
    ]
    weights = [weight for _, weight in weighed]
    return Knowledge(sum(unknown) / sum(weights), max(weights) / _MAX_WEIGHT, min(1.0, len(weighed) / _MANY_WORDS))


def concept_signals(reader: Reader, request: Request, rows: Sequence[int], total: np.ndarray) -> dict[str, np.ndarray]:
    """Return these signals of the rows, in [0, 1]; 0 for those that are not among the best by `total`:
    `concepts`: the share of the query that a candidate says; `concepts_said`: the same of what it is about, each word counted
    alike; `concepts_in_title`: that its title says; `concepts_in_name`: the share of its name that the query asks for; `size`: how
    much it says in all; and its type (`_answer_type_signals`)."""
    signals = {name: np.zeros(len(rows)) for name in SIGNALS}
    weighed = weigh_concepts(reader, request)
    whole = sum(weight for _, weight in weighed)
    if not whole:
        return signals
    forms: dict[str, list[tuple[int, float]]] = {}  # stem -> the concepts that it says, and how well
    for number, (concept, _) in enumerate(weighed):
        for form, worth in concept.forms.items():
            forms.setdefault(form, []).append((number, worth))
    weights = np.array([weight / whole for _, weight in weighed])
    telling = np.array([stem(concept.word) not in FRAME_WORDS for concept, _ in weighed])
    telling = telling if telling.any() else ~telling
    head = np.lexsort((np.array(rows), -total))[:_MAX_CANDIDATES].tolist()
    items = {one.row: one.item for one in reader.load(rows[at] for at in head)}
    question, nothing = _read_form(request.query), [0.0] * len(weighed)
    for at in head:
        if (item := items.get(rows[at])) is None:
            continue
        title, text, body, name = _stem_candidate(item.kind, item.title, item.ref, item.text[:_MAX_CHARS], item.body)
        titled = _score_concepts(forms, title, 1.0, nothing)
        said = _score_concepts(forms, body, _BODY_WEIGHT, _score_concepts(forms, text, 1.0, titled))
        signals["concepts"][at] = np.array(said) @ weights
        signals["concepts_in_title"][at] = np.array(titled) @ weights
        signals["concepts_said"][at] = (np.array(said)[telling] > 0).mean()
        named = [max(worth for _, worth in forms[key]) for key in name & forms.keys()]
        signals["concepts_in_name"][at] = sum(named) / len(name) if name else 0.0
        signals["size"][at] = min(1.0, math.log1p(len(title | text | body)) / _LARGE_SIZE)
        for signal, value in _answer_type_signals(question, item).items():
            signals[signal][at] = value
    return signals


def _score_concepts(
    forms: Mapping[str, Sequence[tuple[int, float]]], words: Set[str], share: float, least: Sequence[float]
) -> list[float]:
    """Return how well these stems say each concept, times `share`; at least what `least` has for the concept."""
    said = list(least)
    for form in forms.keys() & words:
        for number, worth in forms[form]:
            said[number] = max(said[number], share * worth)
    return said


class _Form(NamedTuple):
    """What the form of a question says of the answer."""

    which_tests: bool  # it asks for tests
    tests: bool  # it speaks of tests or examples
    container: bool  # it asks for a class, module or file
    versions: list[str]
    which_release: bool  # it asks for the release that changed something, or whether that was mended
    action: str  # what it says was done
    how: bool  # it asks how something is done, which an example shows
    tells_how: bool  # it asks how something is done, or says what somebody wants done
    script: str  # that it is written in


def _read_form(query: str) -> _Form:
    return _Form(
        asks_which_tests(query),
        asks_for_tests(query),
        asks_for_container(query),
        _VERSION.findall(query),
        bool(_WHICH_RELEASE.search(query)) or asks_which_change(query),
        asked_action(query),
        asks_how(query),
        asked_kinds(query) == (*DOCUMENTS, *SYMBOLS),
        detect_script(query),
    )


def asks_for_container(query: str) -> bool:
    """Return whether a question asks for a class, module or file."""
    return bool(_ASKS_CONTAINER.search(query))


def _answer_type_signals(form: _Form, item: Item) -> dict[str, float]:
    """Return signals about the type of answer that a candidate is: a container, a changelog, the changelog of the version asked
    for, a page in another script than the question's (`foreign`), neither a commit nor a changelog where the release is asked
    for (`no_release`), a test where none is asked for or the other way round (`test_mismatch`), or a commit that does what was
    asked for."""
    if item.kind == "symbol":
        other = not is_check(item) if form.which_tests else is_test(item) and not form.tests
        if form.how and not form.which_tests:
            other = is_test(item) and not is_example(item)
        container = item.role in _CONTAINERS and not form.container
        return {
            "container": float(container),
            "test_mismatch": float(other),
            "no_release": float(form.which_release),
        }
    if item.kind == "commit":
        return compare_actions(form.action, item.title)
    if item.kind != "document":
        return {}
    named = any(re.search(rf"(?<![\d.]){re.escape(one)}(?!\.?\d)", item.title) for one in form.versions)
    is_beside = bool(_CHANGELOG.search(item.ref)) and not (form.versions or form.which_release)
    no_release = form.which_release and not _TELLS_RELEASES.search(item.ref)
    script = detect_script(item.title) or detect_script(item.text[:_SCRIPT_CHARS])
    return {
        "changelog": float(is_beside),
        "changelog_for_how": float(form.tells_how and bool(_CHANGELOG.search(item.ref))),
        "version": float(named and not _OF_A_VERSION.search(item.ref)),
        "no_release": float(no_release),
        "foreign": float(script not in ("", form.script)),
    }


@lru_cache(maxsize=1_024)
def _stem_candidate(
    kind: str, title: str, ref: str, text: str, body: str
) -> tuple[Set[str], Set[str], Set[str], Set[str]]:
    """Return the stems of a candidate: of its title and place, its text, its body, and its own name."""
    is_symbol = kind == "symbol"
    heading = f"{title} {_path_words(ref)}" if is_symbol else title
    last = ".".join(title.split(".")[-2:]) if is_symbol else title.rpartition(" › ")[2]
    name = {stem(word) for word in split_words(last) if word not in stopwords() and not word.isdigit()}
    return _stems(heading), _stems(text), frozenset(map(stem, set(body.split()))), name - FRAME_WORDS


def _stems(text: str) -> Set[str]:
    return frozenset(map(stem, split_words(text)))


def split_words(text: str) -> set[str]:
    """Return the words of a text in lower case, those of compound ones apart."""
    return set(map(str.lower, set(_WORD.findall(text))))


def _path_words(ref: str) -> str:
    """Return the names of the file and its folder, where a ref is a place."""
    path = ref.rpartition(":")[0]
    return " ".join(path.split("/")[-2:]).rpartition(".")[0]
