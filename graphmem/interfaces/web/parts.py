"""UI components: headings, tiles, chips, rows, empty states. All content is rendered as text, never as markup."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any, TypeVar

from nicegui import ui
from nicegui.element import Element

from graphmem.errors import GraphmemError
from graphmem.interfaces.web.commands import pages_named
from graphmem.interfaces.web.view import View, address

E = TypeVar("E", bound=Element)
KIND_ICONS = {
    "Turn": "chat_bubble_outline", "Session": "forum", "Fact": "lightbulb_outline", "Document": "description",
    "Skill": "school", "Pattern": "auto_awesome_motion", "Gotcha": "report_problem", "Memory": "account_tree",
    "Summary": "notes", "Entity": "label_outline", "Person": "person_outline", "Task": "assignment",
    "Condition": "hourglass_empty", "Artifact": "link", "Commit": "commit", "File": "insert_drive_file", "Symbol": "code",
    "CallSite": "call_made", "Snapshot": "terminal", "TestRun": "science", "Category": "category", "Tag": "sell",
    "Project": "folder",
}  # fmt: skip
TASK_ICONS = {
    "pending": "radio_button_unchecked", "in_progress": "timelapse", "blocked": "hourglass_empty", "done": "check_circle",
    "cancelled": "cancel",
}  # fmt: skip


def div(classes: str = "", tag: str = "div") -> Element:
    """Create a plain element."""
    element = ui.element(tag)
    return element.classes(classes) if classes else element


def attributes(element: E, **values: str) -> E:
    """Set attributes to any text and return the element. `props` reads what it is given as Python: a quote, a backslash or a
    second line in it is an error."""
    for name, value in values.items():
        element.props[name.replace("_", "-")] = value
    return element


def text(content: Any, classes: str = "") -> ui.label:
    """Create a line of text."""
    return ui.label(str(content)).classes(classes)


def heading(title: str, hint: str = "") -> Element:
    """Create a page title with a description; return the container for its tools."""
    with div("gm-heading", "header"):
        with div():
            with div(tag="h1"):
                text(title)
            if hint:
                text(hint, "gm-hint")
        return div("gm-tools")


@contextmanager
def panel(title: str = "", classes: str = "") -> Iterator[Element]:
    """Create a card with a heading."""
    with div(f"gm-panel {classes}", "section") as card:
        if title:
            with div(tag="h2"):
                text(title)
        yield card


def empty(icon: str, title: str, hint: str = "", command: str = "") -> Element:
    """Create an empty state: what will appear here, and the command that creates it."""
    with div("gm-empty") as place:
        ui.icon(icon)
        text(title, "gm-empty-title")
        if hint:
            text(hint, "gm-empty-hint")
        if command:
            with div("gm-command", "code"):
                text(command)
    return place


def tile(label: str, value: Any, href: str = "", note: str = "") -> ui.label:
    """Create a tile with a number; return the number."""
    with ui.link(target=href).classes("gm-tile") if href else div("gm-tile"):
        number = text(f"{value:,}" if isinstance(value, int) else value, "gm-value")
        text(label, "gm-label")
        if note:
            text(note, "gm-note")
    return number


def count_tile(view: View, label: str, count: int, href: str = "") -> ui.label:
    """Create a tile with how many there are of something; return the number."""
    return tile(view.t(label, n=count), count, href)


def chip(label: str, tone: str = "", icon: str = "") -> Element:
    """Create a chip. `tone` is a kind of node or a state."""
    with div(f"gm-chip tone-{tone.lower()}" if tone else "gm-chip", "span") as mark:
        if icon:
            ui.icon(icon)
        text(label)
    return mark


def node(label: str, id: str, title: str, classes: str = "", *, status: str = "") -> None:
    """Create a link to an item, with the icon of its kind, or of the status of a task."""
    with ui.link(target=address("/item", id=id)).classes(f"gm-node {classes}"):
        icon = TASK_ICONS.get(status) or KIND_ICONS.get(label, "circle")
        ui.icon(icon).classes(f"tone-{status or label.lower()}").props('aria-hidden="true"')
        text(title or id)


def time(view: View, at: datetime | None) -> None:
    """Show a relative time, with the exact time on hover."""
    if at is not None:
        text(view.ago(at), "gm-time").props(f'title="{at:%Y-%m-%d %H:%M:%S} UTC"')


def bar(share: float, tone: str = "") -> None:
    """Create a bar for a share of one."""
    with div("gm-bar"):
        div(f"gm-bar-fill tone-{tone}" if tone else "gm-bar-fill").style(
            f"width:{max(0.0, min(1.0, share)) * 100:.1f}%"
        )


def button(label: str, act: Callable[..., Any], icon: str = "", kind: str = "") -> ui.button:
    """Create a button; `kind` is "main", "quiet" or "danger". While an action runs that takes time, the button shows it and
    cannot be pressed again."""
    made: ui.button = ui.button(label, on_click=lambda: press(made, act), icon=icon or None, color=None)
    return made.props("flat no-caps dense unelevated").classes(f"gm-button {kind}")


def press(made: ui.button, act: Callable[..., Any]) -> Awaitable[None] | None:
    """Do what a button does, as if it was pressed: nothing while it still runs. For keys that do the same."""
    if "loading" in made.props:
        return None
    work = act()
    if not inspect.iscoroutine(work):  # a dialog is awaitable, too, and would open again
        return None
    made.props('loading aria-busy="true"')

    async def finish() -> None:
        try:
            await work
        finally:
            if not made.is_deleted:
                made.props(remove="loading aria-busy")

    return finish()


@contextmanager
def busy(place: Element) -> Iterator[None]:
    """Show that something runs which changes this place; nothing in it can be clicked meanwhile."""
    place.classes("gm-busy").props('aria-busy="true"')
    try:
        yield
    finally:
        if not place.is_deleted:
            place.classes(remove="gm-busy").props(remove="aria-busy")


def is_busy(place: Element) -> bool:
    """Return whether something runs that changes this place."""
    return "gm-busy" in place.classes


def choices(names: Sequence[tuple[str, str]], chosen: str, act: Callable[[str], Any]) -> Element:
    """Create a row of exclusive choices: (value, label)."""
    with div("gm-choices").props('role="tablist"') as row:
        for value, label in names:
            one = ui.button(label, on_click=lambda value=value: act(value), color=None).props("flat no-caps dense")
            one.classes("gm-choice" + (" on" if value == chosen else "")).props(
                f'role="tab" aria-selected="{str(value == chosen).lower()}"'
            )
    return row


def facts(pairs: Sequence[tuple[str, Any]]) -> None:
    """Create a list of names and values."""
    with div("gm-facts", "dl"):
        for name, value in pairs:
            with div(tag="dt"):
                text(name)
            with div(tag="dd"):
                text("" if value is None else value)


def pager(view: View, page: int, size: int, total: int, act: Callable[[int], Any]) -> None:
    """Create page navigation."""
    last = max(1, -(-total // size))
    if last == 1:
        return
    with div("gm-pager"):
        button("‹", lambda: act(page - 1)).set_enabled(page > 1)
        text(view.t("page {page} of {last}", page=page, last=last))
        button("›", lambda: act(page + 1)).set_enabled(page < last)


def remedy_links(view: View, message: str) -> None:
    """Create links to the pages that a message is about."""
    pages = pages_named(message)
    if pages:
        with div("gm-line"):
            for path, title in pages:
                ui.link(view.t(title), path).classes("gm-linked")


def with_error_message(page: Callable[..., Awaitable[None]]) -> Callable[..., Awaitable[None]]:
    """Decorate a page: if the store raises an error, show its message instead."""

    @functools.wraps(page)
    async def guarded(view: View, **given: Any) -> None:
        view.listen(None)
        view.count_decided, view.rated = lambda by: None, []
        waiting = ui.label(view.t("Loading…")).classes("gm-waiting")  # only visible if loading takes long
        try:
            await page(view, **given)
        except GraphmemError as error:
            with empty("error_outline", view.t("This page cannot be displayed"), view.plain(str(error))):
                remedy_links(view, str(error))
        if not waiting.is_deleted:
            waiting.delete()

    guarded.__signature__ = inspect.signature(page, eval_str=True)  # type: ignore[attr-defined]
    return guarded
