"""Shows the steps of a session: who acted, when, with what input and output, and the memories that were injected."""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from nicegui import ui
from nicegui.element import Element

from graphmem.browse.story import ANSWER, NOTICE, REQUEST, SHOWN, TOOL, Step
from graphmem.errors import NotFound
from graphmem.interfaces.web.consequences import Traces, name_step, sources_of_step, steps_of_memory
from graphmem.interfaces.web.parts import attributes, chip, div, text
from graphmem.interfaces.web.ratings import Rating, rating, read_ratings
from graphmem.interfaces.web.view import View, address
from graphmem.memory import Memory
from graphmem.model.results import Detail

_ICONS = {REQUEST: "person_outline", NOTICE: "info_outline", ANSWER: "smart_toy", TOOL: "build", SHOWN: "school"}
_TOOLS = {
    "Bash": "terminal", "Read": "visibility", "Edit": "edit", "MultiEdit": "edit", "Write": "edit_note", "Grep": "search",
    "Glob": "search", "Task": "account_tree", "Agent": "account_tree", "WebFetch": "public", "WebSearch": "public",
}  # fmt: skip
_MOMENTS = {
    "SessionStart": "at the start of the session", "UserPromptSubmit": "with your request", "PreToolUse": "before a tool call",
    "PostToolUse": "after a failure", "PostToolUseFailure": "after a failure", "SubagentStart": "at the start of a subagent",
}  # fmt: skip
_SINCE = {"superseded": "replaced since", "contested": "contested since"}
_LONG = 20_000  # characters of an output that are shown
_PREVIEW = 400  # characters of a memory


def moment_of(view: View, event: str) -> str:
    """Return in words when something was injected."""
    return view.t(_MOMENTS.get(event, "by a hook"))


def speaker_of(view: View, step: Step) -> str:
    """Return who acted."""
    if step.kind == SHOWN:
        return view.t("graphmem")
    if step.agent:
        return view.t("subagent")
    return {REQUEST: view.t("you"), ANSWER: view.t("agent"), NOTICE: view.t("program")}.get(step.kind, step.tool)


def step_row(view: View, step: Step, *, target: str = "", traces: Traces | None = None) -> None:
    """Show one step; its details are loaded when it is opened. `traces` tell which memories it came of."""
    classes = f"gm-step {step.kind}" + " failed" * step.failed + " target" * (step.id == target)
    with div(classes).props(f'data-step="{step.id}" id="step-{step.id}"'):
        text(view.clock(step.at), "gm-time gm-clock")
        with div("gm-step-body"):
            if step.kind in (REQUEST, ANSWER):
                _said(view, step)
            elif step.branch:
                _branch(view, step, target, traces)
            else:
                _folded(view, step, traces)
            if traces is not None:
                sources_of_step(view, traces, step.id)


def _said(view: View, step: Step) -> None:
    with div("gm-line who"):
        ui.icon(_ICONS[step.kind]).props('aria-hidden="true"')
        text(speaker_of(view, step))
        ui.link(view.t("open"), address("/item", id=step.id)).classes("gm-time gm-open")
    text(step.text, "gm-pre")


def _summary(view: View, step: Step, traces: Traces | None = None) -> None:
    ui.icon(_TOOLS.get(step.tool, _ICONS[step.kind])).props('aria-hidden="true"')
    if step.kind == SHOWN:
        text(view.t("{n} memories given to the agent", n=len(step.items)) if step.items
             else view.t("state of the work given to the agent"), "gm-what-tool")  # fmt: skip
        text(f"{moment_of(view, step.text)} · {view.t('{n} tokens', n=step.tokens)}", "gm-soft gm-clip grow")
        if traces is not None and (used := traces.used(step.id, step.items)):
            chip(view.t("used in {n} steps", n=used), "good", "school")
        return
    if step.kind == NOTICE:
        text(view.t("note of the program"), "gm-what-tool")
        text(" ".join(step.text.split())[:160], "gm-soft gm-clip grow")
        return
    text(step.tool, "gm-what-tool")
    text(step.what, "gm-mono gm-clip grow")
    for hash_, said in step.commits:
        chip(f"{hash_[:8]} {said}", "commit", "commit")
    if step.failed:
        chip(view.t("failed, later mended") if step.mended else view.t("failed"), "blocked" if step.mended else "bad")


