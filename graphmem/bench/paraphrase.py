"""Questions that share no content word with the memory that answers them, English and Korean, and Korean questions that do:
recall by embedder. It decides which embedder is the default. The data is the project's own, in `fixtures/questions`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from graphmem.bench.retrieval import Case, Document, Question, Row, measure
from graphmem.errors import SourceError

KS = (1, 5, 10)


def run(data: Path, *, ablate: bool = False) -> list[Row]:
    """Return the table, by language and kind of question."""
    return measure([case(data)], KS, ablate=ablate)


def case(data: Path) -> Case:
    """Return all memories of both languages in one store."""
    documents, questions = [], []
    for ref, (memory, question, group) in enumerate(rows(data)):
        documents.append(Document(str(ref), memory))
        if question:
            questions.append(Question(question, frozenset({str(ref)}), group))
    return Case("paraphrase", documents, questions)


def rows(data: Path) -> Iterator[tuple[str, str, str]]:
    """Yield (memory, question or "", group)."""
    for file, language in (("paraphrase_en.tsv", "English"), ("korean.tsv", "Korean")):
        try:
            lines = (data / file).read_text("utf-8").splitlines()
        except OSError as error:
            raise SourceError(f"{data / file} cannot be read: {error}", path=str(data / file)) from error
        for line in lines:
            memory, question, kind = [*line.split("\t"), "", ""][:3]
            yield memory, question, f"{language} {kind or 'paraphrase'}"
