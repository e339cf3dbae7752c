"""Lists the commands in `graphmem --help` by purpose, gathers the rarer ones in groups, and adds examples to each help text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from functools import cache
from pathlib import Path
from typing import Any

import typer
import typer.core

from graphmem.interfaces.cli.aliases import GROUPS

EXAMPLES = Path(__file__).with_name("examples.toml")
SECTIONS = {
    "Start": "init install status import",
    "Search and ask": "ask search show cypher",
    "Remember and forget": "remember forget",
    "Tasks and code": "tasks code",
    "Look after it": "serve doctor config bench help",
    "Groups of further commands (graphmem GROUP --help)": " ".join(GROUPS),
}
_HELP = {
    "record": "Record turns, output, sources and code; rate, archive and restore memories.",
    "browse": "Look around: sessions, events, neighbours, paths, symbols, counts.",
    "agents": "Serve agents and what they may see: MCP, hooks, tokens, pause, review.",
    "store": "Maintain the store: process, rebuild, export, merge, move, memify.",
    "memory": "The memory tree, endless mode, and fixes shared between projects.",
}
_IN_A_GROUP = {name: group for group, names in GROUPS.items() for name in names.split()}


@cache
def _examples() -> dict[str, list[str]]:
    import tomllib

    return tomllib.loads(EXAMPLES.read_text("utf-8"))


def examples_of(path: str) -> list[str]:
    """Return the examples of a command, named with its groups, such as `graphmem store rebuild`."""
    words = path.split()[1:]
    if len(words) > 1 and words[0] in GROUPS:
        words = words[1:]
    return list(_examples().get(" ".join(words), []))


def show_example(error: Any) -> None:
    """Print the first example of a command that lacks an argument, and the options of one that is given an unknown one."""
    if type(error).__name__ == "NoSuchOption" and error.ctx is not None:
        options = (name for each in error.ctx.command.get_params(error.ctx) for name in each.opts)
        typer.echo(f"It takes {', '.join(name for name in options if name.startswith('-'))}", err=True)
    if type(error).__name__ == "MissingParameter" and error.ctx is not None:  # of click, or of typer's copy of it
        program = error.ctx.find_root().command_path
        for each in examples_of(f"graphmem {error.ctx.command_path.removeprefix(program)}")[:1]:
            typer.echo(f"For example: {each}", err=True)


def _write_examples(ctx: Any, formatter: Any) -> None:
    examples = examples_of(ctx.command_path)
    if examples:
        with formatter.section("Examples"):
            for each in examples:  # unwrapped, so that each can be copied
                formatter.write(f"{'':>{formatter.current_indent}}{each}\n")


class CommandWithExamples(typer.core.TyperCommand):
    """A command whose help ends with examples."""

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write the examples."""
        _write_examples(ctx, formatter)


class GroupWithExamples(typer.core.TyperGroup):
    """A group whose help says in full what each command does, and ends with examples."""

    sections: Mapping[str, str] = {}

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write one section per purpose."""
        shown = {name: command for name in self.list_commands(ctx)
                 if (command := self.get_command(ctx, name)) is not None and not command.hidden}  # fmt: skip
        width = max(map(len, shown), default=0)
        listed = " ".join(self.sections.values()).split()
        rest = " ".join(name for name in shown if name not in listed)
        for title, names in {**self.sections, "More" if self.sections else "Commands": rest}.items():
            rows = [(name.ljust(width), shown[name].get_short_help_str(200)) for name in names.split() if name in shown]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write the examples."""
        _write_examples(ctx, formatter)


class CommandLine(typer.Typer):
    """An application whose commands have examples in their help."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**{"cls": GroupWithExamples, "no_args_is_help": True, "rich_markup_mode": None, **given})

    def command(self, name: str | None = None, **given: Any) -> Callable[..., Any]:
        """Declare a command, as `typer.Typer.command` does."""
        return super().command(name, **{"cls": CommandWithExamples, **given})


class GroupedCommands(GroupWithExamples):
    """All commands. Those that belong to a group run with and without it, and are listed only in the group."""

    sections = SECTIONS

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of all commands and groups."""
        return [*super().list_commands(ctx), *GROUPS]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command or a group, or None."""
        if cmd_name in GROUPS:
            members = ((name, super(GroupedCommands, self).get_command(ctx, name)) for name in GROUPS[cmd_name].split())
            own = {name: copy(command) for name, command in members if command is not None}
            for command in own.values():
                command.hidden = False
            return GroupWithExamples(
                name=cmd_name, help=_HELP[cmd_name], commands=own, no_args_is_help=True, rich_markup_mode=None
            )
        found = super().get_command(ctx, cmd_name)
        if found is not None and cmd_name in _IN_A_GROUP:
            found.hidden = True
        return found