def _details(classes: str = "", *, opened: bool = False) -> tuple[Element, Element]:
    """Create a native disclosure: it opens without the server, by mouse and keyboard. Return (summary, body)."""
    with div(classes, "details") as whole:
        if opened:
            whole.props("open")
        summary = div("gm-summary", "summary")
        body = div("gm-opened")
    return summary, body


def _folded(view: View, step: Step, traces: Traces | None) -> None:
    summary, body = _details("gm-fold")
    with summary:
        _summary(view, step, traces)
    if step.failed and step.why:
        text(step.why, "gm-why-failed")

    async def fill() -> None:
        if list(body):
            return
        with body:
            if step.kind == SHOWN:
                await injected_memories(view, step, traces)
            elif step.kind == NOTICE:
                text(step.text, "gm-pre gm-mono")
            else:
                _call(view, step)

    summary.on("click", fill)


def _branch(view: View, step: Step, target: str, traces: Traces | None) -> None:
    failed = sum(inner.failed for inner in step.branch)
    inside = any(inner.id == target for inner in step.branch)
    with div("gm-fold gm-branch-of", "details") as whole:
        if inside:
            whole.props("open")
        with div("gm-summary", "summary"):
            _summary(view, step)
            chip(view.t("subagent, {n} steps", n=len(step.branch)), "task", "account_tree")
            if failed:
                chip(view.t("{n} failed", n=failed), "bad")
        with div("gm-branch-steps"):
            for inner in step.branch:
                step_row(view, inner, target=target, traces=traces)
    if step.input or step.text:
        summary, body = _details("gm-fold gm-call-of")
        with summary:
            text(view.t("its task and its answer"), "gm-soft")
        with body:
            _call(view, step)


def _call(view: View, step: Step) -> None:
    """Show the input of a tool call, an edit as a diff, and its output."""
    given = dict(step.input)
    old, new = given.pop("old_string", None), given.pop("new_string", None)
    given.pop("file_path", None)
    if isinstance(old, str) and isinstance(new, str):
        diff_block(replaced_lines(old, new))
    shown = {name: value for name, value in given.items() if value not in (None, "", [], {})}
    for name, value in shown.items():
        text(name.replace("_", " "), "gm-time")
        text(
            value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=1),
            "gm-pre gm-mono gm-block",
        )
    if step.text.strip():
        text(view.t("output"), "gm-time")
        cut = step.text if len(step.text) <= _LONG else step.text[:_LONG] + "…"
        text(cut, "gm-pre gm-mono gm-block" + (" bad" if step.failed else "")).props('tabindex="0"')
    elif not shown and old is None:
        text(view.t("No input and no output were recorded."), "gm-soft")
    ui.link(view.t("open"), address("/item", id=step.id)).classes("gm-time")


def replaced_lines(old: str, new: str) -> list[str]:
    """Return the diff of a replaced snippet. Its places are left out: they would count from the snippet, not from the file."""
    diff = list(difflib.unified_diff(old.splitlines(), new.splitlines(), lineterm="", n=3))[2:]
    lines = ["…" if line.startswith("@@") else line for line in diff]
    return lines[1:] if lines[:1] == ["…"] else lines


def diff_block(lines: Sequence[str]) -> None:
    """Show the lines of a unified diff."""
    with div("gm-diff", "pre").props('tabindex="0"'):
        for line in lines:
            kind = {"+": "add", "-": "cut", "@": "place"}.get(line[:1], "")
            with div(f"gm-diff-line {kind}"):
                text(line or " ")


