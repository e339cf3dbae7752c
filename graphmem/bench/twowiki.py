"""Multi-hop questions over passages (2WikiMultiHopQA, MuSiQue, HotpotQA; the data is not part of this project): recall of
the passages that a question needs, with their titles and without. The folder holds `corpus.jsonl` and `questions.jsonl`."""

from __future__ import annotations

from pathlib import Path

from graphmem.bench.retrieval import Case, Document, Question, Row, measure, read_lines
from graphmem.errors import SourceError

KS = (2, 5, 10, 20)


def run(data: Path, *, ablate: bool = False) -> list[Row]:
    """Return the table; systems that saw no titles are marked."""
    rows = measure([case(data, titles=True)], KS, ablate=ablate)
    bare = measure([case(data, titles=False)], KS, ablate=ablate)
    return rows + [row._replace(system=f"{row.system}, no titles") for row in bare]


def case(data: Path, *, titles: bool) -> Case:
    """Return all passages in one store."""
    corpus, asked = (read_lines(_file(data, name)) for name in ("corpus", "questions"))
    documents = [Document(one["id"], one["text"], one["title"] if titles else "") for one in corpus]
    questions = [Question(one["question"], frozenset(one["gold"]), one.get("type") or "") for one in asked]
    return Case(data.name, documents, questions)


def _file(data: Path, name: str) -> Path:
    for file in (data / f"{name}.jsonl", data / f"{name}.jsonl.gz"):
        if file.is_file():
            return file
    raise SourceError(f"{data} has no {name}.jsonl", path=str(data))
