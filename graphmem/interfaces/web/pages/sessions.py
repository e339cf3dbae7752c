"""The sessions page: the list, and one session as a story of requests, answers, tool calls and subagents."""

from __future__ import annotations

from functools import partial
from typing import Any

from nicegui import ui

from graphmem.browse.story import STORY_TYPES, Chapter, Story, report_of, tell_story
from graphmem.errors import NotFound
from graphmem.interfaces.web.consequences import Traces, shown_items
from graphmem.interfaces.web.forgetting import Doomed, ask_to_forget
from graphmem.interfaces.web.parts import (
    button,
    chip,
    choices,
    div,
    empty,
    heading,
    pager,
    panel,
    text,
    time,
    with_error_message,
)
from graphmem.interfaces.web.steps import read_memories, step_row
from graphmem.interfaces.web.view import View, address
from graphmem.memory import Memory
from graphmem.text.reports import request_of, shorten_request

_SESSIONS = 25
_EVENTS = 20_000  # latest events of a session that are read
_STEPS = 120  # steps of a page, in whole chapters
_LISTED = 6  # decisions, commits, and open ends
_TITLE = 110  # characters
_VIEWS = {
    "": "Everything",
    "said": "Conversation",
    "tools": "Tool calls",
    "failed": "Failures",
    "shown": "Given to the agent",
}


@with_error_message
async def page(view: View, id: str = "", page: int = 0, turn: str = "", show: str = "") -> None:
    """Show the list, or one session."""
    if id:
        await _reader(view, id, page, turn, show if show in _VIEWS else "")
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
    title = session["title"] or shorten_request(request_of(session["opening"]), _TITLE) or view.t("without a request")
    with ui.link(target=address("/sessions", id=ref)).classes("gm-row"):
        with div("grow"):
            text(title).style("font-weight:550")
            if session["summary"]:
                text(session["summary"], "gm-soft gm-two")
        text(ref[:16], "gm-time gm-mono")
        if session["branch"]:
            chip(session["branch"], icon="fork_right")
        text(view.t("{n} turns", n=session["turns"]), "gm-time")
        time(view, session["last"])


async def _reader(view: View, id: str, number: int, turn: str, show: str) -> None:
    ref, summary, story = await view.run(lambda memory: _read(memory, id), "graph")
    pages = _pages(story)
    if not number and turn:
        number = next((at for at, page in enumerate(pages, 1) if _holds(page, turn)), 1)
    number = max(1, min(number, len(pages)))
    _head(view, ref, story)
    if summary:
        with div("gm-panel").style("margin-bottom:16px"):
            text(summary, "gm-pre")
    _outcome(view, ref, story)
    if not story.chapters:
        empty("forum", view.t("This session is empty"))
        return
    items = shown_items(step for chapter in pages[number - 1] for step in chapter.within)
    known = await view.run(lambda memory: read_memories(memory, items), "graph")
    traces = Traces(ref, story.chapters, known.details)
    body = _filters(view, ref, story, show, number)
    with body:
        for chapter in pages[number - 1]:
            _chapter(view, chapter, turn, traces)
    pager(view, number, 1, len(pages), lambda next: view.go("/sessions", id=ref, page=next, show=show))
    if turn:
        ui.run_javascript(f"graphmem.reveal({'step-' + turn!r})")


def _read(memory: Memory, id: str) -> tuple[str, str, Story]:
    """Return the id that the agent gave to a session, its summary, and its story."""
    found = memory.session(id, page_size=1)
    ref = found["ref"] or found["id"]
    events = memory.history(session=found["ref"] or id, types=STORY_TYPES, limit=_EVENTS)
    if not events and not found["total"]:
        raise NotFound(f"there is no session `{id}`", id=id)
    return ref, found["summary"] or "", tell_story(events)


def _pages(story: Story) -> list[list[Chapter]]:
    """Return the chapters in pages of about equal size."""
    pages: list[list[Chapter]] = [[]]
    size = 0
    for chapter in story.chapters:
        steps = len(chapter.within) + 1
        if pages[-1] and size + steps > _STEPS:
            pages.append([])
            size = 0
        pages[-1].append(chapter)
        size += steps
    return pages


