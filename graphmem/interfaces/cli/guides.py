"""`graphmem help TOPIC`: prints a guide included in the package, or the help of a command."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from graphmem.errors import NotFound
from graphmem.interfaces.cli.reference import manual_page

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
        ctx: typer.Context,
        topic: Annotated[list[str] | None, typer.Argument(help="a guide or a command")] = None,
        man: Annotated[bool, typer.Option("--man", help="print the manual page of all commands (roff)")] = False,
    ) -> None:
        """Print a guide, or the help of a command. Without a topic, list the guides."""
        if man:
            typer.echo(manual_page(ctx.parent), nl=False)
            return
        if not topic:
            _list()
            return
        name = " ".join(topic)
        command = _command(ctx, topic) if name not in list_guides() else None
        if command is not None:
            typer.echo(command)
            return
        try:
            text = read_guide(name)
        except NotFound as error:
            fail(error, as_json=False)
            return
        if sys.stdout.isatty():
            from rich.console import Console
            from rich.markdown import Markdown

            Console().print(Markdown(text))
        else:
            typer.echo(text, nl=False)


def _list() -> None:
    typer.echo("Guides: graphmem help TOPIC\n")
    width = max(map(len, list_guides()), default=0)
    for name, title in list_guides().items():
        typer.echo(f"  {name.ljust(width)}  {title}")
    typer.echo("\nHelp for a command: graphmem COMMAND --help")


def _command(ctx: typer.Context, words: Sequence[str]) -> str | None:
    """Return the help of a command named by its words, or None."""
    context: Any = ctx.parent
    for word in words:
        found = context.command.get_command(context, word) if hasattr(context.command, "get_command") else None
        if found is None:
            return None
        context = type(ctx)(found, info_name=word, parent=context)
    return str(context.get_help())
