"""Selects several rows of a page and acts on all of them: check boxes, and a bar with the actions that appears when something
is selected. A page gives the actions; what failed stays selected."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from nicegui import ui

from graphmem.errors import GraphmemError
from graphmem.interfaces.http.routes import find
from graphmem.interfaces.web.parts import attributes, busy, button, div, is_busy, text
from graphmem.interfaces.web.view import View
from graphmem.memory import Memory

_NAMED = 5  # selected items that a question names


class BulkAction(NamedTuple):
    """A verb that runs for each selected item, with the arguments `given`. `confirm` is asked before; "" asks nothing. With
    `into`, it runs for all but the first selected item, which is given under this name."""

    label: str
    icon: str
    verb: str
    given: Mapping[str, Any] = MappingProxyType({})
    confirm: str = ""
    kind: str = ""
    into: str = ""


class Selection:
    """The selected rows of a page. `done` is called with the ids on which an action succeeded."""

    def __init__(
        self, view: View, actions: Sequence[BulkAction], done: Callable[[list[str]], Awaitable[None] | None]
    ) -> None:
        self.view, self.actions, self.done = view, actions, done
        self.boxes: dict[str, ui.checkbox] = {}
        self.titles: dict[str, str] = {}
        self.folded: set[str] = set()
        self.bar = div("gm-bulk").props(f'role="region" aria-label="{view.t("Selected items")}"')
        self.bar.set_visibility(False)
        with self.bar:
            self.count = text("", "gm-bulk-count").props('role="status"')
            button(view.t("Select all"), self.select_all, "done_all", "quiet")
            for action in actions:
                button(action.label, lambda action=action: self._ask(action), action.icon, action.kind or "quiet")
            button(view.t("Clear the selection"), self.clear, "close", "quiet")

    def box(self, id: str, title: str, *, is_folded: bool = False) -> None:
        """Create the check box of a row. A folded row is only selected by its own box, so that nobody selects what they do not
        see."""
        if is_folded:
            self.folded.add(id)
        was_chosen = id in self.boxes and bool(self.boxes[id].value)  # the page draws its rows again
        made = ui.checkbox(value=was_chosen, on_change=self._changed).props("dense size=sm").classes("gm-select")
        self.boxes[id], self.titles[id] = attributes(made, data_select=id), title
        made.props["aria-label"] = self.view.t("Select “{title}”", title=title[:80])

    def redrawn(self) -> None:
        """Count again after the page has drawn its rows again, possibly without some of them."""
        self._changed()

    @property
    def chosen(self) -> list[str]:
        """Return the ids of the selected rows that are still on the page."""
        return [id for id, box in self.boxes.items() if box.value and not box.is_deleted]

    def select_all(self) -> None:
        """Select all rows of the page that are not folded."""
        self._set(self.boxes.keys() - self.folded, chosen=True)

    def clear(self) -> None:
        """Select nothing."""
        self._set(self.boxes, chosen=False)

    def _set(self, ids: Iterable[str], *, chosen: bool) -> None:
        for id in list(ids):
            if not self.boxes[id].is_deleted:
                self.boxes[id].value = chosen
        self._changed()

    def _changed(self) -> None:
        count = len(self.chosen)
        self.bar.set_visibility(count > 0)
        self.count.set_text(self.view.t("{n} selected", n=count))

    async def _ask(self, action: BulkAction) -> None:
        if not action.confirm:
            await self._run(action)
            return
        with ui.dialog(value=True) as dialog, ui.card().classes("gm-dialog"):
            dialog.props(f'aria-label="{action.label}"').on("hide", dialog.delete)
            text(self.view.t("{n} selected", n=len(self.chosen))).style("font-weight:600")
            for id in self.chosen[:_NAMED]:
                text(f"“{self.titles[id]}”", "gm-forgotten gm-two")
            if len(self.chosen) > _NAMED:
                text(self.view.t("and {n} more", n=len(self.chosen) - _NAMED), "gm-time")
            text(action.confirm, "gm-soft")

            async def really() -> None:
                dialog.close()
                with self.bar:
                    await self._run(action)

            with div("gm-line").style("margin-top:14px"):
                button(action.label, really, kind="danger")
                button(self.view.t("Cancel"), dialog.close)

    async def _run(self, action: BulkAction) -> None:
        """Run the action on each selected item. An error about one does not keep the others from it."""
        if is_busy(self.bar):
            return
        wanted, given, call = self.chosen, dict(action.given), find(action.verb).call
        if action.into:
            given[action.into], *wanted = wanted
            if not wanted:
                ui.notify(self.view.t("Select at least two."), type="warning")
                return

        def each(memory: Memory) -> tuple[list[str], list[str]]:
            finished, errors = [], []
            for id in wanted:
                try:
                    call(memory, id=id, **given)
                    finished.append(id)
                except GraphmemError as error:
                    errors.append(str(error))
            return finished, errors

        with busy(self.bar):
            found = await self.view.attempt(self.view.run(each, "slow"))
        if found is None:
            return
        finished, errors = found
        if errors:
            ui.notify(
                self.view.t("{n} failed: {why}", n=len(errors), why=self.view.plain(errors[0])),
                type="warning",
                multi_line=True,
            )
        if finished:
            ui.notify(self.view.t("{label}: {n} done", label=action.label, n=len(finished)), type="positive")
        self._set(finished, chosen=False)
        if (work := self.done(finished)) is not None:
            await work


def task_actions(view: View) -> list[BulkAction]:
    """Return what can be done with several tasks at once."""
    return [
        BulkAction(view.t("Claim"), "pan_tool_alt", "tasks claim", {"by": "viewer"}),
        BulkAction(view.t("Done"), "check", "tasks update", {"status": "done"}),
        BulkAction(view.t("Cancel the tasks"), "block", "tasks update", {"status": "cancelled"}),
        BulkAction(view.t("High priority"), "priority_high", "tasks update", {"priority": "high"}),
        BulkAction(view.t("Low priority"), "low_priority", "tasks update", {"priority": "low"}),
    ]


def memory_actions(view: View) -> list[BulkAction]:
    """Return what can be done with several memories at once."""
    return [
        BulkAction(view.t("Useful"), "thumb_up_off_alt", "feedback", {"verdict": "useful"}),
        BulkAction(view.t("Wrong"), "thumb_down_off_alt", "feedback", {"verdict": "wrong"}),
        BulkAction(view.t("Archive"), "inventory_2", "archive"),
        BulkAction(view.t("Merge into the first"), "merge", "archive", into="same_as"),
        BulkAction(view.t("Forget"), "delete_outline", "forget", {"confirm": True},
                   view.t("They disappear from all answers immediately. This cannot be undone."), "danger"),
    ]  # fmt: skip
