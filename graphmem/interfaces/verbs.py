"""The verbs, one row each: a function whose signature is the interface. Command line, MCP and HTTP are made from these
rows, so a verb has the same name, parameters and help everywhere."""

from __future__ import annotations

import shutil
import sys
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, Literal

from graphmem.errors import NotFound, UsageError
from graphmem.interfaces.arguments import bindings
from graphmem.interfaces.browse_verbs import BROWSE
from graphmem.interfaces.code_verbs import CODE
from graphmem.interfaces.endless_verbs import ENDLESS
from graphmem.interfaces.history import events
from graphmem.interfaces.injected import injections
from graphmem.interfaces.memify_verbs import MEMIFY
from graphmem.interfaces.review_verbs import REVIEW
from graphmem.interfaces.shared_verbs import SHARED
from graphmem.interfaces.task_verbs import TASKS
from graphmem.interfaces.tree_verbs import TREE
from graphmem.interfaces.verb import Noted, Verb
from graphmem.memory import Memory
from graphmem.model.kinds import REMEMBERABLE_TEXT

Scope = Literal["session", "project", "global"]


def observe(
    mem: Memory,
    content: Annotated[str, "what was said"],
    role: Annotated[str, "user, assistant, tool or system"] = "user",
    session: Annotated[str, "the session it belongs to"] = "default",
    ref: Annotated[str | None, "your own id: the same one is recorded once"] = None,
) -> dict[str, str]:
    """Record one raw turn of a conversation."""
    return {"id": mem.observe(content, role=role, session=session, ref=ref)}


def remember(
    mem: Memory,
    content: Annotated[str, "what to remember"],
    kind: Annotated[str, REMEMBERABLE_TEXT] = "fact",
    title: Annotated[str | None, "a short title"] = None,
    tag: Annotated[list[str] | None, "tags"] = None,
    file: Annotated[list[str] | None, "paths it is about"] = None,
    ref: Annotated[str | None, "your own id: a later memory with it replaces this one"] = None,
) -> dict[str, str]:
    """Record an explicit memory."""
    return {"id": mem.remember(content, kind=kind, title=title, tags=tag or (), files=file or (), ref=ref)}


def ingest(
    mem: Memory,
    source: Annotated[str, "git, sessions, documents, terminal, tests, or files (each file by its own format)"],
    target: Annotated[Path, "a folder or file"] = Path(),
    progress: Any = None,
) -> Any:
    """Read a source and process what is new. Idempotent."""
    report = mem.ingest(source, target, **_watched(progress))
    mem.process(**_watched(progress))
    return report


def bring(
    mem: Memory,
    from_: Annotated[str, "the program, such as claude-code, codex, chatgpt or jsonl; a wrong one lists all"],
    target: Annotated[Path | None, "a file or folder; without one, where the program keeps its chats"] = None,
    all_: Annotated[bool, "sessions of every project, not only of the repository here"] = False,
    limit: Annotated[int | None, "most turns of one session"] = None,
    list_: Annotated[bool, "only list the sessions, newest first"] = False,
    progress: Any = None,
) -> Any:
    """Import the chats of another program. Idempotent."""
    from graphmem.interfaces import importing

    if list_:
        return importing.listing(from_, target)
    return importing.bring(mem, from_, target, every=all_, limit=limit, **_watched(progress))


def capture(
    mem: Memory,
    command: Annotated[str | None, "the command; it is run unless its output is given"] = None,
    output: Annotated[str | None, "what it printed"] = None,
    exit_code: Annotated[int | None, "its exit status"] = None,
    session: Annotated[str, "the session it belongs to"] = "",
) -> Any:
    """Record the output of a command, as evidence of a failure."""
    return mem.capture(command, output=output, exit_code=exit_code, session=session)


def index(mem: Memory, root: Annotated[Path, "the folder of the source tree"] = Path(), progress: Any = None) -> Any:
    """Build or update the code graph of a source tree."""
    return mem.index_code(root, **_watched(progress))


def watch(mem: Memory, root: Annotated[Path, "the folder of the source tree"] = Path()) -> Any:
    """Index files again whenever they change, until stopped."""
    return mem.watch(root)


def process(
    mem: Memory,
    trigger: Annotated[
        str | None, "what happened: session_end, post_commit, test_failure, task_completion, daily"
    ] = None,
    retry: Annotated[bool, "try dead letters again"] = False,
    progress: Any = None,
) -> Any:
    """Do everything pending: project, derive, conclude, embed."""
    return mem.process(trigger=trigger, retry=retry, **_watched(progress))


