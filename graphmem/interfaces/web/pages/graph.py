"""The graph explorer: start at any node, expand, hide, go back in time, and find paths between two nodes. The URL
contains the open nodes, so views can be shared."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import anyio.to_thread
from nicegui import ui
from nicegui.events import GenericEventArguments

from graphmem.errors import GraphmemError
from graphmem.interfaces.web.parts import (
    KIND_ICONS,
    button,
    chip,
    div,
    empty,
    heading,
    panel,
    text,
    time,
    with_error_message,
)
from graphmem.interfaces.web.picture import MOST, Picture, way_of
from graphmem.interfaces.web.view import View, address

_APART = "|"  # separator of ids in the URL
_STEP = 250  # maximum relations of one expansion
_WHOLE = 4_000  # maximum relations of the overview
_TICKS = 200  # steps of the time slider


@with_error_message
async def page(view: View, ids: str = "", to: str = "", hide: str = "", asof: str = "") -> None:
    """Show the neighbourhood of `ids`; with `to`, the path from the first of them to that node."""
    explorer = Explorer(view)
    explorer.picture.seeds = [id for id in ids.split(_APART) if id]
    explorer.picture.hidden = {kind for kind in hide.split(_APART) if kind}
    explorer.to = to
    explorer.at = asof
    await explorer.build()


class Explorer:
    """The page with its graph."""

    def __init__(self, view: View) -> None:
        self.view = view
        self.picture = Picture()
        self.to = ""
        self.at = ""
        self.start = ""  # start node of a path
        self.left_out: set[str] = set()  # kinds that were hidden before the graph was read

    async def build(self) -> None:
        """Load, arrange and draw."""
        view, picture = self.view, self.picture
        with heading(view.t("Graph"), view.t("Click to select, double-click to expand, drag to pan, scroll to zoom.")):
            self._finder()
        self.left_out = set(picture.hidden)
        try:
            await self._read()
        except GraphmemError as error:
            empty("hub", view.t("The graph cannot be drawn"), str(error))
            return
        if not picture.nodes:
            empty(
                "hub", view.t("The graph is empty"),
                view.t("Facts, tasks, commits and code become nodes when they are recorded."), "graphmem init .",
            )  # fmt: skip
            return
        await anyio.to_thread.run_sync(picture.arrange)
        with div("gm-grid gm-explorer"):
            with div("gm-panel flush"):
                self.chart = ui.echart(picture.options()).classes("gm-graph")
                self._slider()
            with div("gm-stack"):
                with panel():
                    self.filters = div("gm-stack")
                with panel():
                    self.detail = div()
        self.chart.on("chart:click", self._clicked, ["dataType", "dataIndex"])
        self.chart.on("chart:dblclick", self._opened, ["dataType", "dataIndex"])
        self._filters()
        self._detail()
        view.listen(self._hear)

    async def _read(self) -> None:
        picture, seeds = self.picture, list(self.picture.seeds)
        if self.to and seeds:
            found = await self.view.run(lambda memory: memory.path(seeds[0], self.to), "slow")
            picture.way = way_of(found.rows)
            if not picture.way:
                ui.notify(self.view.t("No path with at most six steps."), type="warning")
            seeds = list(dict.fromkeys([*picture.way, *seeds, self.to]))
        limit = _STEP * len(seeds) if seeds else _WHOLE
        # What is hidden is left out before the limit, so that it takes no place of what is shown.
        without = sorted(self.left_out)
        picture.add(await self.view.verb("around", ids=seeds, limit=min(limit, 5_000), without=without))
        if self.to and picture.way:
            picture.remove(set(picture.nodes) - set(seeds))  # only the path; a double-click shows neighbours
        span = picture.span()
        if self.at and span:
            try:
                picture.at = datetime.fromisoformat(self.at)
            except ValueError:
                self.at = ""

    # -- tools

    def _finder(self) -> None:
        view = self.view

        async def find() -> None:
            query = (box.value or "").strip()
            if not query:
                return
            result = await view.attempt(view.run(lambda memory: memory.search(query, k=8)))
            menu.clear()
            with menu:
                for hit in result.hits if result else ():
                    ui.menu_item(f"{view.t(hit.kind)} · {(hit.title or hit.summary)[:70]}",
                                 on_click=lambda id=hit.id: view.go("/graph", ids=id))  # fmt: skip
                if not result or not result.hits:
                    ui.menu_item(view.t("No results"))
            menu.open()

        with div("gm-line"):
            with ui.input(placeholder=view.t("Start from…")).props("dense borderless clearable") as box:
                menu = ui.menu().props("no-focus")
            box.classes("gm-field").props('aria-label="start"').on("keydown.enter", find)
            button(view.t("Find"), find, "search")
            button(view.t("Overview of the graph"), lambda: view.go("/graph"), "hub")

    def _slider(self) -> None:
        span = self.picture.span()
        if span is None:
            return
        first, last = span
        now = self.picture.at or last
        value = round((now - first) / (last - first) * _TICKS)
        with div("gm-line").style("padding:8px 18px 12px;flex-wrap:nowrap;border-top:1px solid var(--line)"):
            text(self.view.t("as of"), "gm-time")
            slider = (
                ui.slider(min=0, max=_TICKS, value=max(0, min(_TICKS, value)))
                .style("flex:1")
                .props('aria-label="as of"')
            )
            self.moment = text(f"{now:%Y-%m-%d %H:%M}", "gm-time")

        def moved() -> None:
            at = first + (last - first) * (slider.value / _TICKS)
            self.picture.at = None if slider.value >= _TICKS else at
            self.moment.set_text(f"{at:%Y-%m-%d %H:%M}")
            self._draw()

        slider.on("update:model-value", moved, throttle=0.25, leading_events=False)

    def _filters(self) -> None:
        self.filters.clear()
        picture, view = self.picture, self.view
        with self.filters:
            with div("gm-line"):
                self.count = text("", "gm-time gm-count")
            with div("gm-chips"):
                kinds = dict(picture.kinds())
                for kind, count in (kinds | {kind: 0 for kind in self.left_out if kind not in kinds}).items():
                    self._swatch(f"{kind} {count}", f"tone-{kind.lower()}", kind, picture.hidden)
            if picture.relations():
                with ui.expansion(view.t("Relations")).props("dense dense-toggle").classes("gm-soft"), div("gm-chips"):
                    for relation, count in picture.relations():
                        name = relation.lower().replace("_", " ")
                        self._swatch(f"{name} {count}", "", relation, picture.silent)
        self._counted()

    def _swatch(self, label: str, tone: str, name: str, off: set[str]) -> None:
        async def switch() -> None:
            off.symmetric_difference_update({name})
            swatch.classes(toggle="off")
            self._draw()
            if name in self.left_out:  # it was not read, because it was hidden
                self.left_out.discard(name)
                await self.view.attempt(self._read())
                self.picture.arrange()
                self._draw()

        swatch = div(f"gm-swatch {tone}" + (" off" if name in off else ""), "button").props(
            f'type="button" data-kind="{name}"'
        )
        with swatch:
            text(label)
        swatch.on("click", switch)

    def _counted(self) -> None:
        drawn = self.chart.options["series"][0]
        note = self.view.t("{n} nodes, {m} relations", n=len(drawn["data"]), m=len(drawn["links"]))
        full = " · " + self.view.t("node limit reached") if len(self.picture.nodes) >= MOST else ""
        self.count.set_text(note + full)

    def _draw(self) -> None:
        self.chart.options.clear()
        self.chart.options.update(self.picture.options())
        self.chart.update()
        self._counted()
        picture = self.picture
        at = f"{picture.at:%Y-%m-%dT%H:%M:%S+00:00}" if picture.at else ""
        self.view.stays(
            "/graph", ids=_APART.join(picture.seeds), to=self.to, hide=_APART.join(sorted(picture.hidden)), asof=at
        )

    # -- a node

    def _node_of(self, event: GenericEventArguments) -> str:
        at = event.args.get("dataIndex", -1)
        known = event.args.get("dataType") == "node" and 0 <= at < len(self.picture.order)
        return self.picture.order[at] if known else ""

    def _clicked(self, event: GenericEventArguments) -> None:
        id = self._node_of(event)
        if id:
            self.picture.chosen = id
            self._draw()
            self._detail()

    async def _opened(self, event: GenericEventArguments) -> None:
        id = self._node_of(event)
        if id:
            await self.expand(id)

    async def expand(self, id: str, relation: str = "") -> None:
        """Add the neighbours of a node, by one relation type or by all."""
        wanted = [relation] if relation else None
        found = await self.view.attempt(self.view.verb("around", ids=[id], relation=wanted, limit=_STEP))
        if found is None:
            return
        new = self.picture.add(found)
        self.picture.chosen = id
        if id not in self.picture.seeds:
            self.picture.seeds.append(id)
        await anyio.to_thread.run_sync(self.picture.arrange)
        self._filters()
        self._draw()
        self._detail()
        if not new:
            ui.notify(self.view.t("All related nodes are already shown."))

    def _detail(self) -> None:
        self.detail.clear()
        view, picture = self.view, self.picture
        node = picture.nodes.get(picture.chosen)
        with self.detail:
            if node is None:
                text(view.t("Select a node to see its details, expand it, or find a path to another node."), "gm-soft")
                return
            with div("gm-line"):
                chip(node["label"], node["label"], KIND_ICONS.get(node["label"], ""))
                time(view, node["at"])
            ui.link(node["title"], address("/item", id=node["id"])).classes("gm-name")
            with div("gm-chips"):
                button(view.t("Expand"), lambda: self.expand(node["id"]), "open_in_full", "main")
                button(view.t("Hide"), lambda: self._hide(node["id"]), "visibility_off")
                if self.start and self.start != node["id"]:
                    button(view.t("Path to here"), lambda: view.go("/graph", ids=self.start, to=node["id"]), "route")
                else:
                    button(view.t("Path from here"), lambda: self._begin(node["id"]), "trip_origin")
            self._types(node["id"])

    def _types(self, id: str) -> None:
        types = sorted({relation for a, relation, b in self.picture.edges if id in (a, b)})
        if not types:
            return
        text(self.view.t("Expand one relation type"), "gm-time").style("margin:12px 0 6px")
        with div("gm-chips"):
            for relation in types:
                button(
                    relation.lower().replace("_", " "),
                    lambda relation=relation: self.expand(id, relation),
                    kind="quiet",
                )

    def _begin(self, id: str) -> None:
        self.start = id
        ui.notify(self.view.t("Now select the end of the path."))

    def _hide(self, id: str) -> None:
        self.picture.remove([id])
        self.picture.chosen = ""
        self._filters()
        self._draw()
        self._detail()

    def _hear(self, channel: str, data: Any) -> None:
        """Remove forgotten nodes."""
        gone = {id for event in data if channel == "events" for id in event.get("gone", ())}
        if gone & set(self.picture.nodes):
            self.picture.remove(gone)
            self._filters()
            self._draw()
            self._detail()
