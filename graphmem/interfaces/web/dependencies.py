"""The picture of what waits for what: tasks in layers from left to right, edited in place. A task that is dragged onto another
one must be done first; an arrow that is clicked is removed. Both can be taken back."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from html import escape
from itertools import pairwise
from typing import NamedTuple

from nicegui import ui

from graphmem.interfaces.web.layers import HEIGHT, WIDTH, Arrow, Drawing, arrange
from graphmem.interfaces.web.parts import button, div, empty, node, panel, text
from graphmem.interfaces.web.view import View, address
from graphmem.memory import Memory
from graphmem.model.tasks import BLOCKING_RELATIONS, Task, TaskReport

Update = Callable[[], Awaitable[None]]
_SCALES = (1.0, 0.75, 0.5, 0.35)
_READABLE = 1  # the smallest scale that is chosen by itself
_SEEN = 960  # pixels of the picture that a usual window shows
_LOOSE = 60  # tasks without dependencies that are offered for dragging
_CLICKED = """(event) => {
  const box = event.target.closest("[data-task]"), line = event.target.closest("[data-arrow]");
  if (event.ctrlKey || event.metaKey || event.button) return;
  if (box) { event.preventDefault(); emit(["open", box.dataset.task]); }
  else if (line) emit(["remove", ...JSON.parse(line.dataset.arrow)]);
}"""
_DROPPED = """(event) => {
  const on = event.target.closest("[data-task]"), dragged = event.dataTransfer.getData("text/x-task");
  event.preventDefault();
  if (on && dragged && on.dataset.task !== dragged) emit([dragged, on.dataset.task]);
}"""
_DRAGGED = """(event) => {
  const box = event.target.closest("[data-task]");
  if (box) event.dataTransfer.setData("text/x-task", box.dataset.task);
}"""


class Dependencies(NamedTuple):
    """What is drawn: ids, what each waits for, titles and states, and the longest chain."""

    ids: list[str]
    before: dict[str, list[str]]
    titles: dict[str, str]
    states: dict[str, str]
    chain: list[str]


def read_dependencies(
    tasks: Sequence[Task], wanted: Sequence[Task], report: TaskReport, *, closed: bool
) -> Dependencies:
    """Return the dependencies of the `wanted` tasks: those tasks, all that comes before them, and all that waits for them.
    Closed tasks are left out unless asked for."""
    known = {task.id: task for task in tasks if closed or task.open}
    titles = {task.id: task.title for task in tasks}
    gone = titles.keys() - known.keys()
    before: dict[str, list[str]] = {}
    for task in known.values():
        for blocker in task.blocked_by:
            titles.setdefault(blocker.id, blocker.text or blocker.id)
        others = [*(blocker.id for blocker in task.blocked_by), *task.depends_on, *task.waits_for]
        if found := [other for other in dict.fromkeys(others) if other not in gone]:
            before[task.id] = found
    after: dict[str, list[str]] = {}
    for id, others in before.items():
        for other in others:
            after.setdefault(other, []).append(id)
    start = [task.id for task in wanted if task.id in before or task.id in after]
    ids = sorted(_reach(start, before) | _reach(start, after), key=lambda id: (titles.get(id, id), id))
    states: dict[str, str] = {id: task.status for id, task in known.items()}
    return Dependencies(ids, before, titles, states, [task.id for task in report.critical_path])


def _reach(start: Sequence[str], near: Mapping[str, Sequence[str]]) -> set[str]:
    found, waiting = set(start), list(start)
    while waiting:
        for other in near.get(waiting.pop(), ()):
            if other not in found:
                found.add(other)
                waiting.append(other)
    return found


class DependencyPicture:
    """The picture with its tools. `open_task` opens a task; `update` reads the tasks again after a change."""

    def __init__(self, view: View, update: Update, open_task: Callable[[str], Awaitable[None]]) -> None:
        self.view, self.update, self.open_task = view, update, open_task
        self.scale = -1
        self.said = ""
        self.undo: Callable[[], Awaitable[None]] | None = None

    def draw(self, found: Dependencies, loose: Sequence[Task]) -> None:
        """Draw the picture, the longest chain, and the same dependencies as a list."""
        view, self.titles = self.view, found.titles
        self._tell()
        if not found.ids:
            hint = view.t(
                "Drag a task onto the one that must wait for it, or add what it waits for when you edit a task."
            )
            empty("account_tree", view.t("No dependencies"), hint)
        with div("gm-deps-page") as place:
            place.on("click", lambda event: self._clicked(event.args), js_handler=_CLICKED)
            place.on("dragstart", js_handler=_DRAGGED)
            place.on("dragover.prevent", js_handler="() => {}")
            place.on("drop", lambda event: self.add(*event.args), js_handler=_DROPPED)
            if found.ids:
                with div("gm-panel flush gm-wide-only"):
                    self._tools()
                    with div("gm-deps-scroll").props(
                        f'tabindex="0" role="region" aria-label="{view.t("Dependencies")}"'
                    ):
                        drawn = arrange(found.ids, found.before)
                        self.picture = ui.html(picture_html(found, drawn), sanitize=False).classes("gm-deps")
                        self._fit(drawn.width)
            if loose:
                with panel(view.t("Tasks without dependencies"), "gm-wide-only"), div("gm-chips"):
                    for task in loose[:_LOOSE]:
                        box = ui.link(task.title, address("/item", id=task.id)).classes("gm-dep loose")
                        box.props(f'data-task="{escape(task.id)}" draggable="true"')
                    if len(loose) > _LOOSE:
                        text(view.t("and {n} more", n=len(loose) - _LOOSE), "gm-time")
        if found.ids:
            self._lists(found)

    def _tools(self) -> None:
        view = self.view
        with div("gm-line gm-graph-tools"):
            with div("gm-legend grow"):
                text(view.t("the longest chain of open tasks"), "tone-w2")
                text(view.t("the task at the start of an arrow must be done first"), "tone-w7")
                text(view.t("Drag a task onto the one that must wait for it. Click an arrow to remove it."), "gm-soft")
            for icon, by, label in (("add", -1, view.t("Zoom in")), ("remove", 1, view.t("Zoom out"))):
                button("", lambda by=by: self._zoom(by), icon).props(f'aria-label="{label}"')

    def _fit(self, width: float) -> None:
        """Choose the first time a size at which the whole width is seen, if names can still be read."""
        if self.scale < 0:
            self.scale = next((at for at, scale in enumerate(_SCALES) if width * scale <= _SEEN), _READABLE)
            self.scale = min(self.scale, _READABLE)
        self._zoom(0)

    def _zoom(self, by: int) -> None:
        self.scale = max(0, min(len(_SCALES) - 1, self.scale + by))
        self.picture.style(f"zoom:{_SCALES[self.scale]}")

    def _tell(self) -> None:
        with div("gm-withdrawn").props('role="status"') as line, div("gm-line"):
            text(self.said, "grow")
            if self.undo is not None:
                button(self.view.t("Undo"), self.undo, "undo", "quiet")
        line.set_visibility(bool(self.said))

    async def _clicked(self, args: Sequence[str]) -> None:
        await (self.open_task(args[1]) if args[0] == "open" else self.remove(args[1], args[2]))

    def _name(self, id: str) -> str:
        return self.titles.get(id, id)

    async def add(self, first: str, later: str) -> None:
        """Let a task wait for another one."""
        if await self.view.attempt(self.view.verb("tasks block", id=later, by=first)) is None:
            return
        self.said = self.view.t("“{later}” waits for “{first}” now.", later=self._name(later), first=self._name(first))
        await self._changed(lambda: self.remove(first, later))

    async def remove(self, first: str, later: str) -> None:
        """Let a task no longer wait for another one."""
        if await self.view.attempt(self.view.run(lambda memory: remove_dependency(memory, first, later))) is None:
            return
        self.said = self.view.t(
            "“{later}” no longer waits for “{first}”.", later=self._name(later), first=self._name(first)
        )
        await self._changed(lambda: self.add(first, later))

    async def _changed(self, undo: Callable[[], Awaitable[None]]) -> None:
        self.undo = undo
        await self.update()

    def _lists(self, found: Dependencies) -> None:
        view = self.view
        with div("gm-grid half").style("margin-top:16px"):
            with panel(view.t("Critical path, in order")):
                for number, id in enumerate(found.chain, 1):
                    with div("gm-line"):
                        text(number, "gm-time")
                        node("Task", id, found.titles.get(id, id), status=found.states.get(id, ""))
            with panel(view.t("What waits for what")):
                layer = {id: x for id, (x, _) in arrange(found.ids, found.before).boxes.items()}
                for id in sorted((id for id in found.ids if id in found.before), key=lambda id: layer[id]):
                    with div("gm-waits").props(f'data-task="{escape(id)}"'):
                        node("Task", id, found.titles.get(id, id), status=found.states.get(id, ""))
                        text(view.t("waits for"), "gm-time")
                        for other in found.before[id]:
                            state = found.states.get(other, "")
                            kind = "Task" if state else "Condition"
                            node(kind, other, found.titles.get(other, other), status=state)


def remove_dependency(memory: Memory, first: str, later: str) -> bool:
    """Remove a blocker, or a relation that blocks."""
    task = memory.tasks.show(later).task
    if any(blocker.id == first for blocker in task.blocked_by):
        memory.tasks.unblock(later, first)
    for relation in BLOCKING_RELATIONS:
        if first in getattr(task, relation):
            memory.tasks.link(later, relation, first, remove=True)
    return True


def picture_html(found: Dependencies, drawn: Drawing) -> str:
    """Return the picture as HTML. Everything from the tasks is escaped."""
    steps = set(pairwise(found.chain))
    width, height = drawn.width + 4, drawn.height + 4
    lines = "".join(_arrow_svg(arrow, is_chain=(arrow.source, arrow.target) in steps) for arrow in drawn.arrows)
    boxes = "".join(_box(found, id, x + 2, y + 2) for id, (x, y) in drawn.boxes.items())
    return (
        f'<div class="gm-deps-sheet" style="width:{width:.0f}px;height:{height:.0f}px">'
        f'<svg width="{width:.0f}" height="{height:.0f}" aria-hidden="true"><defs>{_tip("tip")}{_tip("tip-chain")}</defs>'
        f"{lines}</svg>{boxes}</div>"
    )


def _box(found: Dependencies, id: str, x: float, y: float) -> str:
    title, state = escape(found.titles.get(id, id)), found.states.get(id, "condition")
    chained = " chain" if id in found.chain else ""
    handle = f' data-task="{escape(id)}" draggable="true"' if id in found.states else ""
    place = f"left:{x:.0f}px;top:{y:.0f}px;width:{WIDTH}px;height:{HEIGHT}px"
    link = escape(address("/item", id=id))
    return f'<a class="gm-dep {state}{chained}" href="{link}" style="{place}" title="{title}"{handle}><span>{title}</span></a>'


def _tip(name: str) -> str:
    return (
        f'<marker id="gm-{name}" class="{name}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7"'
        ' orient="auto"><path d="M0 0 L8 4 L0 8 z"/></marker>'
    )


def _arrow_svg(arrow: Arrow, *, is_chain: bool) -> str:
    (x, y), *others = [(x + 2, y + 2) for x, y in arrow.points]
    path = f"M{x:.0f} {y:.1f}"
    for number, (to_x, to_y) in enumerate(others):
        if number % 2 == 0:  # between layers; within one the way is straight
            bend = (to_x - x) / 2
            path += f" C{x + bend:.0f} {y:.1f} {to_x - bend:.0f} {to_y:.1f} {to_x:.0f} {to_y:.1f}"
        else:
            path += f" L{to_x:.0f} {to_y:.1f}"
        x, y = to_x, to_y
    ends = escape(json.dumps([arrow.source, arrow.target]))
    kind, tip = ("arrow chain", "tip-chain") if is_chain else ("arrow", "tip")
    return (
        f'<g data-arrow="{ends}"><path class="hit" d="{path}"/>'
        f'<path class="{kind}" d="{path}" marker-end="url(#gm-{tip})"/></g>'
    )
