"""The text that a hook injects, as a value. Independent of the store, so that a hook that only records imports little."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Injection:
    """Injected text, its token cost, the memories it shows, and its parts that are no memories: a kind (`PARTS`) and, after a
    blank, what tells one such part from another."""

    text: str = ""
    tokens: int = 0
    ids: tuple[str, ...] = ()
    citations: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()


SESSION, TASKS, CONVERSATION, ASK = "session", "tasks", "conversation", "ask"
PARTS = {  # kind -> how `history --injected` names it
    SESSION: "last sessions",
    TASKS: "state of the tasks",
    CONVERSATION: "the conversation before it was compacted",
    ASK: "request for memories",
}
NOTHING = Injection()


def join_injections(found: Injection, more: Injection) -> Injection:
    """Combine two injections."""
    text = "\n".join(filter(None, (found.text, more.text)))
    ids, citations = (*found.ids, *more.ids), (*found.citations, *more.citations)
    return Injection(text, found.tokens + more.tokens, ids, citations, (*found.parts, *more.parts))
