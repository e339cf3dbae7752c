"""What a hook tells the agent, as a value. It knows nothing of stores, so that a hook that only records loads nothing."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Injection:
    """A text for the agent, what it costs, and which memories it shows."""

    text: str = ""
    tokens: int = 0
    ids: tuple[str, ...] = ()
    citations: tuple[str, ...] = ()


NOTHING = Injection()


def join_injections(found: Injection, more: Injection) -> Injection:
    """Two answers as one."""
    text = "\n".join(filter(None, (found.text, more.text)))
    return Injection(text, found.tokens + more.tokens, (*found.ids, *more.ids), (*found.citations, *more.citations))
