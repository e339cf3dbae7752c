"""The search page in three levels: hits with reasons, the turns around a hit, and its full text. The URL contains the
query, so results can be shared."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from html import escape
from typing import Any, NamedTuple

from nicegui import ui

from graphmem.interfaces.web.charts import ROW
from graphmem.interfaces.web.facets import AGES, COUNTED, Faceted, facet_panel, keep_chosen, read_faceted
from graphmem.interfaces.web.parts import (
    attributes,
    bar,
    button,
    chip,
    div,
    empty,
    facts,
    heading,
    text,
    time,
    with_error_message,
)
from graphmem.interfaces.web.ratings import rating
from graphmem.interfaces.web.selecting import Selection, memory_actions
from graphmem.interfaces.web.view import View, address
from graphmem.memory import Memory
from graphmem.model.results import AGAINST, Hit, SearchResult
from graphmem.retrieve.calibrate import nonincreasing_fit
from graphmem.text.reports import request_of, shorten_request

_TITLED = 200  # latest sessions whose titles are known to the facets
_TITLE = 60  # characters
_PREVIEWED = 12_000  # characters
_BUDGET = 2_000  # tokens of the context for an agent
_KNOWN = {"high": "This memory knows the answer", "suggested": "These may help", "none": "Nothing answers it"}
_LIKELY = ((0.7, "very likely the answer"), (0.4, "likely the answer"), (0.15, "possibly the answer"),
           (0.0, "unlikely to be the answer"))  # fmt: skip

_STATES = {"contested": "blocked", "superseded": "pending", "amended": "pending"}  # marked, each with its tone

_FOLLOW = """(event) => {
  const row = event.target.closest("[data-item]");
  if (row && innerWidth > 1240) emit(row.dataset.item);
}"""


class Results(NamedTuple):
    """What a search found: the hits to show, the best ones with what facets count, and titles of sessions."""

    result: SearchResult
    faceted: list[Faceted]
    titles: dict[str, str]


@with_error_message
async def page(
    view: View, q: str = "", kind: str = "", asof: str = "", k: int = 10, file: str = "", session: str = "", status: str = "",
    age: str = "",
) -> None:  # fmt: skip
    """Show the results of a query."""
    heading(
        view.t("Search"), view.t("Ask in natural language. Each hit shows how likely it answers, and why it was found.")
    )
    chosen = {
        "kind": kind,
        "file": file,
        "session": session,
        "status": status,
        "age": age if age in (*AGES, "older") else "",
    }
    state = {"q": q, "asof": asof, "k": k, **chosen}
    await _form(view, state)
    if not q.strip():
        empty(
            "search", view.t("Ask about something you half remember"),
            view.t("Use words, file or function names, error messages or dates, in English or Korean."),
        )  # fmt: skip
        return
    found = await view.run(lambda memory: _search(memory, q, chosen, asof, max(1, min(k, 100))))
    result = found.result
    sure = result.shown if result.confidence != "none" else ()
    with div("gm-grid gm-finding"):
        if (found.faceted and sure) or any(chosen.values()):
            facet_panel(view, found.faceted, chosen, found.titles,
                        lambda facet, value: view.go("/search", **{**state, facet: value, "k": 10}))  # fmt: skip
        with div("gm-hits"):
            if not sure:
                empty(
                    "search_off",
                    view.t("Nothing in this memory answers that"),
                    view.t("Try other words, another kind, or a later date."),
                )
            else:
                _summary(view, result)
            selection = Selection(view, memory_actions(view), lambda done: ui.navigate.reload() if done else None)
            if sure:
                with div("gm-panel flush"):
                    for number, hit in enumerate(sure, 1):
                        _hit(view, number, hit, selection)
            _unlikely(view, result.hits[len(sure) :], len(sure), selection)
            if len(result.hits) == k:
                button(view.t("More hits"), lambda: view.go("/search", **{**state, "k": k + 20})).style(
                    "margin-top:14px"
                )
        if sure:
            await Preview(view, q).start(next((hit for hit in result.hits if not hit.is_answer), None))
    view.listen(lambda channel, data: _forgotten(channel, data))


def _search(memory: Memory, query: str, chosen: dict[str, str], asof: str, k: int) -> Results:
    """Search, and count facets. Kind, session and time narrow the search itself; files and states choose among the best hits."""
    at = _moment(asof)
    faceted = read_faceted(memory, memory.search(query, k=COUNTED, as_of=at).hits)
    since = datetime.now(UTC) - timedelta(days=AGES[chosen["age"]]) if chosen["age"] in AGES else None
    narrow: dict[str, Any] = {"kinds": [chosen["kind"]] if chosen["kind"] else None, "session": chosen["session"] or None,
                              "as_of": at, "since": since}  # fmt: skip
    result = memory.search(query, k=COUNTED if chosen["file"] or chosen["status"] or chosen["age"] == "older" else k,
                           budget=_BUDGET, **narrow)  # fmt: skip
    if chosen["file"] or chosen["status"] or chosen["age"] == "older":
        kept = keep_chosen(
            read_faceted(memory, result.hits), {name: chosen[name] for name in ("file", "status", "age")}
        )
        result = replace(result, hits=tuple(one.hit for one in kept)[:k])
    result = replace(result, hits=level_hits(result.hits))
    named = memory.sessions(page=1, page_size=_TITLED)["sessions"] if any(one.hit.session for one in faceted) else []
    titles = {
        one["ref"] or one["id"]: one["title"] or shorten_request(request_of(one["opening"]), _TITLE) for one in named
    }
    return Results(result, faceted, titles)


def level_hits(hits: Sequence[Hit]) -> tuple[Hit, ...]:
    """Return the hits with the nearest probabilities that never rise from one to the next. What moves a hit after its
    probability was estimated (ratings, a later statement) also says how likely it is meant."""
    fitted = nonincreasing_fit([hit.probability for hit in hits])
    return tuple(replace(hit, probability=value) for hit, value in zip(hits, fitted, strict=True))


class Preview:
    """The pane beside the hits on wide screens: the whole text of the hit that has the focus."""

    def __init__(self, view: View, query: str) -> None:
        self.view = view
        self.words = set(re.findall(r"[a-z0-9_]{4,}|[^\W\da-z_]{2,}", query.lower()))
        self.place = div("gm-preview gm-panel", "aside").props(f'aria-label="{view.t("Preview")}" tabindex="0"')
        self.shown = ""

    async def start(self, first: Hit | None) -> None:
        """Show the first hit, and from now on the one that gets the focus or is pointed at."""
        hits = ui.context.slot.parent
        hits.on("focusin", lambda event: self.show(str(event.args)), js_handler=_FOLLOW)
        hits.on(
            "mouseover",
            lambda event: self.show(str(event.args)),
            js_handler=_FOLLOW,
            throttle=0.4,
            leading_events=False,
        )
        if first is not None:
            await self.show(first.id)

    async def show(self, id: str) -> None:
        """Show a hit."""
        if id == self.shown or self.place.is_deleted:
            return
        self.shown = id
        found = await self.view.attempt(self.view.run(lambda memory: memory.details([id])))
        if found is None or self.shown != id or self.place.is_deleted:
            return
        self.place.clear()
        with self.place:
            for detail in found:
                with div("gm-line"):
                    chip(self.view.t(detail.kind), detail.kind)
                    time(self.view, detail.at)
                    if detail.origin:
                        text(self.view.t("from: {origin}", origin=self.view.t(detail.origin)), "gm-time")
                if detail.title:
                    ui.link(detail.title, address("/item", id=detail.id)).classes("gm-hit-title")
                ui.html(self._marked(detail.content[:_PREVIEWED]), sanitize=False).classes("gm-pre gm-preview-text")
                for file in detail.files[:8]:
                    ui.link(file, address("/code", file=file)).classes("gm-time gm-mono gm-linked")

    def _marked(self, content: str) -> str:
        """Return a text as HTML, escaped, with the words of the query marked."""
        parts = re.split(r"(\w+)", content)
        return "".join(f"<mark>{escape(part)}</mark>" if part.lower() in self.words else escape(part) for part in parts)


async def _form(view: View, state: dict[str, Any]) -> None:
    def ask(**changes: Any) -> None:
        view.go("/search", **{**state, **changes})

    with div("gm-line").style("margin-bottom:16px"):
        box = ui.input(value=state["q"], placeholder=view.t("What do you want to know?")).props(
            "dense borderless autofocus"
        )
        box.classes("gm-field gm-question").style("flex:1;min-width:240px").props('aria-label="question"')
        box.on("keydown.enter", lambda: ask(q=box.value or "", k=10))
        text(view.t("as of"), "gm-soft")
        day = ui.input(value=state["asof"]).props('dense borderless type="date"').classes("gm-field")
        day.props(f'aria-label="{view.t("as of")}" title="{view.t("as of")}"')
        day.on("change", lambda: ask(asof=day.value or ""))
        button(view.t("Search"), lambda: ask(q=box.value or "", k=10), "search", "main")


def _moment(day: str) -> datetime | None:
    """Return the end of a day; None if the text is not a date."""
    try:
        return datetime.fromisoformat(day).replace(hour=23, minute=59, second=59, tzinfo=UTC) if day else None
    except ValueError:
        return None


def _summary(view: View, result: SearchResult) -> None:
    with div("gm-line").style("margin-bottom:12px"):
        chip(view.t(_KNOWN[result.confidence]), result.confidence)
        text(view.t("{n} of {total} candidates", n=len(result.hits), total=result.total), "gm-time")
        text(view.t("{n} tokens for an agent", n=result.tokens), "gm-time")
        for channel, reason in result.degraded.items():
            chip(view.t("without {channel}: {reason}", channel=channel, reason=reason), "blocked")
        with div().style("flex:1"):
            pass
        button(view.t("Context for an agent"), lambda: _context(view, result), "smart_toy", "quiet")


def _unlikely(view: View, hits: Sequence[Hit], before: int, selection: Selection) -> None:
    """Show, folded, what is near to the query but hardly answers it."""
    if not hits:
        return
    with div("gm-unlikely", "details"):
        with div("gm-summary", "summary"):
            text(view.t("{n} more that are near but unlikely to answer it", n=len(hits)), "gm-soft")
        with div("gm-panel flush").style("margin-top:10px"):
            for number, hit in enumerate(hits, before + 1):
                _hit(view, number, hit, selection, is_folded=True)


def _context(view: View, result: SearchResult) -> None:
    with ui.dialog(value=True), ui.card().classes("gm-dialog"):
        with div(tag="h2"):
            text(view.t("Context for an agent: {n} tokens", n=result.tokens))
        text(result.context, "gm-pre gm-mono").style("max-height:60vh;overflow:auto")


def _hit(view: View, number: int, hit: Hit, selection: Selection, *, is_folded: bool = False) -> None:
    open_: dict[str, Any] = {}
    with attributes(div("gm-hit gm-row"), tabindex="0", data_item=hit.id).style("display:block"):
        with div("gm-line"):
            title = hit.summary if hit.is_answer else hit.title or hit.summary or hit.id
            if not hit.is_answer:
                selection.box(hit.id, title, is_folded=is_folded)
            text(f"{number}", "gm-time")
            with div("gm-hit-title grow"):
                ui.link(title, address("/item", id=hit.id))
            if hit.status in _STATES:
                chip(view.t(hit.status), _STATES[hit.status])
            chip(view.t(hit.kind), hit.kind)
            time(view, hit.at)
        if hit.against:
            with div("gm-line"):
                text(f"{view.t(AGAINST[hit.status])}: {hit.against}", "gm-soft grow")
                if hit.status == "contested":
                    ui.link(view.t("Decide"), address("/item", id=hit.id)).classes("gm-linked gm-time")
        body = hit.passage if hit.is_answer else hit.excerpt
        if body.strip() not in ("", title.strip()):
            text(body, "gm-hit-body gm-two")
        _why(view, hit)
        with div("gm-line").style("margin-top:8px"):
            layer = div("gm-line")
            text(hit.citation, "gm-time gm-mono")
            if hit.session:
                ui.link(view.t("in its session"), address("/sessions", id=hit.session, turn=hit.id)).classes("gm-time")
        place = div()
    with layer:
        button(view.t("Surrounding turns"), lambda: _toggle(view, open_, place, "around", hit), "more_horiz", "quiet")
        button(view.t("Full text"), lambda: _toggle(view, open_, place, "full", hit), "notes", "quiet")
        button(view.t("Show in graph"), lambda: view.go("/graph", ids=hit.id), "hub", "quiet")
        if not hit.is_answer:
            rating(view, hit.id, None)


def _why(view: View, hit: Hit) -> None:
    """Show how likely it is that the hit answers the query, and folded, the share of each signal in its rank."""
    total = sum(abs(value) for value in hit.why.values()) or 1.0
    ordered = sorted(hit.why.items(), key=lambda pair: -abs(pair[1]))
    likely = next(word for least, word in _LIKELY if hit.probability >= least)
    with div("gm-likely").props(f'data-likely="{hit.probability:.2f}"'):
        bar(hit.probability, "good" if hit.probability >= _LIKELY[1][0] else "none")
        text(view.t(likely), "gm-time")
        with div(tag="details"):
            with div("gm-summary", "summary"):
                text(view.t("why it was found"), "gm-time")
            with div("gm-line"):
                with div("gm-why"):
                    for at, (_, value) in enumerate(ordered):
                        div(f"tone-w{at % len(ROW)}").style(f"width:{abs(value) / total * 100:.1f}%")
                with div("gm-legend"):
                    for at, (name, value) in enumerate(ordered):
                        text(f"{view.t(name)} {value:.2f}", f"tone-w{at % len(ROW)}")


async def _toggle(view: View, open_: dict[str, Any], place: Any, layer: str, hit: Hit) -> None:
    if layer in open_:
        open_.pop(layer).delete()
        return
    with place:
        open_[layer] = div("gm-layer").props(f'data-layer="{layer}"')
    if layer == "around":
        entries = await view.run(lambda memory: memory.timeline([hit.id]))
        with open_[layer]:
            if not entries:
                text(view.t("It does not belong to a session."), "gm-soft")
            for entry in entries:
                with div("gm-line").style("flex-wrap:nowrap;align-items:baseline;padding:3px 0"):
                    chip(entry.role or entry.kind, "task" if entry.is_target else "")
                    text(entry.preview, "grow gm-soft" if not entry.is_target else "grow")
                    time(view, entry.at)
        return
    details = await view.run(lambda memory: memory.details([hit.id]))
    with open_[layer]:
        for detail in details:
            text(detail.content, "gm-pre")
            lists = {"files": detail.files, "tags": detail.tags, "related": detail.related}
            pairs = [
                (view.t("tokens"), detail.tokens),
                *((view.t(name), ", ".join(row)) for name, row in lists.items()),
            ]
            with div().style("margin-top:10px"):
                facts([(name, value) for name, value in pairs if value])
                with div("gm-line").style("margin-top:8px;max-width:320px"):
                    text(view.t("probability"), "gm-time")
                    bar(hit.probability)
                    text(f"{hit.probability:.0%}", "gm-time")


def _forgotten(channel: str, data: Any) -> None:
    """Remove a forgotten hit from the page."""
    gone = [id for event in data if channel == "events" for id in event.get("gone", ())]
    for id in gone:
        ui.run_javascript(f"document.querySelector('[data-item=' + CSS.escape({id!r}) + ']')?.remove()")
