"""Measures search on whole repositories with code, documents, commits and facts in one store: whether the answer comes
first, by the kind of question. The folder contains clones, and for each a table `NAME.tsv` of group, question, kinds
and a pattern that the answer matches (those in `fixtures/questions/repository` belong to the project)."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from graphmem.bench.retrieval import Row
from graphmem.errors import SourceError
from graphmem.memory import Memory
from graphmem.model.results import Hit
from graphmem.retrieve.retriever import Retriever

_DEEP = 10


class Asked(NamedTuple):
    """A question, and how its answer is recognised."""

    group: str
    query: str
    kinds: frozenset[str]
    answer: re.Pattern[str]

    def answered(self, hit: Hit) -> bool:
        """Return whether this hit answers it."""
        return hit.kind in self.kinds and bool(self.answer.search(f"{hit.title} {hit.summary} {hit.content}"))


def run(data: Path, *, ablate: bool = False) -> list[Row]:
    """Return the table by repository and group; with `ablate` also searched as one list."""
    rows: list[Row] = []
    for table in sorted(data.glob("*.tsv")):
        with (
            tempfile.TemporaryDirectory(prefix="graphmem-bench-") as folder,
            Memory.open(Path(folder) / "store", project=table.stem) as memory,
        ):
            memory.init(data / table.stem)
            ports = memory._store.retriever.ports
            systems = {"graphmem": Retriever(ports)}
            if ablate:
                systems["as one list"] = Retriever(ports, {"families": 0.0})
            for name, retriever in systems.items():
                rows += _measured(name, table.stem, retriever, list(questions(table)))
    if not rows:
        raise SourceError(
            f"{data} has no table of questions: copy those of fixtures/questions/repository", path=str(data)
        )
    return rows


def questions(table: Path) -> Iterator[Asked]:
    """Yield the questions of one table. Raises SourceError that names a line that is none."""
    for number, line in enumerate(table.read_text("utf-8").splitlines(), 1):
        try:
            group, query, kinds, answer = line.split("\t")
            yield Asked(group, query, frozenset(re.findall(r"\w+", kinds)), re.compile(answer))
        except (ValueError, re.error) as error:
            raise SourceError(f"{table}, line {number}: {error}", path=str(table)) from error


def _measured(system: str, project: str, retriever: Retriever, asked: list[Asked]) -> Iterator[Row]:
    ranks: dict[str, list[int]] = {}
    for one in asked:
        hits = retriever.search(one.query, k=_DEEP, project=project).hits
        rank = next((place for place, hit in enumerate(hits, 1) if one.answered(hit)), 0)
        ranks.setdefault(one.group, []).append(rank)
    for group, found in {**ranks, "all": [rank for some in ranks.values() for rank in some]}.items():
        shares = {f"hit@{k}": round(sum(0 < rank <= k for rank in found) / len(found), 2) for k in (1, 5, _DEEP)}
        mrr = round(sum(1 / rank for rank in found if rank) / len(found), 3)
        yield Row(system, f"{project}: {group}", len(found), {**shares, "MRR": mrr})
