"""The code explorer: file tree, files with symbols, and for each symbol its callers, callees, impact, history, and
related facts and gotchas."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, NamedTuple

from nicegui import ui

from graphmem.codegraph.languages import count_languages
from graphmem.errors import GraphmemError, NotFound
from graphmem.interfaces.web.parts import (
    attributes,
    bar,
    button,
    chip,
    choices,
    div,
    empty,
    facts,
    heading,
    node,
    panel,
    text,
    time,
    with_error_message,
)
from graphmem.interfaces.web.remedies import nothing_read
from graphmem.interfaces.web.source_view import Margin, Target, read_targets, source_html
from graphmem.interfaces.web.steps import diff_block
from graphmem.interfaces.web.treemap import COLOURS, read_weights, treemap_panel
from graphmem.interfaces.web.view import View, address
from graphmem.memory import Memory
from graphmem.model.answers import Outline, Place
from graphmem.model.code import FileRecord

_ROWS = 60
_NOTES = 200  # memories in the margin of a file
_AUTHOR = 14  # characters of a name in the margin
_MARKS = {"Gotcha": "⚠", "Task": "✓", "Fact": "✎"}
_SURE = 0.7  # confidence of a call from which it is shown without a mark
_COMMITS = 8  # commits with diffs
_RUNS = 30  # latest test runs that are searched for a result
_ICONS = {
    "class": "data_object",
    "function": "functions",
    "method": "functions",
    "variable": "data_array",
    "module": "inventory_2",
}


class Shown(NamedTuple):
    """What the address names: file, symbol, tab and line, the commit or day to go back to, whether lines show their last commits,
    and the colour of the treemap."""

    file: str = ""
    symbol: str = ""
    show: str = "callers"
    line: int = 0
    asof: str = ""
    blame: bool = False
    color: str = "churn"

    def address(self, **changes: Any) -> str:
        """Return the link to the same, with changes."""
        given = self._replace(**changes)._asdict()
        return address(
            "/code", **{name: value for name, value in given.items() if value != Shown._field_defaults[name]}
        )


@with_error_message
async def page(
    view: View, file: str = "", symbol: str = "", show: str = "callers", line: int = 0, asof: str = "", blame: bool = False,
    color: str = "churn",
) -> None:  # fmt: skip
    """Show the tree, and the file, symbol and line named in the URL."""
    shown = Shown(file, symbol, show, line, asof, blame, color if color in COLOURS else "churn")
    with heading(view.t("Code"), view.t("All symbols, their users, and related memories.")):
        _time_travel(view, shown)
    try:
        files = await view.verb("code files", as_of=asof)
    except NotFound:
        hint = "{n} languages are indexed without a build. An edited file is re-indexed in milliseconds."
        nothing_read(view, "code", view.t("No code indexed yet"), view.t(hint, n=count_languages()))
        return
    with div("gm-grid side"):
        with div("gm-panel flush"):
            _tree(view, files, shown)
        if not file:
            with div("gm-stack"):
                weights = await view.run(lambda memory: read_weights(memory, files), "graph")
                treemap_panel(view, weights, shown.color, lambda by: ui.navigate.to(shown.address(color=by)))
                await _architecture(view)
            return
        try:
            outline = await view.verb("code outline", file=file, as_of=asof)
        except NotFound as error:
            empty("insert_drive_file", view.t("This file is not indexed"), view.plain(str(error)))
            return
        with div("gm-stack"):
            await _file(view, outline, shown)
            await (_symbol(view, outline, shown) if symbol else _about_file(view, file))


def _time_travel(view: View, shown: Shown) -> None:
    """Let the visitor go back to a day or a commit."""
    box = (
        ui.input(value=shown.asof, placeholder=view.t("day, tag or commit"))
        .props("dense borderless clearable")
        .classes("gm-field")
    )
    box.props(f'aria-label="{view.t("as of")}"')
    if shown.asof:
        chip(view.t("as of {moment}", moment=shown.asof), "blocked", "history")

    def go(moment: str) -> None:
        if moment.strip() != shown.asof:
            ui.navigate.to(shown.address(asof=moment.strip()))

    box.on("keydown.enter", lambda event: go(str(event.args)), js_handler="(event) => emit(event.target.value)")
    box.on("clear", lambda: go(""))
    button(view.t("Go back to it"), lambda: go(box.value or ""), "history")


def _tree(view: View, files: list[FileRecord], shown: Shown) -> None:
    chosen = shown.file
    folders: dict[str, list[str]] = {}
    for record in files:
        path = record.path
        while path:
            folder = path.rpartition("/")[0]
            inside = folders.setdefault(folder, [])
            if inside and inside[-1] == path:
                break
            inside.append(path)
            path = folder
    leaves = {record.path for record in files}

    def branch(folder: str) -> None:
        for path in sorted(set(folders.get(folder, ())), key=lambda path: (path in leaves, path)):
            name = path.rpartition("/")[2]
            if path in leaves:
                with ui.link(target=shown.address(file=path, symbol="", line=0)).classes(
                    "gm-leaf" + (" on" if path == chosen else "")
                ):
                    ui.icon("insert_drive_file")
                    text(name)
                continue
            _folder(name, path, branch, opened=chosen.startswith(path + "/"))

    with div("gm-tree").props(f'role="group" aria-label="{view.t("Files")}" tabindex="0"'):
        branch("")


def _folder(name: str, path: str, branch: Callable[[str], None], *, opened: bool) -> None:
    """Create a folder whose content is loaded when it is first opened."""
    leaf = (
        div("gm-leaf", "button").props('type="button"').style("background:none;border:0;font:inherit;text-align:left")
    )
    with leaf:
        icon = ui.icon("expand_more" if opened else "chevron_right")
        text(name)
    inside = div("gm-branch")
    inside.set_visibility(opened)
    if opened:
        with inside:
            branch(path)

    def toggle() -> None:
        if not inside.visible and not list(inside):
            with inside:
                branch(path)
        inside.set_visibility(not inside.visible)
        icon.set_name("expand_more" if inside.visible else "chevron_right")

    leaf.on("click", toggle)


async def _architecture(view: View) -> None:
    found = await view.verb("code overview")
    with div("gm-grid half"):
        with panel(view.t("Most used")):
            most = max((rank for _, rank in found.central), default=0.0) or 1.0
            for place, rank in found.central:
                _place(place, f"{rank / most:.0%}")
        with panel(view.t("Most complex")):
            for place, complexity in found.complex:
                _place(place, str(complexity))
        with panel(view.t("Untested")):
            for place in found.untested:
                _place(place)
            if not found.untested:
                text(view.t("None."), "gm-soft")
        with panel(view.t("Packages")):
            for package in found.packages[:_ROWS]:
                with div("gm-line"):
                    text(package.name or ".", "gm-mono grow")
                    text(view.t("{n} files, {m} lines", n=package.files, m=f"{package.lines:,}"), "gm-time")


def _place(place: Place, note: str = "") -> None:
    with div("gm-line").style("flex-wrap:nowrap"):
        target = address("/code", file=place.file, symbol=place.name) if place.file else ""
        with ui.link(target=target).classes("gm-node grow") if target else div("gm-node grow"):
            ui.icon(_ICONS.get(place.kind, "code"))
            text(place.name)
        if note:
            text(note, "gm-time")


async def _file(view: View, outline: Outline, shown: Shown) -> None:
    symbol, line = shown.symbol, shown.line
    chosen = next((place for place in outline.symbols if place.name == symbol), None)
    with div("gm-panel flush"):
        with div("gm-line").style("padding:12px 18px;border-bottom:1px solid var(--line)"):
            text(outline.file, "gm-mono grow").style("font-weight:600")
            chip(outline.language or view.t("text"))
            if outline.stale:
                chip(view.t("changed since indexing"), "blocked")
            toggle = button(
                view.t("Who wrote it"), lambda: ui.navigate.to(shown.address(blame=not shown.blame)), "person_outline"
            )
            toggle.props(f'aria-pressed="{str(shown.blame).lower()}"')
            options = {
                place.name: f"{place.line}  {place.name.rpartition('.')[2]}"
                for place in outline.symbols
                if place.kind != "module"
            }
            if options:
                ui.select(
                    options, value=symbol if symbol in options else None, label=None, with_input=True,
                    on_change=lambda event: ui.navigate.to(shown.address(symbol=event.value or "", line=0)),
                ).props('dense borderless options-dense clearable aria-label="symbol"').classes("gm-field")  # fmt: skip
        margins = await view.run(lambda memory: _read_margins(memory, outline.file, shown), "code")
        lit = {line} if line else set(range(chosen.line, chosen.end_line + 1)) if chosen else set()
        html = source_html(outline.file, outline.text, margins.targets, lit, symbol, margins.notes, margins.blame)
        ui.html(html, sanitize=False).classes("gm-source").style("max-height:46vh").props(
            f'tabindex="0" role="region" aria-label="{view.t("Source")}"'
        )
    if lit:
        ui.run_javascript(f"graphmem.showLine({str(bool(line)).lower()})")


class Margins(NamedTuple):
    """What is known of the lines of a file: where names lead, memories about symbols, and the last commits."""

    targets: dict[tuple[int, str], Target]
    notes: dict[int, list[Margin]]
    blame: dict[int, Margin] | None


def _read_margins(memory: Memory, file: str, shown: Shown) -> Margins:
    targets = read_targets(memory.code.references(file, as_of=shown.asof or None))
    notes: dict[int, list[Margin]] = {}
    if not shown.asof:  # the lines of memories are those of today
        rows = memory.query("remembered_in_file", {"path": file}, limit=_NOTES).to_dicts()
        for row in {row["id"]: row for row in rows}.values():
            title = f"{row['label']}: {row['title'] or row['content'] or row['id']}"
            mark = Margin(
                _MARKS.get(row["label"], "•"), address("/item", id=row["id"]), title, f"tone-{row['label'].lower()}"
            )
            notes.setdefault(row["line"], []).append(mark)
    return Margins(targets, notes, _read_blame(memory, file, shown) if shown.blame else None)


def _read_blame(memory: Memory, file: str, shown: Shown) -> dict[int, Margin]:
    """Return the last commit of each line, at the first line of each run of lines from the same one; without a text for lines that
    are not committed."""
    found: dict[int, Margin] = {}
    last = None
    try:
        rows = memory.code.blame(file, as_of=shown.asof or None).rows
    except GraphmemError:  # no history here
        return found
    for line, hash_, at, author, subject in rows:
        if hash_ != last:
            label = f"{at:%Y-%m-%d} {author[:_AUTHOR]}" if hash_ else ""
            found[line] = Margin(label, address("/item", id=f"commit:{hash_}"), f"{hash_[:10]} {author}: {subject}")
        last = hash_
    return found


async def _symbol(view: View, outline: Outline, shown: Shown) -> None:
    symbol = shown.symbol
    sections: dict[str, tuple[str, Callable[[View, str, str], Awaitable[None]]]] = {
        "callers": (view.t("Callers"), partial(_calls, "code callers", shown.asof)),
        "callees": (view.t("Calls"), partial(_calls, "code callees", shown.asof)),
        "impact": (view.t("Impact"), partial(_impact, shown.asof)),
        "tests": (view.t("Tests"), _tests),
        "history": (view.t("History"), _diffs),
        "memory": (view.t("Memories"), _remembered),
    }
    chosen = shown.show if shown.show in sections else "callers"
    place = next((place for place in outline.symbols if place.name == symbol), None)
    with div("gm-panel"):
        with div("gm-line"):
            text(place.signature if place and place.signature else symbol, "gm-mono grow gm-two")
            key = f"sym:{view.lanes.project}:{outline.file}:{symbol}"
            button(view.t("Show in graph"), lambda: view.go("/graph", ids=key), "hub", "quiet")
        with div().style("margin:12px 0"):
            choices([(name, label) for name, (label, _) in sections.items()], chosen,
                    lambda value: ui.navigate.to(shown.address(file=outline.file, show=value, line=0)))  # fmt: skip
        try:
            await sections[chosen][1](view, outline.file, symbol)
        except GraphmemError as error:
            text(view.plain(str(error)), "gm-soft")


async def _calls(verb: str, asof: str, view: View, file: str, symbol: str) -> None:
    found = await view.verb(verb, symbol=symbol, limit=_ROWS, as_of=asof)
    for call in found.calls:
        with div("gm-line").style("flex-wrap:nowrap"):
            with div("grow"):
                _place(call.symbol)
            if call.symbol.file:
                at = found.file(call)
                target = address(
                    "/code", file=at, symbol=call.symbol.name if at == call.symbol.file else symbol, line=call.line
                )
                ui.link(f"{at}:{call.line}", target).classes("gm-time gm-mono gm-linked")
            else:
                text(view.t("outside"), "gm-time gm-mono")
            if call.confidence < _SURE:
                chip(view.t("perhaps"), "suggested").props(
                    f'title="{call.strategy.replace("_", " ")} {call.confidence:.2f}"'
                )
    if not found.calls:
        text(view.t("None."), "gm-soft")
    if found.open_sites:
        text(view.t("{n} unresolved calls might also call it.", n=found.open_sites), "gm-time")
    if found.through_base:
        text(view.t("{n} calls to methods that it overrides may run it.", n=found.through_base), "gm-time")
    if found.handed_on:
        text(view.t("Referenced without a call in {n} places.", n=found.handed_on), "gm-time")


async def _impact(asof: str, view: View, file: str, symbol: str) -> None:
    found = await view.verb("code impact", symbol=symbol, limit=_ROWS, as_of=asof)
    with div("gm-line").style("max-width:340px;flex-wrap:nowrap;margin-bottom:10px"):
        text(view.t("risk"), "gm-time")
        bar(found.risk, "bad" if found.risk > 0.66 else "blocked" if found.risk > 0.33 else "good")
        text(f"{found.risk:.0%}", "gm-time")
    pairs = [
        (view.t("affected symbols"), len(found.reached) + found.left_out),
        (view.t("tests that reach it"), len(found.tests)),
    ]
    facts(pairs)
    for reach in found.reached:
        with div("gm-line").style("flex-wrap:nowrap"):
            chip(view.t("distance {n}", n=reach.depth))
            with div("grow"):
                _place(reach.symbol)
            if reach.confidence < _SURE:
                chip(view.t("perhaps"), "suggested")
    for label, title in found.related:
        chip(f"{label}: {title}", label)


async def _tests(view: View, file: str, symbol: str) -> None:
    """Show the tests that reach a symbol, with their last result where it is known."""

    def read(memory: Memory) -> tuple[Any, dict[str, str]]:
        runs = memory.history(types=["test_run_observed"], limit=_RUNS)
        failed = {
            str(one.get("name")): str(one.get("message") or "")
            for run in runs[-1:]
            for one in run.payload.get("failures", ())
        }
        return memory.code.tests(symbol, limit=_ROWS), failed

    plan, failed = await view.run(read, "code")
    tests = plan.tests or plan.changed_with
    if not tests:
        text(view.t("No test reaches it."), "gm-soft")
        return
    text(view.t("{n} tests reach it.", n=plan.total) if plan.tests
         else view.t("No test reaches it; these changed in the same commits."), "gm-soft")  # fmt: skip
    if plan.command:
        with div("gm-command", "code").style("margin-bottom:10px"):
            text(plan.command)
    for place, depth in tests:
        name = place.short_name.rpartition(" > ")[2] if " " in place.name else place.name.rpartition(".")[2]
        with div("gm-line").style("flex-wrap:nowrap"):
            with div("grow"):
                _place(place)
            if broken := [message for one, message in failed.items() if one.rstrip(" .").endswith(name)]:
                attributes(chip(view.t("failed in the last run"), "bad"), title=broken[0][:300])
            if plan.tests:
                chip(view.t("calls it directly") if depth <= 1 else view.t("distance {n}", n=depth))


async def _diffs(view: View, file: str, symbol: str) -> None:
    """Show who wrote a symbol, and its latest commits as diffs."""

    def read(memory: Memory) -> tuple[Any, Any]:
        return memory.code.owners(symbol), memory.code.hunks(symbol, limit=_COMMITS)

    owners, history = await view.run(read, "code")
    if owners is not None:
        with div("gm-line").style("margin-bottom:10px"):
            text(view.t("Its lines are from"), "gm-soft")
            for author, lines, day in owners.authors[:5]:
                chip(f"{author} · {view.t('{n} lines', n=lines)} · {day}", "person", "person_outline")
    for number, (revision, message, patch) in enumerate(history.commits):
        with div("gm-fold gm-revision", "details") as fold:
            if not number:
                fold.props("open")
            with div("gm-summary", "summary"):
                text(f"{revision.at:%Y-%m-%d}", "gm-time")
                text(revision.subject, "grow")
                text(revision.author, "gm-time")
            with div("gm-opened"):
                if message:
                    text(message, "gm-soft gm-pre")
                diff_block(
                    [line for line in patch.splitlines() if not line.startswith(("diff ", "index ", "--- ", "+++ "))]
                )
                node("Commit", f"commit:{revision.hash}", revision.hash[:12])
    if not history.commits:
        await _history(view, file, symbol)
    elif history.total > len(history.commits):
        text(view.t("and {n} more", n=history.total - len(history.commits)), "gm-time")


async def _history(view: View, file: str, symbol: str) -> None:
    query, given = ("commits_of_symbol", {"name": symbol}) if symbol else ("history_of", {"path": file})
    found = await view.run(lambda memory: memory.query(query, given, limit=_ROWS), "graph")
    for row in found.to_dicts():
        with div("gm-line").style("flex-wrap:nowrap"):
            time(view, row["at"])
            node("Commit", f"commit:{row['hash']}", row["subject"] or row["hash"], "grow")
            text(row["author"] or "", "gm-time")
    if not found.rows:
        text(view.t("No commits changed it."), "gm-soft")


async def _remembered(view: View, file: str, symbol: str) -> None:
    def read(memory: Memory) -> list[dict[str, Any]]:
        tables = [memory.query("remembered_about_file", {"path": file}, limit=_ROWS)]
        if symbol:
            tables.append(memory.query("remembered_about_symbol", {"name": symbol}, limit=_ROWS))
        return [row for table in tables for row in table.to_dicts()]

    found = await view.run(read, "graph")
    for row in {row["id"]: row for row in found}.values():
        with div("gm-line").style("flex-wrap:nowrap"):
            node(row["label"], row["id"], row["title"] or row["content"] or row["id"], "grow")
            time(view, row["at"])
    if not found:
        text(view.t("No memories about it yet."), "gm-soft")


async def _about_file(view: View, file: str) -> None:
    with div("gm-grid half"):
        with panel(view.t("History")):
            await _history(view, file, "")
        with panel(view.t("Memories")):
            await _remembered(view, file, "")
