"""What a hook tells the agent, as a value. It knows nothing of stores, so that a hook that only records loads nothing."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Recalled:
    """A text for the agent, what it costs, and which memories it shows."""

    text: str = ""
    tokens: int = 0
    ids: tuple[str, ...] = ()
    citations: tuple[str, ...] = ()


NOTHING = Recalled()


def joined(found: Recalled, more: Recalled) -> Recalled:
    """Two answers as one."""
    text = "\n".join(filter(None, (found.text, more.text)))
    return Recalled(text, found.tokens + more.tokens, (*found.ids, *more.ids), (*found.citations, *more.citations))
