"""Formats lists of symbols as text, for pipes and models: an outline of a file, dead code, routes, a definition."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from graphmem.interfaces.text.code import exported_note, grouped, omission_note
from graphmem.model.answers import DeadReport, Outline, Place, Routes
from graphmem.plurals import counted

Text = tuple[str, str]  # what was found, and the hint


def outline_text(found: Outline) -> Text:
    """Return a line for each symbol of a file: its lines, kind, and name with the rest of its signature."""
    count = len(found.symbols)
    size = f"{found.language}, {counted(len(found.text.splitlines()), 'line')}"
    end = f"{count} symbol{'' if count == 1 else 's'} of {found.file}, {size}"
    if found.skipped:
        end += f"; {found.skipped}" if found.symbols else f"; skipped: {found.skipped}"
    return "\n".join(map(_symbol, found.symbols)), end + omission_note(0, (found.file,) if found.stale else ())


def _symbol(place: Place) -> str:
    name = place.short_name
    last = f"-{place.end_line}" if place.end_line > place.line else ""
    return f"{place.line}{last} {place.kind} {name}{_rest(place)}"


def _rest(place: Place) -> str:
    """Return a signature from behind the name on; parameters, a type or a value."""
    _, found, rest = " ".join(place.signature.split()).partition(place.name.rpartition(".")[2])
    if not found and place.signature:
        return f"  {place.signature}"
    return rest.removesuffix("{").rstrip()


_ALWAYS = ("unused", "unexported unused")  # counts that are told if they are 0


def dead_text(found: DeadReport) -> Text:
    """Return unused symbols by file with their size, and those that may be unused with a place that has their name; first what is
    exported, because nobody who asks about a public module wants to know of the rest alone."""
    lines, offered = list[str](), found.spared.get("exported", 0)
    if found.public:
        what = "public name is" if len(found.public) == 1 else "public names are"
        lines.append(f"{len(found.public)} {what} used by nothing in the repository, tests and examples included:")
        lines += grouped(_sizes(found.public))
    unused = "unused, not exported:" if found.public and found.dead else ""
    lines += [*filter(None, (unused,)), *grouped(_sizes(found.dead))]
    if found.only_tests:
        lines += ["used by tests alone:", *grouped(_sizes(found.only_tests))]
    if found.offered:
        lines += ["named by nothing but a re-export:", *grouped(_sizes(found.offered))]
    if found.followers:
        lines += ["used only by these:", *grouped(_sizes(found.followers))]
    if found.values:
        lines += ["named nowhere else:", *grouped(_sizes(found.values))]
    if found.doubts:
        rows = [(place, f"{place.line} {place.kind} {place.short_name}: {where}") for place, where in found.doubts]
        rows.sort(key=lambda row: (row[0].file, row[0].line))
        lines += ["perhaps unused: no known use, but the name occurs at", *grouped(rows)]
    counts = {"unused": len(found.dead), "used by tests alone": len(found.only_tests),
              "only re-exported": len(found.offered), "used only by these": len(found.followers),
              "values named nowhere else": len(found.values), "perhaps unused": len(found.doubts)}  # fmt: skip
    if offered and not found.dead:  # said first: "0 unused" alone would be taken for all
        del counts["unused"]
        counts = {"public that nothing here uses": len(found.public), "unexported unused": 0, **counts}
    end = f"{found.path}: " if found.path else ""
    end += ", ".join(f"{count} {what}" for what, count in counts.items() if count or what in _ALWAYS)
    spared = {reason: count for reason, count in found.spared.items() if not reason.startswith("exported")}
    if spared:
        end += "; not reported: " + ", ".join(f"{reason} {count}" for reason, count in spared.items())
    return "\n".join(lines), end + omission_note(found.left_out, ()) + exported_note(found)


def _sizes(rows: Iterable[tuple[Place, int]]) -> Iterator[tuple[Place, str]]:
    ordered = sorted(rows, key=lambda row: (row[0].file, row[0].line))
    return (
        (place, f"{place.line} {place.kind} {place.short_name}, {counted(count, 'line')}") for place, count in ordered
    )


def _routes(found: Routes) -> Text:
    lines = []
    for route in found.routes:
        handler = route.handler.name if route.handler else "?"
        callers = ", ".join(dict.fromkeys(call.symbol.name for call in route.callers))
        line = f"{route.method} {route.path}  {handler}  {route.file}:{route.line}"
        lines.append(f"{line}  called by {callers}" if callers else line)
    return "\n".join(lines), f"{counted(len(lines), 'route')}{omission_note(found.left_out, ())}"


def _place(place: Place) -> Text:
    signature = " ".join(place.signature.split())
    return f"{place.kind} {place.name}  {place.file}:{place.line}-{place.end_line}  {signature}".rstrip(), ""


FORMS: dict[type, Callable[[Any], Text]] = {
    Outline: outline_text,
    DeadReport: dead_text,
    Routes: _routes,
    Place: _place,
}
