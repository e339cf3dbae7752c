"""A row that a person decides with one click: the choices, and after it what was decided and the way back. The keys `a`, `r` and
`e` press the first choice, the refusal and the editing of the row that has the focus."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from nicegui import ui

from graphmem.interfaces.web.parts import attributes, busy, button, div, is_busy, text
from graphmem.interfaces.web.view import View

Work = Callable[[], Awaitable[Any]]
ACCEPT, REJECT, EDIT = "accept", "reject", "edit"


class Decision:
    """One row. `draw` writes its content and choices; it runs again when the decision is taken back. `title` names the row once it
    is decided."""

    def __init__(self, view: View, id: str, draw: Callable[[Decision], None], title: str = "") -> None:
        self.view, self.id, self.draw, self.title = view, id, draw, title
        self.was_undone = False
        self.count = view.count_decided  # of this page: another one may be open when a decision is done
        self.about: set[str] = set()  # what it is about, and the rows of the page that may be about the same
        self.beside: Sequence[Decision] = ()
        self.settled: list[Decision] = []
        self.place = attributes(div("gm-decide gm-row"), tabindex="0", data_decide=id)
        self.reset()

    def reset(self) -> None:
        """Show the choices."""
        self.is_decided = False
        self.place.clear()
        with self.place:
            if self.was_undone:
                with div("gm-line gm-undone").props('role="status"'):
                    ui.icon("undo").props('aria-hidden="true"')
                    text(self.view.t("Taken back: decide again."), "gm-soft")
            self.draw(self)

    def settle(self, gone: str) -> None:
        """Conclude the other rows about what is gone by this decision; with "", let them wait again."""
        for row in self.settled:
            self.count(1)
            row.reset()
        self.settled = [row for row in self.beside if row is not self and gone in row.about and not row.is_decided]
        for row in self.settled:
            row.conclude(self.view.t("Decided with the others."))

    def choice(
        self,
        label: str,
        work: Work,
        said: str | Callable[[Any], str],
        *,
        undo: Work | None = None,
        icon: str = "",
        key: str = "",
        title: str | None = None,
    ) -> None:
        """Create a button that decides. `said` is shown afterwards, with the title of the row or another one; `undo` takes the
        decision back."""
        made = button(label, lambda: self.decide(work, said, undo, title), icon, "small")
        if key:
            made.props(f'data-act="{key}"')

    async def decide(
        self, work: Work, said: str | Callable[[Any], str], undo: Work | None = None, title: str | None = None
    ) -> None:
        """Do it and show what was decided, or what `said` makes of the result; on an error the row stays as it is. While it
        runs, nothing else in the row is decided."""
        if is_busy(self.place):
            return
        with busy(self.place):
            done = await self.view.attempt(work())
        if done is not None:
            self.conclude(said if isinstance(said, str) else said(done), undo, title)

    def conclude(self, said: str, undo: Work | None = None, title: str | None = None) -> None:
        """Show what was decided, and keep the focus on the row."""

        async def back() -> None:
            if undo is not None and await self.view.attempt(undo()) is not None:
                self.count(1)
                if self.place.is_deleted:
                    return
                self.was_undone = True
                self.reset()
                self._focus()

        self.is_decided = True
        self.count(-1)
        if self.place.is_deleted:
            return
        self.place.clear()
        with self.place, div("gm-line gm-decided").props('role="status"'):
            ui.icon("check").props('aria-hidden="true"')
            text(said)
            about = self.title if title is None else title
            text("" if about in said else about, "gm-soft gm-clip grow")
            if undo is not None:
                button(self.view.t("Undo"), back, "undo", "quiet").props(f'data-act="{REJECT}"')
        self._focus()

    def _focus(self) -> None:
        # Through the client: the button that was clicked, and with it the slot in which its handler runs, is gone by now.
        self.place.client.run_javascript(
            f"document.querySelector(`[data-decide=${{CSS.escape({self.id!r})}}]`)?.focus()"
        )
