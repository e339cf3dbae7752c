"""The commands with which a person decides what agents may see: `graphmem review`, `allow` and `deny` for texts that give orders,
`approvals`, `approve` and `reject` for what is new. None is an agent tool."""

from __future__ import annotations

from typing import Annotated, Any

from graphmem.errors import UsageError
from graphmem.interfaces.noted import ResultWithNote
from graphmem.interfaces.verbs.verb import Verb
from graphmem.memory import Memory

_ALL = 1_000_000  # rows: the total is told


def review(
    mem: Memory,
    limit: Annotated[int, "maximum number of memories"] = 50,
    all_: Annotated[bool, "also list what was allowed or denied"] = False,
) -> Any:
    """List memories withheld from agents because they contain instructions, with the reason."""
    if limit < 1:
        raise UsageError(f"limit is a number of rows: at least 1, not {limit}", limit=limit)
    table = mem.review(limit=_ALL, every=all_)
    total = len(table.rows)
    if not total:
        return ResultWithNote(table, "Nothing is withheld.")
    del table.rows[limit:]
    more = f"The newest {limit} of {total:,}. All of them: graphmem review --limit {total}." if total > limit else ""
    hint = "Allow one: graphmem allow ID. Keep it from agents for good: graphmem deny ID."
    return ResultWithNote(table, " ".join(filter(None, (more, hint))))


def allow(mem: Memory, id: Annotated[str, "an id, ref or citation"]) -> Any:
    """Allow agents to see a withheld memory."""
    return mem.allow(id)


def deny(mem: Memory, id: Annotated[str, "an id, ref or citation"]) -> Any:
    """Never show a memory to agents."""
    return mem.deny(id)


def approvals(
    mem: Memory,
    limit: Annotated[int, "maximum number of memories"] = 50,
    all_: Annotated[bool, "also list what was rejected"] = False,
) -> Any:
    """List new memories that wait for your approval, if the setting approval.required asks for it."""
    table = mem.approvals(limit=limit, every=all_)
    if not table.rows:
        return ResultWithNote(table, "Nothing waits for approval.")
    hint = "Approve: graphmem approve ID. With another text: graphmem approve ID --content TEXT. Reject: graphmem reject ID."
    return ResultWithNote(table, f"The newest {limit}. {hint}" if table.truncated else hint)


def approve(
    mem: Memory,
    id: Annotated[list[str], "ids, refs or citations"],
    content: Annotated[str, "remember this text instead of the memory"] = "",
    undo: Annotated[bool, "let them wait again"] = False,
) -> Any:
    """Approve new memories: from now on, agents are shown them."""
    return mem.approve(id, content=content, undo=undo)


def reject(
    mem: Memory,
    id: Annotated[list[str], "ids, refs or citations"],
    reason: Annotated[str, "why, in a few words"] = "",
    undo: Annotated[bool, "let them wait again"] = False,
) -> Any:
    """Reject new memories: agents are never shown them, and searches do not find them."""
    return mem.reject(id, reason, undo=undo)


REVIEW: tuple[Verb, ...] = (
    Verb("review", review),
    Verb("allow", allow, writes=True),
    Verb("deny", deny, writes=True),
    Verb("approvals", approvals),
    Verb("approve", approve, writes=True),
    Verb("reject", reject, writes=True),
)
