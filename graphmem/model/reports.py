"""Reports of long operations: `init` and `memify`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from graphmem.model.sources import IndexReport, IngestReport


@dataclass(frozen=True, slots=True)
class Example:
    """A question, the named query that answers it with its parameters, and the first rows of the answer."""

    question: str
    query: str
    parameters: dict[str, str]
    columns: list[str]
    rows: list[list[Any]]


@dataclass(frozen=True, slots=True)
class InitReport:
    """The result of `init`. Columns of `central`: symbol, kind, file, line, users; of `hot`: path, commits, authors,
    last; of `tasks`: ref, title, status, priority, blocked_by."""

    project: str
    root: str
    store: str
    code: IndexReport
    sources: tuple[IngestReport, ...]
    nodes: dict[str, int]
    relations: dict[str, int]
    central: list[list[Any]]
    hot: list[list[Any]]
    tasks: list[list[Any]]
    examples: tuple[Example, ...]
    seconds: float


@dataclass(frozen=True, slots=True)
class MemifyReport:
    """The result of a run: whether there was anything to do, its passes, their counts, and its duration."""

    done: bool
    passes: tuple[str, ...] = ()
    counts: dict[str, int] = field(default_factory=dict)
    seconds: float = 0.0