def search(
    mem: Memory,
    query: Annotated[str, "what to look for, in your own words"],
    k: Annotated[int, "how many hits"] = 10,
    kind: Annotated[list[str] | None, "only these: turn, fact, document, symbol, commit, task, ..."] = None,
    session: Annotated[str | None, "only this session"] = None,
    scope: Annotated[Scope, "how far to look"] = "project",
    as_of: Annotated[datetime | None, "the memory as it was then"] = None,
    budget: Annotated[int | None, "pack a context of at most this many tokens"] = None,
    archived: Annotated[bool, "search the archive, too"] = False,
) -> Any:
    """Search all memories."""
    return mem.search(
        query, k=k, kinds=kind, session=session, scope=scope, as_of=_aware(as_of), budget=budget, archived=archived
    )


def ask(
    mem: Memory,
    question: Annotated[str, "in your own words: who wrote X, what breaks if X changes, why, which tests"],
    k: Annotated[int, "how many hits beside the answer"] = 5,
) -> Any:
    """Answer a question with evidence: who, when, why, where, callers, tests, impact, changes."""
    return mem.ask(question, k=k)


def timeline(
    mem: Memory,
    ids: Annotated[list[str], "ids, refs or citations"],
    window: Annotated[int, "how many turns before and after"] = 3,
) -> Any:
    """Show what was said around items."""
    return _found(mem, ids, mem.timeline(ids, window))


def details(mem: Memory, ids: Annotated[list[str], "ids, refs or citations"]) -> Any:
    """Show items in full."""
    return _found(mem, ids, mem.details(ids))


def _found(mem: Memory, ids: list[str], items: list[Any]) -> Any:
    """The items, with a note of those that are not known."""
    known = {name for item in items for name in (item.id, item.ref, item.citation, item.citation[5:-1])}
    missing = ", ".join(f"`{name}`" for name in ids if not {name, mem.meant(name)} & known)
    if not items:
        raise NotFound(f"there is no item {missing or 'without an id'}: take ids from `graphmem search`", ids=ids)
    return Noted(items, f"Not known: {missing}.") if missing else items


def show(mem: Memory, id: Annotated[str, "an id, ref, citation, commit, path, symbol or task"]) -> dict[str, Any]:
    """Show one thing with all its relations."""
    return mem.show(id)


def neighbours(
    mem: Memory,
    id: Annotated[str, "id of a node"],
    depth: Annotated[int, "1 to 3 steps"] = 1,
    kind: Annotated[list[str] | None, "only these labels"] = None,
) -> Any:
    """List the nodes around a node."""
    return mem.neighbours(id, depth, kind)


def path(mem: Memory, a: Annotated[str, "id of a node"], b: Annotated[str, "id of another"]) -> Any:
    """Find a shortest path between two nodes."""
    return mem.path(a, b)


def cypher(
    mem: Memory,
    query: Annotated[str | None, "a read-only query; with --named, leave it out"] = None,
    arguments: Annotated[list[str] | None, "parameters as name=value"] = None,
    named: Annotated[str | None, "run this query of `graphmem schema`"] = None,
    limit: Annotated[int | None, "most rows"] = None,
    timeout: Annotated[float | None, "stop after this many seconds"] = None,
) -> Any:
    """Ask the graph in Cypher."""
    if named is not None:  # the first positional is then a parameter, too
        given = [*([query] if query else []), *(arguments or [])]
        return mem.query(named, bindings(given), limit=limit)
    return mem.cypher(query or "", bindings(arguments or []), limit=limit, timeout=timeout)


def schema(mem: Memory) -> dict[str, Any]:
    """List labels, relations, properties and named queries."""
    return mem.schema()


def stats(mem: Memory) -> dict[str, Any]:
    """Count the contents of the store."""
    return mem.stats()


def doctor(mem: Memory) -> dict[str, Any]:
    """Check every file and projection, and say what to do. Exits with status 1 where something is wrong."""
    return mem.health()


def rebuild(mem: Memory, progress: Any = None) -> Any:
    """Rebuild graph and indexes from the log."""
    return mem.rebuild(**_watched(progress))


