"""Answers about code: who calls what, what an edit reaches, what is dead. Each says what it does not know: how many
unresolved calls could be one more, and which files are newer than their index."""

from __future__ import annotations

from dataclasses import dataclass

from graphmem.model.code import CallSite, Symbol


@dataclass(frozen=True, slots=True)
class Place:
    """A symbol as people need it: where it is and what it looks like."""

    name: str
    kind: str
    file: str
    line: int
    end_line: int = 0
    signature: str = ""
    external: bool = False

    @classmethod
    def of(cls, symbol: Symbol) -> Place:
        """The place of a symbol of the code graph."""
        return cls(
            symbol.qualified_name,
            symbol.kind,
            symbol.file,
            symbol.line,
            symbol.end_line,
            symbol.signature,
            symbol.external,
        )


@dataclass(frozen=True, slots=True)
class Call:
    """One call: the other end, the line it stands in, how it was resolved and how sure that is."""

    symbol: Place
    line: int
    strategy: str
    confidence: float


@dataclass(frozen=True, slots=True)
class Calls:
    """Callers or callees of `symbol`: `total` in all. Callers are ordered by file, the one with the surest call first and tests
    last, then by line; callees by line. Callers of what is not called (a field, a type, a module) are those who name or
    import it. `open_sites` counts unresolved calls that could be one more; `stale` names files that changed since they
    were indexed; `left_out` counts what the limit cut. Of callers also: `through_base` counts calls of what the symbol
    overrides, or of its name on a type from outside that its class may stand for; and `handed_on` where it is named
    without being called, so that whoever gets it may call it; `open_places` are the first of the open sites, FILE:LINE: of
    a field the places that read an attribute of its name on an unknown object. Calls of callees are `own`: their lines
    are those of `symbol`."""

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

    def file(self, call: Call) -> str:
        """The file that the line of a call is one of."""
        return self.symbol.file if self.own else call.symbol.file


@dataclass(frozen=True, slots=True)
class Reach:
    """A symbol that depends on a change: over how many steps, how surely, and through which relation."""

    symbol: Place
    depth: int
    confidence: float
    relation: str


@dataclass(frozen=True, slots=True)
class ImpactReport:
    """What a change of symbols or a diff reaches. `risk` lies in [0, 1]; `tests` are those that reach the change;
    `open_sites` and `open_places` are as in `Calls`; `related` are titles of tasks, gotchas and facts about the changed files
    and symbols."""

    changed: tuple[Place, ...]
    reached: tuple[Reach, ...]
    tests: tuple[Place, ...]
    open_sites: int
    risk: float
    related: tuple[tuple[str, str], ...] = ()
    stale: tuple[str, ...] = ()
    left_out: int = 0
    open_places: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Outline:
    """A file as one reads it: its symbols in order of lines, its text with secrets hidden, whether it changed since it
    was indexed, and why it was not read, or not whole ("too large", ...; "" where it was)."""

    file: str
    language: str
    text: str
    symbols: tuple[Place, ...]
    stale: bool = False
    skipped: str = ""


@dataclass(frozen=True, slots=True)
class DeadReport:
    """Symbols that nothing uses, largest first, with their size in lines; `spared` counts by reason what was not reported
    although no use is visible; `only_tests` are those that nothing but tests use."""

    dead: tuple[tuple[Place, int], ...]
    spared: dict[str, int]
    left_out: int = 0
    only_tests: tuple[tuple[Place, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Unresolved:
    """Calls that stayed open: how many, by reason, and the first of them."""

    total: int
    reasons: dict[str, int]
    sites: tuple[CallSite, ...]
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An HTTP route. `method` is upper case, "ANY" where every method fits; `handler` is None where it is not known."""

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
    """A folder: its size, the folders it uses and that use it (with the number of relations), its central symbols."""

    name: str
    files: int
    lines: int
    uses: tuple[tuple[str, int], ...]
    used_by: tuple[tuple[str, int], ...]
    central: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Architecture:
    """A tree on one page."""

    packages: tuple[PackageRow, ...]
    entry_points: tuple[Place, ...]
    central: tuple[tuple[Place, float], ...]
    complex: tuple[tuple[Place, int], ...]
    untested: tuple[Place, ...]
    cycles: tuple[tuple[str, ...], ...]
    languages: dict[str, int]
    left_out: int = 0
