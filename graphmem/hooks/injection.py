"""The text that a hook injects, as a value. Independent of the store, so that a hook that only records imports little."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Injection:
    """Injected text, its token cost, and the memories it shows."""

    text: str = ""
    tokens: int = 0
    ids: tuple[str, ...] = ()
    citations: tuple[str, ...] = ()


NOTHING = Injection()


def join_injections(found: Injection, more: Injection) -> Injection:
    """Combine two injections."""
    text = "\n".join(filter(None, (found.text, more.text)))
    return Injection(text, found.tokens + more.tokens, (*found.ids, *more.ids), (*found.citations, *more.citations))
