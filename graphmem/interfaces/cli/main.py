"""The command `graphmem`: one command for each verb, `--json` output for programs, errors as one sentence with an
exit status."""

from __future__ import annotations

import errno
import inspect
import os
import sys
import time
import typing
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graphmem import settings
from graphmem.agent_shells import agent_of
from graphmem.errors import FREE_SPACE, GraphmemError, NotFound, StoreError, UsageError, message_of
from graphmem.interfaces import envelope
from graphmem.interfaces.cli import (
    agents,
    benchmarks,
    guides,
    progress,
    recorded,
    render,
    serving,
    shared_logs,
    stores,
    team,
    thin,
    users,
)
from graphmem.interfaces.cli.caller import caller_key
from graphmem.interfaces.cli.followups import fill_numbers, keep_rows
from graphmem.interfaces.cli.grouped import CommandLine, GroupedCommands, show_example
from graphmem.interfaces.cli.render import Page
from graphmem.interfaces.noted import ResultWithNote, split_note
from graphmem.interfaces.table_formats import csv_lines
from graphmem.interfaces.uses import note_use
from graphmem.interfaces.verbs.registry import VERBS
from graphmem.interfaces.verbs.verb import Verb
from graphmem.memory import Memory
from graphmem.ports.callers import for_agent
from graphmem.resources import VERSION
from graphmem.text.moments import read_moment
from graphmem.trust.hidden import replace_controls

if TYPE_CHECKING:
    from graphmem.store.location import Place

_ASKING = ("search", "ask", "doctor")  # verbs that say where the memory of a moved repository is
_COMMON = {
    "store": Annotated[
        Path | None,
        typer.Option(help="store directory (default: the store of the current repository)", envvar="GRAPHMEM_STORE"),
    ],
    "project": Annotated[
        str | None, typer.Option(help="project name (default: that of the store, or of the current repository)")
    ],
    "json": Annotated[bool, typer.Option("--json", help="print one JSON envelope")],
}
_CSV = Annotated[bool, typer.Option("--csv", help="print the rows as CSV")]
_TABULAR = "cypher"  # the verb whose result is a table


def run() -> None:
    """Run the console script and exit with its status."""
    try:
        status = build(sys.argv[1] if len(sys.argv) > 1 else "")(standalone_mode=False)
        sys.stdout.flush()
        if not status and (store := thin.store_without_owner(sys.argv[1:])):  # the next command finds everything loaded
            with suppress(GraphmemError, OSError):
                _load_store()[1](Path(store), "")
    except BrokenPipeError:  # the reader closed the pipe, as in `graphmem search x | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 0
    except KeyboardInterrupt:
        status = 130
    except Exception as error:
        if not hasattr(error, "show"):  # click errors print their own message
            raise
        error.show()
        show_example(error)
        status = getattr(error, "exit_code", 2)
    raise SystemExit(status if isinstance(status, int) else 0)


def main(version: Annotated[bool, typer.Option("--version", help="print the version and exit")] = False) -> None:
    """Memory for coding agents: stores conversations, commits, tasks and code as one searchable graph."""
    if version:
        typer.echo(VERSION)
        raise typer.Exit


@dataclass(frozen=True, slots=True)
class Invocation:
    """A verb with its parsed command line."""

    verb: Verb
    given: dict[str, Any]
    store: Path | None
    project: str | None
    as_json: bool
    as_csv: bool = False

    @property
    def is_watched(self) -> bool:
        """Return whether the verb reports progress."""
        return "progress" in inspect.signature(self.verb.call).parameters

    def answer(self, mem: Memory, caller: str, **watching: Any) -> Any:
        """Run the verb for a caller (`caller_key`), and record the use of the items it returned."""
        started = time.time()
        result = self.verb.call(mem, **fill_numbers(mem, caller, self.verb.name, self.given), **watching)
        keep_rows(mem, caller, split_note(result)[0], started)
        value, note = split_note(result)
        note_use(mem, value, f"cli:{time.strftime('%Y-%m-%d')}")
        warning = mem.damage_warning if self.verb.writes else ""
        return ResultWithNote(value, f"{note} {warning}".strip()) if warning else result

    def show(self, result: Any, started: float, out: Page) -> str:
        """Print a result or its JSON envelope; return its note. `started` is a value of `time.perf_counter`."""
        if self.as_json:
            seconds = round(time.perf_counter() - started, 3)
            out.file.write(envelope.success(result, verb=self.verb.name, seconds=seconds) + "\n")
            return ""
        value, note = split_note(result)
        if not self.as_csv:
            render.show(self.verb.name, value, out)
            return note
        out.file.write(csv_lines(value))
        return "the rows are cut at the limit: `--limit` gets more" if value.truncated else note


