"""The verbs of code: `graphmem code callers` and its kin. One row each, like those of `verbs.py`."""

from __future__ import annotations

from typing import Annotated, Any

from graphmem.errors import UsageError
from graphmem.interfaces.verb import Verb
from graphmem.memory import Memory

Symbol = Annotated[str, "name or FILE:LINE"]
Below = Annotated[str | None, "folder, file or glob"]
NoTests = Annotated[bool, "without tests"]
Limit = Annotated[int, "most rows"]
Budget = Annotated[int, "most tokens; the rest is counted"]
AsOf = Annotated[str, "as of this commit or date"]
_BUDGET = 4_000
_PATCHES = 20  # commits whose patches are shown


def callers(
    mem: Memory,
    symbol: Symbol,
    path: Below = None,
    no_tests: NoTests = False,
    limit: Limit = 500,
    budget: Budget = _BUDGET,
    as_of: AsOf = "",
) -> Any:
    """List who calls a symbol, or names a field or type, or imports a module."""
    return mem.code.callers(symbol, path=path, no_tests=no_tests, limit=limit, budget=budget, as_of=as_of or None)


def callees(
    mem: Memory,
    symbol: Symbol,
    path: Below = None,
    no_tests: NoTests = False,
    limit: Limit = 500,
    budget: Budget = _BUDGET,
    as_of: AsOf = "",
) -> Any:
    """List what a symbol calls."""
    return mem.code.callees(symbol, path=path, no_tests=no_tests, limit=limit, budget=budget, as_of=as_of or None)


def impact(
    mem: Memory,
    symbol: Symbol,
    depth: Annotated[int, "how many steps"] = 5,
    tests: Annotated[bool, "only the tests that reach it, and their command"] = False,
    path: Below = None,
    no_tests: NoTests = False,
    limit: Limit = 500,
    budget: Budget = _BUDGET,
    as_of: AsOf = "",
) -> Any:
    """Show what depends on a symbol: callers, tests, tasks and gotchas, and the risk."""
    if tests:
        return mem.code.tests(symbol, limit=limit)
    return mem.code.impact(
        symbol, depth=depth, path=path, no_tests=no_tests, limit=limit, budget=budget, as_of=as_of or None
    )


def changes(
    mem: Memory,
    since: Annotated[str, "compare the work tree with this commit"] = "HEAD",
    limit: Limit = 500,
    budget: Budget = _BUDGET,
) -> Any:
    """Show what the uncommitted change, or all since a commit, reaches."""
    return mem.code.changes(since, limit=limit, budget=budget)


def definition(
    mem: Memory,
    file: Annotated[str, "its path, from the root of the index or from here; also FILE:LINE:COLUMN"],
    line: Annotated[int, "from 1"] = 0,
    column: Annotated[int, "from 0"] = 0,
    as_of: AsOf = "",
) -> Any:
    """Find where the name at a place is defined."""
    return mem.code.definition(file, line, column, as_of=as_of or None)


def dead(
    mem: Memory,
    target: Annotated[str, "only this folder, file or glob, like --path"] = "",
    path: Below = None,
    exported: Annotated[bool, "also public symbols, which other programs may use"] = False,
    no_tests: NoTests = False,
    limit: Limit = 500,
    budget: Budget = _BUDGET,
    as_of: AsOf = "",
) -> Any:
    """List functions, methods and classes that nothing uses, and those that tests alone use."""
    return mem.code.dead(
        path or target or None, exported=exported, no_tests=no_tests, limit=limit, budget=budget, as_of=as_of or None
    )


def unresolved(
    mem: Memory,
    name: Annotated[str | None, "only calls of this name"] = None,
    path: Below = None,
    no_tests: NoTests = False,
    limit: Limit = 500,
    budget: Budget = _BUDGET,
    as_of: AsOf = "",
) -> Any:
    """List calls that stayed unresolved, and why."""
    return mem.code.unresolved(name, path=path, no_tests=no_tests, limit=limit, budget=budget, as_of=as_of or None)


def overview(mem: Memory, limit: Annotated[int, "rows a list"] = 15, budget: Budget = _BUDGET, as_of: AsOf = "") -> Any:
    """Show the architecture on one page: packages, entry points, central, complex and untested code, cycles."""
    return mem.code.overview(limit=limit, budget=budget, as_of=as_of or None)


