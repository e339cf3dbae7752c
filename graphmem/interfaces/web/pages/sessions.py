"""The sessions page: the list, and one session as a conversation."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from graphmem.interfaces.web.parts import button, chip, div, empty, heading, pager, text, time, with_error_message
from graphmem.interfaces.web.view import View, address

_SESSIONS, _TURNS = 25, 60
_ICONS = {"user": "person_outline", "assistant": "smart_toy", "tool": "build"}


@with_error_message
async def page(view: View, id: str = "", page: int = 1, turn: str = "") -> None:
    """Show the list, or one session."""
    if id:
        await _reader(view, id, max(1, page), turn)
        return
    heading(view.t("Sessions"), view.t("All recorded conversations, newest first."))
    found = await view.verb("sessions", page=max(1, page), page_size=_SESSIONS)
    if not found["total"]:
        empty(
            "forum", view.t("No sessions yet"),
            view.t("Install the hooks to record all future sessions. You can import transcripts of earlier ones."),
            "graphmem install --for claude-code",
        )  # fmt: skip
        return
    with div("gm-panel flush"):
        for session in found["sessions"]:
            _session(view, session)
    pager(view, found["page"], _SESSIONS, found["total"], lambda number: view.go("/sessions", page=number))


def _session(view: View, session: dict[str, Any]) -> None:
    ref = session["ref"] or session["id"]
    with ui.link(target=address("/sessions", id=ref)).classes("gm-row").props('tabindex="0"'):
        with div("grow"):
            text(session["title"] or ref).style("font-weight:550")
            if about := session["summary"] or session["opening"]:
                text(about, "gm-soft gm-two")
        if session["branch"]:
            chip(session["branch"], icon="fork_right")
        text(view.t("{n} turns", n=session["turns"]), "gm-time")
        time(view, session["last"])


async def _reader(view: View, id: str, number: int, turn: str) -> None:
    found = await view.verb("session", id=id, page=number, page_size=_TURNS)
    ref = found["ref"] or found["id"]
    roles = ", ".join(f"{view.t(role)} {count}" for role, count in found["roles"].items())
    with heading(found["title"] or ref, roles):
        button(view.t("All sessions"), lambda: view.go("/sessions"), "arrow_back")
        button(view.t("Live"), lambda: view.go("/live", session=ref), "bolt")
        button(view.t("Show in graph"), lambda: view.go("/graph", ids=found["id"]), "hub")
        button(view.t("Forget"), lambda: _forget(view, ref), "delete_outline", "danger")
    if found["summary"]:
        with div("gm-panel").style("margin-bottom:16px"):
            text(found["summary"], "gm-pre")
    with div("gm-panel flush"):
        for said in found["turns"]:
            _turn(view, said, said["id"] == turn)
        if not found["turns"]:
            empty("forum", view.t("This session is empty"))
    pager(view, number, _TURNS, found["total"], lambda next: view.go("/sessions", id=ref, page=next))


def _turn(view: View, said: dict[str, Any], target: bool) -> None:
    role = said["role"] or "user"
    with div(f"gm-turn {role}" + (" target" if target else "")).props(f'data-turn="{said["id"]}"'):
        with div():
            with div("who gm-line"):
                ui.icon(_ICONS.get(role, "notes"))
                text(view.t(role))
            time(view, said["at"])
        with div():
            if said["tool"]:
                with div("gm-chips").style("margin-bottom:6px"):
                    chip(said["tool"], icon="build")
                    if said["failed"]:
                        chip(view.t("failed"), "bad")
            text(said["command"] or said["content"] or "", "gm-pre")
            ui.link(view.t("open"), address("/item", id=said["id"])).classes("gm-time gm-open")


def _forget(view: View, ref: str) -> None:
    async def really() -> None:
        dialog.close()
        report = await view.attempt(view.verb("forget", session=ref, confirm=True))
        if report is not None:
            ui.notify(view.t("{n} events were forgotten", n=report.events), type="positive")
            view.go("/sessions")

    with ui.dialog(value=True) as dialog, ui.card().classes("gm-dialog"):
        text(view.t("Forget this session?")).style("font-weight:600")
        text(
            view.t(
                "It disappears from all answers immediately, with everything derived only from it. This cannot be undone."
            ),
            "gm-soft",
        )
        with div("gm-line").style("margin-top:14px"):
            button(view.t("Forget it"), really, kind="danger")
            button(view.t("Cancel"), dialog.close)
