"""Prints the report of `init`: what was read, central and frequently changed code, open tasks, and three example
queries."""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING

from rich.console import Console
from rich.markup import escape

from graphmem.interfaces.cli.grid import print_table
from graphmem.plurals import counted

if TYPE_CHECKING:
    from graphmem.model.reports import InitReport


def print_welcome(console: Console, report: InitReport) -> None:
    """Print the report."""
    code = report.code
    console.print(f"[bold]{escape(report.project)}[/]  {escape(report.root)}")
    languages = ", ".join(
        f"{name} {count:,}" for name, count in sorted(code.languages.items(), key=lambda item: -item[1])[:6]
    )
    if languages:
        console.print(f"  code       {counted(code.files, 'file')}, {counted(code.lines, 'line')} ({languages})")
        console.print(
            f"             {counted(code.symbols, 'symbol')}, {counted(code.edges, 'relation')},"
            f" {counted(code.call_sites, 'call')} unresolved"
        )
    else:
        console.print("  code       none found")
    if not report.sources:
        console.print(
            "  history, documents, facts and vectors follow in the background: `graphmem status` shows how far they are"
        )
        return
    for source in report.sources:
        console.print(f"  {source.source:<10} {source.new + source.known:,} read, {source.new:,} of them new")
        if source.source == "git" and not source.new + source.known:
            console.print("             no commits yet: they are read once there are some")
    skipped = {
        **code.skipped,
        **{reason: count for source in report.sources for reason, count in source.skipped.items()},
    }
    for name, counts in (("skipped", skipped), ("in part", code.partial)):
        if counts:
            each = (f"{escape(reason)} {count:,}" for reason, count in sorted(counts.items()))
            console.print(f"  {name:<10} " + ", ".join(each))
    nodes, relations = sum(report.nodes.values()), sum(report.relations.values())
    console.print(f"  graph      {counted(nodes, 'node')}, {counted(relations, 'relation')}, in {report.seconds:.1f} s")
    console.print()
    if report.central:
        print_table(console, ["most used", "kind", "file", "line", "users"], report.central)
        console.print()
    if report.hot:
        print_table(console, ["most changed", "commits", "authors", "last"], report.hot)
        console.print()
    if report.tasks:
        print_table(console, ["task", "title", "status", "priority", "blocked by"], report.tasks)
    else:
        console.print("No open tasks.", style="dim")
    for example in report.examples:
        console.print()
        given = "".join(f" {quote(f'{name}={value}')}" for name, value in example.parameters.items())
        console.print(
            f"[bold]{escape(example.question)}[/]  [dim]graphmem cypher --named {example.query}{escape(given)}[/]"
        )
        print_table(console, example.columns, example.rows)
    console.print()
    console.print(f'Search in natural language: [bold]graphmem search "…"[/]   Store: {escape(report.store)}')