def _command(verb: Verb, run: Callable[[Invocation], Any]) -> Callable[..., Any]:
    """Return a function with the verb's parameters plus the common options, as typer expects it."""
    hints = typing.get_type_hints(verb.call, include_extras=True)
    parameters = [p for p in inspect.signature(verb.call).parameters.values() if p.name not in ("mem", "progress")]

    def command(**given: Any) -> Any:
        store, project, as_json = given.pop("store"), given.pop("project"), given.pop("json")
        return run(Invocation(verb, given, store, project, as_json, given.pop("csv", False)))

    own = [p.replace(annotation=_annotated(p, hints[p.name])) for p in parameters]
    common = [
        inspect.Parameter(
            name, inspect.Parameter.KEYWORD_ONLY, default=False if name in ("json", "csv") else None, annotation=kind
        )
        for name, kind in (_COMMON | ({"csv": _CSV} if verb.name == _TABULAR else {})).items()
    ]
    command.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in own] + common
    )
    command.__annotations__ = {p.name: p.annotation for p in [*own, *common]}
    command.__doc__ = verb.call.__doc__
    return command


_POSITIONAL = {"memories",
    "content", "query", "id", "ids", "a", "b", "source", "target", "root", "arguments", "title", "symbol", "text",
    "condition", "path", "blocker", "relation", "to", "file", "line", "column", "key", "value", "verdict", "tag", "mode",
    "summary_query", "ref", "old", "new", "merged", "kept", "pattern", "question", "before",
}  # fmt: skip

_OPTIONAL = {
    "query",
    "arguments",
    "root",
    "target",
    "id",
    "ids",
    "column",
    "key",
    "value",
    "after",
}  # positional although optional


def _annotated(parameter: inspect.Parameter, hint: Any) -> Any:
    kind, *notes = typing.get_args(hint) if typing.get_origin(hint) is Annotated else (hint,)
    text = str(notes[0]) if notes else ""
    needed = parameter.default is inspect.Parameter.empty
    positional = parameter.name in (_POSITIONAL if needed else _OPTIONAL)
    if positional:
        return Annotated[kind, typer.Argument(help=text)]
    if any(typing.get_origin(each) is list for each in (kind, *typing.get_args(kind))):
        text += "; repeatable"
    if datetime in (kind, *typing.get_args(kind)) or parameter.name == "as_of":
        text += ', or in words: "2 weeks ago"'
    if datetime in (kind, *typing.get_args(kind)):
        return Annotated[kind, typer.Option(parser=_moment, metavar="TIME", help=text)]
    flag = "--" + parameter.name.strip("_").replace("_", "-")  # strip the underscore of names such as `from_`
    return Annotated[kind, typer.Option(*([flag, "-k"] if flag == "--k" else [flag]), help=text)]


def _moment(text: str) -> datetime:
    try:
        return read_moment(text, datetime.now(UTC))
    except UsageError as error:
        raise typer.BadParameter(error.message) from None


def execute(invocation: Invocation) -> None:
    """Run a verb on its store and print its result. Errors exit the program with their status."""
    started, verb, given = time.perf_counter(), invocation.verb, invocation.given
    store, project, as_json = invocation.store, invocation.project, invocation.as_json
    try:
        if not verb.writes:
            _refuse_missing(store, given.get("root"))
            if overlooked := overlooked_store(invocation):
                typer.echo(overlooked, err=True)
        elif verb.name == "init" and (former := stores.describe_former_of(store, given.get("root"))):
            typer.echo(f"graphmem: {former}", err=True)
        if verb.name == "cypher" and given["query"] is None and given["named"] is None:
            from graphmem.interfaces.cli import shell

            if not shell.start(store, project, as_json=as_json):
                raise typer.Exit(1)
            return

        with (
            Memory.open(store, project=project, daemon=True, around=given.get("root") or ".") as mem,
            for_agent() if agent_of(os.environ) else nullcontext(),
            _watching(invocation, mem) as tell,
        ):
            result = invocation.answer(
                mem, caller_key(os.environ), **({"progress": tell} if invocation.is_watched else {})
            )
            # Print each item of a stream (`watch`) as it arrives, while the store is open.
            for each in result if isinstance(result, Iterator) else (result,):
                note = invocation.show(each, started, render.make_console())
                sys.stdout.flush()
                if note:
                    typer.echo(replace_controls(note), err=True)
        if verb.failed(result):
            raise typer.Exit(1)
    except (BrokenPipeError, typer.Exit):
        raise
    except (GraphmemError, OSError, KeyboardInterrupt) as error:
        fail(_by_doctor(error) if verb.name == "doctor" else error, as_json=as_json)
    except Exception as error:
        if os.environ.get("GRAPHMEM_DEBUG"):
            raise
        fail(error, as_json=as_json)


def overlooked_store(invocation: Invocation) -> str:
    """Return a line about the memory of a moved repository, if the command asks a store that a hook made since; "" if not."""
    if invocation.verb.name not in _ASKING:
        return ""
    told = stores.describe_overlooked(invocation.store, invocation.given.get("root"))
    return f"graphmem: {told}" if told else ""


