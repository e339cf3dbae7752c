"""`graphmem help TOPIC`: prints a guide included in the package, or the help of a command."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from graphmem.errors import NotFound

FOLDER = Path(__file__).parents[2] / "guides"


def list_guides() -> dict[str, str]:
    """Return the guides: name -> title."""
    found = {path.stem: path.read_text("utf-8").partition("\n")[0].lstrip("# ") for path in FOLDER.glob("*.md")}
    return dict(sorted(found.items()))


def read_guide(topic: str) -> str:
    """Return the text of a guide. Raises NotFound that lists all guides."""
    if topic not in list_guides():
        raise NotFound(f"unknown guide `{topic}`: choose one of {', '.join(list_guides())}", topic=topic)
    return (FOLDER / f"{topic}.md").read_text("utf-8")


def register(app: typer.Typer, fail: Callable[..., None]) -> None:
    """Add the command. `fail` prints an error and exits."""

    @app.command("help")
    def show(
        ctx: typer.Context, topic: Annotated[str | None, typer.Argument(help="a guide or a command")] = None
    ) -> None:
        """Print a guide. Without a topic, list the guides."""
        if topic is None:
            typer.echo("Guides: graphmem help TOPIC\n")
            width = max(map(len, list_guides()), default=0)
            for name, title in list_guides().items():
                typer.echo(f"  {name.ljust(width)}  {title}")
            typer.echo("\nHelp for a command: graphmem COMMAND --help")
            return
        command = _command(ctx, topic) if topic not in list_guides() else None
        if command is not None:
            typer.echo(command)
            return
        try:
            text = read_guide(topic)
        except NotFound as error:
            fail(error, as_json=False)
            return
        if sys.stdout.isatty():
            from rich.console import Console
            from rich.markdown import Markdown

            Console().print(Markdown(text))
        else:
            typer.echo(text, nl=False)


def _command(ctx: typer.Context, name: str) -> str | None:
    """Return the help of a command, or None."""
    group: Any = ctx.parent.command if ctx.parent else None
    found = group.get_command(ctx.parent, name) if group is not None else None
    if found is None:
        return None
    return str(found.get_help(type(ctx)(found, info_name=name, parent=ctx.parent)))
