"""Queries about indexed code. They read the index saved by `index_code`, so they work in any process without the graph;
related tasks and memories come from the graph if an owner is available."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path
from textwrap import shorten

from graphmem import resources
from graphmem.code import index_store, line_history, revisions, worktree
from graphmem.code.budget import truncate_to_budget
from graphmem.code.calls import (
    MAY_RUN,
    OpenPlace,
    callees_of,
    callers_of,
    calls_of_overridden,
    describe_open,
    is_partial,
    running_fixtures,
    stale_files,
    unresolved_calls,
    without_listed,
)
from graphmem.code.commit_reasons import read_reasons
from graphmem.code.filters import Filter, accept_all, file_filter, is_of_tests, path_candidates, symbol_filter
from graphmem.code.quotes import quote_calls, quote_reached
from graphmem.code.route_handlers import names_of_routes, request_edges
from graphmem.code.source_text import is_name_at, line_of, read_all_texts, read_other_texts, read_source, read_sources
from graphmem.code.targets import PLACE, find_family, find_file, find_target
from graphmem.code.text_search import files_of_commit
from graphmem.code.todo_notes import list_todo_notes
from graphmem.codegraph.build import Index
from graphmem.codegraph.by_members import calls_by_members
from graphmem.codegraph.deadcode import Doubt, dead_code
from graphmem.codegraph.entry_points import find_entry_points
from graphmem.codegraph.fields import accesses_by_name, destructured, unresolved_accesses, uses_of_type
from graphmem.codegraph.fixtures import fixture_calls
from graphmem.codegraph.impact import changed_symbols, find_impact, touched_symbols
from graphmem.codegraph.implementations import is_met
from graphmem.codegraph.metrics import code_overview, untested_symbols
from graphmem.codegraph.registered import registered_calls
from graphmem.codegraph.routes import find_routes
from graphmem.codegraph.tests_of import is_outside_sources
from graphmem.codegraph.view import View, later, symbol_at
from graphmem.context import StoreContext
from graphmem.errors import CodeIndexMissing, GraphmemError, NotFound, UsageError
from graphmem.model.answers import (
    Architecture,
    Call,
    Calls,
    DeadReport,
    Endpoint,
    ImpactReport,
    Outline,
    PackageRow,
    Place,
    Reach,
    Routes,
    Unresolved,
)
from graphmem.model.checked import check_arguments
from graphmem.model.code import CodeEdge, FileRecord, Symbol
from graphmem.model.table import Table
from graphmem.ports.graph import Rows
from graphmem.privacy import redact
from graphmem.projections import names

_MOST = 500  # maximum rows of an answer
_FEW = 5  # names in a sentence
_TITLE = 160  # characters of a related memory
_LONGEST = 400_000  # maximum bytes of a file that is shown
_STEPS = 5  # maximum steps from a change
_LISTS = ("changed", "reached", "tests", "related")
_SPOT = re.compile(r"(.+?):(\d+)(?::(\d+))?")
_DIFF = ("diff --git ", "--- ", "@@ ")


@check_arguments
class Code:
    """Queries about a project's code: current, or with `as_of` as of a commit (`v1.2`, `HEAD~3`, a short hash) or the
    last commit before a date."""

    def __init__(self, context: StoreContext, reindex: Callable[[Path], object] | None = None) -> None:
        """`reindex` indexes a tree again that another version of graphmem indexed, when it is asked about."""
        self._parts = context
        self._reindex = reindex
        self._read: index_store.LoadedIndex | None = None
        self._head = 0  # log position when that was read
        self._seen: View | None = None
        self._past = revisions.Revisions(context)
        self._further: tuple[View, list[CodeEdge]] | None = None

    def _index(self) -> Index:
        """Return the newest index of the project. Raises NotFound if nothing was indexed."""
        head, read = self._parts.log.head(), self._read
        current = read is not None and self._head == head
        if read is None or not (current and index_store.read_stamp(self._parts, Path(read.index.root)) == read.stamp):
            read = self._read = self._load(read)
            self._head = head
        return read.index

    def _load(self, before: index_store.LoadedIndex | None) -> index_store.LoadedIndex:
        try:
            return index_store.load_newest(self._parts, before)
        except CodeIndexMissing as error:
            root = error.data.get("root")
            if root is None or self._reindex is None or self._parts.frozen or not Path(root).is_dir():
                raise
            self._reindex(Path(root))
        return index_store.load_newest(self._parts)

    def _view(self, as_of: str | None = None) -> View:
        index = self._index()
        if as_of is not None:
            return self._past.view(Path(index.root), as_of)
        seen = self._seen
        if seen is None or seen.index is not index:
            seen = self._seen = later(seen, index) if seen and seen.index.root == index.root else View(index)
        return seen

    def _unrecorded_calls(self, view: View) -> list[CodeEdge]:
        """Return which tests run which fixtures of pytest, who may call functions that a table keeps, and what calls on variables
        of unknown value may call; only for the current files, whose text says so."""
        if self._further is None or self._further[0] is not view:
            read = partial(read_source, view.index)
            calls = (*fixture_calls(view, read), *registered_calls(view, read), *calls_by_members(view, read))
            self._further = view, list(calls)
        return self._further[1]

    def _file(self, view: View, path: str) -> str:
        return find_file(view, Path(self._index().root), path)

    def _overloads(self, view: View, name: str) -> list[Symbol]:
        return find_target(view, Path(self._index().root), name)

    def _longest(self, view: View, name: str) -> Symbol:
        """Return the symbol that a name means: of overloads the longest, because others may only declare it."""
        return max(self._overloads(view, name), key=lambda symbol: symbol.end_line - symbol.line)

    def _family(self, view: View, name: str) -> list[Symbol]:
        return find_family(view, Path(self._index().root), name)

    def callers(
        self, symbol: str, *, path: str | None = None, no_tests: bool = False, limit: int = _MOST,
        budget: int | None = None, as_of: str | None = None,
    ) -> Calls:  # fmt: skip
        """Return the callers of a symbol (any overload; `name#2` is the second one, `FILE:LINE` the innermost symbol there;
        methods that override each other count as one), grouped by file, tests last; for a field, variable or type its users,
        for a module its importers. Raises NotFound, AmbiguousName. `path` restricts the result to a folder, file or glob,
        `no_tests` to sources. As in all queries here, `limit` limits the rows and `budget` the tokens of the answer as text;
        omitted rows are counted."""
        view = self._view(as_of)
        found = self._family(view, symbol)
        wanted = symbol_filter(view, path, no_tests=no_tests)
        reads, further = self._open_reads(view, found, as_of)
        if as_of is None:
            further = further or running_fixtures(found, self._unrecorded_calls(view))
        answer = callers_of(view, found, limit, wanted, reads, further)
        if named := sum(symbol.key in self._entry_points(view) for symbol in found):
            answer = replace(answer, handed_on=answer.handed_on + named)
        quoted = truncate_to_budget(quote_calls(view, answer), budget, "calls") if as_of is None else None
        if quoted is None or quoted.left_out > answer.left_out:  # no line is quoted at the expense of a caller
            return without_listed(truncate_to_budget(answer, budget, "calls"))
        return without_listed(quoted)

    def callees(
        self, symbol: str, *, path: str | None = None, no_tests: bool = False, limit: int = _MOST,
        budget: int | None = None, as_of: str | None = None,
    ) -> Calls:  # fmt: skip
        """Return what a symbol (any overload) calls. `open_sites` counts its own unresolved calls."""
        view = self._view(as_of)
        found = self._overloads(view, symbol)
        wanted = symbol_filter(view, path, no_tests=no_tests)
        further = self._unrecorded_calls(view) if as_of is None else []
        return truncate_to_budget(callees_of(view, found, limit, wanted, further), budget, "calls")

    def definition(self, file: str, line: int = 0, column: int = 0, *, as_of: str | None = None) -> Place:
        """Return the definition of the name at a position in a file (line from 1, column from 0), also if it is this
        position. The position may be a string FILE:LINE or FILE:LINE:COLUMN. Raises NotFound."""
        view = self._view(as_of)
        if not line and (spot := _SPOT.fullmatch(file)):
            file, line, column = spot[1], int(spot[2]), int(spot[3] or 0)
        file = self._file(view, file)
        try:
            text = line_of(view.index, file, line)
        except OSError as error:
            raise NotFound(f"{view.index.root}/{file} cannot be read: {error.strerror}", file=file) from error
        found = [
            edge
            for symbol in view.by_file.get(file, ())
            for edge in view.outgoing.get(symbol.key, ())
            if edge.line == line and edge.type in ("CALLS", "REFERS_TO", "USES", "EXTENDS", "IMPORTS", "IMPLEMENTS")
        ]
        own = [symbol for symbol in view.by_file.get(file, ()) if symbol.line == line and symbol.kind != "module"]
        defined = [symbol for symbol in own if is_name_at(text, symbol.name, column)]
        at = [edge for edge in found if is_name_at(text, view.symbols[edge.target].name, column)]
        if at and not defined:
            return Place.of(view.symbols[max(at, key=lambda edge: (edge.confidence, edge)).target])
        if defined or (own and column <= len(text) - len(text.lstrip())):
            return Place.of((defined or own)[0])
        names = sorted({view.symbols[edge.target].name for edge in found})
        hint = f"; names on that line: {', '.join(names[:_FEW])}" if names else ""
        raise NotFound(f"no resolved reference at {file}:{line}:{column}{hint}", file=file, line=line)

    def impact(
        self,
        target: str,
        *,
        depth: int = _STEPS,
        path: str | None = None,
        no_tests: bool = False,
        limit: int = _MOST,
        budget: int | None = None,
        as_of: str | None = None,
    ) -> ImpactReport:
        """Return what depends on a symbol, on everything in a file or module, or on everything that a unified diff
        changes. `path` and `no_tests` restrict what is listed, not what is followed."""
        view = self._view(as_of)
        if target.startswith(_DIFF) or "\n@@ " in target:
            changed, whole = changed_symbols(view, target), False
        else:
            changed = self._family(view, target)
            whole = PLACE.fullmatch(target) is None  # a line outside of all functions is not the whole file
        wanted = symbol_filter(view, path, no_tests=no_tests)
        reads, further = self._open_reads(view, changed, as_of)
        if as_of is None:
            further = [*further, *self._unrecorded_calls(view), *request_edges(view)]
        found = self._reach(view, changed, depth, limit, whole, wanted, further, reads)
        if as_of is None:
            quoted = replace(found, reached=tuple(quote_reached(view, found.reached)))
            quoted = truncate_to_budget(quoted, budget, *_LISTS)
            if quoted.left_out == found.left_out:
                return quoted
        return truncate_to_budget(found, budget, *_LISTS)

    def changes(
        self, since: str = "HEAD", *, path: str | None = None, no_tests: bool = False, limit: int = _MOST,
        budget: int | None = None,
    ) -> ImpactReport:  # fmt: skip
        """Return the impact of the work tree's difference to a commit, for the current files, indexed or not; for deleted
        symbols, their former impact. `path` and `no_tests` restrict what is listed. Raises UsageError if nothing differs."""
        view = self._view()
        root = Path(view.index.root)
        commit = revisions.commit_of(root, since)
        what = worktree.diff_worktree(root, commit)
        if what is None:
            raise UsageError(f"nothing has changed since {since}", since=since)
        then, now = self._past.view(root, commit, flow=False), worktree.worktree_view(self._parts, view)
        left = worktree.remaining_symbols(now, then, what)
        wanted = symbol_filter(now, path, no_tests=no_tests)
        changed = [*touched_symbols(now, what.now), *left.changed]
        found = self._reach(now, changed, _STEPS, limit, wanted=wanted, further=self._unrecorded_calls(now))
        if gone := left.gone:
            broken = sum(len(now.open_sites.get(name, ())) for name in {symbol.name for symbol in gone})
            found = _united(found, replace(self._reach(then, gone, _STEPS, limit, wanted=wanted), open_sites=broken))
        return truncate_to_budget(found, budget, *_LISTS)

    def _reach(
        self, view: View, changed: Iterable[Symbol], depth: int, limit: int, whole: bool = False, wanted: Filter = accept_all,
        further: Iterable[CodeEdge] = (), reads: Iterable[OpenPlace] = (),
    ) -> ImpactReport:  # fmt: skip
        found = find_impact(view, [symbol.key for symbol in changed], depth=depth, whole=whole, further=further)
        rows = [each for each in found.reached if wanted(each.symbol)]
        rows.sort(key=lambda each: (each.depth, is_of_tests(view, each.symbol)))
        reached = [Reach(Place.of(each.symbol), each.depth, each.confidence, each.relation, each.line) for each in rows]
        tests = [test for test in found.tests if wanted(test)]
        known = {each.symbol.key for each in found.reached} | {symbol.key for symbol in found.changed}
        through = calls_of_overridden(view, found.changed, known)
        near = {each.symbol.key for each in found.reached if each.depth == 1}
        calls = unresolved_calls(view, {symbol.name for symbol in found.changed})
        sites = [site for site in (*calls, *reads) if site.scope not in near and wanted(view.symbols[site.scope])]
        return ImpactReport(
            tuple(map(Place.of, found.changed[:limit])), tuple(reached[:limit]), tuple(map(Place.of, tests[:limit])),
            len(sites), found.risk, self._related(found.changed), stale_files(view.index, (s.file for s in found.changed)),
            sum(max(0, len(rows) - limit) for rows in (found.changed, reached, tests)),
            is_partial=is_partial(view), through_base=len(through), may_run=through[:MAY_RUN],
            hidden_tests=len(found.tests) - len(tests), **describe_open(view, sites),
            routes=names_of_routes(view, known) if view is self._seen else (),
        )  # fmt: skip

    def _entry_points(self, view: View) -> dict[str, str]:
        return find_entry_points(view, self._index().root)

    def _open_reads(
        self, view: View, found: Iterable[Symbol], as_of: str | None
    ) -> tuple[list[OpenPlace], list[CodeEdge]]:
        """Return where an attribute with the name of this field is read on an unknown object, sources first; or the uses
        that these reads are, if no other symbol has its name."""
        fields = [symbol for symbol in found if symbol.kind == "field"]
        if len(fields) != 1:
            return [], []  # none, or a whole diff
        if as_of is None:
            texts = list(read_sources(view.index))
        else:
            root = Path(self._index().root)
            commit = revisions.commit_of(root, as_of)
            files = files_of_commit(root, commit, view.index.records.__contains__)
            texts = [(path, data.decode("utf-8", "replace")) for path, data in files if isinstance(data, bytes)]
        taken = list(destructured(view, fields[0], texts))
        reads = sorted(
            {*unresolved_accesses(view, fields[0], texts), *((path, line) for path, line, sure in taken if not sure)},
            key=lambda at: (is_outside_sources(at[0], fields[0].language), at),
        )
        sure = uses_of_type(view, fields[0], [(path, line) for path, line, is_sure in taken if is_sure])
        further = accesses_by_name(view, fields[0], reads)
        if further:
            return [], [*sure, *further]
        around = [(file, line, symbol_at(view, file, line) or view.by_file[file][0]) for file, line in reads]
        return [OpenPlace(file, line, s.key) for file, line, s in around], sure

    def _related(self, changed: Iterable[Symbol]) -> tuple[tuple[str, str], ...]:
        """Return (label, title) of tasks, gotchas and facts about the changed files and symbols."""
        project = self._parts.project
        ids = {node for s in changed for node in (names.symbol_id(project, s.key), names.file_id(project, s.file))}
        query = resources.text("queries/graph/read/about.cypher")
        try:
            rows = self._parts.graph.query(query, {"ids": sorted(ids)}, limit=20, timeout=5).rows if ids else []
        except GraphmemError:
            return ()  # the graph's owner does not answer: return the code's own answer
        return tuple((str(label), shorten(str(title), _TITLE, placeholder=" …")) for label, title in rows if title)

    def history(self, target: str, *, as_of: str | None = None, limit: int = _MOST, reasons: bool = False) -> Table:
        """Return the commits that changed a symbol (a type with its methods), or a file under any of its names, newest first:
        (hash, at, author, subject, change). With `as_of`, only commits reachable from it; with `reasons`, also the first sentence
        of the body of each message ("" if none)."""
        view = self._view()
        found = self._history_of_file(view, target)
        if found is None:
            symbols = self._overloads(view, target)
            found = line_history.symbol_history(self._parts, Path(view.index.root), symbols)
            if members := line_history.members_elsewhere(view, symbols[0]):
                found = line_history.joined(found, line_history.known_commits(self._parts, members))
        rows = [list(row) for row in found.rows]
        if as_of is not None:
            root = Path(view.index.root)
            known = revisions.reachable_commits(root, revisions.commit_of(root, as_of))
            rows = [row for row in rows if row[0] in known]
        columns, shown = list(found.columns), rows[:limit]
        if reasons:
            said = read_reasons(Path(view.index.root), [row[0] for row in shown])
            columns, shown = [*columns, "reason"], [[*row, said.get(row[0], "")] for row in shown]
        return Table(columns, shown, len(rows) > limit)

    def _history_of_file(self, view: View, target: str) -> Rows | None:
        """Return the history of the file that a path matches, including non-code and deleted files; None if there is no
        such file."""
        root, none = Path(view.index.root), None
        paths = dict.fromkeys(path_candidates(root, target))
        for path in sorted(paths, key=lambda path: not (root / path).is_file()):  # what is gone is meant last
            found = line_history.file_history(self._parts, root, path)
            if found.rows:
                return found
            none = found if path in view.index.records else none
        return none

    def files(self, *, path: str | None = None, no_tests: bool = False, as_of: str | None = None) -> list[FileRecord]:
        """Return the files of the indexed tree, by path: all, or those in a folder or of a glob, or outside of tests."""
        view = self._view(as_of)
        wanted, records = file_filter(view, path, no_tests=no_tests), view.index.records
        return [records[each] for each in sorted(records) if wanted(each)]

    def todos(self, *, path: str | None = None, no_tests: bool = False, limit: int = _MOST) -> Table:
        """Return the TODO, FIXME, HACK and XXX comments of the tree, configuration and documents too. They are notes, not
        tasks."""
        wanted = file_filter(self._view(), path, no_tests=no_tests)
        return list_todo_notes((each for each in read_all_texts(self._index()) if wanted(each[0])), limit)

    def outline(self, file: str, *, no_tests: bool = False, as_of: str | None = None) -> Outline:
        """Return a file with its symbols (with `no_tests` without tests) and its current text, secrets redacted. Raises
        NotFound for a file that is not indexed."""
        view = self._view(as_of)
        index, file = view.index, self._file(view, file)
        try:
            text = read_source(index, file, _LONGEST)
        except OSError:
            text = ""
        wanted = symbol_filter(view, None, no_tests=no_tests)
        symbols = tuple(Place.of(symbol) for symbol in view.by_file.get(file, ()) if wanted(symbol))
        record, stale = index.records[file], bool(stale_files(index, [file]))
        return Outline(file, record.language, redact(text).text, symbols, stale, record.skipped)

    def dead(
        self, path: str | None = None, *, exported: bool = False, no_tests: bool = False, limit: int = _MOST,
        budget: int | None = None, as_of: str | None = None,
    ) -> DeadReport:  # fmt: skip
        """Return functions, methods and classes that nothing uses, and those that only tests use; with `exported` also
        those that only external code could use, fields and constants. `path` restricts the result to a folder, file or glob,
        `no_tests` excludes definitions in tests. `limit` applies to each list."""
        view = self._view(as_of)
        wanted = symbol_filter(view, path, no_tests=no_tests)
        found = dead_code(
            view,
            exported=exported,
            texts=read_sources(view.index),
            entry_points=self._entry_points(view),
            wanted=wanted,
            others=read_other_texts(view.index),
        )
        dead = sorted(found.dead, key=lambda d: is_of_tests(view, d.symbol))
        doubts = [d for d in found.doubts if not is_of_tests(view, d.symbol)]
        lists = (dead, found.only_tests, found.values, found.offered, found.followers, found.public)
        shown, *others = (tuple((Place.of(d.symbol), d.lines) for d in rows[:limit]) for rows in lists)
        left_out = sum(max(0, len(rows) - limit) for rows in (*lists, doubts))
        doubted = tuple((Place.of(d.symbol), _doubt_of(d)) for d in doubts[:limit])
        only_tests, values, offered, followers, public = others
        answer = DeadReport(
            shown, found.spared, left_out, only_tests, values, doubted, offered, followers, public, path or ""
        )
        return truncate_to_budget(
            answer, budget, "dead", "public", "only_tests", "offered", "followers", "values", "doubts"
        )

    def unresolved(
        self, name: str | None = None, *, path: str | None = None, no_tests: bool = False, limit: int = _MOST,
        budget: int | None = None, as_of: str | None = None,
    ) -> Unresolved:  # fmt: skip
        """Return unresolved calls, all or those of one name, those of sources first. A call of a protocol's method does
        not count if a class of the tree implements it."""
        view = self._view(as_of)
        wanted = symbol_filter(view, path, no_tests=no_tests)
        sites = [s for s in view.graph.call_sites if name in (None, s.name) and not is_met(view, s)]
        sites = [s for s in sites if wanted(view.symbols[s.scope])]
        sites.sort(key=lambda site: is_of_tests(view, view.symbols[site.scope]))
        reasons = dict(Counter(site.reason for site in sites).most_common())
        answer = Unresolved(len(sites), reasons, tuple(sites[:limit]), max(0, len(sites) - limit))
        return truncate_to_budget(answer, budget, "sites")

    def overview(self, *, limit: int = 15, budget: int | None = None, as_of: str | None = None) -> Architecture:
        """Return the architecture on one page: packages, entry points, central, complex and untested symbols, cycles."""
        view = self._view(as_of)
        page = code_overview(view, limit)
        declared = [view.symbols[key] for key in sorted(self._entry_points(view))]
        entry_points = list(dict.fromkeys((*declared, *page.entry_points)))[:limit]
        packages = [
            PackageRow(
                p.name, p.files, p.lines, tuple(p.uses), tuple(p.used_by), tuple(s.qualified_name for s in p.central)
            )
            for p in page.packages
        ]
        answer = Architecture(
            tuple(packages), tuple(map(Place.of, entry_points)), tuple((Place.of(s), rank) for s, rank in page.central),
            tuple((Place.of(s), s.complexity) for s in page.complex), tuple(map(Place.of, untested_symbols(view)[:limit])),
            tuple(page.cycles), {name: lines for name, _, lines in page.languages}, package_cycles=page.package_cycles,
        )  # fmt: skip
        return truncate_to_budget(
            answer, budget, "packages", "central", "entry_points", "package_cycles", "cycles", "complex", "untested"
        )

    def routes(
        self, *, path: str | None = None, no_tests: bool = False, limit: int = _MOST, budget: int | None = None,
        as_of: str | None = None,
    ) -> Routes:  # fmt: skip
        """Return HTTP routes of common frameworks with their handlers, and who sends requests to them."""
        view = self._view(as_of)
        wanted = file_filter(view, path, no_tests=no_tests)
        found = [route for route in find_routes(view, view.index.root) if wanted(route.file)]
        rows = [
            Endpoint(
                r.method,
                r.path,
                Place.of(r.handler) if r.handler else None,
                r.file,
                r.line,
                tuple(Call(Place.of(caller), line, "request", 0.8) for caller, line in r.callers),
            )
            for r in found
        ]
        return truncate_to_budget(Routes(tuple(rows[:limit]), max(0, len(rows) - limit)), budget, "routes")


def _doubt_of(doubt: Doubt) -> str:
    if not doubt.line:
        return f"nowhere, but {doubt.file} from outside may call it"
    return f"{doubt.file}:{doubt.line}" + f" and {doubt.lines - 1} more" * (doubt.lines > 1)


def _united(one: ImpactReport, other: ImpactReport) -> ImpactReport:
    """Merge two reports without duplicates."""
    return ImpactReport(
        tuple(dict.fromkeys((*one.changed, *other.changed))),
        tuple({each.symbol.name: each for each in (*other.reached, *one.reached)}.values()),
        tuple(dict.fromkeys((*one.tests, *other.tests))),
        one.open_sites + other.open_sites,
        max(one.risk, other.risk),
        tuple(dict.fromkeys((*one.related, *other.related))),
        one.stale,
        one.left_out + other.left_out,
        (*one.open_places, *other.open_places),
        one.is_partial or other.is_partial,
        one.through_base + other.through_base,
        tuple(dict.fromkeys((*one.may_run, *other.may_run))),
        one.hidden_tests + other.hidden_tests,
        (*one.open_functions, *other.open_functions),
    )
