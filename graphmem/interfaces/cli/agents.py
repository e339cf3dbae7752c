"""Commands that connect agents: MCP server, hooks, installers. Each imports its dependencies when it runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from graphmem.interfaces import envelope
from graphmem.interfaces.hooks.entry import answer, problem_of
from graphmem.interfaces.hooks.place import PAUSED, find

Fail = Callable[..., None]
_JSON = typer.Option("--json", help="print one JSON envelope")
_STORE = typer.Option(help="store directory (default: the store of the current repository)", envvar="GRAPHMEM_STORE")


def register(app: typer.Typer, fail: Fail) -> None:
    """Add the commands. `fail` prints an error and exits."""

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
        project: Annotated[
            str | None, typer.Option(help="project name (default: that of the store, or of the current repository)")
        ] = None,
        port: Annotated[int | None, typer.Option(help="serve HTTP on this local port instead of stdio")] = None,
    ) -> None:
        """Run the MCP server for agents on standard input and output."""
        with guarded():
            from graphmem.interfaces.mcp.server import serve

            serve(store, project, port=port)

    @app.command("tools")
    def tools(
        format: Annotated[str, typer.Option(help="openai, openai-responses, anthropic or mcp")] = "openai",
        as_json: Annotated[bool, _JSON] = False,
    ) -> None:
        """Print the tool schemas, for programs without MCP support."""
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
        """Handle an event of a coding agent: JSON in, JSON out, always exit status 0."""
        problem = problem_of([event])  # a mistake in the settings of the agent, which must not stop it
        if problem:
            typer.echo(f"graphmem: {problem}; nothing was recorded", err=True)
            return
        answer(event)

    _register_install(app, guarded)
    _register_pause(app, guarded)


_FOR = typer.Option("--for", help="claude-code, claude-desktop, cursor, codex, gemini or vscode")
_FOLDER = typer.Option("--folder", help="configure the project in this folder instead of the user account")
_PROJECT = typer.Option("--project", hidden=True)  # the earlier name of --folder
_PLUGIN = typer.Option("--plugin", help="Claude Code only: install as a plugin with slash commands")


def _register_install(app: typer.Typer, guarded: Callable[..., Any]) -> None:
    @app.command("install")
    def install(
        name: Annotated[str, _FOR], folder: Annotated[Path | None, _FOLDER] = None,
        project: Annotated[Path | None, _PROJECT] = None,
        plugin: Annotated[bool, _PLUGIN] = False, as_json: Annotated[bool, _JSON] = False,
    ) -> None:  # fmt: skip
        """Connect a program to graphmem: adds the MCP server and, where supported, hooks. Nothing else in its
        configuration changes."""
        with guarded(as_json):
            _change("install", name, folder or project, as_json, plugin=plugin)

    @app.command("uninstall")
    def uninstall(
        name: Annotated[str, _FOR], folder: Annotated[Path | None, _FOLDER] = None,
        project: Annotated[Path | None, _PROJECT] = None,
        as_json: Annotated[bool, _JSON] = False,
    ) -> None:  # fmt: skip
        """Remove what `install` added. The store is kept."""
        with guarded(as_json):
            _change("uninstall", name, folder or project, as_json)

    @app.command("status")
    def status(
        folder: Annotated[Path | None, _FOLDER] = None,
        project: Annotated[Path | None, _PROJECT] = None,
        test: Annotated[bool, typer.Option("--test", help="also start hook and server as an agent would")] = False,
        as_json: Annotated[bool, _JSON] = False,
    ) -> None:
        """List what is connected, what is not, and what is paused."""
        with guarded(as_json):
            overview, programs = _load_install()
            raise typer.Exit(overview.show(programs.check(folder or project, tested=test), as_json=as_json))


def _load_install() -> tuple[Any, Any]:
    """Return the modules that describe and change what is installed. A command line loads what its command needs."""
    from graphmem.interfaces.install import overview, programs

    return overview, programs


def _change(verb: str, name: str, project: Path | None, as_json: bool, *, plugin: bool = False) -> None:
    _, programs = _load_install()
    if verb == "install":
        changes = programs.connect(name, project, plugin=plugin)
    else:
        changes = programs.disconnect(name, project)
    if as_json:
        _print(verb, changes)
    for change in [] if as_json else changes:
        typer.echo(f"{change.outcome}: {change.path}")
    if not as_json and any(change.outcome in ("added", "removed") for change in changes):
        typer.echo(f"Start a new session of {programs.title_of(name)}, so that it reads this.")


def _print(verb: str, value: Any) -> None:
    typer.echo(envelope.success(value, verb=verb))


def _register_pause(app: typer.Typer, guarded: Callable[..., Any]) -> None:
    @app.command("pause")
    def pause(as_json: Annotated[bool, _JSON] = False) -> None:
        """Pause recording and recall by hooks in this repository."""
        with guarded(as_json):
            file = _paused()
            file.parent.mkdir(parents=True, exist_ok=True)
            file.touch()
            _say(
                "pause",
                as_json,
                paused=True,
                text="hooks are paused in this repository; `graphmem resume` resumes them",
            )

    @app.command("resume")
    def resume(as_json: Annotated[bool, _JSON] = False) -> None:
        """Resume recording and recall by hooks in this repository."""
        with guarded(as_json):
            _paused().unlink(missing_ok=True)
            _say("resume", as_json, paused=False, text="hooks are active in this repository")


def _say(verb: str, as_json: bool, *, paused: bool, text: str) -> None:
    if as_json:
        _print(verb, {"store": str(_paused().parent), "paused": paused})
    else:
        typer.echo(text)


def _paused() -> Path:
    return Path(find(str(Path.cwd())).store) / PAUSED
