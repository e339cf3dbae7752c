"""The endless panel: what is in the working set, how continuous the work is, and what was consolidated."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from nicegui import ui

from graphmem.interfaces import envelope
from graphmem.interfaces.web.parts import bar, button, div, empty, facts, heading, panel, text, tile
from graphmem.interfaces.web.view import View, shown
from graphmem.memory import Memory


@shown
async def page(view: View) -> None:
    """Show its state."""
    tools = heading(
        view.t("Endless"), view.t("One memory across sessions: a working set that is kept, and older work made short.")
    )
    if not hasattr(Memory, "endless"):
        empty(
            "all_inclusive", view.t("Endless mode is not in this version"),
            view.t("Sessions are kept and searched as they are; nothing is lost meanwhile."), "graphmem search",
        )  # fmt: skip
        return
    status = await view.run(lambda memory: _endless(memory).status())
    found = envelope.data(status if isinstance(status, Mapping) else dataclasses.asdict(status))
    enabled = str(found.get("mode", "")) == "endless" or bool(found.get("enabled"))
    with tools:
        if enabled:
            button(view.t("Consolidate now"), lambda: _do(view, "consolidate"), "compress")
            button(view.t("Switch off"), lambda: _do(view, "disable"), kind="danger")
        else:
            button(view.t("Switch on"), lambda: _do(view, "enable"), "all_inclusive", "main")
    if not enabled:
        empty(
            "all_inclusive", view.t("Endless mode is off"),
            view.t("Switched on, what matters of the last day stays at hand in every session; older work becomes summaries."),
            "graphmem endless enable",
        )  # fmt: skip
    _show(view, found)


def _endless(memory: Memory) -> Any:
    return getattr(memory, "endless")  # noqa: B009 (older stores are served without it)


async def _do(view: View, name: str) -> None:
    if await view.attempt(view.run(lambda memory: getattr(_endless(memory), name)() or True, "slow")) is not None:
        ui.navigate.reload()


def _show(view: View, found: dict[str, Any]) -> None:
    """Numbers as tiles, shares as bars, lists as lists; what others add is shown, too."""
    numbers = {name: value for name, value in found.items() if isinstance(value, int) and not isinstance(value, bool)}
    shares = {name: value for name, value in found.items() if isinstance(value, float) and 0 <= value <= 1}
    with div("gm-tiles"):
        for name, value in numbers.items():
            tile(view.t(name.replace("_", " ")), value)
    for name, share in shares.items():
        with div("gm-line").style("max-width:420px;margin-bottom:12px"):
            text(view.t(name.replace("_", " ")), "gm-soft")
            bar(share)
            text(f"{share:.2f}", "gm-time")
    known = {*numbers, *shares}
    rest = {name: value for name, value in found.items() if name not in known and value not in (None, "", [])}
    with panel(view.t("State")):
        facts([(view.t(name.replace("_", " ")), _plain(value)) for name, value in rest.items()])


def _plain(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(_plain(one) for one in value)
    if isinstance(value, dict):
        return ", ".join(f"{name} {_plain(inner)}" for name, inner in value.items())
    return str(value)
