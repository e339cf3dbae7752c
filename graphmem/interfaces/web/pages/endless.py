"""The endless mode page: working set, continuity with earlier work, and consolidated memories. Shows the result of
`graphmem endless status` and follows the store."""

from __future__ import annotations

import asyncio
from typing import Any

from nicegui import ui

from graphmem.interfaces.web.parts import (
    bar,
    button,
    chip,
    div,
    empty,
    facts,
    heading,
    node,
    panel,
    text,
    tile,
    time,
    with_error_message,
)
from graphmem.interfaces.web.view import View
from graphmem.memory import Memory
from graphmem.model.tree import ConsolidatedMemory, EndlessStatus, WorkingEvent

_LISTED = 8  # maximum events and memories
_PAUSE = 2.0  # seconds between two updates


@with_error_message
async def page(view: View) -> None:
    """Show the state, and refresh it on new events."""
    place, news = div(), asyncio.Event()
    await _fill(view, place)

    async def again() -> None:
        if news.is_set():
            news.clear()
            await _fill(view, place)

    view.listen(lambda channel, data: news.set() if channel == "events" else None)
    ui.timer(_PAUSE, again)


def _read(memory: Memory) -> tuple[EndlessStatus, list[WorkingEvent], list[ConsolidatedMemory]]:
    return memory.endless.status(), memory.endless.working_set(), memory.endless.memories(limit=_LISTED)


async def _fill(view: View, place: Any) -> None:
    status, working, memories = await view.run(_read)
    place.clear()
    with place:
        on = status.mode == "endless"
        with heading(
            view.t("Endless"),
            view.t("One memory across sessions: a persistent working set, and summaries of older work."),
        ):
            if on:
                button(view.t("Consolidate now"), lambda: _do(view, "consolidate"), "compress")
                button(view.t("Disable"), lambda: _do(view, "disable"), kind="danger")
            else:
                button(view.t("Enable"), lambda: _do(view, "enable"), "all_inclusive", "main")
        if on:
            _state(view, status)
        else:
            empty(
                "all_inclusive", view.t("Endless mode is off"),
                view.t("When enabled, every session gets the important content of the last day, and summaries of older work."),
            )  # fmt: skip
        with div("gm-grid two"):
            if on:
                _working(view, working[:_LISTED])
            if on or memories:
                _memories(view, memories)


async def _do(view: View, name: str) -> None:
    if await view.attempt(view.verb(f"endless {name}")) is not None:
        ui.navigate.reload()


def _state(view: View, status: EndlessStatus) -> None:
    with div("gm-tiles"):
        tile(view.t("working set"), status.working_set)
        tile(view.t("waiting for consolidation"), status.pending)
        tile(view.t("consolidated"), status.consolidated)
        tile(view.t("hours in the working set"), f"{status.span_hours:g}")
    with panel(view.t("Continuity")):
        if status.continuity is None:
            text(view.t("No earlier work to continue yet."), "gm-soft")
        else:
            with div("gm-line").style("max-width:480px;margin-bottom:12px"):
                chip(view.t(status.label.replace("_", " ")), "good" if status.label == "seamless" else "blocked")
                bar(status.continuity)
                text(f"{status.continuity:.2f}", "gm-time")
        rows = {
            "since": f"{status.since:%Y-%m-%d %H:%M}" if status.since else "",
            "last consolidation": f"{status.last_run:%Y-%m-%d %H:%M} ({status.last_trigger})"
            if status.last_run
            else "",
            "topics": ", ".join(status.topics),
            "files": ", ".join(status.files),
        }
        facts([(view.t(name), value) for name, value in rows.items() if value])


def _working(view: View, events: list[WorkingEvent]) -> None:
    with panel(view.t("Working set")):
        for event in events:
            with div("gm-line").style("flex-wrap:nowrap;padding:3px 0"):
                chip(view.t(event.role))
                node("Turn", event.id, event.text, "grow gm-clip")
                time(view, event.at)
        if not events:
            text(view.t("The working set is empty."), "gm-soft")


def _memories(view: View, memories: list[ConsolidatedMemory]) -> None:
    with panel(view.t("Consolidated memories")):
        for memory in memories:
            with div("gm-line").style("flex-wrap:nowrap;padding:3px 0"):
                node("Summary", memory.id, memory.summary, "grow gm-clip")
                time(view, memory.at)
        if not memories:
            text(view.t("No consolidated memories yet."), "gm-soft")
