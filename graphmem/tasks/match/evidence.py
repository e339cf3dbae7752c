"""Computes the evidence for each task given a text: its words, its title, mentions in other tasks, and, if the text comes
from a task, that task's words and relatives. One column per kind of evidence; `weights` combines them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import numpy as np

from graphmem.tasks.book import TaskBook
from graphmem.tasks.match.index import Floats, TaskIndex

# Columns of the evidence:
#   words      BM25F of the text, the best task counting 1
#   title      share of the title's information that the text repeats
#   agreement  that, times the share of the text's title-like information which this title explains
#   said       share of the text's information that a sentence of another task says of this one
#   kin        how many relatives of the source name it (log)
#   context    BM25F of the source's own words, for texts that say little
#   topic      agreement of its title with the source's title, for texts that say little
#   near       how many tasks like the source name it (log), for texts that say little
#   before     it stands just before the source among the parts of one whole (1, 1/2, 1/3, ...)
#   sibling    it is a part of the same whole
#   names      it names the source
#   vector     cosine of text and task
#   named      the text itself names it by id
COLUMNS = ("words", "title", "agreement", "said", "kin", "context", "topic", "near", "before", "sibling",
           "names", "vector", "named")  # fmt: skip
_SMOOTHING = 0.26  # information of one distinctive term: a single shared word is not sufficient
_HEAD = 0.9  # weight of the head of a title, relative to the whole
_SUFFICIENT_TERMS = 4.0  # distinctive terms from which on a text is sufficient by itself
_MAX_NEIGHBOURS = 11  # tasks most like the source
_NUMBER = re.compile(r"(\d+)")

Embed = Callable[[str], "Floats | None"]  # cosine of a text with every row


def refresh_index(index: TaskIndex | None, book: TaskBook) -> TaskIndex:
    """Return the index of a book, brought up to date; made if there is none."""
    index = index or TaskIndex()
    index.refresh(book)
    return index


def gather_evidence(index: TaskIndex, book: TaskBook, text: str, source: int | None, cosine: Embed) -> Floats:
    """Return an array (tasks, columns) of float64."""
    size = len(index.ids)
    columns = {name: np.zeros(size) for name in COLUMNS}
    query = index.query(text)
    idf = index.idf[query] if query else np.zeros(0)
    mass = float(idf.sum())
    short = 1 / (1 + mass / (_SUFFICIENT_TERMS * index.unit))
    columns["words"] = _best_is_one(index.bm25(text), source)
    columns["title"], columns["agreement"] = _agreement(index, query)
    columns["said"] = _said(index, query, idf, source) / (mass or 1.0)
    columns["vector"] = _or_zero(cosine(text), size)
    for row in index.resolve(book, (match.group() for match in re.finditer(r"[\w#][\w.-]*\w", text))):
        columns["named"][row] = 1.0
    if source is not None:
        _surroundings(index, book, source, short, columns)
    return np.stack([columns[name] for name in COLUMNS], axis=1)


def _agreement(index: TaskIndex, query: Sequence[int]) -> tuple[Floats, Floats]:
    """Return the share of each title's information in the query; and this times the share of the query's information (as
    far as it occurs in titles) that the title explains. The head of a title may represent it."""
    if not len(query):
        return np.zeros(len(index.ids)), np.zeros(len(index.ids))
    slack, idf = _SMOOTHING * index.unit, index.idf[query]
    asked = float(idf @ index.in_titles[query]) + slack
    shared = index.titles.sum(query, idf)
    covered = shared / (index.title_mass + slack)
    head = index.heads.sum(query, idf)
    by_head = _HEAD * head / (index.head_mass + slack) * head / asked
    return covered, np.maximum(covered * shared / asked, by_head)


def _best_is_one(values: Floats, source: int | None) -> Floats:
    others = values.copy()
    if source is not None:
        others[source] = 0.0
    best = float(others.max(initial=0.0))
    return np.minimum(values / best, 1.0) if best > 0 else values


def _or_zero(values: Floats | None, size: int) -> Floats:
    return np.zeros(size) if values is None else np.maximum(values, 0.0)


def _said(index: TaskIndex, query: Sequence[int], idf: Floats, source: int | None) -> Floats:
    """Return the information shared by the text and the best sentence of another task about each task."""
    best = np.zeros(len(index.ids))
    if index.said_of:
        shared = index.sentences.sum(query, idf)
        if source is not None:
            shared[np.array(index.said_by) == source] = 0.0
        np.maximum.at(best, np.array(index.said_of), shared)
    return best


def _surroundings(index: TaskIndex, book: TaskBook, source: int, short: float, columns: dict[str, Floats]) -> None:
    task = book.tasks[index.ids[source]]
    words = index.bm25(index.without_names(f"{task.title}\n{task.description}"))
    columns["context"] = _best_is_one(words, source) * short
    near = [row for row in np.argsort(-words, kind="stable")[: _MAX_NEIGHBOURS + 1] if row != source][:_MAX_NEIGHBOURS]
    columns["near"] = _votes(index, near) * short
    columns["topic"] = _agreement(index, index.query(task.title))[1] * short
    siblings, parents, parts = _related_tasks(index, book, source)
    for distance, row in enumerate(reversed(siblings[: siblings.index(source)] if source in siblings else []), start=1):
        columns["before"][row] = 1 / distance
    others = [row for row in siblings if row != source]
    columns["sibling"][others] = 1.0
    naming = list(index.naming[source])
    columns["names"][naming] = 1.0
    columns["kin"] = _votes(index, {*others, *parents, *parts, *naming} - {source})


def _votes(index: TaskIndex, rows: Sequence[int] | set[int]) -> Floats:
    """Return log(1 + number of these tasks that name each task)."""
    counts = np.zeros(len(index.ids))
    for row in rows:
        counts[list(index.named[row])] += 1
    return np.log1p(counts)


def _related_tasks(index: TaskIndex, book: TaskBook, source: int) -> tuple[list[int], list[int], list[int]]:
    """Return (parts of the same parent in order, including itself; the parent; its own parts). A tracker id such as `x.3`
    makes a task part of `x` even if not stated."""
    task = book.tasks[index.ids[source]]
    whole, stem = task.parent, _stem(task.ref)
    rows = index.rows
    siblings = {row for id_ in book.children.get(whole, ()) if whole and (row := rows.get(id_)) is not None}
    parents = [rows[id_] for id_ in (whole, book.refs.get(stem, "")) if id_ in rows]
    parts = {rows[id_] for id_ in book.children.get(task.id, ()) if id_ in rows}
    for ref, id_ in book.refs.items() if task.ref else ():
        if (other := _stem(ref)) and id_ in rows:
            if other == stem:
                siblings.add(rows[id_])
            elif other == task.ref:
                parts.add(rows[id_])
    order = sorted(
        siblings, key=lambda row: (_natural(book.tasks[index.ids[row]].ref), book.tasks[index.ids[row]].created_at)
    )
    return order, parents, sorted(parts)


def _stem(ref: str) -> str:
    whole, dot, last = ref.rpartition(".")
    return whole if dot and last.isdigit() else ""


def _natural(ref: str) -> list[tuple[int, str]]:
    """Return a sort key that sorts "x.10" after "x.9"."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in _NUMBER.split(ref)]
