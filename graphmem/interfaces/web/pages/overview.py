"""The overview page: counts, activity, health, and latest events."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from functools import partial
from itertools import accumulate
from typing import Any

from nicegui import ui

from graphmem.interfaces.http.brief import summarise_event
from graphmem.interfaces.web import charts
from graphmem.interfaces.web.events import FAMILIES, family, row
from graphmem.interfaces.web.parts import (
    attributes,
    count_tile,
    div,
    facts,
    heading,
    node,
    panel,
    remedy_links,
    text,
    tile,
    with_error_message,
)
from graphmem.interfaces.web.remedies import nothing_read
from graphmem.interfaces.web.tables import Cell, chart
from graphmem.interfaces.web.undecided import TABS, read_undecided
from graphmem.interfaces.web.view import View, address
from graphmem.memory import Memory

_DAYS, _LEAST = 60, 14
_LAST = 8  # events


@with_error_message
async def page(view: View) -> None:
    """Show the overview."""
    stats = await view.verb("stats")
    head = heading(view.t("Overview"), view.t("Contents, growth and health of this memory."))
    with head:
        attributes(text(view.lanes.project, "gm-time"), title=str(view.lanes.location))
    if not stats["events"]:
        nothing_read(
            view, "hub", view.t("The memory is empty"), view.t("Read the history, documents and code of a repository.")
        )
        return
    _tiles(view, stats)
    table, events, work = await view.run(_read)
    with div("gm-grid two"):
        with div("gm-stack"):
            _activity(view, table.rows)
            _recent(view, events)
        with div("gm-stack"):
            with panel(view.t("Waits for your decision")) as undecided:
                counting = text(view.t("checking…"), "gm-soft")
            with panel(view.t("Health")) as health:
                waiting = text(view.t("checking…"), "gm-soft")
            _holds(view, stats)
            _withheld(view, stats["privacy"])
            _work(view, work)
    counts = (await view.run(partial(read_undecided, is_brief=True), "graph")).counts()
    counting.delete()
    with undecided:
        _undecided(view, counts)
    found = await view.verb("doctor")  # reads the whole log, so everything else is shown first
    waiting.delete()
    with health:
        _health(view, found)


def _undecided(view: View, counts: dict[str, int]) -> None:
    """Show how many decisions wait in each queue; a row opens the queue."""
    for kind, count in counts.items():
        if count:
            with ui.link(target=address("/review", show=kind)).classes("gm-node gm-waits-here"):
                text(view.t(TABS[kind]), "grow")
                text(count, "gm-time")
    if not any(counts.values()):
        text(view.t("Nothing waits for you"), "gm-soft")
    ui.link(view.t("Withheld texts, near duplicates and names are counted on the review page."), "/review").classes(
        "gm-soft gm-linked gm-more-here"
    )


def _read(memory: Memory) -> tuple[Any, list[dict[str, Any]], Any]:
    return (
        memory.activity(days=_DAYS),
        [summarise_event(event) for event in memory.history(limit=_LAST)],
        memory.tasks.ready()[:5],
    )


def _tiles(view: View, stats: dict[str, Any]) -> None:
    nodes = stats["nodes"]
    size = sum(stats["bytes"].values()) / 1_048_576
    with div("gm-tiles"):
        count_tile(view, "Events", stats["events"], "/live")
        count_tile(view, "Sessions", nodes.get("Session", 0), "/sessions")
        count_tile(view, "Facts", nodes.get("Fact", 0), "/search?kind=fact&q=")
        count_tile(view, "Commits", nodes.get("Commit", 0))
        count_tile(view, "Files", nodes.get("File", 0), "/code")
        count_tile(view, "Symbols", nodes.get("Symbol", 0), "/code")
        count_tile(view, "Relations", sum(stats["relations"].values()), "/graph")
        tile(view.t("Disk usage"), f"{size:,.0f} MB", "/debug")


def _activity(view: View, rows: list[list[Any]]) -> None:
    today = datetime.now(UTC).date()
    first = date.fromisoformat(rows[0][0]) if rows else today
    shown_days = max(_LEAST, min(_DAYS, (today - first).days + 2))
    days = [(today - timedelta(days=back)).isoformat() for back in range(shown_days - 1, -1, -1)]
    counts = {name: dict.fromkeys(days, 0) for name in FAMILIES}
    for day, type, count in rows:
        if day in counts["Work"]:
            counts[family(type)][day] += count
    labels = [f"{date.fromisoformat(day):%m-%d}" for day in days]
    with panel(view.t("Activity, last {days} days", days=shown_days)):
        if not rows:
            text(view.t("No activity in this period."), "gm-soft")
        series = {view.t(name): list(found.values()) for name, found in counts.items() if any(found.values())}
        title = view.t("Events by day")
        by_day: list[list[Cell]] = [[day, *found] for day, *found in zip(days, *series.values(), strict=True)][::-1]
        chart(view, charts.stacked(labels, series), title, [view.t("Day"), *series], by_day)
    total = list(accumulate(sum(found[day] for found in counts.values()) for day in days))
    with panel(title := view.t("Growth, events in this period")):
        sums: list[list[Cell]] = [[day, count] for day, count in zip(reversed(days), reversed(total), strict=True)]
        chart(view, charts.growth(labels, total), title, [view.t("Day"), view.t("Events")], sums, "height:150px")


def _health(view: View, health: dict[str, Any]) -> None:
    with div("gm-line").style("margin-bottom:12px"):
        div("gm-dot" if health["sound"] else "gm-dot bad", "span")
        sound = view.t("Everything works, with advice:") if health["advice"] else view.t("Everything is healthy")
        text(sound if health["sound"] else view.t("There is a problem"))
    for problem in [*health["problems"], *health["advice"]]:
        text(view.plain(problem).rstrip(".") + ".", "gm-soft gm-advice")
        remedy_links(view, problem)
    behind = max((health["events"] or 0) - (at or 0) for at in health["projected"].values())
    facts(
        [
            (view.t("events in the log"), f"{health['events'] or 0:,}"),
            (view.t("not yet projected"), f"{behind:,}"),
            (view.t("texts waiting for vectors"), f"{health['outbox'] or 0:,}"),
        ]
    )


def _holds(view: View, stats: dict[str, Any]) -> None:
    pairs = [(name, count) for name, count in stats["nodes"].items() if count]
    with panel(title := view.t("Contents")):
        rows: list[list[Cell]] = [[view.t(name), count] for name, count in pairs]
        style = f"width:100%;height:{24 * len(pairs) + 12}px"
        options = charts.shares(pairs, view.t)
        chart(view, options, title, [view.t("Kind"), view.t("Items")], rows, style)
        if options["xAxis"]["type"] == "log":
            text(view.t("Each step of length is a tenfold: the scale is logarithmic."), "gm-time gm-wraps")


def _withheld(view: View, found: dict[str, Any]) -> None:
    """Show how much was never stored, by kind; nothing if the count is zero."""
    if not found["events"]:
        return
    with panel(view.t("Not stored")):
        facts(
            [
                (view.t("affected events"), f"{found['events']:,}"),
                (view.t("private sections"), f"{found['sections']:,}"),
                *((kind.replace("_", " "), f"{count:,}") for kind, count in found["secrets"].items()),
            ]
        )


def _work(view: View, ready: list[Any]) -> None:
    with panel(view.t("Ready to start")):
        for task in ready:
            with div():
                node("Task", task.id, task.title, status=task.status)
        if not ready:
            text(view.t("No task is ready."), "gm-soft")


def _recent(view: View, events: list[dict[str, Any]]) -> None:
    with panel(classes="flush"):
        with div().style("padding:14px 18px 2px"), div(tag="h2"):
            text(view.t("Latest events"))
        with div("gm-rows") as rows:
            for event in reversed(events):
                row(view, event)

    def hear(channel: str, data: Any) -> None:
        if channel == "events":
            with rows:
                for event in data[-_LAST:]:
                    row(view, event, new=True).move(target_index=0)
            for old in list(rows)[_LAST:]:
                rows.remove(old)

    view.listen(hear)
