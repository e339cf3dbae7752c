"""Typed records that sources produce before they become events: commits with their files and hunks, and the report of
one ingest (REQUIREMENTS 19, "Extract")."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from graphmem.model.events import Purged


class Hunk(NamedTuple):
    """One changed range, lines from 1 as in a unified diff without context."""

    old_start: int
    old_lines: int
    new_start: int
    new_lines: int


class Projected(NamedTuple):
    """How many events and derivations one run projected."""

    events: int = 0
    derivations: int = 0


@dataclass(slots=True)
class FileChange:
    """A file of a commit. `kind` is A, M, D, R or T; `previous` the old path of a rename. `binary` files have no hunks."""

    path: str
    kind: str
    previous: str = ""
    additions: int = 0
    deletions: int = 0
    binary: bool = False
    hunks: list[Hunk] = field(default_factory=list)


@dataclass(slots=True)
class Commit:
    """A commit as the history has it; times in microseconds since 1970 UTC. `patch` is cut at a limit. `odd_dates`: a date lies
    outside of the years 1970 to 9999 and was moved to their nearest end."""

    hash: str
    parents: list[str]
    author: str
    email: str
    authored_at: int
    committed_at: int
    subject: str
    body: str
    files: list[FileChange] = field(default_factory=list)
    patch: str = ""
    odd_dates: bool = False


@dataclass(slots=True)
class IngestReport:
    """What one ingest did: new and already known events, the new ones by kind ("sessions", "prompts", ...), and what was
    skipped and why (reason -> count)."""

    source: str
    new: int = 0
    known: int = 0
    kinds: dict[str, int] = field(default_factory=dict)
    skipped: dict[str, int] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)

    def skip(self, reason: str, count: int = 1) -> None:
        """Count something that was left out."""
        self.skipped[reason] = self.skipped.get(reason, 0) + count


@dataclass(frozen=True, slots=True)
class IndexReport:
    """What indexing did: files by language, counts of what the code graph holds now, and what was skipped, or read but in
    part (reason -> count). `resolved` is the share of calls that were resolved; with `followed` unset, values were not
    followed through the whole program yet, which `process` does next."""

    files: int
    lines: int
    symbols: int
    edges: int
    call_sites: int
    languages: dict[str, int]
    skipped: dict[str, int]
    changed: int
    seconds: float
    calls: int = 0
    followed: bool = True
    partial: dict[str, int] = field(default_factory=dict)

    @property
    def resolved(self) -> float:
        """The share of calls that were resolved."""
        return round(self.calls / max(1, self.calls + self.call_sites), 4)


@dataclass(frozen=True, slots=True)
class ProcessReport:
    """What `process` did: events and derivations projected, texts embedded, what failed, and the code whose values were
    followed."""

    events: int = 0
    derived: int = 0
    embedded: int = 0
    seconds: float = 0.0
    problems: tuple[str, ...] = ()
    code: tuple[IndexReport, ...] = ()


@dataclass(frozen=True, slots=True)
class TestFailure:
    """A test that failed: its full name, its file where it is known, and what it said."""

    __test__ = False

    name: str
    file: str
    message: str


@dataclass(frozen=True, slots=True)
class TestRun:
    """One run of a test tool. `duration` in seconds, `coverage` in per cent of lines."""

    __test__ = False

    tool: str
    passed: int
    failed: int
    skipped: int
    failures: list[TestFailure]
    duration: float = 0.0
    name: str = ""
    coverage: float | None = None


@dataclass(frozen=True, slots=True)
class ExchangeReport:
    """The file, and how many records went out or how many events came in as new; `others` are the projects of a merged log
    that are not the one of this store."""

    path: str
    records: int
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ForgetReport:
    """How many events were forgotten, how many nodes and items they had made, and what a purge erased."""

    events: int
    nodes: int
    items: int
    purged: Purged | None = None


@dataclass(frozen=True, slots=True)
class MoveReport:
    """Where a store was and is, its events, and the bytes that were copied and verified; 0 where the disk is the same and
    the folder was only renamed."""

    source: str
    target: str
    events: int
    copied: int
