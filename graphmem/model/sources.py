"""Records that sources produce before they become events (commits with files and hunks, test runs), and reports of
operations."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from graphmem.model.events import Purged

FEWEST_REPLACED = 2  # lines of which a change may be a replacement; a constant with another value is still the same


class Hunk(NamedTuple):
    """A changed range; lines start at 1, as in a unified diff without context."""

    old_start: int
    old_lines: int
    new_start: int
    new_lines: int


class Projected(NamedTuple):
    """Number of events and derivations projected in one run."""

    events: int = 0
    derivations: int = 0


@dataclass(slots=True)
class FileChange:
    """A changed file of a commit. `kind` is A, M, D, R or T; `previous` is the old path of a rename. `binary` files have
    no hunks."""

    path: str
    kind: str
    previous: str = ""
    additions: int = 0
    deletions: int = 0
    binary: bool = False
    hunks: list[Hunk] = field(default_factory=list)


@dataclass(slots=True)
class Commit:
    """A commit of the history; times in microseconds since 1970 UTC. `patch` is truncated at a limit. `odd_dates`: a date
    was outside of the years 1970 to 9999 and was clamped. `lacks_patch`: git has not the files that the patch compares."""

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
    lacks_patch: bool = False


@dataclass(slots=True)
class IngestReport:
    """Result of an ingest: new and known events, new ones by kind ("sessions", "prompts", ...), and skipped input (reason
    -> count)."""

    source: str
    new: int = 0
    known: int = 0
    kinds: dict[str, int] = field(default_factory=dict)
    skipped: dict[str, int] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)

    def skip(self, reason: str, count: int = 1) -> None:
        """Count a skipped record."""
        self.skipped[reason] = self.skipped.get(reason, 0) + count


@dataclass(frozen=True, slots=True)
class IndexReport:
    """Result of indexing: files by language, counts of the code graph, and files skipped or partly read (reason ->
    count). `resolved` is the share of resolved calls; `certain` of them are from compilers' indexes; `unused` counts documents
    of an imported index, by reason. If `followed` is false, whole-program value flow is still to be done by `process`."""

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
    certain: int = 0
    unused: dict[str, int] = field(default_factory=dict)

    @property
    def resolved(self) -> float:
        """Return the share of resolved calls."""
        return round(self.calls / max(1, self.calls + self.call_sites), 4)


@dataclass(frozen=True, slots=True)
class ProcessReport:
    """Result of `process`: events and derivations projected, texts embedded, failures, and code with completed value
    flow."""

    events: int = 0
    derived: int = 0
    embedded: int = 0
    seconds: float = 0.0
    problems: tuple[str, ...] = ()
    code: tuple[IndexReport, ...] = ()


@dataclass(frozen=True, slots=True)
class TestFailure:
    """A failed test: full name, file if known, and message."""

    __test__ = False

    name: str
    file: str
    message: str


@dataclass(frozen=True, slots=True)
class TestRun:
    """A run of a test tool. `duration` is in seconds, `coverage` in percent of lines."""

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
    """The file, and the number of exported records or new events; `others` are projects in a merged log other than the
    store's own, `same` those that count as the store's own."""

    path: str
    records: int
    others: tuple[str, ...] = ()
    same: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ForgetReport:
    """Number of forgotten events, removed nodes and items, and what a purge erased."""

    events: int
    nodes: int
    items: int
    purged: Purged | None = None


@dataclass(frozen=True, slots=True)
class MoveReport:
    """Old and new location of a store, its events, and the bytes copied and verified; 0 if the folder was only renamed on
    the same disk. If the graph got another engine: its name, and the nodes and relations found equal in both graphs. If the
    log was moved: where it is, and the rows found equal at both places."""

    source: str
    target: str
    events: int
    copied: int
    engine: str = ""
    compared: int = 0
    log: str = ""
