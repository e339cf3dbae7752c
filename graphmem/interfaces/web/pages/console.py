"""The Cypher console: write a query, see its rows as a table or its nodes as a graph, keep it under a name. Queries only read."""

from __future__ import annotations

import time as clock
from datetime import datetime
from typing import Any

import anyio.to_thread
from nicegui import ui

from graphmem import resources
from graphmem.browse.named_queries import named_query as find
from graphmem.interfaces.web import saved
from graphmem.interfaces.web.parts import button, choices, div, empty, heading, panel, shown, text
from graphmem.interfaces.web.picture import MOST, Picture
from graphmem.interfaces.web.view import View
from graphmem.model.table import Table

_EXAMPLE = "queries/graph/look/example.cypher"
_ROWS = 500  # shown
_CELL = 300  # characters


@shown
async def page(view: View, query: str = "", show: str = "table") -> None:
    """Show the console; a query in the address runs at once."""
    console = Console(view, show if show == "graph" else "table")
    heading(view.t("Console"), view.t("Cypher over everything at once, read-only. Ctrl+Enter runs."))
    with div("gm-grid two"):
        with div("gm-stack"):
            with panel():
                console.editor = ui.codemirror(query, language="Cypher").classes("gm-editor").style("height:150px")
                console.editor.on("keydown.ctrl.enter", console.run).on("keydown.meta.enter", console.run)
                with div("gm-line").style("margin-top:10px"):
                    button(view.t("Run"), console.run, "play_arrow", "main")
                    name = (
                        ui.input(placeholder=view.t("name"))
                        .props('dense borderless aria-label="name"')
                        .classes("gm-field")
                    )
                    button(view.t("Keep"), lambda: console.keep(name.value or ""), "bookmark_border")
                    console.note = text("", "gm-time")
            console.result = div()
        with div("gm-stack"):
            console.kept = div("gm-panel")
            await console.queries()
    console.list_kept()
    if query:
        await console.run()
    else:
        with console.result:
            empty("terminal", view.t("Ask the graph"), view.t("Write a query, or take one from the list."),
                  resources.text(_EXAMPLE))  # fmt: skip


class Console:
    """The page with its last answer."""

    editor: Any
    note: ui.label
    result: Any
    kept: Any

    def __init__(self, view: View, show: str) -> None:
        self.view = view
        self.show = show
        self.table: Table | None = None

    async def run(self) -> None:
        """Run what is written, and show it."""
        query = (self.editor.value or "").strip()
        if not query:
            return
        started = clock.perf_counter()
        found = await self.view.attempt(self.view.run(lambda memory: memory.cypher(query), "query"))
        if found is None:
            return
        self.table = found
        cut = self.view.t(", cut at the limit") if found.truncated else ""
        count = self.view.t("{n} rows", n=len(found.rows)) + cut
        self.note.set_text(f"{count} · {(clock.perf_counter() - started) * 1_000:.0f} ms")
        self.view.stays("/console", query=query, show=self.show)
        await self.draw()

    async def draw(self) -> None:
        """Show the answer as it was chosen."""
        self.result.clear()
        with self.result:
            names = [("table", self.view.t("Table")), ("graph", self.view.t("Graph"))]
            with div().style("margin-bottom:10px"):
                choices(names, self.show, self.choose)
            if self.table is None or not self.table.rows:
                text(self.view.t("No row answers."), "gm-soft")
            elif self.show == "graph":
                await self._graph(self.table)
            else:
                _table(self.table)

    async def choose(self, show: str) -> None:
        """Show the same answer in another form."""
        self.show = show
        await self.draw()

    async def _graph(self, table: Table) -> None:
        """The nodes that the answer holds, and those whose ids it names, with the relations between them."""
        ids = list(dict.fromkeys(id for row in table.rows for value in row for id in _ids(value)))[:MOST]
        known = await self.view.attempt(self.view.verb("around", ids=ids[:400], limit=5_000)) if ids else None
        if known is None:
            empty(
                "hub",
                self.view.t("No node is in this answer"),
                self.view.t("A graph needs nodes:"),
                resources.text(_EXAMPLE),
            )
            return
        picture, wanted = Picture(), set(ids)
        picture.add({"nodes": [n for n in known["nodes"] if n["id"] in wanted], "edges": known["edges"]})
        await anyio.to_thread.run_sync(picture.arrange)
        with div("gm-panel flush"):
            ui.echart(picture.options()).classes("gm-graph").style("height:520px")

    async def queries(self) -> None:
        """List the queries that come with the package."""
        found = await self.view.verb("schema")
        with panel(self.view.t("Ready-made")), div("gm-tree").style("padding:0;max-height:340px"):
            for query in found["queries"]:
                self._entry(query["name"], query["purpose"], query["name"])
        with panel(self.view.t("Kinds and relations")), div("gm-chips"):
            for label, properties in found["nodes"].items():
                mark = text(label, f"gm-chip tone-{label.lower()}")
                mark.props(f'title="{", ".join(properties)}"')

    def _entry(self, name: str, hint: str, named: str) -> None:
        leaf = div("gm-leaf").props(f'tabindex="0" title="{name}"').on("click", lambda: self._take(find(named).text))
        with leaf:
            ui.icon("play_circle_outline")
            text(hint)

    def _take(self, query: str) -> None:
        self.editor.value = query

    def keep(self, name: str) -> None:
        """Keep the query under a name."""
        query = (self.editor.value or "").strip()
        if name.strip() and query:
            saved.keep(self.view.desk.location, name.strip()[:80], query)
            self.list_kept()

    def list_kept(self) -> None:
        """Show what was kept."""
        self.kept.clear()
        queries = saved.load(self.view.desk.location)
        with self.kept:
            with div(tag="h2"):
                text(self.view.t("Yours"))
            if not queries:
                text(self.view.t("Keep a query under a name and it stays here."), "gm-soft")
            for name, query in queries.items():
                with div("gm-line").style("flex-wrap:nowrap"):
                    with div("gm-leaf").on("click", lambda query=query: self._take(query)):
                        ui.icon("bookmark_border")
                        text(name)
                    button("✕", lambda name=name: self._drop(name), kind="quiet")

    def _drop(self, name: str) -> None:
        saved.keep(self.view.desk.location, name, None)
        self.list_kept()


def _table(table: Table) -> None:
    with div("gm-panel flush"), div("gm-table"), div(tag="table"):
        with div(tag="thead"), div(tag="tr"):
            for name in table.columns:
                with div(tag="th"):
                    text(name)
        with div(tag="tbody"):
            for row in table.rows[:_ROWS]:
                with div(tag="tr"):
                    for value in row:
                        with div(tag="td"):
                            text(cell(value))


def cell(value: Any) -> str:
    """A value in a line."""
    if value is None:
        return ""
    if isinstance(value, dict) and "_label" in value:
        name = (
            value.get("title")
            or value.get("qualified_name")
            or value.get("path")
            or value.get("name")
            or value.get("id")
        )
        return f"{value['_label']} {name}" if name else str(value["_label"])
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M:%S}"
    flat = " ".join(str(value).split())
    return flat if len(flat) <= _CELL else flat[: _CELL - 1] + "…"


def _ids(value: Any) -> list[str]:
    """The ids of nodes in a value."""
    if isinstance(value, dict):
        if "_label" in value and isinstance(value.get("id"), str):
            return [value["id"]]
        return [id for inner in value.values() for id in _ids(inner)]
    return [id for inner in value for id in _ids(inner)] if isinstance(value, list) else []
