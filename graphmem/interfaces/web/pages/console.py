"""The Cypher console: runs read-only queries, shows rows as a table or nodes as a graph, and saves queries."""

from __future__ import annotations

import contextlib
import json
import re
import time as clock
from datetime import datetime
from functools import partial
from string import Template
from typing import Any

from nicegui import ui

from graphmem import resources
from graphmem.browse.named_queries import named_query as find
from graphmem.errors import GraphmemError
from graphmem.interfaces import table_formats
from graphmem.interfaces.web import saved
from graphmem.interfaces.web.graph_view import GraphView
from graphmem.interfaces.web.parts import (
    attributes,
    button,
    choices,
    div,
    empty,
    heading,
    panel,
    text,
    with_error_message,
)
from graphmem.interfaces.web.view import View, address
from graphmem.model.table import Table
from graphmem.ports.callers import cancellable_calls

_EXAMPLE, _OF_LABEL = "queries/graph/look/example.cypher", "queries/graph/look/of_label.cypher"
_ROWS = 500  # rows shown
_CELL = 300  # characters
_RECENT = 8  # last queries that are listed
_HASH = re.compile("[0-9a-f]{40}")
_FORMAT_NAMES = {"csv": "CSV", "json": "JSON", "parquet": "Parquet"}
_COPY = "navigator.clipboard.writeText(location.href)"
_DRAWN = 400  # nodes of a result that are drawn


@with_error_message
async def page(view: View, query: str = "", show: str = "table") -> None:
    """Show the console; a query in the URL runs at once."""
    console = Console(view, show if show == "graph" else "table")
    heading(view.t("Console"), view.t("Read-only Cypher over the whole graph. Press Ctrl+Enter to run."))
    with div("gm-grid two"):
        with div("gm-stack"):
            with panel():
                console.editor = ui.codemirror(query, language="Cypher").classes("gm-editor").style("height:150px")
                console.editor.props(f'data-label="{view.t("Query")}"')
                with div("gm-line").style("margin-top:10px"):
                    button(view.t("Run"), console.run, "play_arrow", "main").props("data-run")
                    button(view.t("Explain"), console.explain, "account_tree")
                    name = (
                        ui.input(placeholder=view.t("name"))
                        .props('dense borderless aria-label="name"')
                        .classes("gm-field")
                    )
                    button(view.t("Keep"), lambda: console.keep(name.value or ""), "bookmark_border")
                    console.note = text("", "gm-time")
                console.problem = div("gm-query-problem").props('role="alert"')
                console.problem.set_visibility(False)
            console.result = div()
        with div("gm-stack"):
            console.kept = div("gm-panel")
            console.recent = div("gm-panel")
            await console.queries()
    console.list_kept()
    console.list_recent()
    if query:
        await console.run()
    else:
        with console.result:
            example = resources.text(_EXAMPLE)
            empty("terminal", view.t("Query the graph"), view.t("Write a query, or select one from the list."), example)
            with div("gm-line").style("justify-content:center"):
                button(view.t("Put it into the editor"), lambda: console._take(example), "edit", "small")


