"""How the commands are listed: in groups by what one wants to do. Only the order; what a command is comes from elsewhere."""

from __future__ import annotations

from typing import Any

import typer.core

GROUPS = {
    "Begin": "init import ingest index watch",
    "Remember": "remember observe capture run feedback archive restore forget",
    "Ask": "search show timeline details neighbours path cypher schema history stats",
    "Work": "tasks code",
    "Agents": "install uninstall status mcp serve token tools hook pause resume",
    "Keep": "process memify categories tree endless shared schedule export merge move rebuild doctor config",
}


class GroupedCommands(typer.core.TyperGroup):
    """A group whose help shows its commands by purpose."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write one section a group; what is in none comes last."""
        shown = {name: command for name in self.list_commands(ctx)
                 if (command := self.get_command(ctx, name)) is not None and not command.hidden}  # fmt: skip
        width = max(map(len, shown), default=0)
        rest = [name for name in shown if not any(name in names.split() for names in GROUPS.values())]
        for title, names in {**GROUPS, "More": " ".join(rest)}.items():
            rows = [(name.ljust(width), shown[name].get_short_help_str(200)) for name in names.split() if name in shown]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)
