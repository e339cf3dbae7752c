"""Groups the commands in `graphmem --help` by purpose."""

from __future__ import annotations

from typing import Any

import typer.core

GROUPS = {
    "Start": "init import ingest index watch",
    "Record": "remember observe capture run feedback archive restore forget",
    "Search": "search show timeline details neighbours path cypher schema history stats",
    "Tasks and code": "tasks code",
    "Connect agents": "install uninstall status mcp serve token tools hook pause resume",
    "Maintain the store": "process memify categories tree endless shared schedule export merge move rebuild doctor config",
}


class GroupedCommands(typer.core.TyperGroup):
    """A command group whose help lists its commands by purpose."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write one section per group; commands in no group come last."""
        shown = {name: command for name in self.list_commands(ctx)
                 if (command := self.get_command(ctx, name)) is not None and not command.hidden}  # fmt: skip
        width = max(map(len, shown), default=0)
        rest = [name for name in shown if not any(name in names.split() for names in GROUPS.values())]
        for title, names in {**GROUPS, "More": " ".join(rest)}.items():
            rows = [(name.ljust(width), shown[name].get_short_help_str(200)) for name in names.split() if name in shown]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)
