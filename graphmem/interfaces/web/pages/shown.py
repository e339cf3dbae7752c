"""The page of what agents were told: day by day, each text that a hook injected, with its memories, its size, what the agent
did next, and a rating in place. The log keeps the ids of injected memories, not the text, so that what is forgotten does not
survive there; each memory is shown as it reads now."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import date
from itertools import groupby
from typing import Any, NamedTuple

from nicegui import ui

from graphmem.browse.injections import QUOTED, RELATED, Injection
from graphmem.browse.story import STORY_TYPES, Step, tell_story
from graphmem.interfaces.web.consequences import Traces, shown_items
from graphmem.interfaces.web.parts import (
    attributes,
    button,
    chip,
    choices,
    count_tile,
    div,
    empty,
    heading,
    panel,
    text,
    tile,
    with_error_message,
)
from graphmem.interfaces.web.ratings import Rating, read_ratings
from graphmem.interfaces.web.steps import Known, memory_head, memory_rows, moment_of, outcome_lines, read_memories
from graphmem.interfaces.web.view import View, address
from graphmem.memory import Memory
from graphmem.model.results import Detail

_READ = 5_000  # latest injections whose days are listed
_SESSION = 5_000  # latest events of a session
_SHOWN = 40  # injections of a page
_MOMENTS = {
    "": "All", "SessionStart": "Session start", "UserPromptSubmit": "Requests", "PreToolUse": "Tool calls",
    "PostToolUse": "Failures", "wrong": "Marked wrong",
}  # fmt: skip
_AFTER = ("PostToolUse", "PostToolUseFailure")


class Told(NamedTuple):
    """One injection, its session, the title of that, and what came of all of its injections."""

    injection: Injection
    session: str
    title: str
    traces: Traces

    @property
    def step(self) -> Step:
        """Return the step that injected the text."""
        return self.injection.step

    @property
    def then(self) -> list[Step]:
        """Return what the agent did until the next request."""
        return self.injection.then

    @property
    def request(self) -> Step | None:
        """Return the request before it."""
        return self.injection.request


class Day(NamedTuple):
    """The injections of a day, newest first, with their memories as they read now."""

    told: list[Told]
    known: Known


@with_error_message
async def page(view: View, day: str = "", show: str = "", session: str = "", page: int = 1) -> None:
    """Show a day, the latest one by default."""
    heading(view.t("Shown to agents"), view.t("What hooks gave to agents without being asked, and what came of it."))
    counts = await view.run(lambda memory: _days(view, memory, session), "graph")
    if not counts:
        empty(
            "school", view.t("Agents were shown nothing yet"),
            view.t("With the hooks installed, agents receive memories at a session's start, with requests and before tool calls."),
            "graphmem install --for claude-code",
        )  # fmt: skip
        return
    chosen = date.fromisoformat(day) if _is_day(day) else max(counts)
    state = {"day": chosen.isoformat(), "show": show if show in _MOMENTS else "", "session": session}
    _days_bar(view, counts, chosen, state)
    if state["show"] == "wrong":
        await _wrong(view)
        return
    found = await view.run(lambda memory: _read_day(view, memory, chosen, session), "graph")
    _tiles(view, found)
    matching = [one for one in found.told if _matches(one.step.text, state["show"])]
    if not matching:
        empty("school", view.t("Nothing of this kind on this day"))
        return
    first = (max(1, page) - 1) * _SHOWN
    for _, together in groupby(
        matching[first : first + _SHOWN], key=lambda one: (one.session, one.request and one.request.id)
    ):
        _request(view, list(together)[::-1], found)
    if len(matching) > first + _SHOWN:
        button(view.t("Earlier on this day"), lambda: view.go("/shown", **state, page=page + 1)).style(
            "margin-top:14px"
        )


def _is_day(text: str) -> bool:
    try:
        return bool(date.fromisoformat(text))
    except ValueError:
        return False


def _matches(event: str, show: str) -> bool:
    return not show or event == show or (show == "PostToolUse" and event in _AFTER)


def _days(view: View, memory: Memory, session: str) -> dict[date, int]:
    """Return how many texts were injected on each day."""
    counts: dict[date, int] = defaultdict(int)
    for event in memory.history(session=session or None, types=["memory_shown"], limit=_READ):
        counts[view.local(event.at).date()] += 1
    return dict(counts)


def _read_day(view: View, memory: Memory, day: date, session: str) -> Day:
    injected = memory.history(session=session or None, types=["memory_shown"], limit=_READ)
    sessions = dict.fromkeys(event.session for event in injected if view.local(event.at).date() == day)
    stories = {name: tell_story(memory.history(session=name, types=STORY_TYPES, limit=_SESSION)) for name in sessions}

    def is_of_day(step: Step) -> bool:
        return view.local(step.at).date() == day

    ids = (id for story in stories.values() for id in shown_items(filter(is_of_day, story.steps)))
    known = read_memories(memory, list(dict.fromkeys(ids)))
    told: list[Told] = []
    for name, story in stories.items():
        traces = Traces(name, story.chapters, known.details)
        injected_here = [Told(one, name, story.title or name, traces) for one in traces.injections]
        told += [one for one in injected_here if is_of_day(one.step)]
    told.sort(key=lambda one: -one.step.at)
    return Day(told, known)


def _days_bar(view: View, counts: dict[date, int], chosen: date, state: dict[str, Any]) -> None:
    days = sorted(counts)
    before = [one for one in days if one < chosen]
    after = [one for one in days if one > chosen]

    def go(**changes: Any) -> None:
        view.go("/shown", **{**state, **changes})

    with div("gm-line").style("margin-bottom:16px"):
        earlier = button("", lambda: go(day=before[-1].isoformat()), "chevron_left")
        earlier.props(f'aria-label="{view.t("Earlier day")}"').set_enabled(bool(before))
        with div(tag="h2").style("margin:0;color:var(--text);font-size:15px"):
            text(view.day(chosen))
        later = button("", lambda: go(day=after[0].isoformat()), "chevron_right")
        later.props(f'aria-label="{view.t("Later day")}"').set_enabled(bool(after))
        if state["session"]:
            button(f"{view.t('session')} {state['session'][:24]} ✕", lambda: go(session=""), kind="quiet")
        with div().style("flex:1"):
            pass
        choices(
            [(name, view.t(label)) for name, label in _MOMENTS.items()], state["show"], lambda value: go(show=value)
        )


def _tiles(view: View, found: Day) -> None:
    items = {id for one in found.told for id in one.step.items}
    wrong = {id for id in items if id in found.known.ratings and found.known.ratings[id].verdict == "wrong"}
    used, cited = _count_uses(found.told)
    with div("gm-tiles"):
        count_tile(view, "texts", len(found.told))
        count_tile(view, "memories", len(items))
        count_tile(view, "tokens", sum(one.step.tokens for one in found.told))
        count_tile(view, "sessions", len({one.session for one in found.told}))
        count_tile(view, "used in steps", used)
        count_tile(view, "cited in answers", cited)
        number = tile(view.t("marked wrong"), len(wrong), address("/shown", show="wrong"))

    def count(id: str, rated: Rating | None) -> None:
        (wrong.add if rated is not None and rated.verdict == "wrong" else wrong.discard)(id)
        number.set_text(f"{len(wrong):,}")

    view.rated.append(count)


def _count_uses(told: Sequence[Told]) -> tuple[int, int]:
    """Return how many steps came of memories, and how many of them cite one."""
    found = [(one.session, step.step.id, step.how) for one in told for id in one.step.items
             for step in one.traces.steps_of(one.step.id, id) if step.how != RELATED]  # fmt: skip
    return len({step[:2] for step in found}), len({step[:2] for step in found if step[2] == QUOTED})


def _request(view: View, together: list[Told], found: Day) -> None:
    """Show what was injected between one request and the next, in order."""
    first = together[0]
    with panel(classes="gm-told"):
        with div("gm-line").style("flex-wrap:nowrap"):
            text(view.clock(first.step.at), "gm-clock")
            with div("grow gm-clip"):
                ui.link(first.title, address("/sessions", id=first.session, turn=first.step.id)).classes("gm-linked")
            text(view.t("{n} tokens", n=sum(one.step.tokens for one in together)), "gm-time")
        if first.request and first.request.text != first.title:
            with div("gm-quoted"):
                text(view.t("you"), "gm-time")
                text(" ".join(first.request.text.split()), "gm-two")
        for one in together:
            _injection(view, one, found)


def _injection(view: View, one: Told, found: Day) -> None:
    with div("gm-injection").props(f'data-shown="{one.step.id}"'):
        with div("gm-line"):
            text(view.clock(one.step.at), "gm-clock")
            chip(moment_of(view, one.step.text), "summary", "school")
            if one.step.agent:
                chip(view.t("subagent"), "task", "account_tree")
            if one.step.text == "PreToolUse" and one.then and one.then[0].tool:
                text(f"{one.then[0].tool} {one.then[0].what}", "gm-mono gm-clip").style("max-width:60ch")
            text(view.t("{n} tokens", n=one.step.tokens), "gm-time")
        with div("gm-two-columns"):
            with div():
                text(view.t("It was given"), "gm-column")
                memory_rows(view, one.step, found.known, one.traces)
            with div():
                text(view.t("It did next"), "gm-column")
                outcome_lines(view, one.traces, one.step.id, one.then)


async def _wrong(view: View) -> None:
    """List what was marked wrong, with reasons and undo."""

    def read(memory: Memory) -> Known:
        return read_memories(memory, [id for id, one in read_ratings(memory).items() if one.verdict == "wrong"])

    found = await view.run(read, "graph")
    _list_wrong(view, found, [found.details[id] for id in reversed(list(found.ratings)) if id in found.details])


def _list_wrong(view: View, found: Known, details: Sequence[Detail]) -> None:
    if not details:
        empty("thumb_up_off_alt", view.t("Nothing is marked wrong"))
        return
    with div("gm-panel"):
        for known in details:
            with attributes(div("gm-memory"), data_memory=known.id):
                memory_head(view, known, found)