class Known(NamedTuple):
    """Memories by id, as they read now; all ratings; and which facts were replaced or are contested since."""

    details: Mapping[str, Detail]
    ratings: Mapping[str, Rating]
    states: Mapping[str, str]


def read_memories(memory: Memory, ids: Sequence[str]) -> Known:
    """Return those of these memories that still exist."""
    found: Sequence[Detail] = ()
    if ids:
        try:
            found = memory.details(ids)
        except NotFound:
            found = ()
    states = {id: status for id, status, *_ in memory.query("facts_not_active").rows} if found else {}
    return Known({detail.id: detail for detail in found}, read_ratings(memory), states)


async def injected_memories(view: View, step: Step, traces: Traces | None) -> None:
    """Show the memories of an injection as they read now, each with its rating and what came of it."""
    found = await view.run(lambda memory: read_memories(memory, step.items), "graph")
    memory_rows(view, step, found, traces)


def memory_rows(view: View, step: Step, found: Known, traces: Traces | None) -> None:
    """Show the memories of an injection with their ratings, and what the agent did with each."""
    ids = step.items
    if not ids:
        text(view.t("Open tasks and the last sessions; it names no single memory."), "gm-soft")
    for id, citation in zip(ids, [*step.citations, *[""] * len(ids)], strict=False):
        with attributes(div("gm-memory"), data_memory=id):
            known = found.details.get(id)
            if known is None:
                text(
                    view.t(
                        "{citation} is not here: it was forgotten, or is not projected yet.",
                        citation=citation or view.t("A memory"),
                    ),
                    "gm-soft",
                )
                continue
            memory_head(view, known, found)
            if body := _body(known):
                text(body, "gm-soft gm-two")
            if traces is not None:
                steps_of_memory(view, traces, step.id, id)


def memory_head(view: View, known: Detail, found: Known) -> None:
    """Show the kind and headline of a memory, a link to it, whether it still holds, and its rating."""
    with div("gm-line gm-memory-head"):
        chip(view.t(known.kind), known.kind)
        with div("grow gm-memory-title"):
            ui.link(_headline(known), address("/item", id=known.id)).props(f'title="{known.citation}"')
        if state := _SINCE.get(found.states.get(known.id, "")):
            chip(view.t(state), "blocked", "history")
        rating(view, known.id, found.ratings.get(known.id))


def _headline(known: Detail) -> str:
    return " ".join((known.title or known.content).split())[:160] or known.id


def _body(known: Detail) -> str:
    plain = " ".join(known.content.split())
    return "" if not known.title or plain == known.title else plain[:_PREVIEW] + "…" * (len(plain) > _PREVIEW)


def outcome_lines(view: View, traces: Traces, shown: str, steps: Sequence[Step], limit: int = 6) -> None:
    """Show in a few lines what an agent did next, and later steps that came of the memories; each leads to its place in the
    session."""
    acted = [step for step in steps if step.kind in (TOOL, ANSWER)]
    chosen = [step for at, step in enumerate(acted) if at < limit or traces.sources_of(step.id, shown)]
    for step in chosen:
        with div("gm-line gm-next"):
            ui.icon(_TOOLS.get(step.tool, _ICONS[step.kind])).props('aria-hidden="true"')
            target = address("/sessions", id=traces.session, turn=step.id)
            ui.link(name_step(step)[:240], target).classes("gm-soft gm-linked gm-clip grow")
            if step.failed:
                chip(view.t("failed"), "bad")
        sources_of_step(view, traces, step.id, shown)
    if len(acted) > len(chosen):
        text(view.t("and {n} more steps", n=len(acted) - len(chosen)), "gm-time")
    if not acted:
        text(view.t("Nothing was recorded after it."), "gm-soft")
    elif not any(traces.sources_of(step.id, shown) for step in acted):
        text(view.t("None of these steps can be traced to it."), "gm-time gm-untraced")
