"""Facets of a search: how many of the best hits have each kind, file, session, state and age, and the choice of one of each. A
choice is part of the address."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from graphmem.interfaces.web.parts import div, text
from graphmem.interfaces.web.view import View
from graphmem.memory import Memory
from graphmem.model.results import Hit

COUNTED = 60  # best hits that are counted
NAMES = {"kind": "Kind", "file": "File", "session": "Session", "status": "State", "age": "Time"}
AGES = {"day": 1, "week": 7, "month": 31, "year": 366}
_AGE_NAMES = {
    "day": "the last day",
    "week": "the last week",
    "month": "the last month",
    "year": "the last year",
    "older": "older",
}
_SHOWN = 6  # values of a facet


class Faceted(NamedTuple):
    """A hit with the files that it is about."""

    hit: Hit
    files: tuple[str, ...]

    def values(self, facet: str, now: datetime) -> tuple[str, ...]:
        """Return its values of a facet."""
        hit = self.hit
        if facet == "file":
            return self.files
        single = {"kind": hit.kind, "session": hit.session or "", "status": hit.status, "age": age_of(hit.at, now)}[
            facet
        ]
        return (single,) if single else ()


def age_of(at: datetime, now: datetime) -> str:
    """Return the shortest period up to now that includes a time."""
    return next((name for name, days in AGES.items() if now - at <= timedelta(days=days)), "older")


def read_faceted(memory: Memory, hits: Sequence[Hit]) -> list[Faceted]:
    """Return hits with their files. The leading answer of an operation is left out: it is no item."""
    items = [hit for hit in hits if not hit.is_answer]
    files = {known.id: known.files for known in memory.details([hit.id for hit in items])} if items else {}
    return [Faceted(hit, tuple(files.get(hit.id, ())) or _path(hit)) for hit in items]


def _path(hit: Hit) -> tuple[str, ...]:
    return (hit.place.rpartition(":")[0],) if ":" in hit.place else ()


def keep_chosen(found: Sequence[Faceted], chosen: Mapping[str, str], but: str = "") -> list[Faceted]:
    """Return the hits that have all chosen values, except for the facet `but`. A period includes the shorter ones."""
    now = datetime.now(UTC)
    wanted = {facet: value for facet, value in chosen.items() if value and facet != but}
    return [one for one in found if all(_fits(one.values(facet, now), facet, value) for facet, value in wanted.items())]


def _fits(values: Sequence[str], facet: str, wanted: str) -> bool:
    if facet != "age" or wanted not in AGES:
        return wanted in values
    return any(value in AGES and AGES[value] <= AGES[wanted] for value in values)


def count_facet(found: Sequence[Faceted], facet: str) -> list[tuple[str, int]]:
    """Return the values of a facet with their numbers of hits, the most frequent first."""
    now = datetime.now(UTC)
    counts = Counter(value for one in found for value in one.values(facet, now))
    if facet == "age":
        order = [*AGES, "older"]
        return [(name, counts[name]) for name in order if counts[name]]
    return counts.most_common(_SHOWN)


def facet_panel(
    view: View, found: Sequence[Faceted], chosen: Mapping[str, str], titles: Mapping[str, str],
    act: Callable[[str, str], Any],
) -> None:  # fmt: skip
    """Show all facets. `act` is called with a facet and the chosen value, "" to take the choice back."""
    with div("gm-facets gm-panel", "section").props(f'aria-label="{view.t("Narrow down")}"'):
        for facet, name in NAMES.items():
            counts = count_facet(keep_chosen(found, chosen, facet), facet)
            now = chosen.get(facet, "")
            if now and now not in dict(counts):
                counts.append((now, 0))
            if not counts or (len(counts) == 1 and not now and facet != "kind"):
                continue
            with div("gm-facet").props(f'role="group" aria-label="{view.t(name)}"'):
                text(view.t(name), "gm-column")
                for value, count in counts:
                    on = value == now
                    leaf = div("gm-leaf" + " on" * on, "button").props(
                        f'type="button" aria-pressed="{str(on).lower()}"'
                    )
                    leaf.props["data-facet"] = f"{facet}:{value}"
                    leaf.on("click", lambda facet=facet, value="" if on else value: act(facet, value))
                    with leaf:
                        text(_label(view, facet, value, titles), "grow gm-clip")
                        text(count, "gm-time")


def _label(view: View, facet: str, value: str, titles: Mapping[str, str]) -> str:
    if facet == "age":
        return view.t(_AGE_NAMES[value])
    if facet == "session":
        return titles.get(value) or value
    return value if facet == "file" else view.t(value)
