"""Formats answers about calls and impact as text, for terminals and models: rows grouped by file, then the total and
what the answer may miss."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from graphmem.model.answers import Call, Calls, DeadReport, ImpactReport, Place, Reach, join_places
from graphmem.plurals import counted

_IN_TEMPLATES = 20  # lines of templates that are given
_MOST = 5  # tests of a file that are all named; of more, the first few
_FEW = 3
_ROUTES = 20  # routes of an impact that are named
_SURE = 0.9  # confidence from which nothing is said of it
_RELATIONS = frozenset({"uses", "refers to", "extends", "implements", "imports", "constructs"})
PARTIAL = "values are still being followed, so calls may be missing: `graphmem process` waits until that is done"
_OTHERS = {"module": "importers", **dict.fromkeys(("field", "variable", "constant", "interface", "type"), "uses")}


def calls_text(found: Calls) -> tuple[str, str]:
    """Return the rows of callers or callees, and the closing sentence."""
    return "\n".join([*grouped(_call_rows(found)), *_below(found), *_may_run(found)]), calls_end(found)


def _call_rows(found: Calls) -> Iterator[tuple[Place, str]]:
    """Yield the rows of calls; those of functions without a name, next to each other and equally sure, are one row."""
    for (file, how, nameless), group in groupby(found.calls, lambda call: _kind(found, call)):
        calls = list(group)
        if nameless and len(calls) > 1 and file:
            lines = ", ".join(str(call.line) for call in calls)
            yield calls[0].symbol, f"{lines}  (functions without a name)  {how}".rstrip()
        else:
            yield from ((call.symbol, _call(found, call)) for call in calls)


def _kind(found: Calls, call: Call) -> tuple[str, str, bool]:
    nameless = not found.own and call.symbol.name.endswith(">")
    return call.symbol.file, _how(call), nameless


def _how(call: Call) -> str:
    """Return how a call is known: "" if it is certain, and its line says the rest."""
    is_plain = call.confidence >= _SURE and (bool(call.text) or call.strategy not in _RELATIONS)
    return "" if is_plain and not call.strategy.startswith("through ") else f"{call.strategy} {call.confidence:.2g}"


def calls_end(found: Calls) -> str:
    """Return a sentence with the total, and how many more there may be."""
    what = "callees" if found.own else _OTHERS.get(found.symbol.kind, "callers")
    count = f"{found.total} {what}" if not found.left_out else f"{len(found.calls)} of {found.total} {what}"
    end = f"{count.removesuffix('s') if found.total == 1 else count} of {found.symbol.name}"
    if found.family:
        names = ", ".join(".".join(place.name.split(".")[-2:]) for place in found.family[:_MOST])
        more = f" and {len(found.family) - _MOST} more" if len(found.family) > _MOST else ""
        end += f" or of {names}{more}, the same method"
    if more := open_end(found):
        end += f"; {more}"
    end += _overriding(found) + _through(found)
    if found.handed_on:
        end += f"; referenced without a call at {_handed(found)}"
    end += _in_templates(found)
    is_doubtful = found.open_sites or found.through_base or found.handed_on or found.is_partial or found.hidden
    is_sure = not (is_doubtful or found.templates)
    if is_sure and not found.own and found.symbol.kind != "module":
        end += "; no unresolved call has its name"
    return (
        end + _hidden(found) + omission_note(found.left_out, found.stale) + (f"; {PARTIAL}" if found.is_partial else "")
    )


def impact_text(found: ImpactReport) -> tuple[str, str]:
    """Return what a change affects, by distance and file, with the tests, and the closing sentence."""
    if not found.changed:
        return "No symbol changed.", ""
    lines = [f"changed: {', '.join(dict.fromkeys(place.name for place in found.changed))}; risk {found.risk:.2f}"]
    reached, importing = _without_distant_imports(found, _without_tests(found))
    for depth in sorted({reach.depth for reach in reached}):
        rows = _by_file([reach for reach in reached if reach.depth == depth])
        lines.append(f"{depth} step{'s' * (depth > 1)}:")
        lines += grouped((row.symbol, _reach(row)) for row in rows)
    if importing:
        lines.append(f"imported further away by {importing} file{'s' * (importing > 1)}, which --json lists")
    if found.routes:
        more = f" and {len(found.routes) - _ROUTES} more, which --json lists" if len(found.routes) > _ROUTES else ""
        lines.append(f"routes that reach it: {', '.join(found.routes[:_ROUTES])}{more}")
    hidden = f"{found.hidden_tests} left out: --tests shows them" if found.hidden_tests else "none"
    lines.append("tests that reach it:" if found.tests else f"tests that reach it: {hidden}")
    by_file = sorted(found.tests, key=lambda test: (test.file, test.line))
    lines += [f"{file}  {tests_of_file(list(tests))}" for file, tests in groupby(by_file, lambda test: test.file)]
    lines += _may_run(found)
    lines += [f"{label}: {title}" for label, title in found.related]
    end = open_end(found) or ("" if found.through_base else "no unresolved call has its name")
    end = (end + _through(found)).removeprefix("; ")
    end += omission_note(found.left_out, found.stale)
    return "\n".join(lines), end + (f"; {PARTIAL}" if found.is_partial else "")


def _reach(row: Reach) -> str:
    """Return a row: where it names what is one step nearer, with that line; otherwise where it is, and the relation."""
    if row.text:
        return f"{row.line}  {row.symbol.short_name}  {row.text}"
    return f"{row.symbol.line}  {row.symbol.short_name}  {row.relation} {row.confidence:.2g}"


def _without_tests(found: ImpactReport) -> list[Reach]:
    """Return what is affected without the tests, which are listed at the end, and their modules."""
    tests, files = set(found.tests), {test.file for test in found.tests}
    return [
        reach
        for reach in found.reached
        if reach.symbol not in tests and not (reach.symbol.kind == "module" and reach.symbol.file in files)
    ]


def _without_distant_imports(found: ImpactReport, reached: list[Reach]) -> tuple[list[Reach], int]:
    """Return what is affected without files that merely import what uses a changed symbol, and how many these are. Of a changed
    file, they are what is asked for."""
    if any(place.kind == "module" for place in found.changed):
        return reached, 0
    kept = [reach for reach in reached if reach.relation != "IMPORTS" or reach.depth == 1]
    return kept, len(reached) - len(kept)


def tests_of_file(tests: Sequence[Place]) -> str:
    """Return the first tests of a file by name and line, or all of a few, and how many there are."""
    named = [f"{test.short_name} {test.line}" for test in tests if "<lambda" not in test.short_name]
    shown = (named or [str(test.line) for test in tests])[: _FEW if len(tests) > _MOST else _MOST]
    count = f"{counted(len(tests), 'test')}: " if len(tests) > 1 else ""
    return count + ", ".join(shown) + (", …" if len(tests) > len(shown) else "")


def _by_file(rows: list[Reach]) -> list[Reach]:
    """Order rows so that those of a file are together; the file with the first row first."""
    rank = {file: number for number, file in enumerate(dict.fromkeys(row.symbol.file for row in rows))}
    return sorted(rows, key=lambda row: rank[row.symbol.file])


def open_end(found: Calls | ImpactReport) -> str:
    """Return how many more there could be, and where the first of them are; "" if none."""
    if not found.open_sites:
        return ""
    symbol = found.symbol if isinstance(found, Calls) else found.changed[0]
    one = found.open_sites == 1
    if symbol.kind == "field":
        what = "read of that name on an unknown object" if one else "reads of that name on unknown objects"
    else:
        what = "unresolved call" if one else "unresolved calls"
    named = join_places(found.open_places, found.open_functions)
    places = f" ({named}{', …' * (found.open_sites > len(found.open_places))})" if named else ""
    return f"{found.open_sites} {what} could be one more{places}"


def _through(found: Calls | ImpactReport) -> str:
    """Return how many calls of overridden methods may run it; "" if none."""
    if not found.through_base:
        return ""
    what = "call to a method that it overrides" if found.through_base == 1 else "calls to methods that it overrides"
    more = f" (the first {len(found.may_run)} shown)" if found.through_base > len(found.may_run) else ""
    return f"; {found.through_base} {what} may run it{more}"


def _may_run(found: Calls | ImpactReport) -> list[str]:
    """Return the calls of overridden methods that may run it, grouped by file."""
    rows = grouped((place, f"{place.line}  {place.short_name}") for place in found.may_run)
    return ["calls to methods that it overrides:", *rows] if rows else []


def _below(found: Calls) -> list[str]:
    """Return the calls of methods that override it, grouped by file."""
    rows = grouped((place, f"{place.line}  {place.short_name}") for place in found.below)
    return ["calls to methods that override it:", *rows] if rows else []


def _overriding(found: Calls) -> str:
    """Return how many calls go to methods that override it; "" if none."""
    if not found.of_overriding:
        return ""
    more = f" (the first {len(found.below)} shown)" if found.of_overriding > len(found.below) else ""
    return f"; {found.of_overriding} call{'s go' if found.of_overriding > 1 else ' goes'} to methods that override it{more}"


def _in_templates(found: Calls) -> str:
    """Return how many lines of templates name a member, and the first of them; "" if none."""
    if not found.templates:
        return ""
    number = counted(len(found.templates), "line of a template names", "lines of templates name")
    more = ", …" * (len(found.templates) > _IN_TEMPLATES)
    return f"; {number} it, perhaps of another object: {join_places(found.templates[:_IN_TEMPLATES])}{more}"


def _handed(found: Calls) -> str:
    return join_places(found.handed_places) + ", …" * (found.handed_on > len(found.handed_places))


def _hidden(found: Calls) -> str:
    """Return how many rows a filter leaves out; "" if none."""
    tests = f" ({found.hidden_tests} in tests)" if found.hidden_tests else ""
    return f"; the filter leaves out {found.hidden} more{tests}" if found.hidden else ""


def exported_note(found: DeadReport) -> str:
    """Return what else --exported lists of unused code, if there is anything."""
    tested = found.spared.get("exported, used by tests alone", 0)
    more = max(found.spared.get("exported", 0) - len(found.public), 0)
    parts = [f"{more} more that nothing here uses (fields, constants, members)"] if more else []
    parts += [counted(tested, "public one that tests alone use", "public ones that tests alone use")] if tested else []
    return f"; --exported lists {' and '.join(parts)}" if parts else ""


def omission_note(left_out: int, stale: tuple[str, ...]) -> str:
    """Describe omitted rows, and files that changed since they were indexed."""
    cut = f"; {left_out} more omitted: --limit or --budget shows more" if left_out else ""
    return cut + (f"; changed since indexing: {', '.join(stale)}" if stale else "")


def _call(found: Calls, call: Call) -> str:
    name = call.symbol.short_name if call.symbol.file else call.symbol.name
    place = f"(line {call.symbol.line})" if found.own and call.symbol.file else ""
    lines = ", ".join(map(str, (call.line, *call.further)))
    return "  ".join(filter(None, (lines, name, _how(call), place, call.text)))


def grouped(rows: Iterable[tuple[Place, str]]) -> list[str]:
    """Group rows by file."""
    lines: list[str] = []
    file: str | None = None
    for place, text in rows:
        if place.file != file:
            file = place.file
            lines.append(file or "outside")
        lines.append(f"  {text}")
    return lines
