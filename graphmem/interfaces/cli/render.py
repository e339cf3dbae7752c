"""Prints results for people: tables and short reports. Results of an unknown type are printed as indented JSON."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Mapping
from typing import IO, TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape
from rich.text import Text

from graphmem.interfaces.cli.grid import format_cell, print_table
from graphmem.interfaces.cli.pages import (
    details,
    match,
    print_condition,
    print_exchange,
    print_move,
    print_task,
    task_page,
    timeline,
)
from graphmem.interfaces.cli.welcome import print_welcome
from graphmem.interfaces.envelope import to_json_values
from graphmem.interfaces.text import code as code_text
from graphmem.interfaces.text.bug_report import bug_report_text
from graphmem.interfaces.text.history import commit_line, commit_text, commits_end
from graphmem.interfaces.text.lists import dead_text, outline_text
from graphmem.interfaces.text.nothing import empty_text
from graphmem.interfaces.text.tree import form_of, join_hint
from graphmem.interfaces.verbs.several import Several
from graphmem.model.answers import Architecture, Calls, DeadReport, ImpactReport, Outline, Routes, Unresolved
from graphmem.model.results import AGAINST, STATUS_NOTES, Answer
from graphmem.model.sources import ExchangeReport, ForgetReport, IndexReport, IngestReport, ProcessReport
from graphmem.model.table import Table
from graphmem.model.tasks import Condition, Exchanged, Task
from graphmem.plurals import counted
from graphmem.trust.hidden import replace_controls

if TYPE_CHECKING:
    from graphmem.evolution.schedule import Plan
    from graphmem.model.reports import MemifyReport

_PIPE = 1_000  # columns without a terminal width


class Page(Console):
    """A console that leaves it to its caller when the reader went away, and through which no name that a stranger chose
    reaches the terminal with characters that it obeys."""

    def render_str(self, text: str, **options: Any) -> Text:
        """Render a text with markup, without its control characters."""
        return super().render_str(replace_controls(text), **options)

    def on_broken_pipe(self) -> None:
        """Raise BrokenPipeError instead of exiting."""
        raise BrokenPipeError


def make_console(file: IO[str] | None = None, terminal: Mapping[str, str] | None = None) -> Page:
    """Return the console to print on: standard output, or a file that is treated like a terminal with these
    properties (environment variables and `is_terminal`). Lines are not wrapped in a pipe."""
    options: dict[str, Any] = {"highlight": False, "emoji": False}  # `task:b:12` is an id
    if terminal is not None:
        options |= {"file": file, "force_terminal": terminal.get("is_terminal") == "1", "_environ": dict(terminal)}
    console = Page(**options)
    return console if console.is_terminal else Page(**options, width=_PIPE, soft_wrap=True)


def show(verb: str, result: Any, console: Page | None = None) -> None:
    """Print the result of a verb."""
    if result is None:
        return  # the verb has printed its own output
    console = console or make_console()
    special = _VERBS.get(verb)
    if special:
        special(console, result)
        return
    for kind, printer in _KINDS.items():
        if isinstance(result, kind):
            printer(console, result)
            return
    read = form_of(result)
    if read or isinstance(result, str):
        console.print(escape(join_hint(read(result)) if read else result), soft_wrap=True)
        return
    if result == []:
        console.print(escape(empty_text(verb)), style="dim", soft_wrap=True)
    elif isinstance(result, list) and all(dataclasses.is_dataclass(row) for row in result):
        _records(console, result)
    else:
        _plain(console, to_json_values(result))


def _plain(console: Console, value: Any) -> None:
    """Print any other value: a list of equal records as a table, an object as fields, nested values as indented JSON."""
    if isinstance(value, list) and value and all(isinstance(row, dict) for row in value):
        names = list(dict.fromkeys(name for row in value for name in row))
        print_table(console, names, [[row.get(name) for name in names] for row in value])
        return
    if not isinstance(value, dict):
        console.print(escape(json.dumps(value, ensure_ascii=False, indent=2, default=str)), soft_wrap=True)
        return
    for name, inner in value.items():
        if isinstance(inner, dict | list) and inner:
            console.print(f"[bold]{escape(str(name))}[/]")
            _plain(console, inner)
        else:
            console.print(f"{escape(str(name))}: {format_cell(inner)}", soft_wrap=True)


_SHOWN = ("ref", "title", "status", "priority", "type", "role", "kind", "session", "preview", "at", "citation", "id",
          "text", "resolved", "resolved_to")  # fmt: skip


def _records(console: Console, records: list[Any]) -> None:
    """Print a list of records as a table of their main fields."""
    inner = [getattr(record, "task", None) for record in records]  # a condition only has the id of its task
    rows = [task if isinstance(task, Task) else record for task, record in zip(inner, records, strict=True)]
    names = [name for name in _SHOWN if any(getattr(row, name, None) not in (None, "") for row in rows)]
    values = [[getattr(row, name, None) for name in names] for row in rows]
    if hasattr(records[0], "blockers"):
        names.append("waits for")
        for value, record in zip(values, records, strict=True):
            value.append([blocker.title for blocker in record.blockers])
    print_table(console, names, values)


def _table(console: Console, result: Table) -> None:
    print_table(console, result.columns, result.rows)
    end = f"{len(result.rows)} row{'' if len(result.rows) == 1 else 's'}"
    console.print(f"{end}, cut at the limit" if result.truncated else end, style="dim")


def _search(console: Console, result: Any) -> None:
    if not result.shown:
        console.print(result.nothing, soft_wrap=True)
    elif result.confidence == "none":
        console.print("No certain answer. Nearest:")
    for number, hit in enumerate(result.shown, 1):
        doubt = STATUS_NOTES.get(hit.status, "")
        place = (
            f"{hit.kind} {hit.probability:.0%} {hit.at:%Y-%m-%d} {escape(hit.citation)} {escape(hit.place)}".rstrip()
        )
        place = f"{place} ({doubt})" if doubt else place
        if hit.is_answer:
            first, *others = escape(hit.passage).split("\n")
            console.print("\n   ".join([f"[bold]{number}. {first}[/]  [dim]{place}[/]", *others]), soft_wrap=True)
            continue
        console.print(f"[bold]{number}. {escape(hit.title or hit.summary)}[/]  [dim]{place}[/]")
        if hit.against:
            console.print(f"   {AGAINST[hit.status]}: {escape(hit.against)}", style="dim", soft_wrap=True)
        if hit.excerpt and hit.excerpt != hit.title:
            console.print(f"   {escape(hit.excerpt)}", soft_wrap=True)
    console.print(f"confidence: {result.confidence}", style="dim")
    for channel, reason in result.degraded.items():
        console.print(f"without {channel}: {escape(reason)}", style="dim")


def _index(console: Console, report: IndexReport) -> None:
    console.print(
        f"{counted(report.files, 'file')}, {counted(report.lines, 'line')}: {counted(report.symbols, 'symbol')},"
        f" {counted(report.edges, 'relation')},"
        f" {counted(report.call_sites, 'call')} unresolved; {counted(report.changed, 'file')} read in {report.seconds:.1f} s"
    )
    _counts(console, "languages", report.languages)
    _counts(console, "skipped", report.skipped)
    _counts(console, "read in part", report.partial)
    if report.certain:
        console.print(f"calls certain by a compiler's index: {report.certain:,} of {report.calls:,}")
    _counts(console, "documents of the index not used", report.unused)


def _ingest(console: Console, report: IngestReport) -> None:
    console.print(f"{report.source}: {counted(report.new, 'new event')}, {report.known:,} already known")
    _counts(console, "new", report.kinds)
    _counts(console, "skipped", report.skipped)
    for error in report.errors[:5]:
        console.print(escape(error), style="dim")


def _process(console: Console, report: ProcessReport) -> None:
    console.print(
        f"{counted(report.events, 'event')} projected, {counted(report.derived, 'derivation')},"
        f" {counted(report.embedded, 'text')} embedded in {report.seconds:.1f} s"
    )
    for problem in report.problems:
        console.print(escape(problem), style="yellow")


def _counts(console: Console, name: str, counts: Mapping[str, int]) -> None:
    if counts:
        ordered = sorted(counts.items(), key=lambda item: -item[1])
        console.print(f"{name}: " + ", ".join(f"{escape(key)} {count:,}" for key, count in ordered), style="dim")


def _history(console: Page, result: Any) -> None:
    """Print a line for each commit; hunks in their own form."""
    if not isinstance(result, Table):
        show("", result, console)
        return
    for row in result.rows:
        console.print(escape(commit_line(row)), soft_wrap=True)
    console.print(commits_end(result), style="dim")


def _schema(console: Console, schema: dict[str, Any]) -> None:
    print_table(
        console, ["label", "properties"], [[label, list(columns)] for label, columns in schema["nodes"].items()]
    )
    console.print()
    rows = [
        [name, [f"{a}→{b}" for a, b in relation["pairs"]], list(relation["properties"])]
        for name, relation in schema["relations"].items()
    ]
    print_table(console, ["relation", "between", "properties"], rows)
    console.print()
    print_table(
        console,
        ["named query", "parameters", "purpose"],
        [[q["name"], q["parameters"], q["purpose"]] for q in schema["queries"]],
    )


def _doctor(console: Console, report: dict[str, Any]) -> None:
    if "report" in report:
        _text(console, bug_report_text(report["report"]), "")
        return
    console.print("[green]The store is healthy.[/]" if report["sound"] else "[red]The store has problems:[/]")
    for problem in report["problems"]:
        console.print(f"- {escape(problem)}")
    for advice in report["advice"]:
        console.print(f"→ {escape(advice)}")
    for repaired in report["repaired"]:
        console.print(f"Repaired: {escape(repaired)}")
    if report["events"] is None:
        console.print("The number of events cannot be read.", style="dim")
        return
    projected = ", ".join(
        f"{name} {'cannot be read' if position is None else position}" for name, position in report["projected"].items()
    )
    waiting = (
        "" if report["outbox"] is None else f"; {counted(report['outbox'], 'text waits', 'texts wait')} for vectors"
    )
    console.print(
        f"{counted(report['events'], 'event')}{_where(report['log'])}; projected: {projected}{waiting}", style="dim"
    )


def _show(console: Console, found: Any) -> None:
    if isinstance(found, str):  # a patch
        _text(console, found, "")
        return
    node = found["node"]
    if node["_label"] == "Commit":
        _text(console, *commit_text(node, found["relations"]))
        return
    console.print(f"[bold]{escape(node['_label'])}[/] {escape(node['id'])}")
    for name, value in node.items():
        if name.startswith("_") or name == "id" or value in (None, "", []):
            continue
        if isinstance(value, str) and "\n" in value and not console.is_terminal:
            console.print(escape(f"  {name}:\n{value}"), soft_wrap=True, highlight=False)
        else:
            console.print(
                f"  {name}: {format_cell(value, whole=not console.is_terminal)}", soft_wrap=not console.is_terminal
            )
    rows = [
        [r["direction"], r["type"], r["label"], r["title"], "" if r["id"].endswith(f":{r['title']}") else r["id"]]
        for r in found["relations"]
    ]
    if rows:
        print_table(console, ["", "relation", "label", "what", "id"], rows)


def _stats(console: Console, stats: dict[str, Any]) -> None:
    console.print(f"[bold]{escape(stats['project'])}[/]  {escape(stats['path'])}")
    console.print(
        f"{counted(stats['events'], 'event')}{_where(stats['log'])}, {counted(stats['derivations'], 'derivation')},"
        f" {counted(stats['waiting_for_vectors'], 'text waits', 'texts wait')} for vectors"
    )
    if begun := stats.get("init"):
        console.print(f"init       {escape(begun['told'])}")
    print_table(console, ["label", "nodes"], [[label, f"{count:,}"] for label, count in stats["nodes"].items()])
    console.print()
    print_table(console, ["relation", "count"], [[name, f"{count:,}"] for name, count in stats["relations"].items()])
    console.print()
    _evolved(console, stats["memify"])
    _withheld(console, stats["privacy"])
    print_table(console, ["file", "MiB"], [[name, f"{size / 2**20:.1f}"] for name, size in stats["bytes"].items()])


def _where(location: str | None) -> str:
    """Return where the log is, if it is not in the store."""
    return "" if location in (None, "log.db") else f" on the {escape(str(location))}"


def _withheld(console: Console, found: dict[str, Any]) -> None:
    """Print the lines of `stats` about data that was never stored."""
    if found["events"]:
        kinds = ", ".join(f"{kind} {count:,}" for kind, count in found["secrets"].items()) or "none"
        where = ", ".join(f"{type} {counts['events']:,}" for type, counts in found["sources"].items())
        console.print(
            f"withheld from {counted(found['events'], 'event')}: {counted(found['sections'], 'private section')};"
            f" secrets: {escape(kinds)}\n"
            f"  of {escape(where)}\n"
        )


def _export(console: Console, report: ExchangeReport) -> None:
    console.print(f"{counted(report.records, 'record')}: {escape(report.path)}", soft_wrap=True)


def _merge(console: Console, report: ExchangeReport) -> None:
    console.print(f"{counted(report.records, 'new event')} from {escape(report.path)}", soft_wrap=True)
    if report.same:
        console.print(f"What the log calls {escape(', '.join(report.same))} belongs to this project.", soft_wrap=True)
    if report.others:
        console.print(
            f"Other projects in this log: {escape(', '.join(report.others))}. Search them with `graphmem search --scope global`."
            " If they are this project, whose folder has another name there, merge again with --trust --same-project.",
            soft_wrap=True,
        )


def _forgotten(console: Console, report: ForgetReport) -> None:
    console.print(
        f"Forgotten: {counted(report.events, 'event')}, {counted(report.nodes, 'node')}, {counted(report.items, 'item')}."
    )
    if report.purged is not None:
        console.print(
            f"Erased: {counted(report.purged.payloads, 'payload')}, {counted(report.purged.derivations, 'derivation')}."
        )


def _written(console: Console, result: dict[str, Any]) -> None:
    console.print(f"Saved as {result['id']}. It will be searchable in a moment; `graphmem process` waits until it is.")


def _evolved(console: Console, state: dict[str, Any]) -> None:
    """Print the line of `stats` about memory maintenance."""
    if state["last"]:
        levels = ", ".join(f"{name} {count:,}" for name, count in state["levels"].items())
        due = f"; due: {state['due']}" if state["due"] else ""
        console.print(
            f"memify {state['last']}: {levels}; {state['archived']:,} archived, {state['contested']:,} contested,"
            f" {counted(state['categories'], 'category')}{due}\n"
        )


def _watch(console: Console, result: tuple[list[str], IndexReport]) -> None:
    changed, report = result
    console.print(f"{format_cell(changed)}: {report.changed} read in {report.seconds * 1000:.0f} ms")


def _memify(console: Console, report: MemifyReport) -> None:
    if not report.done:
        console.print("nothing new since the last run (use --force to run anyway)")
        return
    console.print(f"{counted(len(report.passes), 'pass')} in {report.seconds:.1f} s")
    print_table(console, ["what", "count"], [[name, f"{count:,}"] for name, count in report.counts.items()])


def _schedule(console: Console, plan: Plan) -> None:
    console.print(f"# {plan.scheduler}: {plan.how}", soft_wrap=True)
    console.print(escape(f"written to {plan.written}" if plan.written else plan.text.rstrip()), soft_wrap=True)


def _calls(console: Console, found: Calls) -> None:
    _text(console, *code_text.calls_text(found))


def _several(console: Page, found: Several) -> None:
    """Print answers one below the other, an empty line between them."""
    for number, each in enumerate(found.answers):
        if number:
            console.print()
        if isinstance(each, Answer):
            console.print(escape(f"Q: {each.question}"), soft_wrap=True)
        show("", each, console)


def _text(console: Console, rows: str, end: str) -> None:
    """Print rows unchanged (a model may read them), then the closing sentence."""
    if rows:
        console.print(escape(rows), soft_wrap=True, highlight=False)
    if end:
        console.print(escape(end), style="dim")


def _outline(console: Console, found: Outline) -> None:
    """Print only the symbols; a person can open the file."""
    lines, end = outline_text(found)
    rows = [[f"{p.line}-{p.end_line}", p.kind, p.name, p.signature] for p in found.symbols]
    if rows and console.is_terminal:
        print_table(console, ["lines", "kind", "symbol", "signature"], rows)
    elif rows:
        console.print(escape(lines), soft_wrap=True)
    console.print(escape(end), style="dim", soft_wrap=True)


def _impact(console: Console, found: ImpactReport) -> None:
    _text(console, *code_text.impact_text(found))


def _dead(console: Console, found: DeadReport) -> None:
    _text(console, *dead_text(found))


def _unresolved(console: Console, found: Unresolved) -> None:
    print_table(console, ["call", "file", "line", "reason"], [[s.text, s.file, s.line, s.reason] for s in found.sites])
    _counts(console, f"{found.total} unresolved", found.reasons)
    if found.left_out:
        console.print(f"{len(found.sites)} shown{code_text.omission_note(found.left_out, ())}", style="dim")


def _routes(console: Console, found: Routes) -> None:
    rows = [
        [r.method, r.path, r.handler.name if r.handler else "", r.file, r.line,
         list(dict.fromkeys(call.symbol.name for call in r.callers))]
        for r in found.routes
    ]  # fmt: skip
    print_table(console, ["method", "path", "handler", "file", "line", "called by"], rows)
    console.print(f"{counted(len(rows), 'route')}{code_text.omission_note(found.left_out, ())}", style="dim")


def _architecture(console: Console, page: Architecture) -> None:
    rows = [[p.name, p.files, p.lines, [n for n, _ in p.uses[:4]], list(p.central[:3])] for p in page.packages]
    print_table(console, ["package", "files", "lines", "uses", "central"], rows)
    for title, places in (
        ("entry points", page.entry_points),
        ("central", [place for place, _ in page.central]),
        ("complex", [place for place, _ in page.complex]),
        ("untested", page.untested),
    ):
        console.print(f"[bold]{title}[/] {escape(', '.join(place.name for place in places)) or 'none'}")
    for cycle in page.package_cycles:
        console.print(f"[bold]cycle of packages[/] {escape(' ⇄ '.join(cycle))}")
    for cycle in page.cycles:
        console.print(f"[bold]cycle[/] {escape(' ⇄ '.join(cycle))}")
    _counts(console, "lines", page.languages)
    if page.left_out:
        console.print(f"shortened{code_text.omission_note(page.left_out, ())}", style="dim")


_VERBS: dict[str, Callable[[Page, Any], None]] = {
    "init": print_welcome,
    "search": _search,
    "schema": _schema,
    "doctor": _doctor,
    "show": _show,
    "stats": _stats,
    "watch": _watch,
    "export": _export,
    "merge": _merge,
    "move": print_move,
    "forget": _forgotten,
    "remember": _written,
    "observe": _written,
    "details": details,
    "timeline": timeline,
    "tasks match": match,
    "tasks show": task_page,
    "memify": _memify,
    "code history": _history,
    "schedule": _schedule,
}
_KINDS: dict[type, Callable[[Page, Any], None]] = {
    Table: _table,
    IndexReport: _index,
    IngestReport: _ingest,
    ProcessReport: _process,
    Calls: _calls,
    ImpactReport: _impact,
    DeadReport: _dead,
    Routes: _routes,
    Unresolved: _unresolved,
    Architecture: _architecture,
    Outline: _outline,
    Several: _several,
    Task: print_task,
    Condition: print_condition,
    Exchanged: print_exchange,
}
