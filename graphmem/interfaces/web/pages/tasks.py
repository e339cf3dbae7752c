"""The tasks page: a board, and the picture of dependencies with the critical path. Every change is one verb."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from nicegui import ui

from graphmem.interfaces.web.dependencies import DependencyPicture, read_dependencies
from graphmem.interfaces.web.parts import button, chip, choices, div, empty, heading, text, with_error_message
from graphmem.interfaces.web.selecting import Selection, task_actions
from graphmem.interfaces.web.task_editor import LANES, TaskEditor
from graphmem.interfaces.web.view import View, address
from graphmem.memory import Memory
from graphmem.model.tasks import Task, TaskReport

Update = Callable[[], Awaitable[None]]
_CARDS = 60  # maximum cards of a lane
_TONES = {"low": "pending", "medium": "pending", "high": "blocked", "critical": "critical"}
_STEP_KEYS = """(event) => {
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (event.shiftKey && step) { event.preventDefault(); emit(step); }
}"""


@with_error_message
async def page(view: View, show: str = "board", label: str = "", q: str = "", closed: bool = False) -> None:
    """Show the board or the dependencies; only tasks with this label and these words. Closed tasks are drawn only if asked for."""
    await TaskPage(view, show if show == "blockers" else "board", label, closed).build(q)


class TaskPage:
    """The page with the tasks that it shows."""

    report: TaskReport
    tasks: list[Task]
    filter: ui.input
    body: Any

    def __init__(self, view: View, show: str, label: str, closed: bool) -> None:
        self.view, self.show, self.label, self.closed = view, show, label, closed
        self.content = ui.context.client.content  # outlives what is drawn again
        self.picture = DependencyPicture(view, lambda: self.update(force=True), self._open)

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
        names = [("board", view.t("Board")), ("blockers", view.t("Dependencies"))]
        with div("gm-line").style("margin-bottom:16px"):
            choices(names, self.show, lambda show: view.go("/tasks", show=show, label=self.label, q=self.filter.value))
            self.filter = ui.input(value=words, placeholder=view.t("Filter the tasks…")).classes("gm-field")
            self.filter.props("dense borderless clearable debounce=250")
            self.filter.props(f'aria-label="{view.t("Filter the tasks…")}"').on_value_change(self._refilter)
            if self.show == "blockers":
                shown = ui.checkbox(view.t("Closed tasks, too"), value=self.closed).props("dense size=sm")
                shown.on_value_change(self._reclose)
            if self.label:
                button(f"{self.label} ✕", lambda: view.go("/tasks", show=self.show, q=self.filter.value), kind="quiet")

    def _reclose(self, event: Any) -> None:
        self.closed = bool(event.value)
        self._refilter()

    def _refilter(self) -> None:
        self.view.stays("/tasks", show=self.show, label=self.label, q=self.filter.value or "", closed=int(self.closed))
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
                self._dependencies(wanted)
            else:
                _board(self.view, wanted, self.report, self.update, self.selection)
        self.selection.redrawn()

    def _dependencies(self, wanted: list[Task]) -> None:
        found = read_dependencies(self.tasks, wanted, self.report, closed=self.closed)
        drawn = set(found.ids)
        self.picture.draw(found, [task for task in wanted if task.open and task.id not in drawn])

    async def _open(self, id: str) -> None:
        with self.content:
            await TaskEditor(self.view, id, self.update).open()

    async def update(self, *, force: bool = False) -> None:
        """Redraw only if something changed: a card redrawn during a click does not receive the click."""
        read = await self.view.attempt(self.view.run(self._read))
        if read is not None and (force or read[1] != self.tasks):
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
    lanes: dict[str, list[Task]] = {lane: [] for lane in LANES}
    for task in tasks:
        lane = "done" if not task.open else "in_progress" if task.status == "in_progress" else "blocked"
        lanes["ready" if task.open and task.id in ready else lane].append(task)  # also one whose claim was released
    lanes["done"].sort(key=lambda task: task.updated_at, reverse=True)
    board = Board(view, update, selection, {task.id: lane for lane, inside in lanes.items() for task in inside})
    text(view.t("Drag a card, or press Shift and an arrow key on it. Enter opens it."), "gm-soft gm-board-hint")
    with div("gm-board"):
        for lane, title in LANES.items():
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
        names = list(LANES)
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
            ui.notify(self.view.t("Moved to “{lane}”", lane=self.view.t(LANES[lane])), type="positive")
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
