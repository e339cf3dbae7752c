"""The debug page: the doctor's report, the outbox, projection cursors, call timings, files, and single events."""

from __future__ import annotations

import json
from typing import Any

from nicegui import ui

from graphmem.interfaces import envelope
from graphmem.interfaces.http.brief import summarise_event
from graphmem.interfaces.web.parts import button, chip, div, facts, heading, panel, text, tile, with_error_message
from graphmem.interfaces.web.remedies import rebuild
from graphmem.interfaces.web.view import View
from graphmem.memory import Memory


@with_error_message
async def page(view: View, event: str = "") -> None:
    """Show the page; with `event`, show that event in full."""
    if event:
        await _event(view, event)
        return
    with heading(view.t("Debug"), view.t("Progress of each projection, pending work, and response times.")):
        button(view.t("Process pending work"), lambda: _process(view), "sync")
        button(view.t("Rebuild"), lambda: _ask_to_rebuild(view), "build")
    health, stats = await view.verb("doctor"), await view.verb("stats")
    state = await view.run(lambda memory: memory.outbox())

    @ui.refreshable
    def live(state: dict[str, Any]) -> None:
        _outbox(view, state)

    live(state)
    with div("gm-grid half"):
        with panel(view.t("Doctor")):
            with div("gm-line").style("margin-bottom:10px"):
                div("gm-dot" if health["sound"] else "gm-dot bad", "span")
                text(view.t("Everything is healthy") if health["sound"] else view.t("There is a problem"))
            for line in (*health["problems"], *health["advice"], *health["repaired"]):
                text(view.plain(line), "gm-soft")
        with panel(view.t("Files")):
            facts([(name, f"{size / 1_048_576:,.1f} MB") for name, size in stats["bytes"].items()])
    _timings(view)

    def hear(channel: str, data: Any) -> None:
        if channel == "outbox":
            live.refresh(data)

    view.listen(hear)


async def _process(view: View) -> None:
    if await view.attempt(view.verb("process")) is not None:
        ui.notify(view.t("Everything is up to date."), type="positive")
        ui.navigate.reload()


def _ask_to_rebuild(view: View) -> None:
    t = view.t
    with ui.dialog(value=True) as dialog, ui.card().classes("gm-dialog"):
        text(t("Rebuild graph and indexes from the log?")).style("font-weight:600")
        text(t("Nothing that was recorded is lost. A large memory takes minutes; it answers meanwhile."), "gm-soft")
        with div("gm-line").style("margin-top:14px"):

            async def start() -> None:
                dialog.close()
                ui.notify(t("Rebuilding…"))
                await rebuild(view)

            button(t("Rebuild"), start, "build", "main")
            button(t("Cancel"), dialog.close)


def _outbox(view: View, state: dict[str, Any]) -> None:
    jobs = state["jobs"]
    with div("gm-tiles"):
        tile(view.t("log head"), state["head"])
        for name in ("pending", "processing", "done", "failed"):
            tile(view.t(name), int(jobs.get(name, 0)))
        tile(view.t("oldest pending"), f"{jobs.get('oldest_pending_seconds', 0):,.0f} s", note=state["encoder"])
    with panel(view.t("Cursors")):
        pairs = []
        for name, at in sorted(state["cursors"].items()):
            if name.endswith((".anchor", ".refined")):  # digests, not positions
                continue
            if name.endswith(".events"):
                behind = state["head"] - at
                pairs.append((name, f"{at:,}" + (view.t(", {n} behind", n=behind) if behind > 0 else "")))
            else:
                pairs.append((name, f"{at:,}"))
        facts(pairs)


def _timings(view: View) -> None:
    rows = view.lanes.timings()
    with panel(view.t("Calls on this server, in ms"), "gm-timings"), div("gm-table"), div(tag="table"):
        with div(tag="thead"), div(tag="tr"):
            for name in ("call", "calls", "p50", "p95", "most"):
                with div(tag="th"):
                    text(view.t(name))
        with div(tag="tbody"):
            for row in rows:
                with div(tag="tr"):
                    for value in row:
                        with div(tag="td"):
                            text(value if isinstance(value, str) else f"{value:,.0f}")


async def _event(view: View, id: str) -> None:
    def read(memory: Memory) -> Any:
        found = memory.event(id)
        before = memory.history(before=found.position, limit=1)
        return found, before[-1].id if before else ""

    found, before = await view.run(read)
    row = summarise_event(found)
    with heading(found.type.replace("_", " "), row["text"]):
        if before:
            button(view.t("Previous event"), lambda: view.go("/debug", event=before), "arrow_back")
        button(view.t("Resulting nodes"), lambda: view.go("/item", id=found.id), "hub")
        if found.session:
            button(view.t("Session"), lambda: view.go("/sessions", id=found.session), "forum")
    with div("gm-grid two"):
        with panel(view.t("Payload")):
            shown_ = json.dumps(envelope.to_json_values(found.payload), ensure_ascii=False, indent=2, default=str)
            text(shown_, "gm-pre gm-mono")
        with panel(view.t("Metadata")):
            chip(found.type)
            with div().style("margin-top:10px"):
                facts(
                    [
                        (name, getattr(found, name))
                        for name in ("position", "id", "origin", "session", "project", "actor", "version")
                    ]
                )
                text(f"{row['at']:%Y-%m-%d %H:%M:%S} UTC", "gm-time")
