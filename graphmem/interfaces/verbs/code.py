"""Verbs of the group `graphmem code`, such as `code callers`."""

from __future__ import annotations

from typing import Annotated, Any

from graphmem.errors import UsageError
from graphmem.interfaces.verbs.several import answer_each, share
from graphmem.interfaces.verbs.verb import Verb
from graphmem.memory import Memory
from graphmem.model.code_answers import Revision, SymbolHistory
from graphmem.model.table import Table

Symbols = Annotated[list[str], "names or FILE:LINE"]
Below = Annotated[str | None, "show only symbols in this folder, file or glob"]
NoTests = Annotated[bool, "show no tests"]
Limit = Annotated[int, "maximum number of rows"]
Budget = Annotated[int, "maximum tokens of the answer"]
AsOf = Annotated[str, "as of this commit, tag or date"]
_BUDGET = 4_000
_ROWS = 500
_TESTS = 60  # the nearest tests, unless more are requested
_COUNTED = 100_000  # commits that are counted
_PATCHES = 20  # maximum commits with patches


def callers(
    mem: Memory,
    symbol: Symbols,
    path: Below = None,
    no_tests: NoTests = False,
    limit: Limit = _ROWS,
    budget: Budget = _BUDGET,
    as_of: AsOf = "",
) -> Any:
    """List callers of a symbol; for a field or type its uses, for a module its importers."""
    return answer_each(
        symbol,
        lambda each, parts: mem.code.callers(
            each, path=path, no_tests=no_tests, limit=limit, budget=share(budget, parts), as_of=as_of or None
        ),
    )


def callees(
    mem: Memory,
    symbol: Symbols,
    path: Below = None,
    no_tests: NoTests = False,
    limit: Limit = _ROWS,
    budget: Budget = _BUDGET,
    as_of: AsOf = "",
) -> Any:
    """List what a symbol calls."""
    return answer_each(
        symbol,
        lambda each, parts: mem.code.callees(
            each, path=path, no_tests=no_tests, limit=limit, budget=share(budget, parts), as_of=as_of or None
        ),
    )


def impact(
    mem: Memory,
    symbol: Symbols,
    depth: Annotated[int, "maximum distance in calls"] = 5,
    tests: Annotated[bool, "show only tests, with the command that runs them"] = False,
    path: Below = None,
    no_tests: NoTests = False,
    limit: Limit = _ROWS,
    budget: Budget = _BUDGET,
    as_of: AsOf = "",
) -> Any:
    """Show what a change of a symbol may affect: callers, tests, tasks and gotchas, and the risk."""
    if tests:
        most = _TESTS if limit == _ROWS else limit
        return answer_each(symbol, lambda each, parts: mem.code.tests(each, limit=most))
    return answer_each(
        symbol,
        lambda each, parts: mem.code.impact(
            each,
            depth=depth,
            path=path,
            no_tests=no_tests,
            limit=limit,
            budget=share(budget, parts),
            as_of=as_of or None,
        ),
    )


def changes(
    mem: Memory,
    since: Annotated[str, "the commit to compare the work tree with"] = "HEAD",
    path: Below = None,
    no_tests: NoTests = False,
    limit: Limit = _ROWS,
    budget: Budget = _BUDGET,
) -> Any:
    """Show the impact of uncommitted changes, or of all changes since a commit."""
    return mem.code.changes(since, path=path, no_tests=no_tests, limit=limit, budget=budget)


def definition(
    mem: Memory,
    file: Annotated[str, "path, relative to the indexed root or the current folder; also FILE:LINE:COLUMN"],
    line: Annotated[int, "line number, from 1"] = 0,
    column: Annotated[int, "column number, from 0"] = 0,
    as_of: AsOf = "",
) -> Any:
    """Find the definition of the name at a position."""
    return mem.code.definition(file, line, column, as_of=as_of or None)


def dead(
    mem: Memory,
    target: Annotated[list[str] | None, "show only symbols in these folders, files or globs, like --path"] = None,
    path: Below = None,
    exported: Annotated[bool, "also public symbols, which other programs may use"] = False,
    no_tests: NoTests = False,
    limit: Limit = _ROWS,
    budget: Budget = _BUDGET,
    as_of: AsOf = "",
) -> Any:
    """List functions, methods and classes that nothing uses, and those that tests alone use."""
    return answer_each(
        [path] if path else target or [""],
        lambda each, parts: mem.code.dead(
            each or None,
            exported=exported,
            no_tests=no_tests,
            limit=limit,
            budget=share(budget, parts),
            as_of=as_of or None,
        ),
    )


def unresolved(
    mem: Memory,
    name: Annotated[str | None, "only calls to this name"] = None,
    path: Below = None,
    no_tests: NoTests = False,
    limit: Limit = _ROWS,
    budget: Budget = _BUDGET,
    as_of: AsOf = "",
) -> Any:
    """List unresolved calls with their reasons."""
    return mem.code.unresolved(name, path=path, no_tests=no_tests, limit=limit, budget=budget, as_of=as_of or None)


def overview(
    mem: Memory, limit: Annotated[int, "rows per list"] = 15, budget: Budget = _BUDGET, as_of: AsOf = ""
) -> Any:
    """Show the architecture: packages, entry points, central, complex and untested code, cycles."""
    return mem.code.overview(limit=limit, budget=budget, as_of=as_of or None)


def routes(
    mem: Memory,
    path: Below = None,
    no_tests: NoTests = False,
    limit: Limit = _ROWS,
    budget: Budget = _BUDGET,
    as_of: AsOf = "",
) -> Any:
    """List HTTP routes and their handlers."""
    return mem.code.routes(path=path, no_tests=no_tests, limit=limit, budget=budget, as_of=as_of or None)


