"""The verbs of code: `graphmem code callers` and its kin. One row each, like those of `verbs.py`."""

from __future__ import annotations

from typing import Annotated, Any

from graphmem.interfaces.verb import Verb
from graphmem.memory import Memory

Symbol = Annotated[str, "a symbol: its qualified name, or the end of one"]
Limit = Annotated[int, "at most so many rows"]
Budget = Annotated[int, "at most so many tokens; what is left out is counted"]
_BUDGET = 4_000


def callers(mem: Memory, symbol: Symbol, limit: Limit = 100, budget: Budget = _BUDGET) -> Any:
    """List who calls a symbol, surest first."""
    return mem.code.callers(symbol, limit=limit, budget=budget)


def callees(mem: Memory, symbol: Symbol, limit: Limit = 100, budget: Budget = _BUDGET) -> Any:
    """List what a symbol calls."""
    return mem.code.callees(symbol, limit=limit, budget=budget)


def impact(
    mem: Memory,
    symbol: Symbol,
    depth: Annotated[int, "how many steps"] = 5,
    limit: Limit = 100,
    budget: Budget = _BUDGET,
) -> Any:
    """Show what depends on a symbol: callers, tests, tasks and gotchas, and the risk."""
    return mem.code.impact(symbol, depth=depth, limit=limit, budget=budget)


def changes(
    mem: Memory,
    since: Annotated[str, "compare the work tree with this commit"] = "HEAD",
    limit: Limit = 100,
    budget: Budget = _BUDGET,
) -> Any:
    """Show what the uncommitted change, or all since a commit, reaches."""
    return mem.code.changes(since, limit=limit, budget=budget)


def definition(
    mem: Memory,
    file: Annotated[str, "path relative to the indexed root"],
    line: Annotated[int, "from 1"],
    column: Annotated[int, "from 0"] = 0,
) -> Any:
    """Find where the name at a place is defined."""
    return mem.code.definition(file, line, column)


def dead(
    mem: Memory,
    exported: Annotated[bool, "also what only outsiders could use"] = False,
    limit: Limit = 100,
    budget: Budget = _BUDGET,
) -> Any:
    """List functions, methods and classes that nothing uses."""
    return mem.code.dead(exported=exported, limit=limit, budget=budget)


def unresolved(
    mem: Memory,
    name: Annotated[str | None, "only calls of this name"] = None,
    limit: Limit = 100,
    budget: Budget = _BUDGET,
) -> Any:
    """List calls that stayed unresolved, and why."""
    return mem.code.unresolved(name, limit=limit, budget=budget)


def overview(mem: Memory, limit: Annotated[int, "rows a list"] = 15, budget: Budget = _BUDGET) -> Any:
    """Show the architecture on one page: packages, entry points, central, complex and untested code, cycles."""
    return mem.code.overview(limit=limit, budget=budget)


def routes(mem: Memory, limit: Limit = 100, budget: Budget = _BUDGET) -> Any:
    """List HTTP routes and their handlers."""
    return mem.code.routes(limit=limit, budget=budget)


def files(mem: Memory) -> Any:
    """List the files of the indexed tree."""
    return mem.code.files()


def outline(mem: Memory, file: Annotated[str, "path relative to the indexed root"]) -> Any:
    """Show a file with its symbols."""
    return mem.code.outline(file)


CODE: tuple[Verb, ...] = (
    Verb("code callers", callers, agent=True),
    Verb("code callees", callees, agent=True),
    Verb("code impact", impact, agent=True),
    Verb("code changes", changes, local=True),
    Verb("code definition", definition),
    Verb("code dead", dead),
    Verb("code unresolved", unresolved),
    Verb("code overview", overview, agent=True),
    Verb("code routes", routes),
    Verb("code files", files),
    Verb("code outline", outline),
)
