"""Word index of all tasks in compact arrays: BM25F over title and description, the share of a title that a text repeats,
and sentences in which tasks name each other. In memory; updated when a query finds new words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from graphmem.model.tasks import Task
from graphmem.tasks.book import TaskBook
from graphmem.tasks.match.terms import split_terms

Floats = np.ndarray
TITLE_WEIGHT = 3.0
_K1, _B = 1.2, 0.5
_MAX_DESCRIPTION_CHARS = 4_000  # maximum characters of a description
_HEAD = re.compile(r"\s*[:(\[]|\s+[-–—]\s+")
_REFERENCE = re.compile(r"(?<![\w#])(?:#\d+|[A-Za-z]\w*-\w+(?:\.\d+)*)")


class Words(NamedTuple):
    """The words of a task: distinct terms of title and description with counts, names of other tasks in it, and the
    sentences with such names."""

    title: str
    description: str
    aliases: tuple[str, ...]
    title_terms: np.ndarray
    head_terms: np.ndarray  # the part before a bracket, colon or dash, if that is a name by itself
    terms: np.ndarray
    counts: np.ndarray  # weighted: title and description together
    length: float
    names: tuple[str, ...]
    sentences: tuple[tuple[tuple[str, ...], np.ndarray], ...]


class Postings(NamedTuple):
    """For each term the rows that contain it, with weights."""

    starts: np.ndarray
    rows: np.ndarray
    weights: np.ndarray
    size: int

    def sum(self, query: Sequence[int], factors: Floats | None = None) -> Floats:
        """Return for each row the sum of its weights for these terms, each times its factor."""
        if not len(query):
            return np.zeros(self.size)
        bounds = [(self.starts[term], self.starts[term + 1]) for term in query]
        rows = np.concatenate([self.rows[a:b] for a, b in bounds])
        weights = np.concatenate([self.weights[a:b] for a, b in bounds])
        if factors is not None:
            weights = weights * np.repeat(factors, [b - a for a, b in bounds])
        return np.bincount(rows, weights, minlength=self.size)


def _build_postings(lists: Sequence[np.ndarray], weights: Sequence[np.ndarray], vocabulary: int) -> Postings:
    """Build postings from the terms and weights of all rows."""
    sizes = [len(each) for each in lists]
    every = np.concatenate([*lists, np.zeros(0, np.int32)])
    values = np.concatenate([*weights, np.zeros(0, np.float32)])
    order = np.argsort(every, kind="stable")
    starts = np.searchsorted(every[order], np.arange(vocabulary + 1))
    return Postings(starts, np.repeat(np.arange(len(lists)), sizes)[order], values[order], len(lists))


class TaskIndex:
    """Words of the tasks of a book, by row."""

    def __init__(self) -> None:
        self.ids: list[str] = []
        self.rows: dict[str, int] = {}
        self.words: dict[str, Words] = {}
        self._vocabulary: dict[str, int] = {}
        self._refs: dict[str, str] = {}

    def refresh(self, book: TaskBook) -> None:
        """Index new and changed tasks; fast if there are none."""
        changed = False
        for task in book.tasks.values():
            known = self.words.get(task.id)
            if known is None or known[:3] != (task.title, task.description, task.aliases):
                self.words[task.id] = self._read(task)
                changed = True
        if changed or len(self.ids) != len(book.tasks) or self._refs != book.refs:
            self.words = {id_: self.words[id_] for id_ in book.tasks}
            self._refs = dict(book.refs)
            self._build(book)

    def _read(self, task: Task) -> Words:
        title = Counter(self._numbers([task.title, *task.aliases]))
        body = Counter(self._numbers([task.description[:_MAX_DESCRIPTION_CHARS]]))
        every = sorted(title.keys() | body.keys())
        counts = [TITLE_WEIGHT * title[term] + body[term] for term in every]
        sentences = []
        for line in f"{task.title}\n{task.description[:_MAX_DESCRIPTION_CHARS]}".split("\n"):
            if names := tuple(dict.fromkeys(_REFERENCE.findall(line))):
                rest = self._numbers([_REFERENCE.sub(" ", line)])
                sentences.append((names, np.array(sorted(set(rest)), np.int32)))
        names = tuple(dict.fromkeys(name for found, _ in sentences for name in found))
        own = np.array(sorted(set(self._numbers([task.title]))), np.int32)
        head = np.array(sorted(set(self._numbers([_HEAD.split(task.title, maxsplit=1)[0]]))), np.int32)
        head = head if 1 < len(head) < len(own) else head[:0]
        return Words(task.title, task.description, task.aliases, own, head, np.array(every, np.int32),
                     np.array(counts, np.float32), float(sum(counts)), names, tuple(sentences))  # fmt: skip

    def _numbers(self, texts: Iterable[str]) -> list[int]:
        known = self._vocabulary
        return [known.setdefault(term, len(known)) for text in texts for term in split_terms(text)]

    def _build(self, book: TaskBook) -> None:
        self.ids = list(book.tasks)
        self.rows = {id_: row for row, id_ in enumerate(self.ids)}
        every = list(self.words.values())
        size, vocabulary = len(every), len(self._vocabulary)
        lengths = np.array([words.length for words in every])
        norms = _K1 * (1 - _B + _B * lengths / max(float(lengths.mean()), 1.0)) if size else lengths
        weights = [w.counts * (_K1 + 1) / (w.counts + norm) for w, norm in zip(every, norms, strict=True)]
        self.body = _build_postings([words.terms for words in every], weights, vocabulary)
        frequency = np.diff(self.body.starts)
        self.idf = np.log(1 + (size - frequency + 0.5) / (frequency + 0.5))
        self.unit = (
            float(np.log(1 + (size - 0.5) / 1.5)) if size else 1.0
        )  # information of a term that occurs in one task
        self.titles, self.title_mass = self._titles([words.title_terms for words in every], vocabulary)
        self.heads, self.head_mass = self._titles([words.head_terms for words in every], vocabulary)
        self.in_titles = np.diff(self.titles.starts) > 0
        self._build_names(book, every, vocabulary)

    def _titles(self, titles: Sequence[np.ndarray], vocabulary: int) -> tuple[Postings, Floats]:
        ones = [np.ones(len(each), np.float32) for each in titles]
        return _build_postings(titles, ones, vocabulary), np.array([self.idf[each].sum() for each in titles])

    def _build_names(self, book: TaskBook, every: Sequence[Words], vocabulary: int) -> None:
        self.named: list[set[int]] = []
        sentences, self.said_by, self.said_of = [], [], []
        for row, words in enumerate(every):
            self.named.append(self.resolve(book, words.names) - {row})
            for names, found in words.sentences:
                for target in self.resolve(book, names) - {row}:
                    sentences.append(found)
                    self.said_by.append(row)
                    self.said_of.append(target)
        self.naming: list[set[int]] = [set() for _ in every]
        for row, targets in enumerate(self.named):
            for target in targets:
                self.naming[target].add(row)
        self.sentences = _build_postings(sentences, [np.ones(len(each), np.float32) for each in sentences], vocabulary)

    def resolve(self, book: TaskBook, names: Iterable[str]) -> set[int]:
        """Return rows of the tasks with these tracker ids."""
        found = (book.refs.get(name) or book.refs.get(name.lstrip("#")) for name in names)
        return {self.rows[id_] for id_ in found if id_ in self.rows}

    def query(self, text: str) -> list[int]:
        """Return the distinct known terms of a text, in order."""
        known = self._vocabulary
        numbers = (known.get(term) for term in split_terms(text))
        return list(dict.fromkeys(n for n in numbers if n is not None and n < len(self.idf)))

    def counted(self, text: str) -> tuple[list[int], list[float]]:
        """Return the distinct known terms of a text with 1 + log of their counts."""
        known = self._vocabulary
        numbers = Counter(n for term in split_terms(text) if (n := known.get(term)) is not None and n < len(self.idf))
        return list(numbers), [1 + float(np.log(n)) for n in numbers.values()]

    def bm25(self, text: str) -> Floats:
        """Return BM25F of every task for a text."""
        query, factors = self.counted(text)
        return self.body.sum(query, np.array(factors) * self.idf[query] if query else None)

    def without_names(self, text: str) -> str:
        """Return a text with the names of tasks blanked."""
        return _REFERENCE.sub(" ", text)
