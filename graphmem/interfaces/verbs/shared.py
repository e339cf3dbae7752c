"""Verbs of the group `graphmem shared`: the store shared by all projects of a user. It is an ordinary store in the
user's own folder; everything in it was shared explicitly."""

from __future__ import annotations

import re
from typing import Annotated, Any

from graphmem import settings
from graphmem.errors import NotFound, UsageError
from graphmem.interfaces.noted import ResultWithNote
from graphmem.interfaces.verbs.verb import Verb
from graphmem.memory import Memory
from graphmem.model.results import Hit
from graphmem.model.table import Table
from graphmem.plurals import counted

_MAX_FOREIGN_HITS = 3  # maximum failures from other projects in one answer
_TECHNOLOGIES = frozenset({"library", "language", "tool", "framework", "app", "version"})
_CAUSE = re.compile(r"^Cause: (.+)$", re.M)


def promote(
    mem: Memory,
    id: Annotated[str | None, "a gotcha (default: all verified gotchas with a fix)"] = None,
) -> Any:
    """Share verified failures and their fixes with your other projects."""
    names = [id] if id else [str(row[0]) for row in mem.query("shareable_gotchas").rows]
    rows = []
    with _store(mem.project) as shared:
        for name in names:
            node = mem.show(name)
            if node["node"]["_label"] != "Gotcha":
                raise UsageError(f"`{name}` is not a gotcha: only failures with a fix can be shared", id=name)
            if not node["node"].get("resolution") or not node["node"].get("resolved"):
                raise UsageError(f"`{name}` has no known fix yet: share it when it has one", id=name)
            rows.append([_put(shared, mem.project, node), node["node"]["title"]])
        if rows:
            shared.process()
    table = Table(["ref", "title"], rows)
    hint = "No gotcha is verified yet. To share one anyway, name it: graphmem shared promote ID"
    return table if rows else ResultWithNote(table, hint)


def listed(mem: Memory) -> Any:
    """List shared failures, newest first."""
    with _store(mem.project) as shared:
        events = [event for event in shared.history(types=["memory_remembered"], limit=10_000) if event.payload]
        latest = {event.payload["ref"]: event for event in events}
        rows = [[ref, event.project, event.payload["title"]] for ref, event in reversed(latest.items())]
    return Table(["ref", "project", "title"], rows)


def search(mem: Memory, query: Annotated[str, "a description of the failure"]) -> Any:
    """Find fixes for a failure in your other projects."""
    with _store(mem.project) as shared:
        hits = shared.search(query, k=4 * _MAX_FOREIGN_HITS, kinds=["gotcha"], scope="global").hits
        found, own = foreign(hits, mem.project), sum(_own(hit, mem.project) for hit in hits)
        shared.used(shown=[hit.id for hit in found])
    rows = [[hit.ref, round(hit.probability, 2), hit.citation, hit.content] for hit in found]
    table = Table(["ref", "sure", "citation", "failure"], rows)
    return (
        ResultWithNote(table, f"{counted(own, 'hit')} from this project omitted: `graphmem search` finds them")
        if own
        else table
    )


def withdraw(mem: Memory, ref: Annotated[str, "ref shown by `graphmem shared list`"]) -> Any:
    """Permanently delete a shared failure."""
    with _store(mem.project) as shared:
        return shared.forget(ref, purge=True)


def foreign(hits: Any, project: str) -> list[Hit]:
    """Return the first hits that come from other projects."""
    return [hit for hit in hits if not _own(hit, project)][:_MAX_FOREIGN_HITS]


def _own(hit: Hit, project: str) -> bool:
    return (hit.ref or "").startswith(f"{project}:")


def _put(shared: Memory, project: str, found: dict[str, Any]) -> str:
    node = found["node"]
    entities = [relation for relation in found["relations"] if relation["id"].startswith("ent:")]
    technologies = sorted({one["title"] for one in entities if one["id"].split(":")[1] in _TECHNOLOGIES})
    cause = _CAUSE.search(node["content"])
    parts = [f"Symptoms: {node['description']}", f"Cause: {cause[1]}" if cause else "", f"Solution: {node['resolution']}",
             f"Technologies: {', '.join(technologies)}" if technologies else ""]  # fmt: skip
    ref = f"{project}:{node['id']}"
    shared.remember("\n".join(filter(None, parts)), kind="gotcha", title=node["title"], tags=technologies, ref=ref)
    return ref


def _store(project: str) -> Memory:
    """Open the shared store for the current project. Raises NotFound outside of a project."""
    if not project:
        raise NotFound("no project here: change to the folder of a repository")
    return Memory.open(settings.shared_store(), project=project, daemon=True)


SHARED: tuple[Verb, ...] = (
    Verb("shared promote", promote, writes=True, local=True),
    Verb("shared list", listed, local=True),
    Verb("shared search", search, local=True),
    Verb("shared withdraw", withdraw, writes=True, local=True),
)
