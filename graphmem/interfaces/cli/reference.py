"""The reference of all commands, made from the command line itself: a manual page (roff) and a page of the documentation
(Markdown). Regenerate the manual page with `graphmem help --man > docs/graphmem.1`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from graphmem.interfaces.cli.grouped import examples_of
from graphmem.resources import VERSION

_INTRODUCTION = (
    "graphmem stores conversations, commits, test runs, terminal failures, tasks, documents and source code of a project in one "
    "graph. It is embedded and works offline. Each command uses the store of the repository that contains the current folder. "
    "Commands of the groups record, browse, agents, store and memory also run without the group: graphmem store rebuild is "
    "graphmem rebuild."
)
_STATUS = (("0", "Success."), ("1", "A problem with the store or an input."), ("2", "The request is invalid."))
_FILES = (
    ("GRAPHMEM_HOME", "The folder with all stores (default: graphmem in the user's data directory)."),
    ("GRAPHMEM_STORE", "The store to use, as with --store."),
    ("GRAPHMEM_DEBUG", "If set, an unexpected error prints its traceback."),
)


@dataclass(frozen=True, slots=True)
class Entry:
    """A command: its words, usage, description, `(option, meaning)` pairs, and examples."""

    path: str
    usage: str
    help: str
    options: tuple[tuple[str, str], ...]
    examples: tuple[str, ...]


def list_entries(context: Any) -> Iterator[Entry]:
    """Yield every command below the root context of the command line, each once, in the order of `graphmem --help`."""
    root = context.command
    names = [name for section in root.sections.values() for name in section.split()]
    for name in names:
        yield from _below(root.get_command(context, name), context, name)


def _below(command: Any, parent: Any, name: str) -> Iterator[Entry]:
    context = type(parent)(command, info_name=name, parent=parent)
    if hasattr(command, "list_commands"):
        for inner in command.list_commands(context):
            yield from _below(command.get_command(context, inner), context, inner)
        return
    records = [each for one in command.get_params(context) if (each := one.get_help_record(context)) is not None]
    options = tuple((left, right) for left, right in records if not left.startswith("--help"))
    usage = " ".join(["graphmem", *context.command_path.split()[1:], *command.collect_usage_pieces(context)])
    path = " ".join(context.command_path.split()[1:])
    text = " ".join((command.help or "").split())
    yield Entry(path, usage, text, options, tuple(examples_of(context.command_path)))


def manual_page(context: Any) -> str:
    """Return the manual page graphmem(1) in roff."""
    lines = [f'.TH GRAPHMEM 1 "" "graphmem {VERSION}" "User Commands"', ".SH NAME"]
    lines += [r"graphmem \- memory for coding agents", ".SH SYNOPSIS", ".B graphmem", r"\fICOMMAND\fR [\fIARGS\fR]"]
    lines += [".SH DESCRIPTION", _roff(_INTRODUCTION), ".SH COMMANDS"]
    for entry in list_entries(context):
        lines += [f".SS {_roff(entry.usage)}", _roff(entry.help)]
        for option, meaning in entry.options:
            lines += [".TP", rf"\fB{_roff(option)}\fR", _roff(meaning)]
        if entry.examples:
            lines += [".PP", "Examples:", ".PP", ".nf", *(rf"\&  {_roff(each)}" for each in entry.examples), ".fi"]
    for title, rows in (("EXIT STATUS", _STATUS), ("ENVIRONMENT", _FILES)):
        lines.append(f".SH {title}")
        for name, meaning in rows:
            lines += [".TP", rf"\fB{_roff(name)}\fR", _roff(meaning)]
    lines += [".SH SEE ALSO", "The guides: \\fBgraphmem help\\fR lists them, \\fBgraphmem help start\\fR is the first."]
    return "\n".join(lines) + "\n"


def _roff(text: str) -> str:
    """Return text without meaning for roff: backslashes, hyphens, quotes, and a leading dot or apostrophe."""
    escaped = " ".join(text.split()) if "\n" in text else text
    escaped = escaped.replace("\\", r"\e").replace("-", r"\-").replace("`", r"\(ga").replace("'", r"\(aq")
    escaped = re.sub(r"[^\x00-\x7f]", lambda found: rf"\[u{ord(found[0]):04X}]", escaped)
    return re.sub(r"^(?=[.])", r"\\&", escaped).replace('"', r"\(dq")


def markdown_page(context: Any) -> str:
    """Return the reference in Markdown, one heading for each command."""
    lines = ["# Commands: every command with its options and examples", "", _INTRODUCTION, ""]
    for entry in list_entries(context):
        lines += [f"## graphmem {entry.path}", "", _markdown(entry.help), "", f"    {entry.usage}", ""]
        if entry.options:
            lines += ["| Option | Meaning |", "|---|---|"]
            lines += [f"| `{option.replace('|', '&#124;')}` | {_markdown(text)} |" for option, text in entry.options]
            lines.append("")
        lines += [*(f"    {each}" for each in entry.examples), ""]
    return "\n".join(lines)


def _markdown(text: str) -> str:
    """Return text as one line without meaning for Markdown tables, links and HTML."""
    return re.sub(r"([|<\[\]])", r"\\\1", " ".join(text.split()))
