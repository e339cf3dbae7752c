"""Shared code of the retrieval suites: one set of documents and questions is run through several systems: graphmem,
graphmem without one of its signals, and two baselines, plain full text and embeddings alone. Prints nothing."""

from __future__ import annotations

import gzip
import json
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from graphmem.backends.embed.wordllama import WordLlamaEmbedder
from graphmem.backends.text.statements import quote_term
from graphmem.backends.text.words import split_words
from graphmem.errors import SourceError
from graphmem.memory import Memory
from graphmem.retrieve.rank import WEIGHTS
from graphmem.retrieve.retriever import Retriever
from graphmem.text.words import content_words

Search = Callable[[str, int], list[str]]  # query, k -> refs, best first


class Document(NamedTuple):
    """A text to remember: as a turn where it has a session, else as a document."""

    ref: str
    text: str
    title: str = ""
    session: str = ""
    role: str = "user"
    at: datetime | None = None


class Question(NamedTuple):
    """A query and the refs that answer it. `group` is reported on its own."""

    query: str
    gold: frozenset[str]
    group: str = ""


class Case(NamedTuple):
    """One store and what it is asked."""

    name: str
    documents: list[Document]
    questions: list[Question]


class Row(NamedTuple):
    """A line of the table: the system, the group of questions ("" for all), how many, and the metrics."""

    system: str
    group: str
    questions: int
    metrics: dict[str, float]


def read_json(path: Path) -> Any:
    """Return a JSON file, gzipped or not. Raises SourceError that names it."""
    try:
        data = path.read_bytes()
        return json.loads(gzip.decompress(data) if path.suffix == ".gz" else data)
    except (OSError, ValueError) as error:
        raise SourceError(f"{path} cannot be read: {error}", path=str(path)) from error


def read_lines(path: Path) -> list[Any]:
    """Return a file with one JSON value a line, gzipped or not."""
    try:
        data = path.read_bytes()
        text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode("utf-8")
        return [json.loads(line) for line in text.split("\n") if line.strip()]
    except (OSError, ValueError) as error:
        raise SourceError(f"{path} cannot be read: {error}", path=str(path)) from error


def measure(
    cases: Iterable[Case],
    ks: Sequence[int],
    *,
    ablate: bool = False,
    unit: Callable[[str], str] = str,
    depth: int = 0,
) -> list[Row]:
    """Recall at each k of every system, averaged over questions, and the median time of a query in milliseconds. `unit`
    tells what a ref counts as (a turn's session, say), `depth` how many hits to ask for (default: the largest k)."""
    found: dict[tuple[str, str], list[tuple[float, ...]]] = {}
    for case in cases:
        with (
            tempfile.TemporaryDirectory(prefix="graphmem-bench-") as folder,
            Memory.open(Path(folder) / "store", project="bench") as memory,
        ):
            fill(memory, case.documents)
            for system, search in systems(memory, case.documents, ablate).items():
                for question in case.questions:
                    started = time.perf_counter()
                    hits = search(question.query, depth or max(ks))
                    spent = (time.perf_counter() - started) * 1_000
                    ranked = list(dict.fromkeys(map(unit, hits)))
                    shares = [len(question.gold & set(ranked[:k])) / len(question.gold) for k in ks]
                    for group in {"", question.group}:
                        found.setdefault((system, group), []).append((*shares, spent))
    return [
        Row(system, group, len(values), _metrics(values, ks))
        for (system, group), values in sorted(found.items(), key=lambda pair: pair[0][1])
    ]


def _metrics(values: list[tuple[float, ...]], ks: Sequence[int]) -> dict[str, float]:
    means = {f"recall@{k}": round(sum(row[i] for row in values) / len(values), 4) for i, k in enumerate(ks)}
    times = sorted(row[-1] for row in values)
    return {**means, "ms": round(times[len(times) // 2], 2)}


def fill(memory: Memory, documents: Sequence[Document]) -> None:
    """Remember everything and process it."""
    turns = [
        {"content": one.text, "role": one.role, "session": one.session, "at": one.at, "ref": one.ref}
        for one in documents
        if one.session
    ]
    if turns:
        memory.observe_many(turns)
    for one in documents:
        if not one.session:
            memory.remember(one.text, kind="document", title=one.title or None, ref=one.ref)
    memory.process()


def systems(memory: Memory, documents: Sequence[Document], ablate: bool) -> dict[str, Search]:
    """Name -> search. The floors see the same texts."""
    kinds = ["turn" if documents and documents[0].session else "document"]
    ports = memory._store.retriever.ports

    def with_weights(weights: Mapping[str, float]) -> Search:
        retriever = Retriever(ports, weights)
        return lambda query, k: [
            hit.ref or "" for hit in retriever.search(query, k=k, kinds=kinds, project="bench").hits
        ]

    every: dict[str, Search] = {"graphmem": with_weights({})}
    if ablate:
        every |= {f"without {name}": with_weights({name: 0.0}) for name in WEIGHTS if name != "sentence"}
        every["without the graph"] = with_weights({"entities": 0.0, "hop": 0.0})
        blind = Retriever(type(ports)(ports.text, ports.mentions, ports.clock))
        every["without embeddings"] = lambda query, k: [
            hit.ref or "" for hit in blind.search(query, k=k, kinds=kinds, project="bench").hits
        ]
    every["BM25"] = _plain(documents)
    every["embeddings"] = _dense(documents)
    return every


def _plain(documents: Sequence[Document]) -> Search:
    """FTS5 with its own ranking."""
    db = sqlite3.connect(":memory:")
    db.execute("CREATE VIRTUAL TABLE floor USING fts5(text, tokenize='porter unicode61')")
    db.executemany("INSERT INTO floor VALUES (?)", [(f"{one.title} {one.text}",) for one in documents])

    def search(query: str, k: int) -> list[str]:
        terms = " OR ".join(map(quote_term, dict.fromkeys(split_words(" ".join(content_words(query))))))
        rows = (
            db.execute("SELECT rowid FROM floor WHERE floor MATCH ? ORDER BY rank LIMIT ?", (terms, k)) if terms else []
        )
        return [documents[row - 1].ref for (row,) in rows]

    return search


def _dense(documents: Sequence[Document]) -> Search:
    """Cosine of embeddings."""
    embedder = WordLlamaEmbedder()
    matrix = embedder.embed([f"{one.title} {one.text}" for one in documents])

    def search(query: str, k: int) -> list[str]:
        cosines = matrix @ embedder.embed([query])[0]
        return [documents[i].ref for i in (-cosines).argsort(kind="stable")[:k]]

    return search
