"""Mounts the viewer: the frame around each page, and the table of pages. A page is one module in `pages` and one row
here."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, NamedTuple

from fastapi import FastAPI, Request
from fastapi.responses import Response

try:
    from nicegui import Client, ui
    from nicegui import app as pages_app
except ModuleNotFoundError as error:
    from graphmem.errors import NotInstalled

    raise NotInstalled("the viewer is not installed: pip install . in the clone of graphmem") from error

from graphmem.interfaces import languages
from graphmem.interfaces.http.answers import page_for_browser
from graphmem.interfaces.http.lanes import LaneExecutor, projection_lag
from graphmem.interfaces.http.live import Hub
from graphmem.interfaces.http.stores import COOKIE, SwitchedLanes
from graphmem.interfaces.web.pages import (
    analytics,
    categories,
    code,
    console,
    debug,
    endless,
    graph,
    item,
    live,
    overview,
    review,
    search,
    sessions,
    settings,
    shown,
    tasks,
)
from graphmem.interfaces.web.parts import attributes, div, text
from graphmem.interfaces.web.view import View
from graphmem.resources import VERSION

_ASSETS = Path(__file__).with_name("assets")
_YEAR = 31_536_000  # seconds
_MANY_PAGES = 100
_CONNECTED_S = 20.0  # within which a browser connects to a page that it loaded


class PageRoute(NamedTuple):
    """A page: path, title, icon, and the shortcut key after `g`; "" for pages that are not in the menu."""

    path: str
    title: str
    icon: str
    key: str
    page: Callable[..., Awaitable[None]]


PAGES = (
    PageRoute("/", "Overview", "space_dashboard", "o", overview.page),
    PageRoute("/live", "Live", "bolt", "l", live.page),
    PageRoute("/search", "Search", "search", "s", search.page),
    PageRoute("/sessions", "Sessions", "forum", "e", sessions.page),
    PageRoute("/shown", "Shown to agents", "school", "i", shown.page),
    PageRoute("/analytics", "Analytics", "insights", "y", analytics.page),
    PageRoute("/review", "Review", "rule", "r", review.page),
    PageRoute("/graph", "Graph", "hub", "g", graph.page),
    PageRoute("/code", "Code", "code", "c", code.page),
    PageRoute("/tasks", "Tasks", "task_alt", "t", tasks.page),
    PageRoute("/categories", "Categories", "category", "a", categories.page),
    PageRoute("/endless", "Endless", "all_inclusive", "n", endless.page),
    PageRoute("/console", "Console", "terminal", "q", console.page),
    PageRoute("/settings", "Settings", "tune", "p", settings.page),
    PageRoute("/debug", "Debug", "monitor_heart", "d", debug.page),
    PageRoute("/item", "Item", "", "", item.page),
)


def mount(app: FastAPI, lanes: LaneExecutor, hub: Hub) -> None:
    """Add the viewer to the application, below all existing routes."""
    pages_app.add_static_files("/assets", _ASSETS, max_cache_age=_YEAR)

    async def frame(request: Request) -> None:
        language = languages.preferred_language(
            request.cookies.get("gm_language"), request.headers.get("accept-language", "")
        )
        view = View(lanes.bound(), hub.bound(), language)
        view.start()
        ui.add_head_html(f"<script>document.documentElement.lang = '{language}'</script>")
        names = lanes.names if isinstance(lanes, SwitchedLanes) else []
        view.store = lanes.name if isinstance(lanes, SwitchedLanes) else ""
        _name_store(view)
        skip = ui.link(view.t("Skip to the content"), "#main").classes("gm-skip")
        skip.on("click", js_handler="(event) => { event.preventDefault(); document.getElementById('main').focus(); }")
        _add_assets(view, request.cookies.get("gm_theme", "auto"))
        with div("gm-frame"):
            _menu(view)
            with div("gm-main", "main").props('id="main" tabindex="-1"'):
                _top_bar(view, names)
                ui.sub_pages({entry.path: entry.page for entry in PAGES}, data={"view": view}).classes("gm-page")
        _keyboard_help(view)

    async def missing(request: Request, error: Exception) -> Response:
        return page_for_browser(request, Response(status_code=404), "There is no such page.")

    for entry in PAGES:
        ui.page(entry.path, title=f"graphmem · {lanes.project}")(frame)
    pages_app.add_exception_handler(404, missing)
    ui.run_with(
        app, title="graphmem", favicon=_ASSETS / "icon.svg", dark=None, tailwind=False, gzip_middleware_factory=None,
        show_welcome_message=False, reconnect_timeout=10,
    )  # fmt: skip


def drop_unseen_pages() -> None:
    """Drop pages to which no browser connected, if there are many: NiceGUI keeps each for a minute, and one takes .4 MB."""
    if len(Client.instances) > _MANY_PAGES:
        Client.prune_instances(client_age_threshold=_CONNECTED_S)


def _name_store(view: View) -> None:
    """Tell the scripts of the page which store its requests are about, and keep the choice for the next page."""
    if view.store:
        name = json.dumps(view.store).replace("<", "\\u003c")
        ui.add_head_html(f"<script>document.documentElement.dataset.store = {name}</script>")


def _store_switch(view: View, names: list[str]) -> None:
    """Let the visitor switch to another store."""
    if len(names) < 2:
        return
    script = f"graphmem.keep({json.dumps(COOKIE)}, encodeURIComponent(NAME)); location.assign('/')"
    chosen = ui.select(names, value=view.store).props("dense borderless options-dense").classes("gm-field gm-stores")
    chosen.props(f'aria-label="{view.t("Store")}"')
    chosen.on_value_change(lambda event: ui.run_javascript(script.replace("NAME", json.dumps(str(event.value)))))


def _add_assets(view: View, theme: str) -> None:
    """Add asset tags to the page. Their URLs contain the version, so browsers can cache them."""
    ui.add_head_html(f'<link rel="stylesheet" href="/assets/style.css?{VERSION}">')
    for script in ("keys", "cypher"):
        ui.add_head_html(f'<script defer src="/assets/{script}.js?{VERSION}"></script>')
    ui.colors(
        primary="#3b5bdb",
        positive="#2b8a3e",
        warning="#b35c00",
        negative="#c92a2a",
        dark="#161a21",
        dark_page="#0e1116",
    )
    ui.dark_mode({"dark": True, "light": False}.get(theme))


def _menu(view: View) -> None:
    with div("gm-menu", "nav").props(f'aria-label="{view.t("Pages")}"'):
        with attributes(ui.link(target="/").classes("gm-brand"), aria_label=f"graphmem {view.lanes.project}"):
            div(tag="img").props('src="/assets/icon.svg" alt=""')
            with div():
                text("graphmem", "gm-brand-name")
                text(view.lanes.project, "gm-brand-project")
        for entry in PAGES:
            if entry.icon:
                with ui.link(target=entry.path).classes("gm-entry").props(f'data-key="{entry.key}"'):
                    ui.icon(entry.icon)
                    text(view.t(entry.title))
                    div("gm-kbd", "kbd").props(f'data-text="g {entry.key}"')


def _top_bar(view: View, names: list[str]) -> None:
    with div("gm-top"):
        _store_switch(view, names)
        box = ui.input(placeholder=view.t("Search the memory…")).props(
            'dense borderless clearable aria-label="search" autocomplete="off"'
        )

        def search() -> None:
            words, box.value = box.value or "", ""  # the page has a field of its own, which keeps them
            view.go("/search", q=words)

        box.classes("gm-search").on("keydown.enter", search)
        with box.add_slot("prepend"):
            ui.icon("search")
        with box.add_slot("append"):
            div("gm-kbd", "kbd").props('data-text="/"')
        _progress(view)
        with div("gm-switches"):
            for code, name in languages.LANGUAGES.items():
                one = ui.button(
                    name, on_click=lambda code=code: _set_cookie_and_reload("gm_language", code), color=None
                ).props("flat dense no-caps")
                one.classes("gm-switch" + (" on" if code == view.language else "")).props(f'data-language="{code}"')
            ui.button(icon="dark_mode", color=None, on_click=lambda: ui.run_javascript("graphmem.theme()")).props(
                f'flat dense round aria-label="{view.t("Light or dark theme")}" id="theme"'
            )
            ui.button(icon="keyboard", color=None, on_click=lambda: ui.run_javascript("graphmem.help()")).props(
                f'flat dense round aria-label="{view.t("Keys")}"'
            )
            ui.button(icon="logout", color=None, on_click=lambda: ui.run_javascript("graphmem.leave()")).props(
                f'flat dense round aria-label="{view.t("Log out")}" id="leave"'
            )


def _progress(view: View) -> None:
    """Show a note while recorded events are being processed, because answers are incomplete until then."""
    note = text("", "gm-chip tone-blocked gm-behind")
    note.set_visibility(False)

    def show(state: Any) -> None:
        left = projection_lag(state)
        note.set_text(view.t("processing, {n} left", n=f"{left:,}"))
        note.set_visibility(left > 0)

    view.behind = show


def _set_cookie_and_reload(name: str, value: str) -> None:
    ui.run_javascript(f"graphmem.keep({name!r}, {value!r}); location.reload()")


def _keyboard_help(view: View) -> None:
    """Create the keyboard help as a native dialog, which opens without a server request."""
    with div("gm-help", "dialog").props('id="help"'):
        with div(tag="h2"):
            text(view.t("Keys"))
        rows = [
            ("/", "Search"),
            ("?", "Keys"),
            ("j k", "Next and previous row"),
            ("f", "Next failure of a session"),
            ("a", "Accept in the row"),
            ("e", "Edit in the row"),
            ("r", "Refuse in the row"),
            ("x", "Select the row"),
            ("Enter", "Open the row"),
            ("Esc", "Close"),
        ]
        rows += [(f"g {entry.key}", entry.title) for entry in PAGES if entry.key]
        with div("gm-keys"):
            for key, title in rows:
                div("gm-kbd", "kbd").props(f'data-text="{key}"')
                text(view.t(title))