def forget(
    mem: Memory,
    id: Annotated[str | None, "an id, ref or citation"] = None,
    session: Annotated[str | None, "a whole session"] = None,
    before: Annotated[datetime | None, "everything before this time"] = None,
    of_project: Annotated[str | None, "everything of this project"] = None,
    purge: Annotated[bool, "erase the contents from the files, too"] = False,
    confirm: Annotated[bool, "really do it"] = False,
) -> Any:
    """Forget one thing, a session, a time or a project: no answer shows it from then on."""
    if not confirm:
        raise UsageError("forgetting cannot be undone: add --confirm to do it")
    return mem.forget(id, session=session, before=_aware(before), project=of_project, purge=purge)


def supersede(
    mem: Memory,
    old: Annotated[str, "the fact that is no longer true: id, ref or citation"],
    new: Annotated[str, "the fact that replaced it"],
    undo: Annotated[bool, "it did not, whatever the rules conclude"] = False,
) -> dict[str, str]:
    """Mark one fact as replaced by another, or undo that."""
    return {"id": mem.supersede(old, new, undo=undo)}


def export(
    mem: Memory,
    target: Annotated[Path, "the file to write (parquet: a folder), or - for standard output"],
    format: Annotated[str, "log (for `merge`), graphml, jsonld, parquet or markdown"] = "log",
) -> Any:
    """Export the log, or the graph for another program."""
    if str(target) != "-":
        return mem.export(target, format=format)
    if format == "parquet":
        raise UsageError("parquet is a folder of files: name one")
    with TemporaryDirectory() as folder:
        mem.export(Path(folder) / "export", format=format)
        with (Path(folder) / "export").open("rb") as file:
            shutil.copyfileobj(file, sys.stdout.buffer)
    return None


def merge(mem: Memory, source: Annotated[Path, "an exported log"], progress: Any = None) -> Any:
    """Merge a log exported on another machine. Idempotent."""
    return mem.merge(source, **_watched(progress))


def move(mem: Memory, target: Annotated[str, "an empty or new folder, also of another disk"]) -> Any:
    """Move the store to another folder, and leave a link at the old place."""
    return mem.move(target)


def history(
    mem: Memory,
    session: Annotated[str | None, "only this session"] = None,
    type: Annotated[list[str] | None, "only these types of events"] = None,
    limit: Annotated[int, "how many"] = 50,
    before: Annotated[int | None, "only before this position of the log"] = None,
    injected: Annotated[bool, "only what hooks injected, and its cost in tokens"] = False,
) -> Any:
    """List the newest events, newest last."""
    if injected:
        return injections(mem, session, limit)
    return events(mem, session, type, limit, before)


def init(
    mem: Memory,
    root: Annotated[Path, "a folder in a git repository"] = Path(),
    sessions: Annotated[Path | None, "read the agent transcripts in this folder, too"] = None,
    progress: Any = None,
) -> Any:
    """Turn a repository into a graph: index its code, read its history and documents, and report."""
    return mem.init(root, sessions=sessions, **_watched(progress))


def _aware(time: datetime | None) -> datetime | None:
    """A time as typed is that of the local clock."""
    return time.astimezone() if time is not None and time.tzinfo is None else time


def _watched(progress: Any) -> dict[str, Any]:
    return {"progress": progress} if progress else {}


VERBS: tuple[Verb, ...] = (
    Verb("init", init, writes=True, local=True),
    Verb("observe", observe, writes=True),
    Verb("remember", remember, writes=True, agent=True),
    Verb("ingest", ingest, writes=True, local=True),
    Verb("import", bring, writes=True, local=True),
    Verb("capture", capture, writes=True, local=True),
    Verb("index", index, writes=True, agent=True, local=True),
    Verb("watch", watch, writes=True, local=True),
    Verb("process", process, writes=True),
    Verb("search", search, agent=True),
    Verb("ask", ask, agent=True),
    Verb("timeline", timeline, agent=True),
    Verb("details", details, agent=True),
    Verb("show", show, agent=True),
    Verb("neighbours", neighbours),
    Verb("path", path),
    Verb("cypher", cypher, agent=True),
    Verb("schema", schema, agent=True),
    Verb("stats", stats, agent=True),
    Verb("doctor", doctor, failed=lambda report: not report["sound"]),
    Verb("rebuild", rebuild, writes=True),
    Verb("forget", forget, writes=True, agent=True),
    Verb("supersede", supersede, writes=True, agent=True),
    Verb("export", export, local=True),
    Verb("merge", merge, writes=True, local=True),
    Verb("move", move, writes=True, local=True),
    Verb("history", history),
    *BROWSE,
    *REVIEW,
    *MEMIFY,
    *TASKS,
    *SHARED,
    *CODE,
    *TREE,
    *ENDLESS,
)
