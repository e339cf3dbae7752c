"""The commands that connect agents: the MCP server, the hooks, and the writers of configurations. Each imports what it
needs when it runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from graphmem.interfaces import envelope
from graphmem.interfaces.hooks.entry import answer
from graphmem.interfaces.hooks.place import PAUSED, find

Fail = Callable[..., None]
_JSON = typer.Option("--json", help="print one JSON envelope")
_STORE = typer.Option(help="the directory of the store (default: that of the repository here)", envvar="GRAPHMEM_STORE")


def register(app: typer.Typer, fail: Fail) -> None:
    """Add the commands; `fail` ends the program with a sentence."""

    @contextmanager
    def guarded(as_json: bool = False) -> Iterator[None]:
        try:
            yield
        except (Exception, KeyboardInterrupt) as error:
            if isinstance(error, typer.Exit):
                raise
            fail(error, as_json=as_json)

    @app.command("mcp")
    def mcp(
        store: Annotated[Path | None, _STORE] = None,
        project: Annotated[str | None, typer.Option(help="the project to record for")] = None,
        port: Annotated[int | None, typer.Option(help="serve HTTP on this port of this machine, not stdio")] = None,
    ) -> None:
        """Serve the memory to agents over MCP, on standard input and output."""
        with guarded():
            from graphmem.interfaces.mcp.server import serve

            serve(store, project, port=port)

    @app.command("tools")
    def tools(
        format: Annotated[str, typer.Option(help="openai, openai-responses, anthropic or mcp")] = "openai",
        as_json: Annotated[bool, _JSON] = False,
    ) -> None:
        """Print the schemas of the tools, for programs that speak no MCP."""
        with guarded(as_json):
            import json

            from graphmem.interfaces.toolbox import schemas

            found = schemas(format)
            if as_json:
                _print("tools", found)
            else:
                typer.echo(json.dumps(found, ensure_ascii=False, indent=2))

    @app.command("hook")
    def hook(
        event: Annotated[str, typer.Argument(help="SessionStart, UserPromptSubmit, PostToolUse, ...")] = "",
    ) -> None:
        """Answer a hook of a coding agent: JSON in, JSON out, always status 0."""
        if not event:  # a mistake in the settings of the agent, which must not stop it
            typer.echo("graphmem: name the event: `graphmem hook SessionStart`; nothing was recorded", err=True)
            return
        answer(event)

    _register_install(app, guarded)
    _register_pause(app, guarded)


_FOR = typer.Option("--for", help="claude-code, claude-desktop, cursor, codex, gemini or vscode")
_PROJECT = typer.Option(help="for the project in this folder, not for the user")
_PLUGIN = typer.Option("--plugin", help="Claude Code: as a plugin, with slash commands")


def _register_install(app: typer.Typer, guarded: Callable[..., Any]) -> None:
    @app.command("install")
    def install(
        name: Annotated[str, _FOR], project: Annotated[Path | None, _PROJECT] = None,
        plugin: Annotated[bool, _PLUGIN] = False, as_json: Annotated[bool, _JSON] = False,
    ) -> None:  # fmt: skip
        """Connect a program with the memory: its server, and hooks where it has them. Nothing else in its files changes."""
        with guarded(as_json):
            _change("install", name, project, as_json, plugin=plugin)

    @app.command("uninstall")
    def uninstall(
        name: Annotated[str, _FOR], project: Annotated[Path | None, _PROJECT] = None,
        as_json: Annotated[bool, _JSON] = False,
    ) -> None:  # fmt: skip
        """Take out what `install` added. The memory itself stays."""
        with guarded(as_json):
            _change("uninstall", name, project, as_json)

    @app.command("status")
    def status(project: Annotated[Path | None, _PROJECT] = None, as_json: Annotated[bool, _JSON] = False) -> None:
        """Say which programs are connected, and whether hook and server answer."""
        with guarded(as_json):
            from graphmem.interfaces.install import programs

            lines = programs.check(project)
            if as_json:
                _print("status", lines)
            for line in [] if as_json else lines:
                typer.echo(f"{'ok  ' if line.well else 'FAIL'} {line.what}: {line.found}")
            if not all(line.well for line in lines):
                raise typer.Exit(1)


def _change(verb: str, name: str, project: Path | None, as_json: bool, *, plugin: bool = False) -> None:
    from graphmem.interfaces.install import programs

    if verb == "install":
        changes = programs.connect(name, project, plugin=plugin)
    else:
        changes = programs.disconnect(name, project)
    if as_json:
        _print(verb, changes)
    for change in [] if as_json else changes:
        typer.echo(f"{change.outcome}: {change.path}")


def _print(verb: str, value: Any) -> None:
    typer.echo(envelope.success(value, verb=verb))


def _register_pause(app: typer.Typer, guarded: Callable[..., Any]) -> None:
    @app.command("pause")
    def pause(as_json: Annotated[bool, _JSON] = False) -> None:
        """Stop capture and recall by hooks in this repository."""
        with guarded(as_json):
            file = _paused()
            file.parent.mkdir(parents=True, exist_ok=True)
            file.touch()
            _say("pause", as_json, paused=True, text="hooks are paused here; `graphmem resume` brings them back")

    @app.command("resume")
    def resume(as_json: Annotated[bool, _JSON] = False) -> None:
        """Bring capture and recall back."""
        with guarded(as_json):
            _paused().unlink(missing_ok=True)
            _say("resume", as_json, paused=False, text="hooks are active here")


def _say(verb: str, as_json: bool, *, paused: bool, text: str) -> None:
    if as_json:
        _print(verb, {"store": str(_paused().parent), "paused": paused})
    else:
        typer.echo(text)


def _paused() -> Path:
    return Path(find(str(Path.cwd())).store) / PAUSED
