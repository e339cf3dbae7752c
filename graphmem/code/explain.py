"""Explains a symbol in one answer: what it is, who uses it, what tests it, why it changed, and who knows it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from textwrap import shorten
from typing import Any

from graphmem.codegraph.view import View, of_type
from graphmem.model.answers import Call, Calls, Place, join_places
from graphmem.model.code import Symbol
from graphmem.model.code_answers import Authorship, Explanation, TestPlan
from graphmem.plurals import counted
from graphmem.text.tokens import count_tokens

BUDGET = 800  # tokens of an explanation
_HEAD = 12  # lines of source code
_FEW = 4  # names per line
_OPEN = 12  # places of unresolved calls
_WIDTH = 200  # characters per line
_RELATIONS = (
    ("overrides", "overridden by", "OVERRIDES"),
    ("extends", "extended by", "EXTENDS"),
    ("implements", "implemented by", "IMPLEMENTS"),
)  # of a symbol and of the other end of the relation


@dataclass(frozen=True)
class SymbolFacts:
    """What is known of a symbol: its text ("" where it cannot be read), the commits that changed it, newest first, as
    rows of `Code.history`, and what it overrides, extends or implements, and the other way round."""

    source: str
    callers: Calls
    callees: Calls
    tests: TestPlan
    commits: list[list[Any]]
    owners: Authorship | None
    family: Mapping[str, Sequence[Place]] = field(default_factory=dict)  # such as "overridden by"


def family_of(view: View, key: str) -> dict[str, list[Place]]:
    """Return what a symbol overrides, extends and implements, and what does so to it, those of tests last; nothing for a relation
    that it has not."""
    family = dict[str, list[Place]]()
    for above, below, kind in _RELATIONS:
        for relation, table, end in ((above, view.outgoing, "target"), (below, view.incoming, "source")):
            ends = dict.fromkeys(getattr(edge, end) for edge in of_type(table.get(key, []), kind))
            known = [view.symbols[each] for each in ends if each in view.symbols]
            known.sort(key=lambda symbol: symbol.key in view.tests)
            if known:
                family[relation] = [Place.of(symbol) for symbol in known]
    return family


def explain_symbol(symbol: Symbol, known: SymbolFacts, related: Iterable[tuple[str, str]]) -> Explanation:
    """Return an explanation of a symbol within the budget; if it is too long, the source is shortened first."""
    lines = [f"{symbol.kind} {symbol.qualified_name}  {symbol.file}:{symbol.line}-{symbol.end_line}"]
    source = _source(known.source)
    signature = " ".join(symbol.signature.split())
    if signature and signature not in " ".join(" ".join(source).split()):
        lines.append(_short(symbol.signature))
    if symbol.doc:
        lines.append(f"doc: {_short(symbol.doc.strip().partition(chr(10) * 2)[0])}")
    facts = [_family(relation, symbol, places) for relation, places in known.family.items()]
    facts += [_calls("callers", known.callers), _calls("calls", known.callees), _tests(known.tests)]
    facts += [*_changes(known.commits), *_authors(known.owners)]
    facts += [f"{label.lower()}: {_short(title)}" for label, title in related][:_FEW]
    name = f"{symbol.file}:{symbol.line}" if symbol.has_title else symbol.qualified_name
    commands = tuple(f"graphmem code {verb} {name}" for verb in ("source", "callers", "history", "impact"))
    room = BUDGET - count_tokens("\n".join([*lines, *facts, *commands])) - 40
    while source and count_tokens("\n".join(source)) > room:
        source = [*source[:-2], "  …"] if len(source) > 2 else []
    while count_tokens("\n".join([*lines, *facts, *commands])) > BUDGET and facts:
        facts = facts[:-1]
    return Explanation(Place.of(symbol), (*lines, *source, *facts), commands)


def _short(text: str) -> str:
    return shorten(" ".join(text.split()), _WIDTH, placeholder=" …")


def _short_name(place: Place) -> str:
    """Return the last two parts of a name, which is printed next to its place, or the titles of a test."""
    return place.short_name if " " in place.name else ".".join(place.name.split(".")[-2:])


def _source(whole: str) -> list[str]:
    text = whole.split("\n") if whole else []
    shown = [f"  {line[:_WIDTH]}" for line in text[:_HEAD]]
    return [*shown, "  …"] if len(text) > _HEAD else shown


def _calls(what: str, found: Calls) -> str:
    total = len(found.calls) + found.left_out
    own = sorted(found.calls, key=lambda call: call.symbol.external)  # what is of the tree first
    names = [f"{_short_name(call.symbol)} ({_place(found, call)})" for call in own[:_FEW]]
    more = f" and {total - len(names)} more" if total > len(names) else ""
    first = join_places(found.open_places[:_OPEN], found.open_functions)
    places = f" ({first}{', …' * (found.open_sites > _OPEN)})" if first else ""
    unsure = f"; {found.open_sites} unresolved{places}" if found.open_sites else ""
    return f"{what}: {total}{': ' if names else ''}{', '.join(names)}{more}{unsure}"


def _family(relation: str, symbol: Symbol, places: Sequence[Place]) -> str:
    own = sorted(places, key=lambda place: not place.file)  # what is of the tree first
    names = [_short_name(place) + (f" ({_spot(place, symbol.file)})" if place.file else "") for place in own[:_FEW]]
    more = f" and {len(own) - len(names)} more" if len(own) > len(names) else ""
    return f"{relation}: {len(own)}: {', '.join(names)}{more}"


def _spot(place: Place, file: str) -> str:
    return f":{place.line}" if place.file == file else f"{place.file}:{place.line}"


def _place(found: Calls, call: Call) -> str:
    """Return where a call is; in the file of the symbol, which is given above, as a line."""
    file = found.file(call)
    return f":{call.line}" if file == found.symbol.file else f"{file}:{call.line}"


def _tests(plan: TestPlan) -> str:
    if not plan.total and plan.changed_with:
        return "tests: none calls it; changed with it: " + ", ".join(
            f"{_short_name(test)} ({test.file}:{test.line})" for test, _ in plan.changed_with[:_FEW]
        )
    if not plan.total:
        return "tests: none reach it"
    names = ", ".join(f"{_short_name(test)} ({test.file}:{test.line})" for test, _ in plan.tests[:_FEW])
    more = f" and {plan.total - _FEW} more" if plan.total > _FEW else ""
    return f"tests: {plan.total}: {names}{more}"


def _changes(rows: list[list[Any]]) -> list[str]:
    if not rows:
        return []
    shown = [f"{row[0][:10]} {row[1]:%Y-%m-%d} {row[2]}: {_short(str(row[3]))}" for row in rows[:3]]
    commits = f"changed by {len(rows)} commit{'s' * (len(rows) != 1)}, newest first: " + "; ".join(shown)
    first = rows[-1]
    if len(rows) <= len(shown):
        return [f"{commits} (introduced it)"]
    return [commits, f"introduced by {first[2]} on {first[1]:%Y-%m-%d} in {first[0][:10]} {_short(str(first[3]))}"]


def _authors(owners: Authorship | None) -> list[str]:
    if owners is None:
        return []
    total = sum(count for _, count, _ in owners.authors)
    people = ", ".join(f"{who} {count}/{counted(total, 'line')}, last {day}" for who, count, day in owners.authors[:3])
    return [f"written by: {people}"]