def files(mem: Memory, path: Below = None, no_tests: NoTests = False, as_of: AsOf = "") -> Any:
    """List the files of the indexed tree."""
    return mem.code.files(path=path, no_tests=no_tests, as_of=as_of or None)


def outline(
    mem: Memory,
    file: Annotated[list[str], "paths, relative to the indexed root or the current folder"],
    no_tests: NoTests = False,
    as_of: AsOf = "",
) -> Any:
    """List the symbols of files."""
    return answer_each(file, lambda each, parts: mem.code.outline(each, no_tests=no_tests, as_of=as_of or None))


def history(
    mem: Memory,
    target: Annotated[list[str], "symbols, FILE:LINE, or file paths"],
    as_of: AsOf = "",
    limit: Limit = _ROWS,
    patch: Annotated[bool, "include commit messages and hunks"] = False,
) -> Any:
    """List the commits that changed a symbol or a file, newest first."""
    if patch:
        return answer_each(target, lambda each, parts: mem.code.hunks(each, limit=min(limit, _PATCHES)))
    return answer_each(target, lambda each, parts: _history(mem, each, as_of, limit, is_named=parts > 1))


def _history(mem: Memory, target: str, as_of: str, limit: int, *, is_named: bool) -> Table | SymbolHistory:
    """Return the history of a symbol or a file; one of several names it."""
    found = mem.code.history(target, as_of=as_of or None, limit=limit, reasons=True)
    if not is_named:
        return found
    commits = tuple((Revision(*row[:4]), row[5], "") for row in found.rows)
    total = len(mem.code.history(target, as_of=as_of or None, limit=_COUNTED).rows) if found.truncated else len(commits)
    return SymbolHistory(target, commits, total)


def todos(mem: Memory, path: Below = None, no_tests: NoTests = False, limit: Limit = 100) -> Any:
    """List TODO comments. They are notes; `graphmem tasks create` turns one into a task."""
    return mem.code.todos(path=path, no_tests=no_tests, limit=limit)


def text(
    mem: Memory,
    pattern: Annotated[str, "literal text within one line"],
    regex: Annotated[bool, "treat the pattern as a regular expression"] = False,
    ignore_case: Annotated[bool, "ignore case"] = False,
    path: Annotated[str | None, "search only this folder, file or glob such as `*.toml`"] = None,
    kind: Annotated[
        str | None, "only this kind of file: code, test, document, config, other, example or vendored"
    ] = None,
    no_tests: NoTests = False,
    as_of: AsOf = "",
    patches: Annotated[bool, "search lines that commits added or removed, newest first"] = False,
    limit: Limit = 50,
) -> Any:
    """Search all text files of the tree, configuration too. Shows the enclosing symbol."""
    given: dict[str, Any] = {"is_regex": regex, "ignore_case": ignore_case, "path": path, "kind": kind, "limit": limit,
                             "no_tests": no_tests}  # fmt: skip
    if patches:
        if as_of:
            raise UsageError("--patches searches the whole history: omit --as-of")
        return mem.code.patches(pattern, **given)
    return mem.code.text(pattern, as_of=as_of or None, **given)


def source(
    mem: Memory,
    target: Annotated[list[str], "symbols, FILE:10-40, or files"],
    limit: Annotated[int, "maximum lines of each; 0: all"] = 0,
    as_of: AsOf = "",
) -> Any:
    """Print the source code of symbols or ranges of lines."""
    return answer_each(target, lambda each, parts: mem.code.source(each, limit=limit, as_of=as_of or None))


def path(
    mem: Memory,
    a: Annotated[str, "symbol name or FILE:LINE"],
    b: Annotated[str, "symbol name or FILE:LINE of the target"],
    limit: Limit = 10,
) -> Any:
    """Find how one symbol reaches another through calls and references."""
    return mem.code.path(a, b, limit=limit)


def api_diff(
    mem: Memory,
    before: Annotated[str, "commit, tag or date"],
    after: Annotated[str, "commit, tag or date; without it the indexed files"] = "",
    path: Below = None,
    limit: Limit = 200,
    budget: Budget = _BUDGET,
) -> Any:
    """List what changed in the public surface: removed, changed, moved and added names."""
    return mem.code.api_diff(before, after or None, path=path, limit=limit, budget=budget)


def implementations(
    mem: Memory, symbol: Symbols, path: Below = None, no_tests: NoTests = False, limit: Limit = 100, as_of: AsOf = ""
) -> Any:
    """List who implements an interface, protocol or base class, and what a class implements, method by method."""
    return answer_each(
        symbol,
        lambda each, parts: mem.code.implementations(
            each, path=path, no_tests=no_tests, limit=limit, as_of=as_of or None
        ),
    )


def blame(mem: Memory, file: Annotated[str, "a file of the indexed tree"], as_of: AsOf = "") -> Any:
    """Show for each line of a file who last changed it, when, and with which commit."""
    return mem.code.blame(file, as_of=as_of or None)


def commit(mem: Memory, target: Annotated[str, "hash, tag or date of a commit"]) -> Any:
    """Show what a commit changed, symbol by symbol."""
    return mem.code.commit(target)


def explain(mem: Memory, symbol: Symbols) -> Any:
    """Explain a symbol: signature, source, callers, tests, recent changes with reasons, decisions, authors."""
    return answer_each(symbol, lambda each, parts: mem.code.explain(each))


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
    Verb("code api-diff", api_diff),
    Verb("code definition", definition),
    Verb("code dead", dead),
    Verb("code unresolved", unresolved),
    Verb("code overview", overview, agent=True),
    Verb("code routes", routes),
    Verb("code files", files),
    Verb("code outline", outline),
    Verb("code history", history),
    Verb("code blame", blame),
    Verb("code commit", commit),
    Verb("code todos", todos),
)
