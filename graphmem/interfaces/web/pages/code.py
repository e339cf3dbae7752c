"""The code explorer: file tree, files with symbols, and for each symbol its callers, callees, impact, history, and
related facts and gotchas."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from nicegui import ui
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_for_filename
from pygments.lexers.special import TextLexer
from pygments.util import ClassNotFound

from graphmem.codegraph.languages import count_languages
from graphmem.errors import GraphmemError, NotFound
from graphmem.interfaces.web.parts import (
    bar,
    button,
    chip,
    choices,
    div,
    empty,
    facts,
    heading,
    node,
    panel,
    text,
    time,
    with_error_message,
)
from graphmem.interfaces.web.view import View, address
from graphmem.memory import Memory
from graphmem.model.answers import Outline, Place
from graphmem.model.code import FileRecord

_ROWS = 60
_ICONS = {
    "class": "data_object",
    "function": "functions",
    "method": "functions",
    "variable": "data_array",
    "module": "inventory_2",
}


@with_error_message
async def page(view: View, file: str = "", symbol: str = "", show: str = "callers") -> None:
    """Show the tree, and the file and symbol named in the URL."""
    heading(view.t("Code"), view.t("All symbols, their users, and related memories."))
    try:
        files = await view.verb("code files")
    except NotFound:
        empty(
            "code", view.t("No code indexed yet"),
            view.t(
                "{n} languages are indexed without a build. An edited file is re-indexed in milliseconds.", n=count_languages()
            ),
            "graphmem index .",
        )  # fmt: skip
        return
    with div("gm-grid side"):
        with div("gm-panel flush"):
            _tree(view, files, file)
        if not file:
            await _architecture(view)
            return
        try:
            outline = await view.verb("code outline", file=file)
        except NotFound as error:
            empty("insert_drive_file", view.t("This file is not indexed"), str(error))
            return
        with div("gm-stack"):
            await _file(view, outline, symbol)
            await (_symbol(view, outline, symbol, show) if symbol else _about_file(view, file))


def _tree(view: View, files: list[FileRecord], chosen: str) -> None:
    folders: dict[str, list[str]] = {}
    for record in files:
        path = record.path
        while path:
            folder = path.rpartition("/")[0]
            inside = folders.setdefault(folder, [])
            if inside and inside[-1] == path:
                break
            inside.append(path)
            path = folder
    leaves = {record.path for record in files}

    def branch(folder: str) -> None:
        for path in sorted(set(folders.get(folder, ())), key=lambda path: (path in leaves, path)):
            name = path.rpartition("/")[2]
            if path in leaves:
                with ui.link(target=address("/code", file=path)).classes("gm-leaf" + (" on" if path == chosen else "")):
                    ui.icon("insert_drive_file")
                    text(name)
                continue
            _folder(name, path, branch, opened=chosen.startswith(path + "/"))

    with div("gm-tree").props(f'role="tree" aria-label="{view.t("Files")}"'):
        branch("")


def _folder(name: str, path: str, branch: Callable[[str], None], *, opened: bool) -> None:
    """Create a folder whose content is loaded when it is first opened."""
    leaf = (
        div("gm-leaf", "button").props('type="button"').style("background:none;border:0;font:inherit;text-align:left")
    )
    with leaf:
        icon = ui.icon("expand_more" if opened else "chevron_right")
        text(name)
    inside = div("gm-branch")
    inside.set_visibility(opened)
    if opened:
        with inside:
            branch(path)

    def toggle() -> None:
        if not inside.visible and not list(inside):
            with inside:
                branch(path)
        inside.set_visibility(not inside.visible)
        icon.set_name("expand_more" if inside.visible else "chevron_right")

    leaf.on("click", toggle)


async def _architecture(view: View) -> None:
    found = await view.verb("code overview")
    with div("gm-grid half"):
        with panel(view.t("Most used")):
            most = max((rank for _, rank in found.central), default=0.0) or 1.0
            for place, rank in found.central:
                _place(place, f"{rank / most:.0%}")
        with panel(view.t("Most complex")):
            for place, complexity in found.complex:
                _place(place, str(complexity))
        with panel(view.t("Untested")):
            for place in found.untested:
                _place(place)
        with panel(view.t("Packages")):
            for package in found.packages[:_ROWS]:
                with div("gm-line"):
                    text(package.name or ".", "gm-mono grow")
                    text(view.t("{n} files, {m} lines", n=package.files, m=f"{package.lines:,}"), "gm-time")


def _place(place: Place, note: str = "") -> None:
    with div("gm-line").style("flex-wrap:nowrap"):
        target = address("/code", file=place.file, symbol=place.name) if place.file else ""
        with ui.link(target=target).classes("gm-node grow") if target else div("gm-node grow"):
            ui.icon(_ICONS.get(place.kind, "code"))
            text(place.name)
        if note:
            text(note, "gm-time")


async def _file(view: View, outline: Outline, symbol: str) -> None:
    chosen = next((place for place in outline.symbols if place.name == symbol), None)
    with div("gm-panel flush"):
        with div("gm-line").style("padding:12px 18px;border-bottom:1px solid var(--line)"):
            text(outline.file, "gm-mono grow").style("font-weight:600")
            chip(outline.language or view.t("text"))
            if outline.stale:
                chip(view.t("changed since indexing"), "blocked")
            options = {
                place.name: f"{place.line}  {place.name.rpartition('.')[2]}"
                for place in outline.symbols
                if place.kind != "module"
            }
            if options:
                ui.select(
                    options, value=symbol if symbol in options else None, label=None, with_input=True,
                    on_change=lambda event: view.go("/code", file=outline.file, symbol=event.value),
                ).props('dense borderless options-dense clearable aria-label="symbol"').classes("gm-field")  # fmt: skip
        ui.html(_highlight_source(outline, chosen), sanitize=False).classes("gm-source").style("max-height:46vh")
    if chosen is not None and chosen.line > 8:
        ui.run_javascript(
            "setTimeout(() => { const box = document.querySelector('.gm-source');"
            " const lit = box?.querySelector('.hll'); if (lit) box.scrollTop = lit.offsetTop - 40 }, 60)"
        )


def _highlight_source(outline: Outline, chosen: Place | None) -> str:
    """Return the source as HTML. Pygments escapes its input; nothing else is inserted here."""
    try:
        lexer = get_lexer_for_filename(outline.file, stripnl=False)
    except ClassNotFound:
        lexer = TextLexer(stripnl=False)
    lines = range(chosen.line, chosen.end_line + 1) if chosen else ()
    return str(
        highlight(outline.text, lexer, HtmlFormatter(linenos="table", hl_lines=list(lines), cssclass="highlight"))
    )


async def _symbol(view: View, outline: Outline, symbol: str, show: str) -> None:
    sections: dict[str, tuple[str, Callable[[View, str, str], Awaitable[None]]]] = {
        "callers": (view.t("Callers"), _calls("code callers")),
        "callees": (view.t("Calls"), _calls("code callees")),
        "impact": (view.t("Impact"), _impact),
        "history": (view.t("History"), _history),
        "memory": (view.t("Memories"), _remembered),
    }
    chosen = show if show in sections else "callers"
    place = next((place for place in outline.symbols if place.name == symbol), None)
    with div("gm-panel"):
        with div("gm-line"):
            text(place.signature if place and place.signature else symbol, "gm-mono grow gm-two")
            key = f"sym:{view.lanes.project}:{outline.file}:{symbol}"
            button(view.t("Show in graph"), lambda: view.go("/graph", ids=key), "hub", "quiet")
        with div().style("margin:12px 0"):
            choices([(name, label) for name, (label, _) in sections.items()], chosen,
                    lambda value: view.go("/code", file=outline.file, symbol=symbol, show=value))  # fmt: skip
        try:
            await sections[chosen][1](view, outline.file, symbol)
        except GraphmemError as error:
            text(str(error), "gm-soft")


def _calls(verb: str) -> Callable[[View, str, str], Awaitable[None]]:
    async def show(view: View, file: str, symbol: str) -> None:
        found = await view.verb(verb, symbol=symbol, limit=_ROWS)
        for call in found.calls:
            with div("gm-line").style("flex-wrap:nowrap"):
                with div("grow"):
                    _place(call.symbol)
                text(f"{found.file(call)}:{call.line}" if call.symbol.file else view.t("outside"), "gm-time gm-mono")
                chip(call.strategy.replace("_", " "))
                text(f"{call.confidence:.2f}", "gm-time")
        if not found.calls:
            text(view.t("None."), "gm-soft")
        if found.open_sites:
            text(view.t("{n} unresolved calls might also call it.", n=found.open_sites), "gm-time")
        if found.through_base:
            text(view.t("{n} calls to methods that it overrides may run it.", n=found.through_base), "gm-time")
        if found.handed_on:
            text(view.t("Referenced without a call in {n} places.", n=found.handed_on), "gm-time")

    return show


async def _impact(view: View, file: str, symbol: str) -> None:
    found = await view.verb("code impact", symbol=symbol, limit=_ROWS)
    with div("gm-line").style("max-width:340px;flex-wrap:nowrap;margin-bottom:10px"):
        text(view.t("risk"), "gm-time")
        bar(found.risk, "bad" if found.risk > 0.66 else "blocked" if found.risk > 0.33 else "good")
        text(f"{found.risk:.0%}", "gm-time")
    pairs = [
        (view.t("affected symbols"), len(found.reached) + found.left_out),
        (view.t("tests that reach it"), len(found.tests)),
    ]
    facts(pairs)
    for reach in found.reached:
        with div("gm-line").style("flex-wrap:nowrap"):
            chip(view.t("distance {n}", n=reach.depth))
            with div("grow"):
                _place(reach.symbol)
            text(f"{reach.confidence:.2f}", "gm-time")
    for label, title in found.related:
        chip(f"{label}: {title}", label)


async def _history(view: View, file: str, symbol: str) -> None:
    query, given = ("commits_of_symbol", {"name": symbol}) if symbol else ("history_of", {"path": file})
    found = await view.run(lambda memory: memory.query(query, given, limit=_ROWS), "graph")
    for row in found.to_dicts():
        with div("gm-line").style("flex-wrap:nowrap"):
            time(view, row["at"])
            node("Commit", f"commit:{row['hash']}", row["subject"] or row["hash"], "grow")
            text(row["author"] or "", "gm-time")
    if not found.rows:
        text(view.t("No commits changed it."), "gm-soft")


async def _remembered(view: View, file: str, symbol: str) -> None:
    def read(memory: Memory) -> list[dict[str, Any]]:
        tables = [memory.query("remembered_about_file", {"path": file}, limit=_ROWS)]
        if symbol:
            tables.append(memory.query("remembered_about_symbol", {"name": symbol}, limit=_ROWS))
        return [row for table in tables for row in table.to_dicts()]

    found = await view.run(read, "graph")
    for row in {row["id"]: row for row in found}.values():
        with div("gm-line").style("flex-wrap:nowrap"):
            node(row["label"], row["id"], row["title"] or row["content"] or row["id"], "grow")
            time(view, row["at"])
    if not found:
        text(view.t("No memories about it yet."), "gm-soft")


async def _about_file(view: View, file: str) -> None:
    with div("gm-grid half"):
        with panel(view.t("History")):
            await _history(view, file, "")
        with panel(view.t("Memories")):
            await _remembered(view, file, "")
