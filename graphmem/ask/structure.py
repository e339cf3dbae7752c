"""Operations about the structure and the history of the code: callees, implementations, paths, unused code, files that
change together, who changed something last, and changes of the public surface."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from shlex import quote
from textwrap import shorten
from typing import Any

from graphmem.ask.evidence import (
    FEW,
    ROWS,
    Evidence,
    Sources,
    evidence_of,
    find_file,
    find_subject,
    name_of,
    place_of,
    ref_of,
    rest_line,
    row_line,
    shortened,
    show_rows,
)
from graphmem.ask.objects import LANGUAGES, find_objects
from graphmem.ask.types import Question, revisions_of
from graphmem.code import revisions
from graphmem.code.cochange import Together, files_changed_with
from graphmem.code.paths import MAY_CALL
from graphmem.errors import NotFound, SourceError
from graphmem.model.code import Symbol
from graphmem.model.code_answers import ApiChange
from graphmem.model.results import Hit
from graphmem.plurals import counted

_SIGNATURE = 110  # characters of a signature
_OF_OBJECTS = frozenset({"typescript", "tsx", "javascript"})
_UNUSED = 40  # rows of each list of what nothing uses
_WAYS = frozenset({"path", "way", "route", "trace", "chain"})


def find_callees(question: Question, sources: Sources, hits: Sequence[Hit]) -> Evidence | None:
    """Return what the symbol calls, with the lines."""
    if (symbol := find_subject(question, sources)) is None:
        return None
    found = sources.code.callees(name_of(symbol, sources))
    own = [call for call in found.calls if not call.symbol.external]
    lines = [f"{place_of(symbol)} calls {found.total}, {len(own)} of them defined in the tree"]
    lines += show_rows([(call.symbol.file, call.symbol.line, call.symbol.short_name) for call in own], len(own))
    lines += [f"{found.open_sites} of its calls are unresolved"] if found.open_sites else []
    return evidence_of(question, symbol, sources, lines, "code callees")


def find_implementations(question: Question, sources: Sources, hits: Sequence[Hit]) -> Evidence | None:
    """Return the classes that implement or extend the symbol, and the object literals that are written with it."""
    if (symbol := find_subject(question, sources)) is None:
        return None
    found = sources.code.implementations(name_of(symbol, sources))
    rows = [(row.symbol.file, row.symbol.line, row.symbol.short_name) for row in found.implemented_by]
    shown = show_rows(rows, len(rows), _UNUSED)
    lines = [f"{len(rows)} implementation{'s' * (len(rows) != 1)} of {place_of(symbol)}", *shown]
    above = [row.symbol.name for row in found.implements]
    lines += [f"it implements {', '.join(above[:FEW])}"] if above else []
    literals = [row.symbol for row in found.implemented_by if row.symbol.kind == "object"]
    listed = {(place.file, place.name) for place in literals}
    written = find_objects(symbol, sources) if symbol.language in LANGUAGES else []
    objects = [line for line in written if (line.partition(":")[0], line.split(" ")[1].rstrip(",")) not in listed]
    lines += [f"{len(objects)} written as objects:", *objects] if objects else []
    is_sure = len(rows) > len(literals) or symbol.language not in _OF_OBJECTS
    if not is_sure and not objects and not literals:
        lines.append("objects may implement it that are written without the name of the type")
    return evidence_of(question, symbol, sources, lines, "code implementations", is_complete=is_sure)


def find_path(question: Question, sources: Sources, hits: Sequence[Hit]) -> Evidence | None:
    """Return the shortest ways from the first symbol of the question to the second."""
    ends: list[str] = []
    parts = {part for name in question.exact for part in re.split(r"[^\w]+", name) if part != name}
    for name in question.subjects:
        if name in parts:
            continue  # of a name such as `App.run`, which is meant whole
        known = () if name.lower() in _WAYS else sources.code.known(name)
        if known and (name in question.exact or known[0].kind != "field"):
            ends.append(name)
    ends.sort(key=question.text.find)
    if len(ends) < 2:
        return None
    found = sources.code.path(ends[0], ends[1], limit=3)
    commands = (f"graphmem code path {quote(ends[0])} {quote(ends[1])}",)
    if not found.paths:
        none = f"no calls or references lead from {ends[0]} to {ends[1]}, or back, in {counted(found.steps, 'step')}"
        return Evidence((none,), commands, not found.is_partial)
    lines = [f"there is no way from {ends[0]} to {ends[1]}; back:"] if found.reverse else []
    for path in found.paths:
        steps = [
            f"{step.source.rpartition('.')[2]} ({step.file}:{step.line}{', unresolved' * (step.relation == MAY_CALL)})"
            for step in path
        ]
        lines.append(" → ".join([*steps, path[-1].target.rpartition(".")[2] if path else ends[1]]))
    is_sure = all(step.relation != MAY_CALL for path in found.paths for step in path)
    return Evidence((*lines, *rest_line(len(found.paths) + found.left_out, len(found.paths))), commands, is_sure)


def find_unused(question: Question, sources: Sources, hits: Sequence[Hit]) -> Evidence | None:
    """Return what nothing uses, in the folder that the question names or everywhere; of a symbol, whether something does."""
    symbol = next((known[0] for name in question.exact if (known := sources.code.known(name))), None)
    if symbol is not None and symbol.kind != "module":
        calls = sources.code.callers(name_of(symbol, sources))
        said = (
            f"{counted(calls.total, 'use')} of {place_of(symbol)}"
            if calls.total
            else f"nothing uses {place_of(symbol)}"
        )
        rows = [(call.symbol.file, call.line, call.symbol.short_name) for call in calls.calls]
        unsure = [f"{counted(calls.open_sites, 'unresolved call')} could be one"] if calls.open_sites else []
        return evidence_of(question, symbol, sources, [said, *show_rows(rows, calls.total), *unsure], "code callers")
    path = next((name for name in question.exact if "/" in name), None)
    found = sources.code.dead(path, exported=True, no_tests=True)
    where = f" in {path}" if path else ""
    lists = (("used by nothing in the tree", found.dead), ("used by tests alone", found.only_tests),
             ("fields and constants that nothing names", found.values))  # fmt: skip
    lines = []
    for what, unused in lists:
        places = sorted((place.file, place.line, place.short_name) for place, _ in unused)
        lines += [f"{len(places)} {what}{where}:", *show_rows(places, len(places), _UNUSED)] if places else []
    lines = lines or [f"0 symbols are unused{where}"]
    lines += [f"{len(found.doubts)} more have no known use, but their name occurs elsewhere"] if found.doubts else []
    return Evidence(tuple(lines), (f"graphmem code dead {quote(path) if path else ''}".strip() + " --exported",))


def find_api_changes(question: Question, sources: Sources, hits: Sequence[Hit]) -> Evidence | None:
    """Return how the public surface differs between two revisions, from one to now, or from the last tag to now."""
    named = revisions_of(question) or revisions.last_tag(sources.code.root())
    if not named:
        return None
    found = sources.code.api_diff(*named[:2], limit=10_000)
    total = ", ".join(f"{number} {change}" for change, number in found.counts.items() if number) or "nothing changed"
    lines = [f"{total} in the public surface from {found.before} to {found.after}"]
    for change in found.counts:
        rows = [row for row in found.changes if row.change == change]
        lines += [f"{change}: {_changed(row)}" for row in rows[:FEW]]
        rest = [(row.symbol.file, row.symbol.line, row.symbol.short_name) for row in rows[FEW:]]
        lines += [f"{change}: {row}" for row in show_rows(rest, len(rest), _UNUSED)]
    return Evidence(tuple(lines), (f"graphmem code api-diff {' '.join(map(quote, named[:2]))}",))


def _changed(row: ApiChange) -> str:
    signatures = _differing(row.before, row.after) if row.before and row.after else (row.before or row.after,)
    said = " → ".join(shorten(text, _SIGNATURE, placeholder=" …") for text in signatures)
    return f"{row.symbol.file}:{row.symbol.line} {row.symbol.short_name}  {said}"


def _differing(before: str, after: str) -> tuple[str, ...]:
    """Return two long signatures without what they begin and end with in common, but for a few words around the difference."""
    if len(before) + len(after) <= _SIGNATURE:
        return before, after
    old, new = (re.findall(r"\w+|\W", text) for text in (before, after))
    first = _common(old, new)
    last = min(_common(old[::-1], new[::-1]), len(old) - first, len(new) - first)
    start, more = max(0, first - 6), "… " * (first > 6)
    return tuple(f"{more}{''.join(each[start : len(each) - last + 2])}" for each in (old, new))


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """Return with how many equal elements two sequences begin."""
    pairs = zip(one, other, strict=False)
    return next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def find_cochange(question: Question, sources: Sources, hits: Sequence[Hit]) -> Evidence | None:
    """Return the files that change in the same commits as the file of the question, or as that of its symbol: first as git counts
    them for the path, then with renames followed where that makes a difference."""
    symbol = None if (file := find_file(question, sources)) else find_subject(question, sources)
    path = file or (symbol.file if symbol else None)
    if path is None:
        return None
    near = Together(0, [])
    with suppress(SourceError):  # there is no repository, or it is slow
        near = files_changed_with(sources.code.root(), path, sources.git_timeout_s)
    followed = sources.query("changed_together", {"path": path}).rows
    total = len(sources.code.history(path, limit=10_000).rows)
    lines = list[str]()
    if near.commits:
        what = f"{counted(near.commits, 'commit')} changed {path}"
        lines.append(
            f"{what}; merges are not counted, renames not followed; with it (in how many of at most 30 files):"
        )
        lines += _together(near.files)
    if followed and _differ(near.files, followed[: 2 * FEW]):
        lines.append(
            f"with renames of all files followed: {counted(total, 'commit')} changed it under any of its names; with it:"
        )
        lines += _together(followed)
    elif lines and followed:
        lines.append("with renames followed, the counts are the same")
    command = f"graphmem cypher --named changed_together {quote(f'path={path}')}"
    return Evidence(tuple(lines), (command,), refs=(path,)) if lines else None


def _together(rows: Sequence[Sequence[Any]]) -> list[str]:
    shown = [f"{path} in {counted(count, 'commit')} ({small})" for path, count, small in rows[: 2 * FEW]]
    return shown + rest_line(len(rows), 2 * FEW)


def _differ(near: Sequence[Sequence[Any]], followed: Sequence[Sequence[Any]]) -> bool:
    """Return whether other counts have been found for some files."""
    counts = {path: number for path, number, _ in near}
    return any(counts.get(path) != number for path, number, _ in followed)


def find_last_change(question: Question, sources: Sources, hits: Sequence[Hit]) -> Evidence | None:
    """Return the last commit that changed the file or symbol, with the ones before it."""
    file = find_file(question, sources)
    symbol = None if file else find_subject(question, sources)
    if symbol is not None:
        return _last_change_of_symbol(question, symbol, sources)
    if file is None:
        return None
    rows = sources.code.history(file, limit=10_000).rows
    lines = _last_change(f"`{file}`", rows)
    return Evidence(lines, (f"graphmem code history {quote(file)}",), refs=(rows[0][0], file)) if rows else None


def _last_change_of_symbol(question: Question, symbol: Symbol, sources: Sources) -> Evidence | None:
    with suppress(NotFound):
        rows = sources.code.history(symbol.key, limit=10_000).rows
        if rows:
            found = evidence_of(question, symbol, sources, _last_change(place_of(symbol), rows), "code history")
            return found._replace(refs=(rows[0][0], ref_of(symbol)))
    return None


def _last_change(what: str, rows: Sequence[Sequence[Any]]) -> tuple[str, ...]:
    """Return lines about the newest of these commits and those before it."""
    hash_, at, author, subject = rows[0][:4]
    day = f"{at:%Y-%m-%d}"
    lines = [f"{what} was last changed by {author} on {day}: {str(hash_)[:10]} {shortened(str(subject))}"]
    if len(rows) > 1:
        lines.append(f"{counted(len(rows), 'commit')} changed it, before that {row_line(rows[1])}")
    return tuple(lines)


_ROUTE = re.compile(r"(?<![\w.])/[\w{}:<>*.~%/-]*")
_VARIABLE_PART = re.compile(r"\{[^{}/]*\}|<[^<>/]*>|:\w+|\*\w*")
_METHOD = re.compile(r"\b(GET|POST|PUT|DELETE|PATCH|HEAD|OPTIONS|QUERY)\b")


def find_routes(question: Question, sources: Sources, hits: Sequence[Hit]) -> Evidence | None:
    """Return the handlers of the route that the question names (a variable part has any name), otherwise of all routes that
    begin so; without one, all routes."""
    rows = sources.code.routes(limit=10_000).routes
    if not rows:
        return None
    path = next(iter(_ROUTE.findall(question.text)), "").rstrip("?.,")
    method = next(iter(_METHOD.findall(question.text)), "")
    asked = _VARIABLE_PART.sub("{}", path).rstrip("/")
    plain = {row: _VARIABLE_PART.sub("{}", row.path).rstrip("/") for row in rows}
    of_path = [row for row in rows if plain[row] == asked] or [
        row for row in rows if plain[row].startswith(f"{asked}/")
    ]
    found = [row for row in of_path if not method or row.method in (method, "ANY")] or of_path
    lines = [
        f"{len(found)} of {counted(len(rows), 'route')}"
        + (f" are of {method} {path}".replace("  ", " ") if path else "")
    ]
    for row in found[: 2 * ROWS]:
        handler = (
            f"{row.handler.short_name} ({row.handler.file}:{row.handler.line})" if row.handler else "unknown handler"
        )
        lines.append(f"{row.method} {row.path} {handler}, registered in {row.file}:{row.line}")
    refs = tuple(f"{row.handler.file}:{row.handler.line}" for row in found if row.handler)
    return Evidence((*lines, *rest_line(len(found), 2 * ROWS)), ("graphmem code routes",), bool(found), refs)


_PARTS = 8  # of a cycle that are named


def find_cycles(question: Question, sources: Sources, hits: Sequence[Hit]) -> Evidence | None:
    """Return the cycles between packages (folders), then those of files that import each other, the largest first."""
    found = sources.code.overview(limit=10_000)
    path = next((name for name in question.exact if "/" in name), "").removesuffix("/")
    lines = list[str]()
    for what, cycles in (
        ("packages that use each other", found.package_cycles),
        ("files that import each other", found.cycles),
    ):
        inside = [cycle for cycle in cycles if not path or any(part.startswith(path) for part in cycle)]
        lines.append(f"{len(inside) or 'no'} cycle{'s' * (len(inside) != 1)} of {what}{f' in {path}' if path else ''}")
        for cycle in inside[:FEW]:
            more = f" and {len(cycle) - _PARTS} more" if len(cycle) > _PARTS else ""
            lines.append(f"  {' ⇄ '.join(cycle[:_PARTS])}{more}")
    return Evidence(tuple(lines), ("graphmem code overview",))
