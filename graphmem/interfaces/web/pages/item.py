"""The item page: content, source and all relations of an item, feedback buttons, and deletion."""

from __future__ import annotations

from collections import defaultdict
from contextlib import suppress
from datetime import datetime
from functools import partial
from typing import Any

from nicegui import ui

from graphmem.errors import GraphmemError, NotFound
from graphmem.interfaces.web.correcting import ask_to_correct
from graphmem.interfaces.web.forgetting import Doomed, ask_to_forget
from graphmem.interfaces.web.merging import merge_panel
from graphmem.interfaces.web.pairs import show_contradiction, show_pairs, show_replaced
from graphmem.interfaces.web.parts import (
    KIND_ICONS,
    button,
    chip,
    div,
    empty,
    facts,
    heading,
    node,
    panel,
    text,
    with_error_message,
)
from graphmem.interfaces.web.ratings import rating, read_ratings
from graphmem.interfaces.web.steps import diff_block
from graphmem.interfaces.web.undecided import Contested
from graphmem.interfaces.web.view import View, address
from graphmem.memory import Memory
from graphmem.model.code_answers import CommitChanges

_TEXTS = ("content", "description", "body", "summary", "doc", "resolution", "guide")
_HIDDEN = frozenset({"_id", "_label", "id", "title", "project", "metadata", "patch", "content_hash", "digest", *_TEXTS})
_UNRATED = frozenset({"File", "Symbol", "CallSite", "Project", "Session", "Entity", "Person", "Tag"})
_PATCHES, _OPEN = 60, 3  # symbols of a commit that are listed, and opened
_SHOWN = 60  # maximum relations of one type


@with_error_message
async def page(view: View, id: str = "") -> None:
    """Show the item."""
    if not id:
        empty("help_outline", view.t("No item selected"), view.t("Search for an item, or follow a link."))
        return
    try:
        found = await view.run(lambda memory: memory.show(id), "graph")
    except NotFound as error:
        empty(
            "delete_outline",
            view.t("Item not found"),
            view.plain(str(error)).rstrip(".") + ". " + view.t("It may have been forgotten."),
        )
        with div("gm-line").style("justify-content:center"):
            for path, title in (("/search", "Search"), ("/review?show=decided", "Decided")):
                ui.link(view.t(title), path).classes("gm-linked")
        return
    properties = found["node"]
    label, own = properties["_label"], properties["id"]
    with heading(_title(properties), own):
        button(view.t("Show in graph"), lambda: view.go("/graph", ids=own), "hub")
        if label in ("File", "Symbol"):
            path = properties.get("path") or properties.get("file")
            button(
                view.t("Source"), lambda: view.go("/code", file=path, symbol=properties.get("qualified_name")), "code"
            )
        if properties.get("session"):
            button(view.t("Session"), lambda: view.go("/sessions", id=properties["session"], turn=own), "forum")
        if label == "Fact":
            button(view.t("Edit"), partial(ask_to_correct, view, own), "edit")
        if label not in _UNRATED:
            ask = partial(ask_to_forget, view, view.t("Forget this?"), _doomed(view, properties), "/live", id=own)
            button(view.t("Forget"), ask, "delete_outline", "danger")
    if label not in _UNRATED:
        rating(view, own, (await view.run(read_ratings)).get(own))
    if label == "Fact":
        await _against(view, properties, found["relations"])
    with div("gm-grid two").style("margin-top:12px"):
        with div("gm-stack"):
            _texts(view, properties)
            if label == "Commit":
                await _changes(view, str(properties["hash"]))
            if label == "Entity":
                await merge_panel(view, own)
            _relations(view, found["relations"], found["truncated"])
        with panel(view.t("Properties")):
            chip(view.t(label), label, KIND_ICONS.get(label, ""))
            with div().style("margin-top:12px"):
                facts([(view.t(name).replace("_", " "), _value(value)) for name, value in sorted(properties.items())
                       if name not in _HIDDEN and value not in (None, "", [])])  # fmt: skip


