"""`mem.code`: the queries of `service.Code`, plus those that quote text and history: `text`, `patches`, `source`, `path`,
`implementations`, `tests`, `hunks`, `owners`, `api_diff` and `explain`."""

from __future__ import annotations

import re
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any

from graphmem.code import revisions, text_search
from graphmem.code.api_changes import CHANGES, compare_surfaces, public_surface
from graphmem.code.budget import truncate_to_budget
from graphmem.code.calls import is_partial
from graphmem.code.change_reader import symbol_name_at, view_of_files
from graphmem.code.config_keys import CONFIG_ENDINGS, ConfigKey, key_at, read_config_keys
from graphmem.code.explain import SymbolFacts, explain_symbol, family_of
from graphmem.code.filters import is_of_tests, symbol_filter
from graphmem.code.kind_reader import KindReader
from graphmem.code.names import meanings_of
from graphmem.code.paths import find_ways
from graphmem.code.quotes import quote_path
from graphmem.code.route_handlers import request_edges
from graphmem.code.source_text import as_it_is_now, changed_files
from graphmem.code.tests_plan import plan_tests
from graphmem.code.text_search import TextPattern
from graphmem.code.typed_members import implementing_objects
from graphmem.codegraph import implementations
from graphmem.codegraph.scan import list_files
from graphmem.codegraph.view import CLASSES, FUNCTIONS, View
from graphmem.errors import AmbiguousName, GraphmemError, NotFound, UsageError
from graphmem.foreignfiles import MAX_FILE_BYTES, read_file
from graphmem.model.answers import Place
from graphmem.model.checked import check_arguments
from graphmem.model.code import Symbol
from graphmem.model.code_answers import (
    ApiDiff,
    CodePaths,
    Explanation,
    Implementation,
    Implementations,
    PatchMatches,
    SourceText,
    TestPlan,
    TextMatch,
    TextMatches,
)
from graphmem.model.table import Table
from graphmem.plurals import counted
from graphmem.privacy import redact

_RANGE = re.compile(r"(.+?):(\d+)(?:-(\d+))?")
_STEPS = 8  # steps of a path

# Relations of which the source has the name.
_LEADS = frozenset({"CALLS", "REFERS_TO", "USES", "EXTENDS", "IMPORTS", "IMPLEMENTS"})


