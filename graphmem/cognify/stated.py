"""What a text states of an attribute, whether or not a fact is made of it: short sentences of which `text/slots.py` reads a
value, a name that is given up, or an end. Casual turns ("develop is dead, branch off from trunk") are seldom worth a fact, but
what they say may still end, or be ended by, another statement: then the turn or commit is marked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from graphmem.model.events import Event
from graphmem.text.sentences import split_sentences
from graphmem.text.slots import read_slots

_PREFIX = "said:"
_MOST_CHARS = 400  # of a turn that is read, and of the beginning of a commit message
_MOST = 6  # statements of one event


class Stated(NamedTuple):
    """One sentence as it was said; `id` is the fact that was made of it, otherwise one of its own that names no node."""

    id: str
    text: str
    by_agent: bool
    is_written_down: bool = False  # an explicit memory


def find_stated(event: Event, text: str) -> list[list[Any]]:
    """Return `[start, end, sentence]` of what a short text states; of a commit, at its beginning."""
    commit = event.type == "commit_observed"
    if len(text) > _MOST_CHARS and not commit:
        return []
    spans = split_sentences(text[:_MOST_CHARS])
    return [[start, end, text[start:end]] for start, end in spans if _states(text[start:end])][:_MOST]


def _states(sentence: str) -> bool:
    return any(slot.values or slot.former or slot.ended for slot in read_slots(sentence))


def read_stated(body: Mapping[str, Any], source: str) -> Iterator[Stated]:
    """Yield what the derivation of an event states."""
    if body.get("explicit") and "content" in body:
        yield Stated(body["explicit"], body["content"], body.get("origin", "person") != "person", True)
    told = [(fact["start"], fact["end"], fact["id"]) for fact in body["facts"]]
    for start, end, text in body.get("stated", ()):
        made = next((id for a, b, id in told if a < end and start < b), "")
        yield Stated(made or f"{_PREFIX}{source}:{start}", text, body.get("origin") == "agent")


def is_unmade(id: str) -> bool:
    """Return whether no fact was made of a statement with this id."""
    return id.startswith(_PREFIX)
