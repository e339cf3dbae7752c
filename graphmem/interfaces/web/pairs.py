"""Two facts side by side with their evidence, and the choice between them: in the review queue, and on the page of a fact."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any

from nicegui import ui

from graphmem.errors import NotFound
from graphmem.interfaces.web.correcting import kept_of
from graphmem.interfaces.web.deciding import ACCEPT, REJECT, Decision
from graphmem.interfaces.web.parts import chip, div, text, time
from graphmem.interfaces.web.view import View, address
from graphmem.memory import Memory
from graphmem.model.results import Detail

_TITLE = 90  # characters
_DIFFERING = 8  # words in which two sentences differ
Draw = Callable[[View, Detail, Detail, Any, Decision], None]


def _details(memory: Memory, ids: Sequence[str]) -> dict[str, Detail]:
    try:
        return {detail.id: detail for detail in memory.details(ids)} if ids else {}
    except NotFound:
        return {}


async def show_pairs(view: View, pairs: Sequence[Any], draw: Draw) -> None:
    """Show pairs of memories side by side, each to decide on: `draw` gets the newer one, the older one, and the pair."""
    ids = [id for pair in pairs for id in pair[:2]]
    details = await view.run(lambda memory: _details(memory, ids), "graph")
    rows: list[Decision] = []
    with div("gm-stack gm-queue"):
        for pair in pairs:
            if pair[0] in details and pair[1] in details:
                older, newer = sorted((details[pair[0]], details[pair[1]]), key=lambda one: (one.at, one.id))
                row = Decision(view, f"{newer.id} {older.id}", partial(draw, view, newer, older, pair), _shortly(newer))
                row.about, row.beside = {newer.id, older.id}, rows
                rows.append(row)


def differing_words(one: str, other: str) -> tuple[str, str]:
    """Return in which words two sentences differ, the same words before and after them left out; ("", "") if they have little in
    common.

    >>> differing_words("The default number of retries is 5.", "The default number of retries is 3.")
    ('5', '3')
    >>> differing_words("We deploy on Friday.", "Release notes are kept in the wiki")
    ('', '')
    """
    texts = [sentence.rstrip(" .。!").split() for sentence in (one, other)]
    before = _shared_start(*texts)
    after = _shared_start(*(words[before:][::-1] for words in texts))
    parts = [words[before : len(words) - after] for words in texts]
    if before + after < max(map(len, parts)) or max(map(len, parts)) > _DIFFERING:
        return "", ""
    return " ".join(parts[0]), " ".join(parts[1])


def _shared_start(one: Sequence[str], other: Sequence[str]) -> int:
    pairs = zip(one, other, strict=False)
    return next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def _side(view: View, known: Detail, label: str) -> None:
    """Show one memory of a pair: what it says, who said it, and when."""
    text(label, "gm-column")
    text(known.content or known.title, "gm-pre")
    with div("gm-line"):
        time(view, known.at)
        if known.origin:
            chip(view.t(known.origin))
        if known.session:
            ui.link(view.t("in its session"), address("/sessions", id=known.session)).classes("gm-time gm-linked")
        ui.link(view.t("evidence"), address("/item", id=known.id)).classes("gm-time gm-linked")


def _shortly(known: Detail) -> str:
    said = known.content if known.kind == "fact" else known.title  # two facts often have one title
    plain = " ".join((said or known.title or known.content).split())
    return plain if len(plain) <= _TITLE else plain[: _TITLE - 1] + "…"


def _replaces(view: View, known: Detail, other: Detail, *, undo: bool = False) -> Awaitable[Any]:
    return view.verb("supersede", old=other.id, new=known.id, undo=undo)


def show_contradiction(view: View, newer: Detail, older: Detail, pair: Any, row: Decision) -> None:
    """Show two facts of which at most one can hold."""
    t = view.t
    one, other_one = differing_words(newer.content, older.content)
    if one or other_one:
        text(t("Which is true: “{one}” or “{other}”?", one=one or "—", other=other_one or "—"), "gm-soft")
    with div("gm-two-columns gm-pair"):
        for known, other, label in ((newer, older, t("newer")), (older, newer, t("older"))):
            with div():
                _side(view, known, label)
                row.choice(
                    t("This is true"), partial(_replaces, view, known, other), t("“{kept}” holds.", kept=_shortly(known)),
                    undo=partial(_replaces, view, known, other, undo=True), icon="check",
                    key=ACCEPT if known is newer else "", title="",
                )  # fmt: skip
    with div("gm-line"):
        row.choice(
            t("Both are true"),
            partial(_replaces, view, newer, older, undo=True),
            t("Both hold: they do not contradict each other."),
            key=REJECT,
        )
        _merge(view, row, older, newer, t("They say the same"))
        _correct(view, row, newer, older)


def show_replaced(view: View, newer: Detail, older: Detail, pair: Any, row: Decision) -> None:
    """Show a fact, and the one that replaced it."""
    t = view.t
    new, old = (newer, older) if pair[0] == newer.id else (older, newer)
    with div("gm-two-columns gm-pair"):
        with div():
            _side(view, new, t("holds now"))
        with div():
            _side(view, old, t("replaced"))
            row.choice(t("This one still holds"), partial(_replaces, view, old, new), t("“{kept}” holds.", kept=_shortly(old)),
                       undo=partial(_replaces, view, old, new, undo=True), icon="check", key=ACCEPT, title="")  # fmt: skip
    with div("gm-line"):
        row.choice(t("Both are true"), partial(_replaces, view, new, old, undo=True),
                   t("Both hold: they do not contradict each other."), key=REJECT)  # fmt: skip


def show_alike(view: View, newer: Detail, older: Detail, pair: Any, row: Decision) -> None:
    """Show two memories that say nearly the same."""
    t = view.t
    with div("gm-two-columns gm-pair"):
        for known, other, label in ((older, newer, t("older")), (newer, older, t("newer"))):
            with div():
                _side(view, known, label)
                _merge(view, row, known, other, t("Keep this one"), ACCEPT if known is older else "")
    row.choice(
        t("They differ"), lambda: view.verb("supersede", old=older.id, new=newer.id, undo=True),
        t("Both are kept."), key=REJECT,
    )  # fmt: skip


def _merge(view: View, row: Decision, kept: Detail, merged: Detail, label: str, key: str = "") -> None:
    """Offer to merge one memory into the other; other pairs of the page with the merged one are settled by that."""

    async def merge() -> Any:
        done = await view.verb("archive", id=merged.id, same_as=kept.id)
        row.settle(merged.id)
        return done

    async def restore() -> Any:
        done = await view.verb("restore", id=merged.id)
        row.settle("")
        return done

    row.choice(label, merge, view.t("Merged into “{kept}”.", kept=_shortly(kept)), undo=restore, icon="merge", key=key,
               title="")  # fmt: skip


def _correct(view: View, row: Decision, newer: Detail, older: Detail) -> None:
    """Offer to write what is true instead of both."""
    box = ui.input(placeholder=view.t("Neither: write what is true")).props("dense borderless maxlength=2000")
    box.classes("gm-field grow").props(f'aria-label="{view.t("Neither: write what is true")}"')

    async def write(content: str) -> None:
        if not (content := content.strip()):
            return

        async def replace_both() -> str:
            new = (await view.verb("remember", content=content, **kept_of(newer, older)))["id"]
            for old in (newer, older):
                await view.verb("supersede", old=old.id, new=new)
            return str(new)

        await row.decide(replace_both, view.t("“{kept}” holds.", kept=content[:_TITLE]), title="")

    box.on("keydown.enter", lambda event: write(str(event.args)), js_handler="(event) => emit(event.target.value)")
