"""Edits a task in place, in a dialog: its text, state and priority, what it waits for, and its history. Each change is saved
when it is made."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable
from functools import partial
from typing import Any

from nicegui import ui
from nicegui.element import Element

from graphmem.interfaces.web.parts import TASK_ICONS, busy, button, chip, div, node, text, time
from graphmem.interfaces.web.view import View
from graphmem.memory import Memory
from graphmem.model.tasks import BlockerRef, Task, TaskDetail

Update = Callable[[], Awaitable[None]]
Undo = tuple[str, dict[str, Any]]  # a verb and its arguments
LANES = {"ready": "Ready", "in_progress": "In progress", "blocked": "Waiting", "done": "Closed"}  # of the board
PRIORITIES = ("low", "medium", "high", "critical")
_FOUND = 6  # tasks that a search for a blocker offers
# Closing the dialog leaves a field, too; a title is only saved on purpose: by Enter, or by going on to another field.
_SAVE = """(event) => {
  if (!event.relatedTarget?.closest("[data-close], .q-dialog__backdrop")) emit();
}"""
_CANCEL = """(event) => {
  if (event.target.value === BEFORE) return;
  event.stopPropagation();
  emit();
}"""


class TaskEditor:
    """The dialog of one task. `update` redraws the page behind it after each change."""

    def __init__(self, view: View, id: str, update: Update) -> None:
        self.view, self.id, self.update = view, id, update
        self.body: Element
        self.card: Element
        self.said: tuple[str, Undo | None] | None = None  # what was done last, and how to take it back

    async def open(self, *, blocking: bool = False) -> None:
        """Show the dialog; with `blocking`, the search for a blocker has the focus."""
        read = await self.view.attempt(self.view.run(self._read))
        if read is None:
            return
        with ui.dialog(value=True) as dialog, ui.card().classes("gm-dialog gm-editor-of-task") as card:
            dialog.props(f'aria-label="{self.view.t("Edit the task")}"').on("hide", dialog.delete)
            self.card = card
            with div("gm-line").style("justify-content:space-between"):
                with div(tag="h2").style("margin:0"):
                    text(self.view.t("Edit the task"))
                button(self.view.t("Close"), dialog.close, "close", "quiet").props("data-close")
            text(self.view.t("Each change is saved when it is made."), "gm-soft")
            self.body = div("gm-stack")
            self._draw(*read, blocking=blocking)

    def _read(self, memory: Memory) -> tuple[TaskDetail, dict[str, Task]]:
        """Return the task, and those that it may name, by id."""
        return memory.tasks.show(self.id), {task.id: task for task in memory.tasks.find()}

    async def _do(self, verb: str, said: str = "", back: Undo | None = None, **given: Any) -> None:
        """Run a verb and draw the task again, with what was done and the way back."""
        with busy(self.card):
            done = await self.view.attempt(self._run(verb, given))
        if done is None:
            return
        self.said = (said, back) if said else None
        await self.update()
        read = await self.view.attempt(self.view.run(self._read))
        if read is not None:
            self._draw(*read)

    async def _run(self, verb: str, given: dict[str, Any]) -> bool:
        await self.view.verb(verb, **given)
        return True

    def _draw(self, detail: TaskDetail, known: dict[str, Task], *, blocking: bool = False) -> None:
        self.body.clear()
        with self.body:
            self._fields(detail.task)
            self._blockers(detail.task, known, focused=blocking)
            self._history(detail)

    def _fields(self, task: Task) -> None:
        t = self.view.t
        title = ui.input(t("Title"), value=task.title).props("dense outlined hide-hint").classes("gm-wide")
        title.props["hint"] = t("Enter saves it, Escape takes back what was typed.")
        self._save_on_leaving(title, "title", task.title)
        body = ui.textarea(t("Description"), value=task.description).props("dense outlined autogrow").classes("gm-wide")
        self._save_on_leaving(body, "description", task.description, enter=False)
        with div("gm-line"):
            waits = bool(task.blocked_by) or task.status == "blocked"
            status = "pending" if task.status == "blocked" else task.status
            statuses = {name: t(label) for name, label in state_names(waits=waits).items()}
            state = ui.select(statuses, label=t("State"), value=status).props("dense outlined").classes("gm-choose")
            state.on_value_change(lambda event: self._move(task, str(event.value)))
            names = {name: t(name) for name in PRIORITIES}
            urgency = (
                ui.select(names, label=t("Priority"), value=task.priority).props("dense outlined").classes("gm-choose")
            )
            urgency.on_value_change(lambda event: self._do("tasks update", id=self.id, priority=event.value))
            if task.claimed_by:
                chip(task.claimed_by, "in_progress", "person_outline")

    async def _move(self, task: Task, status: str) -> None:
        if not task.open and status not in ("done", "cancelled"):
            await self._do("tasks reopen", id=self.id)
        if status != "pending" or task.open:
            await self._do("tasks update", id=self.id, status=status)

    def _save_on_leaving(self, field: Any, name: str, before: str, *, enter: bool = True) -> None:
        async def save() -> None:
            value = (field.value or "").strip()
            if value != before and (value or name != "title"):
                given: dict[str, Any] = {"id": self.id, name: value}
                await self._do("tasks update", **given)

        def cancel() -> None:
            field.value = before

        field.on("blur", save, js_handler=_SAVE if enter else None)
        # Escape leaves the field, which would save it; the first one takes back what was typed, the next one closes the dialog.
        field.on("keydown.escape", cancel, js_handler=_CANCEL.replace("BEFORE", json.dumps(before)))
        if enter:
            field.on("keydown.enter", lambda: ui.run_javascript("document.activeElement.blur()"))

    def _blockers(self, task: Task, known: dict[str, Task], *, focused: bool) -> None:
        t = self.view.t
        with div("gm-field-group").props(f'role="group" aria-label="{t("Waits for")}"'):
            text(t("Waits for"), "gm-column")
            self._last_change()
            for blocker in task.blocked_by:
                with div("gm-line gm-blocker").props(f'data-blocker="{blocker.id}"'):
                    self._named(blocker, known)
                    if blocker.kind == "condition":
                        button(t("Fulfilled"), partial(self._fulfil, blocker), "check", "quiet")
                        for other in blocker.candidates[:2]:
                            label = t("It is “{title}”", title=known[other].title if other in known else other)
                            button(label, partial(self._identify, blocker, other, label), "link", "quiet")
                    button(t("Remove"), partial(self._unblock, blocker, known), "close", "quiet")
            for blocker in task.suggested:
                with div("gm-line gm-blocker").props(f'data-blocker="{blocker.id}"'):
                    self._named(blocker, known)
                    chip(t("suggested"), "suggested")
                    button(
                        t("Confirm"),
                        lambda id=blocker.id: self._do("tasks confirm", id=self.id, blocker=id),
                        "check",
                        "quiet",
                    )
                    button(
                        t("Remove"),
                        lambda id=blocker.id: self._do("tasks unblock", id=self.id, blocker=id),
                        "close",
                        "quiet",
                    )
            if not task.blocked_by and not task.suggested:
                text(t("Nothing: it can be started."), "gm-soft")
            self._search(task, focused=focused)

    async def _fulfil(self, blocker: BlockerRef) -> None:
        given = {"condition": blocker.id}
        said = self.view.t("“{title}” has happened.", title=blocker.text or blocker.id)
        await self._do("tasks resolve", said, ("tasks resolve", {**given, "undo": True}), **given)

    async def _identify(self, blocker: BlockerRef, other: str, said: str) -> None:
        given = {"condition": blocker.id, "target": other}
        await self._do("tasks resolve", said, ("tasks resolve", {**given, "undo": True}), **given)

    async def _unblock(self, blocker: BlockerRef, known: dict[str, Task]) -> None:
        title = known[blocker.id].title if blocker.id in known else blocker.text or blocker.id
        said = self.view.t("It does not wait for “{title}”.", title=title)
        await self._do(
            "tasks unblock", said, ("tasks block", {"id": self.id, "by": blocker.id}), id=self.id, blocker=blocker.id
        )

    def _last_change(self) -> None:
        """Say what was done last, with a button that takes it back."""
        if self.said is None:
            return
        said, undo = self.said
        with div("gm-line gm-decided").props('role="status"'):
            ui.icon("check").props('aria-hidden="true"')
            text(said, "grow")
            if undo is not None:
                verb, given = undo
                button(
                    self.view.t("Undo"), lambda: self._do(verb, self.view.t("Taken back."), **given), "undo", "quiet"
                )

    def _named(self, blocker: BlockerRef, known: dict[str, Task]) -> None:
        if blocker.id in known:
            with div("grow"):
                node("Task", blocker.id, known[blocker.id].title, status=known[blocker.id].status)
            return
        icon = "link" if blocker.kind == "artifact" else "hourglass_empty"
        ui.icon(icon).props('aria-hidden="true"').style("font-size:17px;color:var(--faint)")
        text(blocker.text or blocker.id, "grow")

    def _search(self, task: Task, *, focused: bool) -> None:
        t = self.view.t
        box = ui.input(placeholder=t("Add what it waits for: find a task, or write what must happen"))
        box.props(f'dense outlined debounce=200 aria-label="{t("Add what it waits for")}"').classes("gm-wide")
        if focused:
            box.props("autofocus")
        offers = div("gm-offers").props(f'role="group" aria-label="{t("Found tasks")}"')

        async def add(what: str) -> None:
            if what.strip():
                await self._do("tasks block", id=self.id, by=what.strip())

        async def offer() -> None:
            words = (box.value or "").strip()
            found = await self.view.run(lambda memory: find_tasks(memory, words, self.id)) if len(words) > 1 else []
            offers.clear()
            offers.props["data-for"] = words
            with offers:
                for other in found:
                    button(other.title, lambda id=other.id: add(id), TASK_ICONS[other.status], "quiet offer")

        box.on_value_change(offer)
        # The value of the field, because what was typed last may not have been sent yet.
        box.on("keydown.enter", lambda event: add(str(event.args)), js_handler="(event) => emit(event.target.value)")

    def _history(self, detail: TaskDetail) -> None:
        t = self.view.t
        with div("gm-fold", "details"):
            with div("gm-summary", "summary"):
                text(t("History"), "gm-soft")
            with div("gm-opened"):
                for other in detail.dependents:
                    node("Task", other.id, t("needed by {title}", title=other.title), status=other.status)
                for happened in detail.history:
                    with div("gm-line").style("flex-wrap:nowrap;align-items:baseline"):
                        time(self.view, happened.at)
                        text(f"{t(happened.type.replace('_', ' '))} {happened.text}".strip(), "gm-soft")


def state_names(*, waits: bool) -> dict[str, str]:
    """Return the states of a task in the words of the board."""
    lanes = {"pending": LANES["blocked" if waits else "ready"], "in_progress": LANES["in_progress"]}
    return lanes | {"done": "Closed: done", "cancelled": "Closed: cancelled"}


def waiting_for(id: str, tasks: Iterable[Task]) -> set[str]:
    """Return the tasks that wait for this one, at any distance."""
    dependents: dict[str, list[str]] = defaultdict(list)
    for task in tasks:
        for blocker in task.blocked_by:
            dependents[blocker.id].append(task.id)
    found: set[str] = set()
    left = [id]
    while left:
        new = [other for other in dependents[left.pop()] if other not in found]
        found.update(new)
        left += new
    return found


def find_tasks(memory: Memory, words: str, but: str) -> list[Task]:
    """Return open tasks whose titles contain these words; if there is none, those that the words may refer to. Not the task `but`,
    nor what it waits for already, nor what waits for it: none could ever be done."""
    wanted = words.lower().split()
    every = memory.tasks.find()
    titled = [task for task in every if all(word in task.title.lower() for word in wanted)]
    known = {but, *(blocker.id for blocker in memory.tasks.show(but).task.blocked_by)} | waiting_for(but, every)
    found = [task for task in titled if task.open and task.id not in known]
    if not found and (match := memory.tasks.match(words, k=_FOUND)).confidence != "none":
        meant = (candidate.task for candidate in match.candidates)
        found = [task for task in meant if task.open and task.id not in known]
    return found[:_FOUND]
