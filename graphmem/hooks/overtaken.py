"""Leaves out of what was said the sentences that only repeat what no longer holds: "the default max-age is 600 seconds", told by
an agent before a person made it 300."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from graphmem.hooks.completed import facts_of_event
from graphmem.model.events import Event
from graphmem.text.exact_spans import Span, find_spans
from graphmem.text.sentences import split_sentences
from graphmem.text.topics import topic_words

if TYPE_CHECKING:
    from graphmem.context import HookContext


def overtaken_facts(host: HookContext, turns: Iterable[Event]) -> list[str]:
    """Return what these turns stated that no longer holds."""
    stated = [fact["id"] for turn in turns for fact in facts_of_event(host, turn.id)]
    found = host.retriever.ports.text.find(list(dict.fromkeys(stated))) if stated else []
    return [one.item.text for one in found if one.status == "superseded"]


def without_overtaken(text: str, overtaken: Sequence[str]) -> str:
    """Return a text without the sentences that give only a value that an `overtaken` fact gave of the same thing.

    >>> without_overtaken("Done. The pool size is 5 now.", ["The pool size is 5."])
    'Done. '
    """
    spans = split_sentences(text) if overtaken else ()
    for start, end in reversed(spans):
        if any(_repeats(text[start:end], fact) for fact in overtaken):
            text = text[:start] + text[end:]
    return text


def _repeats(sentence: str, fact: str) -> bool:
    values = {_key(span) for span in find_spans(fact) if span.kind != "name"}
    told = {_key(span) for span in find_spans(sentence) if span.kind != "name"}
    kinds = {key[::2] for key in values & told}
    if not kinds or any(key not in values for key in told if key[::2] in kinds):  # it gives another value, too
        return False
    return bool(_words(sentence) & _words(fact))


def _key(span: Span) -> tuple[str, str, str]:
    return span.kind, span.key, span.unit


def _words(text: str) -> set[str]:
    given = {
        word for span in find_spans(text) if span.kind != "name" for word in topic_words(text[span.start : span.end])
    }
    return {word for word in topic_words(text) if word not in given}
