"""Rates memories in place: useful, or wrong with a reason; shows what was said before, and takes it back."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import NamedTuple

from nicegui import ui

from graphmem.interfaces.web.parts import attributes, busy, button, chip, div, is_busy, text, time
from graphmem.interfaces.web.view import View
from graphmem.memory import Memory
from graphmem.model.tasks import to_datetime

_TYPES = ("memory_feedback", "memory_archived", "memory_restored")
_MOST = 5_000  # latest ratings that are read
_REASONS = ("It is outdated", "It was never true", "It misreads what was said", "It does not help")


class Rating(NamedTuple):
    """The latest rating of a memory: "useful", "wrong" or "archived"."""

    verdict: str
    reason: str
    at: datetime


def read_ratings(memory: Memory) -> dict[str, Rating]:
    """Return the latest rating of each memory that has one and was not restored since."""
    found: dict[str, Rating] = {}
    for event in memory.history(types=_TYPES, limit=_MOST):
        item, given = str(event.payload.get("item")), event.payload
        found.pop(item, None)
        if event.type != "memory_restored":
            verdict = str(given.get("verdict") or "archived")
            found[item] = Rating(verdict, str(given.get("reason") or ""), to_datetime(event.at))
    return found


def rating(view: View, id: str, known: Rating | None) -> None:
    """Show the rating of a memory, and the buttons that change it. It is the same wherever the page shows the memory."""
    place = attributes(div("gm-rating"), data_rating=id)

    async def record(verb: str, **given: str) -> None:
        if is_busy(place):
            return
        with busy(place):
            done = await view.attempt(view.verb(verb, id=id, **given))
            latest = (await view.run(read_ratings)).get(id)
        if done is not None:
            for heard in view.rated:
                heard(id, latest)

    def hear(rated: str, latest: Rating | None) -> None:
        if rated == id and not place.is_deleted:
            draw(latest, was_undone=latest is None)

    def draw(now: Rating | None, *, asking: bool = False, was_undone: bool = False) -> None:
        place.clear()
        with place:
            if asking:
                _ask(view, lambda reason: record("feedback", verdict="wrong", reason=reason), lambda: draw(now))
            elif now is not None and now.verdict in ("wrong", "archived"):
                _withdrawn(view, now, lambda: record("restore"))
            else:
                if was_undone:
                    text(view.t("Taken back."), "gm-time").props('role="status"')
                _buttons(view, now, lambda: record("feedback", verdict="useful"), lambda: draw(now, asking=True))

    draw(known)
    view.rated.append(hear)


def _buttons(view: View, now: Rating | None, useful: Callable[[], Awaitable[None]], wrong: Callable[[], None]) -> None:
    with div("gm-line"):
        if now is not None:
            chip(view.t("rated useful"), "good", "thumb_up")
        else:
            button(view.t("Useful"), useful, "thumb_up_off_alt", "quiet")
        button(view.t("Wrong"), wrong, "thumb_down_off_alt", "quiet")


def _ask(view: View, record: Callable[[str], Awaitable[None]], cancel: Callable[[], None]) -> None:
    with div("gm-ask").props(f'role="group" aria-label="{view.t("Why is it wrong?")}"'):
        text(view.t("Why is it wrong?"), "gm-soft")
        with div("gm-chips"):
            for reason in _REASONS:
                button(view.t(reason), lambda reason=reason: record(view.t(reason)), kind="small")
        with div("gm-line"):
            box = ui.input(placeholder=view.t("or in your own words")).props("dense borderless autofocus maxlength=500")
            box.classes("gm-field grow").props(f'aria-label="{view.t("Why is it wrong?")}"')
            box.on("keydown.enter", lambda: record(box.value or ""))
            box.on("keydown.escape", cancel)
            button(view.t("Mark wrong"), lambda: record(box.value or ""), kind="danger")
            button(view.t("Cancel"), cancel, kind="quiet")


def _withdrawn(view: View, now: Rating, undo: Callable[[], Awaitable[None]]) -> None:
    wrong = now.verdict == "wrong"
    with div("gm-withdrawn").props('role="status"'):
        with div("gm-line"):
            chip(view.t("marked wrong") if wrong else view.t("archived"), "bad" if wrong else "pending", "block")
            time(view, now.at)
            if now.reason:
                text(f"“{now.reason}”", "grow")
            button(view.t("Undo"), undo, "undo", "quiet")
        text(view.t("Agents are no longer shown it, and search no longer finds it."), "gm-soft")
