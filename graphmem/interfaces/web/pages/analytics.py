"""The analytics page: tokens that hooks injected and what came of them, failures that repeat, knowledge by area of the code, and
memories that may be junk. Each figure leads to what it counts."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta

from nicegui import ui

from graphmem import resources
from graphmem.interfaces.web import charts
from graphmem.interfaces.web.parts import (
    attributes,
    bar,
    chip,
    choices,
    count_tile,
    div,
    empty,
    heading,
    panel,
    text,
    tile,
    time,
    with_error_message,
)
from graphmem.interfaces.web.ratings import Rating, rating
from graphmem.interfaces.web.steps import moment_of
from graphmem.interfaces.web.tables import Cell, LinkedCell, chart, data_table
from graphmem.interfaces.web.view import View, address
from graphmem.model.analytics import (
    Analytics,
    AreaKnowledge,
    Injected,
    InjectedDay,
    InjectedTokens,
    Junk,
    RepeatedFailure,
)

_PERIODS = (7, 30, 90, 365)
_FAILURES = 12
_KNOWN_OF_AREA = "queries/graph/look/known_of_area.cypher"
OUTCOMES = {
    "quoted": "quoted or opened by the agent", "acted_on": "acted on", "unseen": "no effect seen",
    "wrong": "with a memory marked wrong",
}  # fmt: skip
_TONES = {"quoted": "#2b8a3e", "acted_on": "#4263eb", "unseen": "#868e96", "wrong": "#c92a2a"}


@with_error_message
async def page(view: View, days: int = 30) -> None:
    """Show the figures of a period."""
    chosen = days if days in _PERIODS else 30
    tools = heading(view.t("Analytics"), view.t("What the memory did for the work, and where it should be better."))
    with tools:
        names = [(str(period), view.t("{n} days", n=period)) for period in _PERIODS]
        choices(names, str(chosen), lambda period: view.go("/analytics", days=period))
    found: Analytics = await view.verb("analytics", days=chosen)
    _injected(view, found.injected)
    with div("gm-grid two"):
        with div("gm-stack"):
            _failures(view, found.failures)
            _idle(view, found.injected)
        with div("gm-stack"):
            _areas(view, found.areas)
            _junk(view, found.junk)


def _share(tokens: InjectedTokens, *outcomes: str) -> str:
    return f"{sum(getattr(tokens, outcome) for outcome in outcomes) / max(1, tokens.total):.0%}"


def _all_days(found: Sequence[InjectedDay]) -> list[InjectedDay]:
    """Return the days from the first to the last one, with those on which nothing was injected."""
    known = {one.day: one for one in found}
    first, last = date.fromisoformat(found[0].day), date.fromisoformat(found[-1].day)
    every = [(first + timedelta(days=number)).isoformat() for number in range((last - first).days + 1)]
    return [known.get(day) or InjectedDay(day, 0, InjectedTokens(0, 0, 0, 0)) for day in every]


def _injected(view: View, found: Injected) -> None:
    t, tokens = view.t, found.tokens
    with panel(t("Shown to agents, and what came of it")):
        if not found.texts:
            empty(
                "school",
                t("Agents were shown nothing in this period"),
                t("Choose a longer period, or install the hooks."),
            )
            return
        with div("gm-tiles"):
            count_tile(view, "texts", found.texts, "/shown")
            count_tile(view, "memories", found.memories, "/shown")
            count_tile(view, "sessions", found.sessions, "/sessions")
            count_tile(view, "tokens", tokens.total, "/shown")
            tile(t("of the tokens, in texts quoted or acted on"), _share(tokens, "quoted", "acted_on"))
            tile(t("of the tokens without an effect seen"), _share(tokens, "unseen"))
        names = {outcome: t(label) for outcome, label in OUTCOMES.items()}
        days = _all_days(found.days)
        series = {name: [getattr(one.tokens, outcome) for one in days] for outcome, name in names.items()}
        rows: list[list[Cell]] = [
            [
                LinkedCell(one.day, address("/shown", day=one.day)),
                one.texts,
                *(getattr(one.tokens, name) for name in names),
            ]
            for one in reversed(found.days)
        ]
        options = charts.stacked([one.day[5:] for one in days], series, list(_TONES.values()))
        chart(view, options, t("Tokens by day"), [t("Day"), t("texts"), *names.values()], rows)
        text(
            t(
                "Acted on: afterwards the agent named a file or name that only the memory had named. An effect can also be unseen:"
                " a rule that was kept leaves no trace."
            ),
            "gm-soft",
        ).style("margin:10px 0")
        moments: dict[str, list[int]] = {}
        for event, counts in found.moments.items():
            known = moments.setdefault(moment_of(view, event), [0, 0, 0])
            moments[moment_of(view, event)] = [one + other for one, other in zip(known, counts, strict=True)]
        columns = [t("When"), t("texts"), t("tokens"), t("texts quoted or acted on")]
        data_table(t("Shown to agents, by moment"), columns, [[moment, *counts] for moment, counts in moments.items()])
        if found.left_out:
            text(t("{n} older sessions were not read.", n=found.left_out), "gm-soft")


def _failures(view: View, found: list[RepeatedFailure]) -> None:
    t = view.t
    with panel(t("Failures that repeat")):
        if not found:
            text(t("No failure came up twice."), "gm-soft")
        for one in found[:_FAILURES]:
            _failure(view, one)
        if rest := found[_FAILURES:]:
            with div("gm-fold", "details"):
                with div("gm-summary", "summary"):
                    text(t("and {n} more", n=len(rest)), "gm-soft")
                for one in rest:
                    _failure(view, one)


def _failure(view: View, one: RepeatedFailure) -> None:
    t = view.t
    with div("gm-memory"):
        with div("gm-line"):
            chip(t("{n} times", n=one.recurrence), "blocked" if one.resolved else "bad")
            state = "resolved" if one.resolved else "came back" if one.resolution else "not resolved"
            chip(t(state), "good" if one.resolved else "bad")
            time(view, one.last)
            text(t("agents were warned {n} times", n=one.warned), "gm-time")
        ui.link(" ".join(one.title.split())[:160], address("/item", id=one.id)).classes("gm-linked")
        if one.resolution:
            said = one.resolution if one.resolved else t("Last time: {resolution}", resolution=one.resolution)
            text(said, "gm-soft gm-two")


def _idle(view: View, found: Injected) -> None:
    if not found.idle:
        return
    with panel(view.t("Shown often, never used")):
        text(view.t("If one of them does not help, mark it wrong: agents are then no longer shown it."), "gm-soft")
        for one in found.idle:
            with attributes(div("gm-memory"), data_memory=one.id), div("gm-line gm-memory-head"):
                chip(view.t(one.kind), one.kind)
                with div("grow gm-memory-title"):
                    ui.link(" ".join(one.title.split())[:160], address("/item", id=one.id))
                text(view.t("{n} times", n=one.texts), "gm-time")
                rating(view, one.id, None)


def _areas(view: View, found: list[AreaKnowledge]) -> None:
    t = view.t
    with panel(t("Knowledge by area of the code")):
        if not found:
            text(t("No files are known yet."), "gm-soft")
            return
        most = max(one.changes for one in found) or 1
        for one in found:
            if one.is_gap:
                with div("gm-line"):
                    chip(t("often changed, nothing known"), "blocked", "warning_amber")
                    text(one.area, "gm-mono")
                    bar(one.changes / most)
        columns = [t("Folder"), t("Files"), t("Changes"), t("Facts"), t("Gotchas")]
        rows: list[list[Cell]] = [[_area(one), one.files, one.changes, one.facts, one.gotchas] for one in found]
        data_table(t("Knowledge by area of the code"), columns, rows)


def _area(one: AreaKnowledge) -> Cell:
    """Return the name of an area, which leads to what is known about its files."""
    if one.area == "." or not one.facts + one.gotchas:
        return one.area
    query = resources.text(_KNOWN_OF_AREA).replace("AREA", one.area.replace("\\", "").replace('"', "") + "/")
    return LinkedCell(one.area, address("/console", query=query.strip()))


def _junk(view: View, junk: Junk) -> None:
    t = view.t
    with panel(t("Possible junk")), div("gm-tiles"):
        tile(t("uncertain"), junk.uncertain, "/review?show=unsure")
        tile(t("nearly the same"), junk.nearly_same, "/review?show=alike")
        tile(t("withheld from agents"), junk.withheld, "/review?show=withheld")
        number = tile(t("marked wrong"), junk.marked_wrong, "/shown?show=wrong")
        tile(t("archived"), junk.archived)
        tile(t("shown often, never used"), junk.idle)
    changed: set[str] = set()  # marked wrong on this page

    def count(id: str, rated: Rating | None) -> None:
        (changed.add if rated is not None and rated.verdict == "wrong" else changed.discard)(id)
        number.set_text(f"{junk.marked_wrong + len(changed):,}")

    view.rated.append(count)
