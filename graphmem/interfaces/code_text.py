"""Answers about calls and impact as text, for terminals and models alike: rows under the file that they are in, a row for each
symbol, and at the end the total and what the answer does not know."""

from __future__ import annotations

from collections.abc import Iterable

from graphmem.model.answers import Call, Calls, ImpactReport, Place


def calls_text(found: Calls) -> tuple[str, str]:
    """The rows of callers or callees, and the sentence at their end."""
    rows = [(call.symbol, _call(found, call)) for call in found.calls]
    return "\n".join(_grouped(rows)), calls_end(found)


def calls_end(found: Calls) -> str:
    """How many there are in all, and how many more there could be."""
    what = "callees" if found.own else {"module": "importers"}.get(found.symbol.kind, "callers")
    count = f"{found.total} {what}" if not found.left_out else f"{len(found.calls)} of {found.total} {what}"
    end = f"{count.removesuffix('s') if found.total == 1 else count} of {found.symbol.name}"
    if found.open_sites:
        end += f"; {_open(found)}"
    if found.through_base:
        end += f"; {found.through_base} calls of what it overrides may run it"
    if found.handed_on:
        end += f"; named without a call in {found.handed_on} places"
    if not (found.open_sites or found.through_base or found.handed_on or found.own):
        end += "; no unresolved call has its name"
    return end + rest(found.left_out, found.stale)


def impact_text(found: ImpactReport) -> tuple[str, str]:
    """What a change reaches, by steps and files, the tests among it, and the sentence at the end."""
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
    return "\n".join(lines), end + rest(found.left_out, found.stale)


def _open(found: Calls | ImpactReport) -> str:
    """How many more there could be, and where the first of them stand."""
    symbol = found.symbol if isinstance(found, Calls) else found.changed[0]
    what = "reads of that name on unknown objects" if symbol.kind == "field" else "unresolved calls"
    more = ", …" if found.open_sites > len(found.open_places) else ""
    places = f" ({', '.join(found.open_places)}{more})" if found.open_places else ""
    return f"{found.open_sites} {what} could be one more{places}"


def rest(left_out: int, stale: tuple[str, ...]) -> str:
    """What an answer about code left out, and which files are newer than their index."""
    cut = f"; {left_out} more left out" if left_out else ""
    return cut + (f"; changed since they were indexed: {', '.join(stale)}" if stale else "")


def _call(found: Calls, call: Call) -> str:
    line = f"{call.line}  {call.symbol.name}  {call.strategy} {call.confidence:.2g}"
    return f"{line}  (line {call.symbol.line})" if found.own and call.symbol.file else line


def _grouped(rows: Iterable[tuple[Place, str]]) -> list[str]:
    """Each file once, with the rows that are in it."""
    lines: list[str] = []
    file: str | None = None
    for place, text in rows:
        if place.file != file:
            file = place.file
            lines.append(file or "outside")
        lines.append(f"  {text}")
    return lines