def _holds(page: list[Chapter], id: str) -> bool:
    return any(step.id == id for chapter in page for step in (*filter(None, [chapter.request]), *chapter.within))


def _head(view: View, ref: str, story: Story) -> None:
    first, last = view.local(story.first), view.local(story.last)
    until = f"{last:%H:%M}" if first.date() == last.date() else f"{last:%Y-%m-%d %H:%M}"
    branches = sum(bool(step.branch) for step in story.steps)
    told = [
        f"{first:%Y-%m-%d %H:%M} – {until}",
        view.t("requests: {n}", n=sum(bool(chapter.request) for chapter in story.chapters)),
        view.t("steps: {n}", n=len(story.steps)),
        *([view.t("subagents: {n}", n=branches)] if branches else []),
        *([ref] if story.title else []),
    ]
    with heading(story.title or ref, " · ".join(told)):
        button(view.t("All sessions"), lambda: view.go("/sessions"), "arrow_back")
        button(view.t("Live"), lambda: view.go("/live", session=ref), "bolt")
        button(view.t("Shown to agents"), lambda: view.go("/shown", session=ref), "school")
        doomed = Doomed(story.title or ref, " · ".join(told[:2]))
        ask = partial(ask_to_forget, view, view.t("Forget this session?"), doomed, "/sessions", session=ref)
        button(view.t("Forget"), ask, "delete_outline", "danger")


def _outcome(view: View, ref: str, story: Story) -> None:
    """Show what was decided, committed and left open, each with a link to where it was said."""
    columns = (("Decided", "gavel", story.decided), ("Committed", "commit", story.commits),
               ("Left open", "pending_actions", story.left_open))  # fmt: skip
    with div("gm-outcome"):
        for title, icon, lines in columns:
            with panel():
                with div("gm-line gm-outcome-title", "h2"):
                    ui.icon(icon).props('aria-hidden="true"')
                    text(view.t(title))
                for said, step in lines[:_LISTED]:
                    ui.link(said, address("/sessions", id=ref, turn=step)).classes("gm-outcome-line gm-three")
                if not lines:
                    text(view.t("Nothing"), "gm-soft")
                if len(lines) > _LISTED:
                    text(view.t("and {n} more", n=len(lines) - _LISTED), "gm-time")


def _filters(view: View, ref: str, story: Story, show: str, number: int) -> Any:
    """Show the filters and the jump between failures; return the container of the steps."""
    failures = story.failures
    with div("gm-line gm-story-bar"):
        choices(
            [(name, view.t(label)) for name, label in _VIEWS.items()],
            show,
            lambda value: view.go("/sessions", id=ref, page=number, show=value),
        )
        if failures:
            with div("gm-line gm-jumps"):
                chip(view.t("{n} failed", n=len(failures)), "bad", "error_outline")
                button(view.t("Previous"), lambda: _jump(view, ref, story, -1), "arrow_upward", "quiet")
                button(view.t("Next failure"), lambda: _jump(view, ref, story, 1), "arrow_downward", "quiet").props(
                    'data-jump="failure"'
                )
                div("gm-kbd", "kbd").props('data-text="f"')
    return div("gm-story").props(f'data-show="{show}"')


def _jump(view: View, ref: str, story: Story, by: int) -> None:
    """Go to the next failure after the one that was last jumped to; on another page of the story, open that."""
    failures = [step.id for step in story.failures]
    at = (view.jumped + by) % len(failures) if view.jumped is not None else (0 if by > 0 else len(failures) - 1)
    view.jumped = at
    ui.run_javascript(
        f"graphmem.reveal({'step-' + failures[at]!r}) || location.assign({address('/sessions', id=ref, turn=failures[at])!r})"
    )


def _chapter(view: View, chapter: Chapter, turn: str, traces: Traces) -> None:
    with div("gm-chapter", "section"):
        if chapter.request:
            step_row(view, chapter.request, target=turn, traces=traces)
        if report := report_of(chapter):
            with div("gm-report"):
                ui.icon("flag").props('aria-hidden="true"')
                text(report, "grow")
        for step in chapter.steps:
            step_row(view, step, target=turn, traces=traces)