@check_arguments
class CodeReader(KindReader):
    """Queries about a project's code, its text and its history."""

    def text(
        self,
        pattern: str,
        *,
        is_regex: bool = False,
        ignore_case: bool = False,
        path: str | None = None,
        kind: str | None = None,
        no_tests: bool = False,
        limit: int = 50,
        as_of: str | None = None,
    ) -> TextMatches:
        """Return lines of all text files of the indexed tree that contain a literal or match a regular expression,
        sources first. `path` is a folder, a file or a glob; `kind` is code, test, document, config, other, example or vendored;
        `no_tests` leaves out the files of tests. Lock files are searched only if `path` names one. With `as_of`, search
        the files of a commit. Raises UsageError."""
        view = self._view()
        root = Path(view.index.root)
        wanted, what = (
            text_search.path_filter(path, kind),
            TextPattern(pattern, is_regex=is_regex, ignore_case=ignore_case),
        )
        if as_of is None:
            found = text_search.search_tree(root, what, wanted, limit, no_tests=no_tests)
        else:
            commit = revisions.commit_of(root, as_of)
            found = text_search.search_commit(root, commit, what, wanted, limit, no_tests=no_tests)
            view = view_of_files(root, commit, [line.path for line in found.lines])
        keys = cache(lambda path: _config_keys(root, path) if as_of is None else [])
        rows = [
            TextMatch(redact(line.path).text, line.number, line.text.strip(),
                      symbol_name_at(view, line.path, line.number) or key_at(keys(line.path), line.number),
                      text_search.kind_of_file(line.path))
            for line in found.lines
        ]  # fmt: skip
        return TextMatches(
            pattern, tuple(rows), found.total, found.files, found.searched, found.skipped, as_of or "", found.hidden
        )

    def patches(
        self,
        pattern: str,
        *,
        is_regex: bool = False,
        ignore_case: bool = False,
        path: str | None = None,
        kind: str | None = None,
        no_tests: bool = False,
        limit: int = 20,
    ) -> PatchMatches:
        """Return commits whose patches add or remove a matching line, newest first, with these lines. Raises UsageError."""
        what = TextPattern(pattern, is_regex=is_regex, ignore_case=ignore_case)
        root = Path(self._index().root)
        return text_search.search_patches(root, what, text_search.path_filter(path, kind, no_tests=no_tests), limit)

    def source(self, target: str, *, limit: int = 0, as_of: str | None = None) -> SourceText:
        """Return the source of a symbol, a range of lines (`FILE:10-40`) or a file, secrets redacted; with a limit its first lines,
        and how many more it has. Raises NotFound."""
        found = self._source(target, as_of)
        rest = found.last - found.first + 1 - limit
        if not limit or rest <= 0:
            return found
        text = "\n".join(found.text.split("\n")[:limit])
        return replace(found, last=found.first + limit - 1, text=text, left_out=rest)

    def _source(self, target: str, as_of: str | None) -> SourceText:
        view = self._view(as_of)
        root = Path(view.index.root)
        place = _RANGE.fullmatch(target)
        path = place[1] if place else target
        if (place or not view.find(target)) and (file := self._text_file(view, path)):
            lines = _lines(root, file)
            first = int(place[2]) if place else 1
            last = min(int(place[3] or place[2]) if place else len(lines), len(lines))
            if not 1 <= first <= last:
                raise UsageError(f"{file} has {counted(len(lines), 'line')}, so {target} does not exist", file=file)
            return SourceText(file, first, last, len(lines), "\n".join(lines[first - 1 : last]))
        symbol = self._longest(view, target)
        if symbol.external or not symbol.file:
            raise NotFound(f"`{symbol.qualified_name}` is defined outside of the indexed tree", name=target)
        if as_of is None:
            symbol = as_it_is_now(view.index, symbol)
        lines = _lines(root, symbol.file)
        text = "\n".join(lines[symbol.line - 1 : symbol.end_line])
        return SourceText(symbol.file, symbol.line, symbol.end_line, len(lines), text, symbol.qualified_name)

    def path(self, a: str, b: str, *, limit: int = 10, steps: int = _STEPS) -> CodePaths:
        """Return the shortest paths from symbol `a` to symbol `b`: between functions over calls (of up to twice the steps), and
        over requests to routes; else over any references; if there are none, those from `b` to `a`, and at last those over
        unresolved calls ("MAY CALL"). Of a name that several symbols have, any is meant. There is room for one path at least:
        without any, the answer would deny that there is one."""
        view, limit = self._view(), max(limit, 1)
        one, other = (_any_of(meanings_of(view, name)) or self._overloads(view, name) for name in (a, b))
        found, more, is_reverse = find_ways(
            view,
            one,
            other,
            steps=steps,
            limit=limit,
            further=self._unrecorded_calls(view),
            requests=partial(request_edges, view),
        )
        one, other = (other, one) if is_reverse else (one, other)
        start, end = (found[0][0].source, found[0][-1].target) if found and found[0] else ("", "")
        quoted = tuple(quote_path(view, way) for way in found)
        return CodePaths(
            Place.of(_named(one, start)), Place.of(_named(other, end)), quoted, steps, more,
            is_reverse, is_partial=is_partial(view),
        )  # fmt: skip

    def implementations(
        self, symbol: str, *, path: str | None = None, no_tests: bool = False, limit: int = 100, as_of: str | None = None,
    ) -> Implementations:  # fmt: skip
        """Return which classes implement an interface, a protocol or a base class (or one method of it), and which of these a
        class or method implements, method by method; of a name that several symbols have, the only interface is meant. `path` and
        `no_tests` restrict what is listed."""
        view = self._view(as_of)
        wanted = symbol_filter(view, path, no_tests=no_tests)
        found = self._port(view, symbol)
        own = {each.key for each in found} | {view.parent.get(each.key, "") for each in found}
        rows = implementations.find_implementations(view, found)
        listed = [(row.cls, row) for row in rows if row.port in own]
        listed_above = [(row.port, row) for row in rows if row.cls in own]
        below, above = (
            tuple(_implementation(view, key, row) for key, row in some if wanted(view.symbols[key]))
            for some in (listed, listed_above)
        )
        objects = implementing_objects(view, found) if as_of is None else []
        shown = tuple(row for symbol, row in objects if wanted(symbol))
        below += shown
        hidden = len(listed) + len(listed_above) + len(objects) - len(below) - len(above)
        close = implementations.find_almost_implementing(view, found)
        almost = tuple((view.place(key), name) for key, name in close if wanted(view.symbols[key]))
        return Implementations(
            Place.of(found[0]), below[:limit], above[:limit], len(rows) + len(objects), hidden, almost[:limit]
        )

    def _port(self, view: View, name: str) -> list[Symbol]:
        """Return what a name means; of several symbols the only port, because the others may be what implements it."""
        try:
            return self._family(view, name)
        except AmbiguousName as error:
            ports = [key for key in list[str](error.data["candidates"]) if implementations.is_port(view, key)]
            if len(ports) != 1:
                raise
            return [view.symbols[ports[0]]]

    def tests(self, symbol: str, *, limit: int = 50) -> TestPlan:
        """Return the tests that reach a symbol, nearest first but the less certain last (those through an interface, a base class
        or a table), the helpers on the way (listed as tests if no test is known to call one), and the command that runs them, for
        a file also the modules that import it. If none does, because tests start the built program, return those that changed in
        the same commits."""
        view = self._view()
        found, calls = self._family(view, symbol), self._unrecorded_calls(view)
        return plan_tests(self._parts, view, found, limit, calls, request_edges(view))

    def api_diff(
        self,
        before: str,
        after: str | None = None,
        *,
        path: str | None = None,
        limit: int = 200,
        budget: int | None = None,
    ) -> ApiDiff:
        """Return how the public surface differs between two commits (`v1.2`, `HEAD~3`, a hash, a date), or between one and the
        indexed files: what was removed, has another signature or value, moved, and was added, in this order. Tests and
        examples are left out; `path` is a folder, a file or a glob. Raises UsageError for an unknown revision."""
        root = Path(self._index().root)
        commits = [revisions.commit_of(root, name) for name in (before, after) if name is not None]
        surfaces = []
        for commit in commits:
            view = self._past.view(root, commit, flow=False)
            surfaces.append(public_surface(view, path))
        if after is None:
            surfaces.append(public_surface(self._view(), path))
        if path is not None and not any(surfaces):
            raise NotFound(f"nothing public is at or below `{path}`, before or after", path=path)
        rows = compare_surfaces(*surfaces)
        counts = Counter(row.change for row in rows)
        names = [f"{name} ({commit[:10]})" for name, commit in zip((before, after), commits, strict=False)]
        found = ApiDiff(
            names[0], names[1] if after is not None else "the indexed files", tuple(rows[:limit]),
            {change: counts[change] for change in CHANGES}, max(0, len(rows) - limit),
        )  # fmt: skip
        return truncate_to_budget(found, budget, "changes")

    def explain(self, symbol: str) -> Explanation:
        """Return an explanation of a symbol in under 800 tokens: signature, doc, source, callers, callees, tests, recent
        changes with reasons, decisions, gotchas, and authors."""
        found = self._longest(self._view(), symbol)
        return explain_symbol(found, self._facts_of(found), self._related([found]))

    def _facts_of(self, symbol: Symbol) -> SymbolFacts:
        """Return what is known of a symbol; what cannot be read is left out."""
        name, source, commits, owners = symbol.key, "", list[list[Any]](), None
        with suppress(GraphmemError):
            source = self.source(name).text
        with suppress(GraphmemError):
            commits = self.history(name, limit=10_000).rows
        with suppress(GraphmemError):
            owners = self.owners(name)
        calls = self.callers(name), self.callees(name)
        return SymbolFacts(source, *calls, self.tests(name), commits, owners, family_of(self._view(), symbol.key))

    def references(self, file: str, *, as_of: str | None = None) -> Table:
        """Return the names in a file that lead to a definition of the project: columns line, name, target, file, target_line,
        signature, doc. Of several targets of a name, the most certain one. Raises NotFound for a file that is not indexed."""
        view = self._view(as_of)
        file = self._file(view, file)
        best: dict[tuple[int, str], tuple[float, Symbol]] = {}
        for symbol in view.by_file.get(file, ()):
            if symbol.kind != "module":
                best[symbol.line, symbol.name] = 1.0, symbol
            for edge in view.outgoing.get(symbol.key, ()):
                target = view.symbols[edge.target]
                if edge.type in _LEADS and target.file and not target.external:
                    named = edge.line, target.name
                    if edge.confidence > best.get(named, (0.0, target))[0]:
                        best[named] = edge.confidence, target
        rows = [
            [line, name, to.qualified_name, to.file, to.line, to.signature, to.doc]
            for (line, name), (_, to) in sorted(best.items(), key=lambda one: one[0])
        ]
        return Table(["line", "name", "target", "file", "target_line", "signature", "doc"], rows)

    def root(self) -> Path:
        """Return the indexed folder."""
        return Path(self._index().root)

    def file(self, name: str) -> str | None:
        """Return the file of the indexed tree that a path or the end of one matches, None if there is none or several do."""
        return self._text_file(self._view(), name)

    def known(self, name: str, *, no_tests: bool = False) -> list[Symbol]:
        """Return the symbols that a name matches, classes and functions before fields, tests and examples last, or with
        `no_tests` left out; empty if none."""
        view = self._view()
        found = {symbol: is_of_tests(view, symbol) for symbol in view.find(name) if not symbol.external}
        ranks = {"module": 2} | dict.fromkeys((*CLASSES, *FUNCTIONS), 0)
        wanted = (symbol for symbol, of_tests in found.items() if not (no_tests and of_tests))
        return sorted(wanted, key=lambda symbol: (found[symbol], ranks.get(symbol.kind, 1), symbol.key))

    def changed(self) -> frozenset[str]:
        """Return the files of the tree that changed or went since they were indexed."""
        return frozenset(changed_files(self._view().index))

    def _text_file(self, view: View, path: str) -> str | None:
        """Return the indexed or listed file that a path matches."""
        with suppress(NotFound):
            return self._file(view, path)
        plain = path.removeprefix("./")
        return plain if plain in list_files(view.index.root) else None