class Console:
    """The page with its last result."""

    editor: Any
    note: ui.label
    result: Any
    problem: Any
    kept: Any
    recent: Any

    def __init__(self, view: View, show: str) -> None:
        self.view = view
        self.show = show
        self.table: Table | None = None

    async def run(self) -> None:
        """Run the query and show the result."""
        query = (self.editor.value or "").strip()
        if not query:
            ui.notify(self.view.t("Write a query, or select one from the list."), type="warning")
            return
        started = clock.perf_counter()
        found = await self._ask(query)
        if found is None:
            self._drop_result()
            return
        self.table = found
        cut = self.view.t(", truncated at the limit") if found.truncated else ""
        count = self.view.t("{n} rows", n=len(found.rows)) + cut
        self.note.set_text(f"{count} · {(clock.perf_counter() - started) * 1_000:.0f} ms")
        self.view.stays("/console", query=query, show=self.show)
        with contextlib.suppress(OSError):  # a store that cannot be written can still be read
            saved.note_recent(self.view.lanes.location, query)
        self.list_recent()
        await self.draw()

    async def explain(self) -> None:
        """Show how the engine would run the query."""
        query = (self.editor.value or "").strip()
        if not query:
            return
        found = await self._ask(f"EXPLAIN {query}")
        if found is None:
            self._drop_result()
            return
        self.result.clear()
        with self.result, panel(self.view.t("How it would run")):
            plan = "\n".join(str(value) for row in found.rows for value in row)
            text(plan, "gm-pre gm-mono gm-block gm-plan").props('tabindex="0"')

    async def _ask(self, query: str) -> Table | None:
        """Return the result, or show the error beside its line and return None."""
        place = self.result
        self.problem.set_visibility(False)
        try:
            with cancellable_calls(lambda: bool(place.is_deleted)):  # the tab was closed, or shows another page
                return await self.view.run(lambda memory: memory.cypher(query), "query")
        except GraphmemError as error:
            if not place.is_deleted:
                self._explain_error(query, str(error))
            return None

    def _drop_result(self) -> None:
        """Remove the rows of an earlier query: under an error they would seem to be those of this one."""
        self.table = None
        if not self.result.is_deleted:
            self.result.clear()
            self.note.set_text("")

    def _explain_error(self, query: str, said: str) -> None:
        self.problem.clear()
        self.problem.set_visibility(True)
        with self.problem:
            # The list of names is on this page.
            names = self.view.plain(said).replace(
                f"“{self.view.t('Console')}”", f"“{self.view.t('Labels and relations')}”"
            )
            text(names)
            if (found := place_of_error(query, said)) is not None:
                number, column = found
                line = query.split("\n")[number - 1]
                text(f"{number} | {line}\n{' ' * (len(str(number)) + 3 + column - 1)}^", "gm-pre gm-mono")

    async def draw(self) -> None:
        """Show the result in the selected form."""
        self.result.clear()
        with self.result:
            names = [("table", self.view.t("Table")), ("graph", self.view.t("Graph"))]
            with div("gm-line").style("margin-bottom:10px"):
                choices(names, self.show, self.choose)
                if self.table is not None and self.table.rows:
                    for format in table_formats.FORMATS:
                        button(_FORMAT_NAMES[format], partial(self.save, format), "download", "quiet")
                    button(self.view.t("Copy the link"), lambda: ui.run_javascript(_COPY), "link", "quiet")
            if self.table is None or not self.table.rows:
                text(self.view.t("No rows."), "gm-soft")
            elif self.show == "graph":
                await self._graph(self.table)
            else:
                _table(self.table)

    def save(self, format: str) -> None:
        """Download the result."""
        if self.table is not None:
            ui.download.content(table_formats.write_table(self.table, format), f"result.{format}")

    async def choose(self, show: str) -> None:
        """Show the same result in another form."""
        self.show = show
        await self.draw()

    async def _graph(self, table: Table) -> None:
        """Draw the nodes in the result, including those named by id, and their relations."""
        ids = list(dict.fromkeys(id for row in table.rows for value in row for id in _ids(value)))[:_DRAWN]
        known = await self.view.attempt(self.view.verb("around", ids=ids, limit=5_000)) if ids else None
        if known is None:
            empty(
                "hub",
                self.view.t("The result contains no nodes"),
                self.view.t("To show a graph, return nodes:"),
                resources.text(_EXAMPLE),
            )
            return
        wanted = set(ids)
        GraphView(self.view, nodes={**known, "nodes": [node for node in known["nodes"] if node["id"] in wanted]})

    async def queries(self) -> None:
        """List the built-in queries."""
        found = await self.view.verb("schema")
        self._complete(found)
        with panel(self.view.t("Built-in queries")), div("gm-tree").style("padding:0;max-height:340px"):
            for query in found["queries"]:
                purpose = str(query["purpose"])
                self._entry(query["name"], self.view.t(purpose), query["name"])
        pattern = Template(resources.text(_OF_LABEL))
        with panel(self.view.t("Labels and relations")), div("gm-chips"):
            for label, properties in found["nodes"].items():
                query = pattern.substitute(label=label, properties=", ".join(f"n.{name}" for name in properties))
                mark = div(f"gm-chip gm-label-chip tone-{label.lower()}", "button").props('type="button"')
                with mark.on("click", lambda query=query: self._take(query)):
                    text(self.view.t(label))
                mark.props(f'title="{label}: {", ".join(properties)}"')

    def _complete(self, schema: dict[str, Any]) -> None:
        """Let the editor complete the names of the graph."""
        known = {
            "nodes": {label: list(columns) for label, columns in schema["nodes"].items()},
            "relations": {name: list(one["properties"]) for name, one in schema["relations"].items()},
        }
        queries = []
        for query in schema["queries"]:
            name, purpose = str(query["name"]), str(query["purpose"])
            queries.append(
                {"label": name, "type": "function", "detail": self.view.t(purpose), "apply": find(name).text}
            )
        every = sorted({name for names in known.values() for own in names.values() for name in own})
        given = json.dumps({**known, "properties": every, "queries": queries})
        ui.run_javascript(f"graphmem.complete({self.editor.id}, {given})")

    def _entry(self, name: str, hint: str, named: str) -> None:
        leaf = div("gm-leaf").props('tabindex="0"').on("click", lambda: self._take(find(named).text))
        attributes(leaf, title=f"{hint} ({name})")
        with leaf:
            ui.icon("edit_note")
            text(hint)

    def _take(self, query: str) -> None:
        self.editor.value = query

    def keep(self, name: str) -> None:
        """Save the query under a name."""
        query = (self.editor.value or "").strip()
        if name.strip() and query:
            saved.keep(self.view.lanes.location, name.strip()[:80], query)
            self.list_kept()

    def list_kept(self) -> None:
        """Show the saved queries."""
        self.kept.clear()
        queries = saved.load(self.view.lanes.location)
        with self.kept:
            with div(tag="h2"):
                text(self.view.t("Saved queries"))
            if not queries:
                text(self.view.t("Save a query under a name to list it here."), "gm-soft")
            for name, query in queries.items():
                with div("gm-line").style("flex-wrap:nowrap"):
                    with div("gm-leaf").on("click", lambda query=query: self._take(query)):
                        ui.icon("bookmark_border")
                        text(name)
                    button("✕", lambda name=name: self._drop(name), kind="quiet")

    def list_recent(self) -> None:
        """Show the last queries that ran."""
        self.recent.clear()
        queries = saved.load_recent(self.view.lanes.location)
        self.recent.set_visibility(bool(queries))
        with self.recent:
            with div(tag="h2"):
                text(self.view.t("Last queries"))
            for query in queries[:_RECENT]:
                leaf = attributes(div("gm-leaf", "button"), type="button", title=query)
                with leaf.on("click", lambda query=query: self._take(query)):
                    ui.icon("history")
                    text(" ".join(query.split()), "gm-clip gm-mono")

    def _drop(self, name: str) -> None:
        saved.keep(self.view.lanes.location, name, None)
        self.list_kept()