def _watching(invocation: Invocation, mem: Memory) -> AbstractContextManager[Callable[[str, int], None] | None]:
    """Return what shows the progress of a verb, and yields None if it does not ask for it."""
    if invocation.verb.name == "init" and not invocation.as_json:
        return progress.init_progress(str(mem.location))
    return progress.progress_bar(shown=invocation.is_watched and not invocation.as_json)


def _by_doctor(error: BaseException) -> BaseException:
    """Return what stopped the doctor itself, with what to do in the place of the advice to call it."""
    if not isinstance(error, StoreError) or "graphmem doctor" not in error.message:
        return error
    from graphmem.sync.health import disk_problem, without_doctor

    full = disk_problem(Path(str(error.data.get("path") or ".")).parent)
    remedy = "free some space, and look again" if full else "restore log.db from a backup"
    parts = [without_doctor(error.message).split(": restore log.db")[0], full, remedy]
    return type(error)("; ".join(filter(None, parts)), **error.data)


def _load_store() -> tuple[Callable[..., Place], Callable[[Path, str], None]]:
    """Return what locates a store, and what starts its owner. The help needs neither."""
    from graphmem.store import location, start_owner

    return location.locate, start_owner


def _refuse_missing(store: Path | None, around: Any) -> None:
    """Raise NotFound if there is no store: reading must not create one."""
    if store is not None and not store.exists():
        raise NotFound(f"no store at {store}: check the path, or create one with `graphmem init`", path=str(store))
    locate, _ = _load_store()
    place = locate(store, settings.stores_home(), around)
    if store is None and not place.store.exists():
        raise NotFound(
            f"the repository at {place.root} has no store yet: {stores.describe_former(place) or 'run `graphmem init` there'}",
            path=str(place.store),
        )


def fail(error: BaseException, *, as_json: bool) -> None:
    """Print one sentence on standard error (and the JSON envelope on standard output, if requested), then exit."""
    if isinstance(error, BrokenPipeError):
        raise error
    if as_json:
        typer.echo(envelope.dumps(envelope.failure(error)))
    if isinstance(error, KeyboardInterrupt):
        typer.echo("graphmem: interrupted; data recorded so far is kept", err=True)
        raise typer.Exit(130) from None
    sentence, status = describe(error)
    typer.echo(f"graphmem: {replace_controls(sentence)}", err=True)
    raise typer.Exit(status) from None


def describe(error: BaseException) -> tuple[str, int]:
    """Return the error message for the user, and the exit status of the command."""
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        remedy = f": {FREE_SPACE}" if error.errno in (errno.ENOSPC, errno.EDQUOT) else ""
        error = GraphmemError(f"{error.filename}: {error.strerror.lower()}{remedy}")
    status = error.exit_status if isinstance(error, GraphmemError) else 1
    if isinstance(error, GraphmemError | OSError):
        return str(error), status
    return f"{type(error).__name__}: {message_of(error)} (set GRAPHMEM_DEBUG=1 for a traceback)", status


_GROUPS = {
    "tasks": "Manage tasks and their blockers.",
    "code": "Query the code: callers, impact, text, history, dead code.",
    "tree": "Browse the memory tree: conversations compacted into memories.",
    "endless": "Endless mode: one memory across sessions.",
    "shared": "Share verified fixes between your projects.",
}


def build(word: str = "", run: Callable[[Invocation], Any] = execute) -> typer.Typer:
    """Build the command line; `run` is called with the parsed command. If the first word names a verb, only that verb
    is declared, because declaring the options of a hundred commands takes longer than a search."""
    app = CommandLine(
        name="graphmem",
        cls=GroupedCommands,
        help="Memory for coding agents: stores conversations, commits, tasks and code as one searchable graph.",
        add_completion=True,
        pretty_exceptions_enable=False,
    )
    app.callback(invoke_without_command=True)(main)
    named = [verb for verb in VERBS if verb.name == word]
    _register(app, named or VERBS, run)
    if not named:
        agents.register(app, fail)
        recorded.register(app)
        benchmarks.register(app, fail)
        serving.register(app, fail)
        stores.register(app, fail)
        team.register(app, fail)
        shared_logs.register(app, fail)
        users.register(app, fail)
        guides.register(app, fail)
    return app


def _register(app: typer.Typer, verbs: Sequence[Verb], run: Callable[[Invocation], Any]) -> None:
    """Add a command for each verb; two-word verbs go into groups."""
    groups: dict[str, CommandLine] = {}
    for verb in verbs:
        group, _, name = verb.name.rpartition(" ")
        if group and group not in groups:
            groups[group] = CommandLine(help=_GROUPS[group])
            app.add_typer(groups[group], name=group)
        takes_any = "pattern" in inspect.signature(verb.call).parameters  # `code text --no-verify` looks for a flag
        settings = {"ignore_unknown_options": takes_any}
        groups.get(group, app).command(name, help=verb.help, context_settings=settings)(_command(verb, run))
