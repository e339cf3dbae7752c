"""Formats answers about calls and impact as text, for terminals and models: rows grouped by file, then the total and
what the answer may miss."""

from __future__ import annotations

from collections.abc import Iterable

from graphmem.model.answers import Call, Calls, ImpactReport, Place


def calls_text(found: Calls) -> tuple[str, str]:
    """Return the rows of callers or callees, and the closing sentence."""
    rows = [(call.symbol, _call(found, call)) for call in found.calls]
    return "\n".join(_grouped(rows)), calls_end(found)


def calls_end(found: Calls) -> str:
    """Return a sentence with the total, and how many more there may be."""
    what = "callees" if found.own else {"module": "importers"}.get(found.symbol.kind, "callers")
    count = f"{found.total} {what}" if not found.left_out else f"{len(found.calls)} of {found.total} {what}"
    end = f"{count.removesuffix('s') if found.total == 1 else count} of {found.symbol.name}"
    if found.open_sites:
        end += f"; {_open(found)}"
    if found.through_base:
        end += f"; {found.through_base} calls to methods that it overrides may run it"
    if found.handed_on:
        end += f"; referenced without a call in {found.handed_on} places"
    if not (found.open_sites or found.through_base or found.handed_on or found.own):
        end += "; no unresolved call has its name"
    return end + omission_note(found.left_out, found.stale)


def impact_text(found: ImpactReport) -> tuple[str, str]:
    """Return what a change affects, by distance and file, with the tests, and the closing sentence."""
    if not found.changed:
        return "No symbol changed.", ""
    lines = [f"changed: {', '.join(dict.fromkeys(place.name for place in found.changed))}; risk {found.risk:.2f}"]
    for depth in sorted({reach.depth for reach in found.reached}):
        rows = [reach for reach in found.reached if reach.depth == depth]
        lines.append(f"{depth} step{'s' * (depth > 1)}:")
        lines += _grouped(
            (r.symbol, f"{r.symbol.line}  {r.symbol.name}  {r.relation} {r.confidence:.2g}") for r in rows
        )
    lines.append(f"tests that reach it: {', '.join(place.name for place in found.tests) or 'none'}")
    lines += [f"{label}: {title}" for label, title in found.related]
    end = _open(found)
    return "\n".join(lines), end + omission_note(found.left_out, found.stale)


def _open(found: Calls | ImpactReport) -> str:
    """How many more there could be, and where the first of them stand."""
    symbol = found.symbol if isinstance(found, Calls) else found.changed[0]
    what = "reads of that name on unknown objects" if symbol.kind == "field" else "unresolved calls"
    more = ", …" if found.open_sites > len(found.open_places) else ""
    places = f" ({', '.join(found.open_places)}{more})" if found.open_places else ""
    return f"{found.open_sites} {what} could be one more{places}"


def omission_note(left_out: int, stale: tuple[str, ...]) -> str:
    """Describe omitted rows, and files that changed since they were indexed."""
    cut = f"; {left_out} more omitted" if left_out else ""
    return cut + (f"; changed since indexing: {', '.join(stale)}" if stale else "")


def _call(found: Calls, call: Call) -> str:
    line = f"{call.line}  {call.symbol.name}  {call.strategy} {call.confidence:.2g}"
    return f"{line}  (line {call.symbol.line})" if found.own and call.symbol.file else line


def _grouped(rows: Iterable[tuple[Place, str]]) -> list[str]:
    """Group rows by file."""
    lines: list[str] = []
    file: str | None = None
    for place, text in rows:
        if place.file != file:
            file = place.file
            lines.append(file or "outside")
        lines.append(f"  {text}")
    return lines