def place_of_error(query: str, said: str) -> tuple[int, int] | None:
    """Return line and column (from 1) that an error names, or of the name that it quotes; None if neither is in the query."""
    lines = query.split("\n")
    if found := re.search(r"line (\d+), column (\d+)", said):
        number, column = int(found[1]), int(found[2])
        return (number, column) if number <= len(lines) else None
    for name in reversed(re.findall(r"`([^`]+)`", said)):
        for number, line in enumerate(lines, 1):
            if at := re.search(rf"(?<!\w){re.escape(name)}(?!\w)", line):
                return number, at.start() + 1
    return None


def _table(table: Table) -> None:
    with div("gm-panel flush"), div("gm-table").props('tabindex="0"'), div(tag="table"):
        with div(tag="thead"), div(tag="tr"):
            for name in table.columns:
                with div(tag="th"):
                    text(name)
        with div(tag="tbody"):
            for row in table.rows[:_ROWS]:
                with div(tag="tr"):
                    for name, value in zip(table.columns, row, strict=True):
                        with div(tag="td"):
                            if link := link_of(name, value):
                                ui.link(cell(value), link).classes("gm-linked")
                            else:
                                text(cell(value))


def link_of(column: str, value: Any) -> str:
    """Return where a cell leads: a node to its item, an id, a hash and a path to what they name; otherwise ""."""
    if isinstance(value, dict):
        return address("/item", id=value["id"]) if "_label" in value and isinstance(value.get("id"), str) else ""
    name = column.rpartition(".")[2].lower()
    if not isinstance(value, str) or not value:
        return ""
    if name in ("id", "hash", "commit"):
        return address("/item", id=f"commit:{value}" if _HASH.fullmatch(value) else value)
    return address("/code", file=value) if name in ("path", "file") else ""


def cell(value: Any) -> str:
    """Format a value as one line."""
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
    """Return the node ids in a value."""
    if isinstance(value, dict):
        if "_label" in value and isinstance(value.get("id"), str):
            return [value["id"]]
        return [id for inner in value.values() for id in _ids(inner)]
    return [id for inner in value for id in _ids(inner)] if isinstance(value, list) else []