async def _against(view: View, fact: dict[str, Any], relations: list[dict[str, Any]]) -> None:
    """Show what a fact contradicts and what replaced it, to decide on."""
    own = str(fact["id"])
    near = [(one["type"], one["direction"], str(one["id"])) for one in relations if one["label"] == "Fact"]
    contested = [
        Contested(own, id) for type, _, id in near if type == "CONTRADICTS" and fact.get("status") == "contested"
    ]
    replaced = [(id, own) for type, direction, id in near if type == "SUPERSEDES" and direction == "in"]
    for title, pairs, show in (
        ("It contradicts another fact", contested, show_contradiction),
        ("Another fact replaced it", replaced, show_replaced),
    ):
        if pairs:
            with div().style("margin-top:14px"):
                text(view.t(title), "gm-column")
                await show_pairs(view, pairs, show)


async def _changes(view: View, hash_: str) -> None:
    """Show what a commit changed, symbol by symbol; nothing if its repository is not here."""

    def read(memory: Memory) -> CommitChanges | None:
        with suppress(GraphmemError):
            return memory.code.commit(hash_)
        return None

    found = await view.run(read, "code")
    if found is None or not found.patches:
        return
    with panel(view.t("Changed, symbol by symbol")):
        for number, patch in enumerate(found.patches[:_PATCHES]):
            with div("gm-fold gm-revision", "details") as fold:
                if number < _OPEN:
                    fold.props("open")
                with div("gm-summary", "summary"):
                    text(patch.symbol or patch.file, "gm-mono grow gm-clip")
                    text(f"+{patch.added} −{patch.removed}", "gm-time")
                with div("gm-opened"):
                    link = address(
                        "/code", file=patch.file, symbol=patch.symbol, show="history" if patch.symbol else ""
                    )
                    ui.link(patch.file, link).classes("gm-time gm-mono gm-linked")
                    diff_block(patch.lines)
        if len(found.patches) > _PATCHES:
            text(view.t("and {n} more", n=len(found.patches) - _PATCHES), "gm-time")


def _title(properties: dict[str, Any]) -> str:
    for name in ("title", "content", "subject", "qualified_name", "path", "name", "ref", "command", "id"):
        if properties.get(name):
            return " ".join(str(properties[name]).split())[:160]
    return str(properties["id"])


def _doomed(view: View, properties: dict[str, Any]) -> Doomed:
    label, at = str(properties["_label"]), properties.get("at")
    when = view.t(label) + (f" · {at:%Y-%m-%d %H:%M}" if isinstance(at, datetime) else "")
    said = "\n\n".join(str(properties[name]) for name in _TEXTS if properties.get(name))
    return Doomed(_title(properties), when, said)


def _value(value: Any) -> str:
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M}"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _texts(view: View, properties: dict[str, Any]) -> None:
    said = [(name, properties[name]) for name in _TEXTS if properties.get(name)]
    for name, content in said:
        with panel(view.t(name)):
            text(content, "gm-pre")


def _relations(view: View, relations: list[dict[str, Any]], truncated: bool) -> None:
    groups: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for relation in relations:
        groups[relation["type"], relation["direction"]].append(relation)
    with panel(view.t("Relations")):
        if not groups:
            text(view.t("No related items."), "gm-soft")
        for (type, direction), group in sorted(groups.items()):
            with div().style("margin-bottom:14px"):
                with div("gm-line"):
                    text(f"{'→' if direction == 'out' else '←'} {view.relation(type)}", "gm-soft")
                    text(len(group), "gm-time")
                with div("gm-chips"):
                    for other in group[:_SHOWN]:
                        node(other["label"], other["id"], other["title"] or other["id"])
        if truncated:
            text(view.t("There are more: show it in the graph."), "gm-time")