def routes(mem: Memory, limit: Limit = 500, budget: Budget = _BUDGET, as_of: AsOf = "") -> Any:
    """List HTTP routes and their handlers."""
    return mem.code.routes(limit=limit, budget=budget, as_of=as_of or None)


def files(mem: Memory, as_of: AsOf = "") -> Any:
    """List the files of the indexed tree."""
    return mem.code.files(as_of=as_of or None)


def outline(
    mem: Memory, file: Annotated[str, "its path, from the root of the index or from here"], as_of: AsOf = ""
) -> Any:
    """Show a file with its symbols."""
    return mem.code.outline(file, as_of=as_of or None)


def history(
    mem: Memory,
    target: Annotated[str, "a symbol, FILE:LINE, or the path of a file"],
    as_of: AsOf = "",
    limit: Limit = 500,
    patch: Annotated[bool, "with the message of each commit and the hunk of the symbol"] = False,
) -> Any:
    """List the commits that changed a symbol or a file, newest first."""
    if patch:
        return mem.code.hunks(target, limit=min(limit, _PATCHES))
    return mem.code.history(target, as_of=as_of or None, limit=limit)


def todos(mem: Memory, limit: Limit = 100) -> Any:
    """List the TODO comments of the indexed tree: notes, which become tasks only by `graphmem tasks create`."""
    return mem.code.todos(limit=limit)


def text(
    mem: Memory,
    pattern: Annotated[str, "a literal, matched in one line"],
    regex: Annotated[bool, "it is a regular expression"] = False,
    ignore_case: Annotated[bool, "case does not matter"] = False,
    path: Annotated[str | None, "only this folder, file or glob (`*.toml`)"] = None,
    kind: Annotated[str | None, "only files of this kind: code, test, document, config or other"] = None,
    as_of: AsOf = "",
    patches: Annotated[bool, "search what commits added or removed, newest first"] = False,
    limit: Limit = 50,
) -> Any:
    """Find lines in every text file of the tree, configuration and documents included, with the symbol around each."""
    given: dict[str, Any] = {"is_regex": regex, "ignore_case": ignore_case, "path": path, "kind": kind, "limit": limit}
    if patches:
        if as_of:
            raise UsageError("--patches searches all of history: leave --as-of out")
        return mem.code.patches(pattern, **given)
    return mem.code.text(pattern, as_of=as_of or None, **given)


def source(
    mem: Memory,
    target: Annotated[str, "a symbol, FILE:10-40, or a file"],
    as_of: AsOf = "",
) -> Any:
    """Print the whole source of a symbol, or lines of a file."""
    return mem.code.source(target, as_of=as_of or None)


def path(
    mem: Memory,
    a: Annotated[str, "name or FILE:LINE"],
    b: Annotated[str, "name or FILE:LINE of another"],
    limit: Limit = 10,
) -> Any:
    """Find how one symbol reaches another over calls and references, with the lines."""
    return mem.code.path(a, b, limit=limit)


def implementations(mem: Memory, symbol: Symbol, limit: Limit = 100, as_of: AsOf = "") -> Any:
    """List who implements an interface, protocol or base class, and what a class implements, method by method."""
    return mem.code.implementations(symbol, limit=limit, as_of=as_of or None)


def explain(mem: Memory, symbol: Symbol) -> Any:
    """Explain a symbol in one answer: signature, source, callers, tests, last changes with reasons, decisions, authors."""
    return mem.code.explain(symbol)


CODE: tuple[Verb, ...] = (
    Verb("explain", explain),
    Verb("code text", text, agent=True),
    Verb("code source", source),
    Verb("code path", path),
    Verb("code callers", callers, agent=True),
    Verb("code callees", callees, agent=True),
    Verb("code implementations", implementations),
    Verb("code impact", impact, agent=True),
    Verb("code changes", changes, local=True),
    Verb("code definition", definition),
    Verb("code dead", dead),
    Verb("code unresolved", unresolved),
    Verb("code overview", overview, agent=True),
    Verb("code routes", routes),
    Verb("code files", files),
    Verb("code outline", outline),
    Verb("code history", history),
    Verb("code todos", todos),
)