def _named(symbols: list[Symbol], name: str) -> Symbol:
    """Return the symbol with a qualified name, otherwise the first."""
    return next((symbol for symbol in symbols if symbol.qualified_name == name), symbols[0])


def _any_of(found: list[Symbol]) -> list[Symbol]:
    return found if len(found) > 1 else []


def _implementation(view: View, key: str, found: implementations.Implementation) -> Implementation:
    methods = [(view.place(mine), view.symbols[theirs].name) for mine, theirs in found.methods]
    methods += [
        (view.place(mine), ".".join(view.symbols[theirs].qualified_name.split(".")[-2:]))
        for mine, theirs in found.further
    ]
    base = view.symbols[found.base].name if found.base else ""
    return Implementation(view.place(key), found.strategy, found.confidence, tuple(methods), base)


def _lines(root: Path, file: str) -> list[str]:
    try:
        data = read_file(root / file, MAX_FILE_BYTES)
    except OSError as error:
        raise NotFound(f"{root / file} cannot be read: {error.strerror}", file=file) from error
    lines = data.decode("utf-8", "replace").removesuffix("\n").split("\n")
    safe = redact("\n".join(lines)).text
    hidden = safe.split("\n")
    if len(hidden) == len(lines):
        return hidden
    clear = set(hidden)
    return [text_search.show_line(line, clear) for line in lines]  # line numbers must be preserved


def _config_keys(root: Path, file: str) -> list[ConfigKey]:
    """Return the keys of a configuration file, names with secrets left out; none of another file."""
    if not file.lower().endswith(CONFIG_ENDINGS):
        return []
    with suppress(NotFound):
        return read_config_keys(file, "\n".join(_lines(root, file)))
    return []
