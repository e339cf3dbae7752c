"""Answers that quote text and history of code: matching lines, patches, sources, paths, authors, and explanations of
symbols. Every list states its total."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from graphmem.model.answers import Place


@dataclass(frozen=True, slots=True)
class TextMatch:
    """A matching line. `symbol` is the enclosing definition ("" outside of all); `kind` of the file: code, test,
    document, config, other, example or vendored."""

    path: str
    line: int
    text: str
    symbol: str
    kind: str


@dataclass(frozen=True, slots=True)
class TextMatches:
    """Lines of a tree that match a pattern: the first of `total` in `files` files. `searched` counts files read,
    `skipped` files not read, by reason; `hidden` counts matching lines of tests that were left out."""

    pattern: str
    matches: tuple[TextMatch, ...]
    total: int
    files: int
    searched: int
    skipped: dict[str, int]
    as_of: str = ""
    hidden: int = 0


@dataclass(frozen=True, slots=True)
class Revision:
    """A commit for citation."""

    hash: str
    at: datetime
    author: str
    subject: str


@dataclass(frozen=True, slots=True)
class PatchMatch:
    """A commit whose patch matches: (path, line) of each matching line, which starts with + or -, and of the one that it replaces
    or that replaces it; `left_out` counts further lines."""

    commit: Revision
    lines: tuple[tuple[str, str], ...]
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class PatchMatches:
    """Commits whose patches match a pattern, newest first: the first of `total`. `unread` counts commits of which git lacks
    some objects (in a partial clone)."""

    pattern: str
    commits: tuple[PatchMatch, ...]
    total: int
    unread: int = 0


@dataclass(frozen=True, slots=True)
class SourceText:
    """Lines of a file, secrets redacted. `total` is the number of lines of the file, `left_out` the number of lines beyond a
    limit."""

    file: str
    first: int
    last: int
    total: int
    text: str
    symbol: str = ""
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class PathStep:
    """One relation on a path: source, target, relation type, its location, and the text of the line."""

    source: str
    target: str
    relation: str
    file: str
    line: int
    text: str = ""


@dataclass(frozen=True, slots=True)
class CodePaths:
    """The shortest paths between two symbols; none if `steps` are not sufficient. `left_out` counts further paths.
    `is_partial`: value flow was not yet computed, so calls may be missing."""

    start: Place
    end: Place
    paths: tuple[tuple[PathStep, ...], ...]
    steps: int
    left_out: int = 0
    reverse: bool = False
    is_partial: bool = False


@dataclass(frozen=True, slots=True)
class Implementation:
    """A class that implements a port, or a port that a class implements: how that is known, how surely, and (method of the
    class, name of the method of the port, or with its class of one between the two). `base` is the class between the two that it
    derives from directly. Object literals that are written with an interface as their type are listed, too."""

    symbol: Place
    strategy: str
    confidence: float
    methods: tuple[tuple[Place, str], ...]
    base: str = ""


@dataclass(frozen=True, slots=True)
class Implementations:
    """What implements `symbol` (an interface, a protocol, a base class, or a method of one), and what it implements itself.
    `total` counts both, `hidden` those that a filter leaves out. `almost` are the types that have all methods of it but the named
    one."""

    symbol: Place
    implemented_by: tuple[Implementation, ...]
    implements: tuple[Implementation, ...]
    total: int
    hidden: int = 0
    almost: tuple[tuple[Place, str], ...] = ()


@dataclass(frozen=True, slots=True)
class TestPlan:
    """The tests that reach a symbol, nearest first: (place, distance), their files, and the command that runs them. If none
    does, `changed_with` has the tests that the same commits changed: (place, number of commits), and `command` runs these.
    `importers` are the modules outside of tests that import a file, `importing_tests` the test files that import it (1) or a
    module that does (2). `helpers` are the nearest functions of tests that are no tests themselves, `helpers_total` says how
    many there are. `dispatched` are the files whose tests reach it only through an interface, a base class, a table or an
    unresolved call, which may run something else; they stand last. `is_partial`: values were not yet followed, so tests may be
    missing. `open_calls` counts, if no test reaches it, the unresolved calls of tests that import something that does: any may be
    one more way to it. `by_request` are the files whose tests reach it only by requests to the URLs of routes."""

    symbol: Place
    tests: tuple[tuple[Place, int], ...]
    total: int
    files: tuple[str, ...]
    command: str
    changed_with: tuple[tuple[Place, int], ...] = ()
    importers: tuple[Place, ...] = ()
    importing_tests: tuple[tuple[str, int], ...] = ()
    helpers: tuple[Place, ...] = ()
    helpers_total: int = 0
    dispatched: tuple[str, ...] = ()
    is_partial: bool = False
    open_calls: int = 0
    by_request: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Authorship:
    """Authors of lines: (author, number of lines, day of the newest), most lines first."""

    file: str
    first: int
    last: int
    authors: tuple[tuple[str, int, str], ...]


@dataclass(frozen=True, slots=True)
class SymbolHistory:
    """The commits that changed a symbol, newest first, each with the reason that its message gives and the hunk,
    "" if it is not asked for."""

    target: str
    commits: tuple[tuple[Revision, str, str], ...]
    total: int


@dataclass(frozen=True, slots=True)
class SymbolPatch:
    """What a commit changed of one symbol, as lines of a unified diff; `symbol` is "" for what is outside of all symbols."""

    file: str
    symbol: str
    lines: tuple[str, ...]
    added: int
    removed: int


@dataclass(frozen=True, slots=True)
class CommitChanges:
    """A commit with what it changed, symbol by symbol, in the order of the files."""

    commit: str
    message: str
    patches: tuple[SymbolPatch, ...]


@dataclass(frozen=True, slots=True)
class Explanation:
    """A short summary of a symbol, and the commands for more."""

    symbol: Place
    lines: tuple[str, ...]
    commands: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ApiChange:
    """A public name that differs between two states. `change`: removed, changed, moved or added; `symbol` is where it is, or
    was if it is removed; `before` and `after` are signatures, of a moved one its names; `members` counts public names in
    it."""

    change: str
    symbol: Place
    before: str
    after: str
    members: int = 0


@dataclass(frozen=True, slots=True)
class ApiDiff:
    """How the public surface of the code differs between two states: the names of both, rows in the order of `ApiChange`,
    their numbers by kind of change, and how many were left out."""

    before: str
    after: str
    changes: tuple[ApiChange, ...]
    counts: dict[str, int]
    left_out: int = 0
