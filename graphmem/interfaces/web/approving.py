"""The queue of what was learnt and waits for approval, on the review page: approve, edit and approve, or reject each, or several at
once; each can be taken back."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

from nicegui import ui

from graphmem.browse.approvals import EXCLUDES, find_related
from graphmem.interfaces.web.deciding import ACCEPT, EDIT, REJECT, Decision
from graphmem.interfaces.web.parts import button, chip, div, empty, press, text, time
from graphmem.interfaces.web.selecting import BulkAction, Selection
from graphmem.interfaces.web.view import View, address
from graphmem.memory import Memory

_COMPARED = 500  # newest memories in the queue, and pairs, that are compared
_NEWEST = 1_000  # facts that hold
_SHORT = 110  # characters


class Hint(NamedTuple):
    """Another memory that one in the queue excludes or repeats."""

    how: str
    id: str
    text: str
    is_waiting: bool


def read_hints(
    memory: Memory, rows: Sequence[dict[str, Any]], shown: Sequence[dict[str, Any]]
) -> dict[str, list[Hint]]:
    """Return what the shown rows exclude or repeat, among all that wait and the newest facts that hold."""
    waiting = {str(one["id"]): str(one["text"]) for one in rows[:_COMPARED]}
    holding = {id: content for id, _, _, content in memory.query("facts_newest", {"limit": _NEWEST}).rows}
    everything = {**holding, **waiting}
    found = find_related({str(one["id"]): str(one["text"]) for one in shown}, everything)
    return {
        id: [Hint(one.how, one.id, " ".join(everything[one.id].split())[:_SHORT], one.id in waiting) for one in related]
        for id, related in found.items()
    }


def _outcome(memory: Memory, ids: Sequence[str]) -> str:
    """Return what the store made of approved memories: the sentence that one replaced, or that it contradicts; "" if neither."""
    wanted = set(ids)
    for one, other, _, one_id, other_id in memory.query("facts_contested", {"limit": _COMPARED}).rows:
        if wanted & {one_id, other_id}:
            return f"contested {other if one_id in wanted else one}"
    for old, new, _, _, old_id, new_id in memory.query("facts_replaced", {"limit": _COMPARED}).rows:
        if new_id in wanted or old_id in wanted:
            return f"replaces {old}" if new_id in wanted else f"replaced {new}"
    return ""


def _say(view: View, outcome: Any) -> str:
    """Return a sentence about what was approved, and what came of it."""
    said = view.t("Agents may see it.")
    how, _, other = str(outcome).partition(" ")
    more = {
        "contested": view.t("It contradicts “{title}”: decide under Contradictions.", title=_cut(other)),
        "replaces": view.t("It replaces “{title}”.", title=_cut(other)),
        "replaced": view.t("“{title}” is newer and holds instead of it.", title=_cut(other)),
    }
    return f"{said} {more[how]}" if how in more else said


def _cut(content: str) -> str:
    plain = " ".join(content.split())
    return plain if len(plain) <= _SHORT else plain[: _SHORT - 1] + "…"


async def show_waiting(view: View, every: Sequence[dict[str, Any]], rows: Sequence[dict[str, Any]]) -> None:
    """Show these rows of `Memory.approvals`; `every` are all that wait."""
    t, decisions = view.t, dict[str, Decision]()
    hints = await view.run(lambda memory: read_hints(memory, every, rows), "graph")

    async def done(ids: list[str]) -> None:
        outcomes = await view.run(lambda memory: {id: _outcome(memory, [id]) for id in ids}, "graph")
        for id in ids:
            more = _say(view, outcomes[id]).removeprefix(t("Agents may see it.")).strip() if outcomes[id] else ""
            decisions[id].conclude(f"{t('Decided with the others.')} {more}".strip())

    selection = Selection(
        view, [BulkAction(t("Approve"), "check", "approve"), BulkAction(t("Reject"), "block", "reject")], done
    )
    with div("gm-stack gm-queue"):
        for known in rows:
            id, content = str(known["id"]), str(known["text"])
            decisions[id] = Decision(
                view, id, partial(_row, view, selection, known, hints.get(id, ())),
                str(known["title"]) or " ".join(content.split())[:110],
            )  # fmt: skip


def _row(view: View, selection: Selection, known: dict[str, Any], hints: Sequence[Hint], row: Decision) -> None:
    t, id, content = view.t, str(known["id"]), str(known["text"])
    with div("gm-line").style("flex-wrap:nowrap;align-items:flex-start"):
        selection.box(id, str(known["title"]) or content)
        with div("grow"):
            if known["title"] and str(known["title"]) not in content:
                text(str(known["title"])).style("font-weight:550")
            text(content, "gm-pre")
            with div("gm-line"):
                chip(t(str(known["kind"])), str(known["kind"]))
                time(view, known["at"])
                if known["session"]:
                    ui.link(t("in its session"), address("/sessions", id=known["session"])).classes("gm-time gm-linked")
                ui.link(t("evidence"), address("/item", id=id)).classes("gm-time gm-linked")
            for hint in hints:
                _hint(view, hint)

    async def approve() -> str:
        await view.verb("approve", id=[id])
        return await view.run(lambda memory: _outcome(memory, [id]), "graph")

    with div("gm-line") as choices:
        row.choice(t("Approve"), approve, partial(_say, view), icon="check", key=ACCEPT,
                   undo=lambda: view.verb("approve", id=[id], undo=True))  # fmt: skip
        button(t("Edit"), lambda: _edit(view, row, choices, id, content), "edit", "small").props(f'data-act="{EDIT}"')
        row.choice(t("Reject"), lambda: view.verb("reject", id=[id]), t("Agents never see it."), icon="block", key=REJECT,
                   undo=lambda: view.verb("reject", id=[id], undo=True))  # fmt: skip


def _hint(view: View, hint: Hint) -> None:
    """Warn that another memory says otherwise, or the same."""
    t, is_other = view.t, hint.how == EXCLUDES
    with div("gm-line gm-hinted").props(f'data-hint="{hint.how}"'):
        chip(t("only one of them can hold") if is_other else t("says the same"), "blocked" if is_other else "pending",
             "warning_amber" if is_other else "content_copy")  # fmt: skip
        ui.link(f"“{hint.text}”", address("/item", id=hint.id)).classes("gm-linked gm-soft grow")
        text(t("waits, too") if hint.is_waiting else t("holds now"), "gm-time")


def _edit(view: View, row: Decision, choices: Any, id: str, content: str) -> None:
    """Offer the text in place: what is saved is remembered instead of it."""
    t = view.t
    choices.clear()
    with choices, div("grow"):
        box = ui.textarea(value=content).props("dense outlined autogrow autofocus maxlength=20000").classes("gm-wide")
        box.props(f'aria-label="{t("Text to remember instead")}"')
        made: dict[str, str] = {}

        async def save() -> None:
            changed = str(box.value or "").strip()
            if not changed:
                ui.notify(t("Write a text, or reject the memory."), type="warning")
                return

            async def remember() -> Any:
                made.update(await view.verb("approve", id=[id], content=changed))
                return made

            await row.decide(remember, t("Agents may see the edited text."), undo, _cut(changed))

        async def undo() -> Any:
            await view.verb("forget", id=made["id"], confirm=True)
            return await view.verb("approve", id=[id], undo=True)

        with div("gm-line").style("margin-top:8px"):
            saving = button(t("Save and approve"), save, "check", "small")
            button(t("Cancel"), row.reset, kind="small")
        box.on("keydown.ctrl.enter", lambda: press(saving, save))


def explain_empty(view: View, *, is_required: bool) -> None:
    """Say why nothing waits, and where that is changed."""
    t = view.t
    if is_required:
        empty("inbox", t("Nothing waits for you"), t("What agents learn from now on appears here first."))
        return
    empty("inbox", t("New memories do not wait for approval"),
          t("With the setting approval.required, agents are shown what was learnt only after you approved it."))  # fmt: skip
    with div("gm-line").style("justify-content:center"):
        button(t("Open the settings"), lambda: view.go("/settings", at="approval"), "tune")
