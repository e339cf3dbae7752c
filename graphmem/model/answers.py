"""Answers about code: callers, impact, dead code. Each states its uncertainty: how many unresolved calls might belong to
it, and which files changed since they were indexed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from graphmem.model.code import CallSite, Symbol

_LONG = 1_600  # characters of a list of places with names
_FOLDERS = frozenset({"__init__", "index", "mod"})  # files that have the name of their folder


@dataclass(frozen=True, slots=True)
class Place:
    """A symbol for display: location and signature."""

    name: str
    kind: str
    file: str
    line: int
    end_line: int = 0
    signature: str = ""
    external: bool = False

    @classmethod
    def of(cls, symbol: Symbol) -> Place:
        """Return the place of a symbol of the code graph."""
        return cls(
            symbol.qualified_name,
            symbol.kind,
            symbol.file,
            symbol.line,
            symbol.end_line,
            symbol.signature,
            symbol.external,
        )

    @property
    def short_name(self) -> str:
        """Return the name within the file, for a row that also has its path: without the module or package."""
        path = PurePosixPath(self.file)
        folders = path.parent.parts
        modules = [folders] if path.stem in _FOLDERS else [(*folders, path.stem), folders]
        for parts in modules:
            for first in range(len(parts)):
                module = ".".join(parts[first:]) + "."
                if self.name.startswith(module):
                    return self.name.removeprefix(module)
        package, _, rest = self.name.partition(".")
        is_of_root = not folders and path.suffix == ".go"  # whose package has a name that no path has
        return rest if is_of_root and rest and package.islower() else self.name


@dataclass(frozen=True, slots=True)
class Call:
    """One call: the other end, its line, how it was resolved, and the confidence. `text` is the line, "" if it is not
    quoted, and what differs in `further`, the other lines of the caller that have the name."""

    symbol: Place
    line: int
    strategy: str
    confidence: float
    text: str = ""
    further: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Calls:
    """Callers or callees of `symbol`; `total` is the full count. Callers are grouped by file, the file with the most
    certain call first and tests last, then ordered by line; callees by line. Callers of something that is not callable (a
    field, type or module) are its users or importers. `open_sites` counts unresolved calls that might belong here,
    `open_places` are the first of them (FILE:LINE), `open_functions` the names of the functions around these ("" if none);
    lines that the rows name are left out. `hidden` counts rows and unresolved calls that a filter leaves out, `hidden_tests`
    those of them in tests. `stale` lists files changed since indexing; `left_out` counts rows
    cut by the limit. For callers, `through_base` counts calls of overridden methods, or of the same name on an external
    base type (`may_run` are the first of the calling symbols, with the line of the call), and `handed_on` counts references
    without a call, whose receiver may call it (`handed_places` are the first of them). `own`: the rows are callees, so their
    lines are in the file of `symbol`. `is_partial`: value flow was not yet computed, so calls may be missing. `family` are
    the methods that override `symbol` or the same one, whose callers are included; `below` are the first calls of methods that
    override it where the receiver is known to be of a subtype (as in `may_run`), `of_overriding` counts them. `templates` are the
    lines of templates (FILE:LINE) that name a member, perhaps one of another object."""

    symbol: Place
    calls: tuple[Call, ...]
    open_sites: int
    stale: tuple[str, ...] = ()
    left_out: int = 0
    through_base: int = 0
    handed_on: int = 0
    own: bool = False
    total: int = 0
    open_places: tuple[str, ...] = ()
    handed_places: tuple[str, ...] = ()
    is_partial: bool = False
    may_run: tuple[Place, ...] = ()
    family: tuple[Place, ...] = ()
    open_functions: tuple[str, ...] = ()
    hidden: int = 0
    hidden_tests: int = 0
    below: tuple[Place, ...] = ()
    of_overriding: int = 0
    templates: tuple[str, ...] = ()

    def file(self, call: Call) -> str:
        """Return the file that contains the call."""
        return self.symbol.file if self.own else call.symbol.file


def join_places(places: Sequence[str], functions: Sequence[str] = ()) -> str:
    """Return places (FILE:LINE) as one text, grouped by file: `a.py:3 run, 9 stop; b.py:1`. `functions` are the names of the
    functions around them, "" for none; a long text goes without them."""
    files: dict[str, list[str]] = {}
    for number, place in enumerate(places):
        file, _, line = place.rpartition(":")
        name = functions[number] if number < len(functions) else ""
        files.setdefault(file, []).append(f"{line} {name}".rstrip())
    text = "; ".join(f"{file}:{', '.join(lines)}" for file, lines in files.items())
    return join_places(places) if functions and len(text) > _LONG else text


@dataclass(frozen=True, slots=True)
class Reach:
    """A symbol affected by a change: distance in steps, confidence, and the relation with its line in the symbol (0 if
    unknown) and the text of that line ("" if it is not quoted)."""

    symbol: Place
    depth: int
    confidence: float
    relation: str
    line: int = 0
    text: str = ""


@dataclass(frozen=True, slots=True)
class ImpactReport:
    """What a change of symbols or a diff affects. `risk` is in [0, 1]; `tests` reach the change; `open_sites`,
    `open_places`, `open_functions`, `is_partial`, `through_base` and `may_run` are as in `Calls`, without those in functions
    that are one step away; `related` are titles of tasks,
    gotchas and facts about the changed files and symbols; `hidden_tests` counts the tests that a filter leaves out; `routes` are
    the HTTP routes (`GET /orders/{id}`) whose handlers are changed or reached."""

    changed: tuple[Place, ...]
    reached: tuple[Reach, ...]
    tests: tuple[Place, ...]
    open_sites: int
    risk: float
    related: tuple[tuple[str, str], ...] = ()
    stale: tuple[str, ...] = ()
    left_out: int = 0
    open_places: tuple[str, ...] = ()
    is_partial: bool = False
    through_base: int = 0
    may_run: tuple[Place, ...] = ()
    hidden_tests: int = 0
    open_functions: tuple[str, ...] = ()
    routes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Outline:
    """A file with its symbols in order and its text, secrets redacted. `stale`: changed since indexing. `skipped`: why it
    was not or only partly read ("too large", ...; "" if read)."""

    file: str
    language: str
    text: str
    symbols: tuple[Place, ...]
    stale: bool = False
    skipped: str = ""


@dataclass(frozen=True, slots=True)
class DeadReport:
    """Unused symbols, largest first, with their size in lines. `spared` counts by reason symbols that have no visible use
    but are not reported; `only_tests` are those that only tests use; `values` are fields, constants and variables that nothing
    names; `doubts` are spared ones, with the place (FILE:LINE) where their name occurs; `offered` are those that nothing but a
    re-export names; `followers` are used only by what the report lists; `public` are exported functions and classes that nothing
    in the tree uses, if the report leaves exported symbols out. `path` is what the report is restricted to."""

    dead: tuple[tuple[Place, int], ...]
    spared: dict[str, int]
    left_out: int = 0
    only_tests: tuple[tuple[Place, int], ...] = ()
    values: tuple[tuple[Place, int], ...] = ()
    doubts: tuple[tuple[Place, str], ...] = ()
    offered: tuple[tuple[Place, int], ...] = ()
    followers: tuple[tuple[Place, int], ...] = ()
    public: tuple[tuple[Place, int], ...] = ()
    path: str = ""


@dataclass(frozen=True, slots=True)
class Unresolved:
    """Unresolved calls: total, counts by reason, and the first ones."""

    total: int
    reasons: dict[str, int]
    sites: tuple[CallSite, ...]
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An HTTP route. `method` is upper case, or "ANY"; `handler` is None if unknown."""

    method: str
    path: str
    handler: Place | None
    file: str
    line: int
    callers: tuple[Call, ...] = ()


@dataclass(frozen=True, slots=True)
class Routes:
    """The HTTP routes of a tree."""

    routes: tuple[Endpoint, ...]
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class PackageRow:
    """A folder: size, folders it uses and that use it (with the number of relations), and central symbols."""

    name: str
    files: int
    lines: int
    uses: tuple[tuple[str, int], ...]
    used_by: tuple[tuple[str, int], ...]
    central: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Architecture:
    """An overview of a tree. `cycles` are files that import each other, `package_cycles` folders that use each other."""

    packages: tuple[PackageRow, ...]
    entry_points: tuple[Place, ...]
    central: tuple[tuple[Place, float], ...]
    complex: tuple[tuple[Place, int], ...]
    untested: tuple[Place, ...]
    cycles: tuple[tuple[str, ...], ...]
    languages: dict[str, int]
    left_out: int = 0
    package_cycles: tuple[tuple[str, ...], ...] = ()
