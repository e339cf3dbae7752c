"""Verbs without a group: record, import, index, search, inspect and maintain a memory."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, Literal

from graphmem.browse.named_queries import named_query
from graphmem.errors import NotFound, UsageError
from graphmem.interfaces.noted import ResultWithNote
from graphmem.interfaces.text.history import list_events
from graphmem.interfaces.verbs.arguments import bindings
from graphmem.interfaces.verbs.conclusions import conclude
from graphmem.interfaces.verbs.injected import injections
from graphmem.interfaces.verbs.several import answer_each
from graphmem.interfaces.verbs.verb import Verb
from graphmem.log.stages import TEXT, describe, read_state, wait_until_ready
from graphmem.memory import Memory
from graphmem.model.kinds import REMEMBERABLE_TEXT
from graphmem.plurals import counted
from graphmem.ports.callers import refuse_agents

Scope = Literal["session", "project", "global"]
_INIT_S = 20.0  # that a search waits for an `init` at work to index the texts


def observe(
    mem: Memory,
    content: Annotated[str, "the text"],
    role: Annotated[str, "who said it: user, assistant, tool or system"] = "user",
    session: Annotated[str, "the session id"] = "default",
    ref: Annotated[str | None, "your own id; a second turn with the same id is not recorded"] = None,
) -> dict[str, str]:
    """Record one turn of a conversation."""
    return {"id": mem.observe(content, role=role, session=session, ref=ref)}


def remember(
    mem: Memory,
    content: Annotated[str, "what to remember"],
    kind: Annotated[str, REMEMBERABLE_TEXT] = "fact",
    title: Annotated[str | None, "a short title"] = None,
    tag: Annotated[list[str] | None, "tags"] = None,
    file: Annotated[list[str] | None, "paths that it is about"] = None,
    ref: Annotated[str | None, "your own id; a later memory with the same id replaces this one"] = None,
) -> dict[str, str]:
    """Save a memory explicitly."""
    return {"id": mem.remember(content, kind=kind, title=title, tags=tag or (), files=file or (), ref=ref)}


def ingest(
    mem: Memory,
    source: Annotated[str, "git, sessions, documents, terminal, tests, or files (detects the format of each file)"],
    target: Annotated[Path, "a folder or file"] = Path(),
    progress: Any = None,
) -> Any:
    """Import a source and process what is new. Idempotent."""
    report = mem.ingest(source, target, **_watched(progress))
    mem.process(**_watched(progress))
    return report


def bring(
    mem: Memory,
    from_: Annotated[str, "the program, such as claude-code, codex, chatgpt or jsonl; an unknown name lists all"],
    target: Annotated[Path | None, "a file or folder (default: where the program stores its chats)"] = None,
    all_: Annotated[bool, "sessions of all projects, not only of this repository"] = False,
    limit: Annotated[int | None, "maximum turns per session"] = None,
    list_: Annotated[bool, "list the available sessions, newest first, and import nothing"] = False,
    progress: Any = None,
) -> Any:
    """Import chats from another program. Idempotent."""
    from graphmem.interfaces.verbs import importing

    if list_:
        return importing.list_sessions(from_, target)
    return importing.import_chats(mem, from_, target, every=all_, limit=limit, **_watched(progress))


def capture(
    mem: Memory,
    command: Annotated[str | None, "the command; it is executed unless --output is given"] = None,
    output: Annotated[str | None, "its output"] = None,
    exit_code: Annotated[int | None, "its exit status"] = None,
    session: Annotated[str, "the session id"] = "",
) -> Any:
    """Record the output of a command, for example as evidence of a failure."""
    return mem.capture(command, output=output, exit_code=exit_code, session=session)


def index(
    mem: Memory,
    root: Annotated[Path, "the folder of the source tree"] = Path(),
    scip: Annotated[Path | None, "lay an index of scip-python, scip-typescript, scip-go, ... over it"] = None,
    progress: Any = None,
) -> Any:
    """Build or update the code graph of a source tree."""
    return mem.index_code(root, scip=scip, **_watched(progress))


def watch(mem: Memory, root: Annotated[Path, "the folder of the source tree"] = Path()) -> Any:
    """Re-index files whenever they change, until stopped."""
    return mem.watch(root)


def process(
    mem: Memory,
    trigger: Annotated[
        str | None,
        "run the steps that are due at this event: session_end, post_commit, test_failure, task_completion, daily",
    ] = None,
    retry: Annotated[bool, "try dead letters again"] = False,
    progress: Any = None,
) -> Any:
    """Complete all pending work: projections, derived facts, embeddings."""
    return mem.process(trigger=trigger, retry=retry, **_watched(progress))


def search(
    mem: Memory,
    query: Annotated[str, "what to search for, in natural language"],
    k: Annotated[int, "maximum number of hits"] = 10,
    kind: Annotated[list[str] | None, "only these kinds: turn, fact, document, symbol, commit, task, ..."] = None,
    session: Annotated[str | None, "only this session"] = None,
    scope: Annotated[Scope, "search this session, this project, or all projects in the store"] = "project",
    as_of: Annotated[datetime | None, "search the memory as of this time"] = None,
    budget: Annotated[int | None, "maximum tokens of the packed context"] = None,
    archived: Annotated[bool, "also search archived memories"] = False,
    waiting: Annotated[bool, "also search what waits for approval; it is marked"] = False,
) -> Any:
    """Search all memories."""
    wait_until_ready(str(mem.location), TEXT, _INIT_S)
    return mem.search(
        query,
        k=k,
        kinds=kind,
        session=session,
        scope=scope,
        as_of=_aware(as_of),
        budget=budget,
        archived=archived,
        waiting=waiting,
    )


def ask(
    mem: Memory,
    question: Annotated[list[str], "questions in natural language"],
    k: Annotated[int, "number of search hits to add to the answer"] = 5,
) -> Any:
    """Answer questions with evidence: who, when, why, where, callers, tests, impact, changes, environment variables.

    Name several questions in one call, each in quotation marks. Words without any are one question."""
    wait_until_ready(str(mem.location), TEXT, _INIT_S)
    words = [question] if isinstance(question, str) else list(question)
    if not any(" " in word.strip() for word in words):
        words = [" ".join(words)]
    return answer_each(words, lambda each, parts: mem.ask(each, k=k))


def timeline(
    mem: Memory,
    ids: Annotated[list[str], "ids, refs or citations"],
    window: Annotated[int, "number of turns before and after"] = 3,
) -> Any:
    """Show the turns before and after items."""
    return _found(mem, ids, mem.timeline(ids, window))


def details(mem: Memory, ids: Annotated[list[str], "ids, refs or citations"]) -> Any:
    """Show the full text of items."""
    return _found(mem, ids, mem.details(ids))


def _found(mem: Memory, ids: list[str], items: list[Any]) -> Any:
    """Return the items, with a note that lists unknown ids."""
    known = {name for item in items for name in (item.id, item.ref, item.citation, item.citation[5:-1])}
    missing = ", ".join(f"`{name}`" for name in ids if not {name, mem.meant(name)} & known)
    if not items:
        raise NotFound(f"no item {missing or 'without an id'}: use ids from `graphmem search`", ids=ids)
    return ResultWithNote(items, f"Unknown: {missing}.") if missing else items


def show(
    mem: Memory,
    id: Annotated[str, "an id, ref, citation, commit, path, symbol or task"],
    patch: Annotated[bool, "the whole patch of a commit, read from git"] = False,
) -> Any:
    """Show an item with all its relations."""
    found = mem.show(id)
    node = found["node"]
    if patch:
        if node["_label"] != "Commit":
            raise UsageError(f"`{id}` is no commit, so it has no patch", id=id)
        return mem.code.patch(node["hash"])
    if node["_label"] == "Commit" and (lines := _stored_lines(node)) < node["additions"] + node["deletions"]:
        whole = node["additions"] + node["deletions"]
        return ResultWithNote(
            found, f"The stored patch has {lines:,} of {counted(whole, 'changed line')}: --patch prints all of it."
        )
    return found


def _stored_lines(commit: Mapping[str, Any]) -> int:
    """Return how many changed lines the stored patch of a commit has."""
    lines = str(commit.get("patch") or "").split("\n")
    return sum(line[:1] in ("+", "-") and line[:4] not in ("+++ ", "--- ") for line in lines)


def neighbours(
    mem: Memory,
    id: Annotated[str, "id of a node"],
    depth: Annotated[int, "1 to 3 steps"] = 1,
    kind: Annotated[list[str] | None, "only nodes with these labels"] = None,
) -> Any:
    """List the nodes around a node."""
    return mem.neighbours(id, depth, kind)


def path(
    mem: Memory,
    a: Annotated[str, "id of the first node"],
    b: Annotated[str, "id of the second node"],
    only: Annotated[list[str] | None, "only these types of relations, such as CALLS,TOUCHES"] = None,
) -> Any:
    """Find a shortest path between two nodes."""
    return mem.path(a, b, only or ())


def cypher(
    mem: Memory,
    query: Annotated[str | None, "a read-only query; omit it with --named"] = None,
    arguments: Annotated[list[str] | None, "parameters as name=value"] = None,
    named: Annotated[str | None, "run this named query (`graphmem schema` lists them)"] = None,
    limit: Annotated[int | None, "maximum number of rows"] = None,
    timeout: Annotated[float | None, "timeout in seconds"] = None,
) -> Any:
    """Query the graph with read-only Cypher.

    On the command line, a shell starts if no query is given.
    """
    if named is not None:  # then the first positional argument is a parameter, too
        given = [*([query] if query else []), *(arguments or [])]
        return ResultWithNote(mem.query(named, bindings(given), limit=limit), f"{named_query(named).purpose}.")
    rows = mem.cypher(query or "", bindings(arguments or []), limit=limit, timeout=timeout)
    begun = read_state(str(mem.location))
    if begun is not None and begun.is_pending and not begun.is_stalled:
        return ResultWithNote(rows, f"`init` is still at work, so rows may be missing ({describe(begun)}).")
    return rows


def schema(mem: Memory) -> dict[str, Any]:
    """List labels, relations, properties and named queries."""
    return mem.schema()


def stats(mem: Memory) -> dict[str, Any]:
    """Show counts, sizes and the path of the store."""
    return mem.stats()


def doctor(
    mem: Memory,
    report: Annotated[bool, "print a report for a bug report: versions, sizes, states; none of your texts"] = False,
) -> dict[str, Any]:
    """Check all files and projections, and recommend what to do. Exits with status 1 if there is a problem."""
    return {"report": mem.bug_report()} if report else mem.health()


def rebuild(
    mem: Memory,
    accept_loss: Annotated[bool, "rebuild even if the log is missing or lost its end: what it lost is gone"] = False,
    progress: Any = None,
) -> Any:
    """Rebuild the graph, the indexes and the vectors from the log."""
    return mem.rebuild(accept_loss=accept_loss, **_watched(progress))


def forget(
    mem: Memory,
    id: Annotated[str | None, "an id, ref or citation"] = None,
    session: Annotated[str | None, "a whole session"] = None,
    before: Annotated[datetime | None, "everything before this time"] = None,
    of_project: Annotated[
        str | None, "everything that belongs to this project (--project only names the project of this command)"
    ] = None,
    purge: Annotated[bool, "also erase the bytes from disk"] = False,
    reason: Annotated[str, "why; kept on the receipt, so do not repeat what is forgotten"] = "",
    confirm: Annotated[bool, "required: this cannot be undone"] = False,
    progress: Any = None,
) -> Any:
    """Forget an item, a session, a period or a project: it no longer appears in any answer."""
    if not confirm:
        raise UsageError("forgetting cannot be undone: add --confirm")
    return mem.forget(
        id,
        session=session,
        before=_aware(before),
        project=of_project,
        purge=purge,
        reason=reason.strip(),
        **_watched(progress),
    )


def supersede(
    mem: Memory,
    old: Annotated[str, "the fact that is no longer true: id, ref or citation"],
    new: Annotated[str, "the fact that replaces it"],
    undo: Annotated[bool, "undo: `new` does not replace `old`"] = False,
) -> dict[str, str]:
    """Mark a fact as superseded by another one, or undo that."""
    return {"id": mem.supersede(old, new, undo=undo)}


def merge_entities(
    mem: Memory,
    merged: Annotated[str, "an entity that is called differently elsewhere: id or name"],
    kept: Annotated[str, "the entity that it is the same as"],
    reason: Annotated[str, "why, in a few words"] = "",
    undo: Annotated[bool, "undo: they are not the same"] = False,
) -> dict[str, str]:
    """Say that two entities are the same thing, or undo that. Searches for one name then find the other."""
    return {"id": mem.merge_entities(merged, kept, reason=reason, undo=undo)}


def export(
    mem: Memory,
    target: Annotated[Path, "the file to write (parquet: a folder), or - for standard output"],
    format: Annotated[
        str, "log (for `merge`), graphml, jsonld, parquet, markdown, or scip (code, for Sourcegraph and editors)"
    ] = "log",
) -> Any:
    """Export the log, or the graph for other programs."""
    if str(target) != "-":
        return mem.export(target, format=format)
    if format == "parquet":
        raise UsageError("parquet writes a folder of files: name a folder")
    with TemporaryDirectory() as folder:
        mem.export(Path(folder) / "export", format=format)
        with (Path(folder) / "export").open("rb") as file:
            shutil.copyfileobj(file, sys.stdout.buffer)
    return None


def merge(
    mem: Memory,
    source: Annotated[Path, "an exported log"],
    trust: Annotated[bool, "the machine is yours: what a person said there counts as said here"] = False,
    same_project: Annotated[bool, "the log is of this project, whose folder had another name there"] = False,
    progress: Any = None,
) -> Any:
    """Merge a log exported on another machine. Idempotent."""
    if trust:
        refuse_agents("vouch for another machine")
    return mem.merge(source, trust=trust, same_project=same_project, **_watched(progress))


def move(
    mem: Memory,
    target: Annotated[str | None, "an empty or new folder, also on another disk"] = None,
    engine: Annotated[str | None, "rebuild the graph with this engine instead"] = None,
    log: Annotated[str | None, "move the log to a PostgreSQL server (URL), or back (local)"] = None,
    progress: Any = None,
) -> Any:
    """Move the store to another folder and leave a link at the old location, or move its graph to another engine, or its
    log to a server."""
    return mem.move(target, engine=engine, log=log, **_watched(progress))


def history(
    mem: Memory,
    session: Annotated[str | None, "only this session"] = None,
    type: Annotated[list[str] | None, "only these types of events"] = None,
    limit: Annotated[int, "maximum number of events"] = 50,
    before: Annotated[int | None, "only events before this log position"] = None,
    injected: Annotated[bool, "only text that hooks injected, with its token cost"] = False,
) -> Any:
    """List the latest events in order of time."""
    if injected:
        return injections(mem, session, limit)
    return list_events(mem, session, type, limit, before)


def init(
    mem: Memory,
    root: Annotated[Path, "a folder in a git repository"] = Path(),
    sessions: Annotated[Path | None, "also import the agent transcripts in this folder"] = None,
    no_wait: Annotated[bool, "return once the code can be queried; the rest follows in the background"] = False,
    progress: Any = None,
) -> Any:
    """Turn a repository into a graph: index its code, import its history and documents, and print a report."""
    return mem.init(root, sessions=sessions, wait=not no_wait, **_watched(progress))


def _aware(time: datetime | None) -> datetime | None:
    """Interpret a time without a time zone as local time."""
    return time.astimezone() if time is not None and time.tzinfo is None else time


def _watched(progress: Any) -> dict[str, Any]:
    return {"progress": progress} if progress else {}


GENERAL: tuple[Verb, ...] = (
    Verb("init", init, writes=True, local=True),
    Verb("observe", observe, writes=True),
    Verb("remember", remember, writes=True, agent=True),
    Verb("conclude", conclude, writes=True),
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
    Verb("doctor", doctor, failed=lambda found: not found.get("sound", True)),
    Verb("rebuild", rebuild, writes=True),
    Verb("forget", forget, writes=True, agent=True),
    Verb("supersede", supersede, writes=True, agent=True),
    Verb("merge-entities", merge_entities, writes=True),
    Verb("export", export, local=True),
    Verb("merge", merge, writes=True, local=True),
    Verb("move", move, writes=True, local=True),
    Verb("history", history),
)
