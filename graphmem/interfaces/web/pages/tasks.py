"""The tasks page: a board, and the dependency graph with the critical path. Every change is one verb."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from itertools import pairwise
from typing import Any

from nicegui import ui

from graphmem.interfaces.web.charts import SOFT, TONES
from graphmem.interfaces.web.parts import (
    button,
    chip,
    choices,
    div,
    empty,
    heading,
    node,
    panel,
    text,
    with_error_message,
)
from graphmem.interfaces.web.selecting import Selection, task_actions
from graphmem.interfaces.web.task_editor import TaskEditor
from graphmem.interfaces.web.view import View, address
from graphmem.memory import Memory
from graphmem.model.tasks import Task, TaskReport

Update = Callable[[], Awaitable[None]]
_CARDS = 60  # maximum cards of a lane
_STATES = {
    "done": "#2f9e44",
    "in_progress": "#1c7ed6",
    "blocked": "#e8890c",
    "pending": "#868e96",
    "cancelled": "#868e96",
}
_TONES = {"low": "pending", "medium": "pending", "high": "blocked", "critical": "critical"}
_LANES = {"ready": "Ready", "in_progress": "In progress", "blocked": "Waiting", "done": "Closed"}
_STEP_KEYS = """(event) => {
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (event.shiftKey && step) { event.preventDefault(); emit(step); }
}"""
_LONGEST = 34  # characters of a title in the dependency graph
_STEP_X, _STEP_Y = 260, 74  # pixels between columns and rows of the dependency graph


@with_error_message
async def page(view: View, show: str = "board", label: str = "", q: str = "") -> None:
    """Show the board or the dependency graph; only tasks with this label and these words."""
    await TaskPage(view, show if show == "blockers" else "board", label).build(q)


class TaskPage:
    """The page with the tasks that it shows."""

    report: TaskReport
    tasks: list[Task]
    filter: ui.input
    body: Any

    def __init__(self, view: View, show: str, label: str) -> None:
        self.view, self.show, self.label = view, show, label

    async def build(self, words: str) -> None:
        """Read the tasks and show those with these words."""
        self._create_form()
        self._tool_bar(words)
        self.report, self.tasks = await self.view.run(self._read)
        self.selection = Selection(self.view, task_actions(self.view), lambda done: self.update())
        self.body = div()
        self.draw()
        self.view.listen(self._hear)

    def _read(self, memory: Memory) -> tuple[TaskReport, list[Task]]:
        return memory.tasks.report(), memory.tasks.find(label=self.label or None)

    def _create_form(self) -> None:
        view = self.view
        with heading(view.t("Tasks"), view.t("Ready and blocked tasks, and their root blockers.")):
            box = ui.input(placeholder=view.t("A new task…")).classes("gm-field")
            box.props('dense borderless aria-label="new task"')

            async def create() -> None:
                title = (box.value or "").strip()
                if title and await view.attempt(view.verb("tasks create", title=title)) is not None:
                    box.value = ""
                    await self.update()

            box.on("keydown.enter", create)
            button(view.t("Create"), create, "add", "main")

    def _tool_bar(self, words: str) -> None:
        view = self.view
        names = [("board", view.t("Board")), ("blockers", view.t("Blockers"))]
        with div("gm-line").style("margin-bottom:16px"):
            choices(names, self.show, lambda show: view.go("/tasks", show=show, label=self.label, q=self.filter.value))
            self.filter = ui.input(value=words, placeholder=view.t("Filter the tasks…")).classes("gm-field")
            self.filter.props("dense borderless clearable debounce=250")
            self.filter.props(f'aria-label="{view.t("Filter the tasks…")}"').on_value_change(self._refilter)
            if self.label:
                button(f"{self.label} ✕", lambda: view.go("/tasks", show=self.show, q=self.filter.value), kind="quiet")

    def _refilter(self) -> None:
        self.view.stays("/tasks", show=self.show, label=self.label, q=self.filter.value or "")
        self.draw()

    def draw(self) -> None:
        """Draw the tasks that match the filter."""
        wanted = _matching(self.tasks, self.filter.value or "")
        self.body.clear()
        with self.body:
            if not self.tasks:
                empty(
                    "task_alt", self.view.t("No tasks yet"),
                    self.view.t("Create a task above, or import from beads, GitHub issues or a Markdown checklist."),
                    "graphmem tasks import TODO.md",
                )  # fmt: skip
            elif not wanted:
                empty("search_off", self.view.t("No task has these words"))
            elif self.show == "blockers":
                _blockers(self.view, wanted, self.report)
            else:
                _board(self.view, wanted, self.report, self.update, self.selection)
        self.selection.redrawn()

    async def update(self) -> None:
        """Redraw only if something changed: a card redrawn during a click does not receive the click."""
        read = await self.view.attempt(self.view.run(self._read))
        if read is not None and read[1] != self.tasks:
            self.report, self.tasks = read
            self.draw()

    async def _hear(self, channel: str, data: Any) -> None:
        if channel == "events" and any(
            event["type"].startswith(("task_", "condition_")) or event.get("gone") for event in data
        ):
            await self.update()


def _matching(tasks: list[Task], words: str) -> list[Task]:
    """Return the tasks that have all these words in their title, labels, ref or worker."""
    wanted = words.lower().split()

    def says(task: Task) -> str:
        return " ".join((task.title, *task.labels, task.ref or "", task.claimed_by or "", task.priority)).lower()

    return [task for task in tasks if all(word in says(task) for word in wanted)]


def _board(view: View, tasks: list[Task], report: TaskReport, update: Update, selection: Selection) -> None:
    ready = {task.id for task in report.ready}
    waiting = {row.task.id: row.blockers for row in report.blocked}
    frees = {task.id: count for task, count in report.unblocks}
    lanes: dict[str, list[Task]] = {lane: [] for lane in _LANES}
    for task in tasks:
        lane = "done" if not task.open else "in_progress" if task.status == "in_progress" else "blocked"
        lanes["ready" if task.open and task.id in ready else lane].append(task)  # also one whose claim was released
    lanes["done"].sort(key=lambda task: task.updated_at, reverse=True)
    board = Board(view, update, selection, {task.id: lane for lane, inside in lanes.items() for task in inside})
    text(view.t("Drag a card, or press Shift and an arrow key on it. Enter opens it."), "gm-soft gm-board-hint")
    with div("gm-board"):
        for lane, title in _LANES.items():
            with div("gm-lane").props(f'data-lane="{lane}" role="group" aria-label="{view.t(title)}"') as place:
                board.receive(place, lane)
                with div("gm-lane-title", "h2"):
                    div(f"gm-dot tone-{lane}", "span").style("background:var(--tone)")
                    text(view.t(title))
                    text(len(lanes[lane]), "gm-time")
                for task in lanes[lane][:_CARDS]:
                    board.card(task, waiting.get(task.id, ()), frees.get(task.id, 0))
                if len(lanes[lane]) > _CARDS:
                    text(view.t("and {n} more", n=len(lanes[lane]) - _CARDS), "gm-time")


class Board:
    """The cards, and moving them between lanes."""

    def __init__(self, view: View, update: Update, selection: Selection, lanes: dict[str, str]) -> None:
        self.view, self.update, self.selection, self.lanes = view, update, selection, lanes
        self.dragged = ""
        self.page = ui.context.client.content  # outlives the cards, which are redrawn

    def receive(self, place: Any, lane: str) -> None:
        """Let a lane take cards that are dropped on it."""

        async def drop() -> None:
            if self.dragged:
                await self.move(self.dragged, lane)
                self.dragged = ""

        place.on("dragover.prevent", js_handler="() => {}")
        place.on("drop.prevent", drop)

    async def edit(self, id: str, *, blocking: bool = False) -> None:
        """Open a task."""
        with self.page:
            await TaskEditor(self.view, id, self.update).open(blocking=blocking)

    async def step(self, id: str, by: int) -> None:
        """Move a card to a neighbouring lane, and keep the focus on it."""
        names = list(_LANES)
        at = names.index(self.lanes[id]) + by
        if 0 <= at < len(names):
            await self.move(id, names[at])

    async def move(self, id: str, lane: str) -> None:
        """Move a card to a lane. To wait, a task needs something to wait for, so that is asked."""
        now = self.lanes[id]
        if lane == now:
            return
        if lane == "blocked":
            await self.edit(id, blocking=True)
            return
        if now == "blocked" and lane != "done":
            ui.notify(self.view.t("It still waits for something: remove that first, or mark it as fulfilled."))
            await self.edit(id, blocking=True)
            return
        if await self.view.attempt(self._run(id, now, lane)) is None:
            return
        await self.update()
        with self.page:
            ui.notify(self.view.t("Moved to “{lane}”", lane=self.view.t(_LANES[lane])), type="positive")
            ui.run_javascript(
                f"setTimeout(() => document.querySelector(`[data-task=${{CSS.escape({id!r})}}]`)?.focus(), 150)"
            )

    async def _run(self, id: str, now: str, lane: str) -> Any:
        done: Any = True
        if now == "done":
            done = await self.view.verb("tasks reopen", id=id)
        if lane == "in_progress":
            done = await self.view.verb("tasks claim", id=id, by="viewer")
        elif lane == "done":
            done = await self.view.verb("tasks update", id=id, status="done")
        elif now == "in_progress":
            done = await self.view.verb("tasks release", id=id)
        return done

    def card(self, task: Task, blockers: Any, frees: int) -> None:
        """Show a card."""
        view = self.view
        with div("gm-card gm-row").props(f'tabindex="0" data-task="{task.id}" draggable="true"') as card:
            card.on("dragstart", lambda: setattr(self, "dragged", task.id))
            card.on("keydown", lambda event: self.step(task.id, int(event.args)), js_handler=_STEP_KEYS)
            with div("gm-card-title"):
                self.selection.box(task.id, task.title)
                title = ui.link(task.title, address("/item", id=task.id)).props("draggable=false")
                title.on("click.prevent.stop", lambda: self.edit(task.id))
            _marks(view, task, frees)
            for blocker in list(blockers)[:4]:
                with div("gm-line").style("flex-wrap:nowrap"):
                    ui.icon("hourglass_empty").style("color:var(--warn);font-size:15px").props('aria-hidden="true"')
                    text(blocker.title, "gm-soft gm-clip")
            with div("gm-chips"):
                lane = self.lanes[task.id]
                if lane == "in_progress":
                    button(view.t("Done"), lambda: self.move(task.id, "done"), "check", "quiet")
                    button(view.t("Release"), lambda: self.move(task.id, "ready"), kind="quiet")
                elif lane == "ready":
                    button(view.t("Claim"), lambda: self.move(task.id, "in_progress"), "pan_tool_alt", "quiet")
                elif lane == "done":
                    button(view.t("Reopen"), lambda: self.move(task.id, "ready"), kind="quiet")
                button(view.t("Edit"), lambda: self.edit(task.id), "edit", "quiet")


def _marks(view: View, task: Task, frees: int) -> None:
    with div("gm-chips"):
        if task.priority != "medium":
            chip(view.t(task.priority), _TONES[task.priority])
        if task.ref:
            chip(task.ref)
        for label in task.labels[:3]:
            chip(label, icon="sell")
        if task.claimed_by:
            chip(task.claimed_by, "in_progress", "person_outline")
        if frees:
            chip(view.t("unblocks {n}", n=frees), "good", "lock_open")


def _blockers(view: View, tasks: list[Task], report: TaskReport) -> None:
    nodes, links = blocker_graph(tasks, report)
    if not links:
        hint = view.t("Add a blocker to a task to see the dependencies here.")
        empty("account_tree", view.t("No dependencies"), hint, "graphmem tasks block TASK --by OTHER")
        return
    rows = max(node["y"] for node in nodes) / _STEP_Y + 1
    series = {
        "type": "graph", "layout": "none", "roam": True, "animation": False, "data": nodes, "links": links,
        "edgeSymbol": ["none", "arrow"], "edgeSymbolSize": 8, "symbol": "roundRect",
        "lineStyle": {"color": SOFT, "opacity": 0.6, "curveness": 0.08},
    }  # fmt: skip
    with div("gm-panel gm-wide-only"):
        with div("gm-legend").style("margin-bottom:8px"):
            text(view.t("the longest chain of open tasks"), "tone-w2")
            text(view.t("the task at the start of an arrow must be done first"), "tone-w7")
        chart = ui.echart({"animation": False, "tooltip": {"renderMode": "richText"}, "series": [series]})
        chart.classes("gm-graph").style(f"height:{max(240, min(760, int(rows * 92)))}px")
        ids = [node["id"] for node in nodes]
        chart.on("chart:click", lambda event: _open(view, ids, event.args), ["dataType", "dataIndex"])
    with div("gm-grid half").style("margin-top:16px"):
        with panel(view.t("Critical path, in order")):
            for number, task in enumerate(report.critical_path, 1):
                with div("gm-line"):
                    text(number, "gm-time")
                    node("Task", task.id, task.title)
        with panel(view.t("What waits for what")):
            _waiting_list(view, nodes, links, {task.id: task.title for task in tasks})


def _waiting_list(view: View, nodes: list[dict[str, Any]], links: list[dict[str, Any]], titles: dict[str, str]) -> None:
    """List the same dependencies, in order of execution: for narrow screens, and for readers of the page by ear."""
    before: dict[int, list[int]] = {}
    for link in links:
        before.setdefault(link["target"], []).append(link["source"])
    for at in sorted(before, key=lambda at: nodes[at]["x"]):
        with div("gm-waits").props(f'data-task="{nodes[at]["id"]}"'):
            node("Task", nodes[at]["id"], titles.get(nodes[at]["id"], nodes[at]["name"]))
            text(view.t("waits for"), "gm-time")
            for source in before[at]:
                id = nodes[source]["id"]
                node("Task" if id in titles else "Condition", id, titles.get(id, nodes[source]["name"]))


def _open(view: View, ids: list[str], args: dict[str, Any]) -> None:
    if args.get("dataType") == "node" and 0 <= args.get("dataIndex", -1) < len(ids):
        view.go("/item", id=ids[args["dataIndex"]])


def blocker_graph(tasks: list[Task], report: TaskReport) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return nodes and links for ECharts, left to right in order of execution. The critical path is marked."""
    known = {task.id: task for task in tasks}
    waits: dict[str, list[str]] = {}
    titles: dict[str, str] = {}
    for task in tasks:
        for blocker in task.blocked_by:
            waits.setdefault(task.id, []).append(blocker.id)
            titles.setdefault(blocker.id, blocker.text or blocker.id)
        for other in (*task.depends_on, *task.waits_for):
            waits.setdefault(task.id, []).append(other)
    ids = list(dict.fromkeys([*waits, *(id for found in waits.values() for id in found)]))
    column = _columns(ids, waits)
    chain = [task.id for task in report.critical_path]
    steps = set(pairwise(chain))
    rows: dict[int, int] = {}
    nodes = []
    for id in sorted(ids, key=lambda id: (column[id], id not in chain, id)):
        row = rows[column[id]] = rows.get(column[id], -1) + 1
        found_task = known.get(id)
        color = _STATES[found_task.status] if found_task else TONES["Condition"]
        nodes.append({
            "id": id, "name": _short(found_task.title if found_task else titles.get(id, id)),
            "x": column[id] * _STEP_X, "y": row * _STEP_Y,
            "symbolSize": [18, 18], "itemStyle": {"color": color, "borderColor": "#f59f00", "borderWidth": 3 if id in chain else 0},
            "label": {"show": True, "position": "bottom", "color": SOFT, "fontSize": 12},
        })  # fmt: skip
    index = {node["id"]: at for at, node in enumerate(nodes)}
    links = []
    for id, found in waits.items():
        for other in dict.fromkeys(found):
            marked = {"lineStyle": {"color": "#f59f00", "width": 3, "opacity": 1}} if (other, id) in steps else {}
            links.append({"source": index[other], "target": index[id], **marked})
    return nodes, links


def _short(title: str) -> str:
    return title if len(title) <= _LONGEST else title[: _LONGEST - 1] + "…"


def _columns(ids: list[str], waits: dict[str, list[str]]) -> dict[str, int]:
    """Return the column of each node: the number of tasks before it. A cycle (which verbs reject) ends at its first
    node."""
    found: dict[str, int] = {}

    def depth(id: str, above: frozenset[str]) -> int:
        if id not in found:
            before = [depth(other, above | {id}) for other in waits.get(id, ()) if other not in above]
            found[id] = max(before, default=-1) + 1
        return found[id]

    for id in ids:
        depth(id, frozenset())
    return found
