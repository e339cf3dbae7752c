"""What otherwise is done in a terminal: read a repository, and rebuild the projections."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from nicegui import ui

from graphmem.errors import GraphmemError
from graphmem.interfaces.verbs.importing import repository
from graphmem.interfaces.web.parts import button, empty, text
from graphmem.interfaces.web.view import View
from graphmem.memory import Memory


def nothing_read(view: View, icon: str, title: str, hint: str) -> None:
    """Create an empty state whose button reads the repository in which the server was started; a command where that is not
    possible: on a shared server, and outside of a repository."""
    root = repository() if view.lanes.is_local else None
    with empty(icon, title, hint, "" if root else "graphmem init ."):
        if root is not None:
            button(view.t("Read {folder}", folder=root), lambda: read_repository(view, root), "download", "main")


async def read_repository(view: View, root: Path) -> None:
    """Read code, history and documents, and show how far it is."""
    t = view.t
    with ui.dialog(value=True).props("persistent") as dialog, ui.card().classes("gm-dialog"):
        text(t("Reading {folder}", folder=root)).style("font-weight:600")
        stage = text(t("This takes seconds for the code and minutes for a long history."), "gm-soft").props(
            'role="status"'
        )
    progress: dict[str, Any] = {"stage": "", "count": 0}

    def note(name: str, count: int) -> None:
        progress.update(stage=name, count=count)

    timer = ui.timer(
        0.5, lambda: stage.set_text(f"{progress['stage']} {progress['count']:,}") if progress["stage"] else None
    )

    def read(memory: Memory) -> Any:
        return memory.init(root, progress=note)

    try:
        done = await view.attempt(view.run(read, "slow"))
    finally:
        timer.cancel()
        dialog.close()
    if done is not None:
        ui.navigate.reload()


async def rebuild(view: View) -> None:
    """Rebuild graph and indexes from the log."""
    try:
        await view.verb("rebuild")
    except GraphmemError as error:
        ui.notify(view.plain(str(error)), type="warning", multi_line=True)
        return
    ui.navigate.reload()
