"""Two entities side by side, to say that they are one thing: in the review queue, and from the page of an entity."""

from __future__ import annotations

from collections.abc import Awaitable
from functools import partial
from typing import Any

from nicegui import ui

from graphmem.browse.alike import NamedEntity
from graphmem.interfaces.web.deciding import ACCEPT, REJECT, Decision
from graphmem.interfaces.web.parts import button, chip, div, panel, text
from graphmem.interfaces.web.view import View, address
from graphmem.memory import Memory

_EXAMPLES = 3  # texts that mention an entity
_OFFERED = 8
_NAME = 80  # characters of a name that is shown


def read_examples(memory: Memory, id: str) -> list[tuple[str, str]]:
    """Return some texts that mention an entity: (id, title)."""
    relations = memory.show(id)["relations"]
    return [(one["id"], one["title"] or one["id"]) for one in relations if one["type"] == "MENTIONS"][:_EXAMPLES]


async def show_same_names(view: View, pairs: list[tuple[NamedEntity, NamedEntity]]) -> None:
    """Show pairs that may be one thing, each to decide on."""
    ids = [one.id for pair in pairs for one in pair]
    examples = await view.run(lambda memory: {id: read_examples(memory, id) for id in ids}, "graph")
    with div("gm-stack gm-queue"):
        for one, other in pairs:
            Decision(view, f"{one.id} {other.id}", partial(_pair, view, one, other, examples))


def _pair(
    view: View, one: NamedEntity, other: NamedEntity, examples: dict[str, list[tuple[str, str]]], row: Decision
) -> None:
    t = view.t
    reason = ui.input(placeholder=t("why (optional)")).props("dense borderless maxlength=500").classes("gm-field grow")
    reason.props(f'aria-label="{t("why (optional)")}"')

    def merge(merged: NamedEntity, kept: NamedEntity, *, undo: bool = False) -> Awaitable[Any]:
        why = (reason.value or "").strip()
        return view.verb("merge-entities", merged=merged.id, kept=kept.id, reason=why, undo=undo)

    with div("gm-two-columns gm-pair"):
        for kept, merged in ((one, other), (other, one)):
            with div():
                _side(view, kept, examples[kept.id])
                row.choice(
                    t("Same thing, call it “{name}”", name=kept.name[:_NAME]), partial(merge, merged, kept),
                    t("“{merged}” is “{kept}”.", merged=merged.name[:_NAME], kept=kept.name[:_NAME]), icon="merge",
                    undo=partial(merge, merged, kept, undo=True), key=ACCEPT if kept is one else "",
                )  # fmt: skip
    with div("gm-line") as last:
        row.choice(t("They differ"), partial(merge, other, one, undo=True), t("Both are kept."), key=REJECT)
    reason.move(last, target_index=0)


def _side(view: View, known: NamedEntity, examples: list[tuple[str, str]]) -> None:
    with div("gm-line"):
        ui.link(known.name[:_NAME], address("/item", id=known.id)).classes("gm-linked").style("font-weight:600")
        chip(view.t(known.type.replace("_", " ")), "entity")
        text(view.t("mentioned in {n} texts", n=known.mentions), "gm-time")
    for id, title in examples:
        ui.link(" ".join(title.split())[:160], address("/item", id=id)).classes("gm-soft gm-example")


async def merge_panel(view: View, id: str) -> None:
    """Show on the page of an entity what it is merged with, and offer to merge it with another one."""
    t = view.t
    own, names = await view.run(partial(_read, id=id), "graph")
    with panel(t("Other names")):
        for merged, merged_name, kept, kept_name in names:
            with div("gm-line"):
                text(t("“{merged}” is “{kept}”.", merged=merged_name[:_NAME], kept=kept_name[:_NAME]), "grow")
                undo = partial(view.verb, "merge-entities", merged=merged, kept=kept, undo=True)
                button(t("Undo"), partial(_do, view, undo), "undo", "quiet")
        box = ui.input(placeholder=t("Another name of the same thing…")).props("dense borderless")
        box.classes("gm-field gm-wide").props(f'aria-label="{t("Another name of the same thing…")}"')
        offers = div("gm-stack")

    async def offer() -> None:
        words = (box.value or "").strip()
        found = await view.run(partial(_find, words=words, id=id), "graph") if words else []
        examples = await view.run(
            lambda memory: {one.id: read_examples(memory, one.id) for one in (own, *found)}, "graph"
        )
        offers.clear()
        with offers:
            for other in found:
                Decision(view, f"{own.id} {other.id}", partial(_pair, view, own, other, examples))
            if words and not found:
                text(t("No results"), "gm-soft")

    box.on("keydown.enter", offer)


def _read(memory: Memory, id: str) -> tuple[NamedEntity, list[list[str]]]:
    """Return the entity, and the merges that it is part of."""
    shown = memory.show(id)
    mentions = sum(one["type"] == "MENTIONS" for one in shown["relations"])
    own = NamedEntity(id, str(shown["node"]["name"]), str(shown["node"]["type"]), mentions)
    return own, [row[:4] for row in memory.query("entities_merged").rows if id in (row[0], row[2])]


def _find(memory: Memory, words: str, id: str) -> list[NamedEntity]:
    rows = memory.query("entities", {"text": words, "limit": _OFFERED + 1}).rows
    return [NamedEntity(*row) for row in rows if row[0] != id][:_OFFERED]


async def _do(view: View, work: Any) -> None:
    if await view.attempt(work()) is not None:
        ui.navigate.reload()
