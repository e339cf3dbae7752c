"""The working set: the relevant turns of the last day, their relevance, and how well the present continues earlier work.
Pure functions of turns and a time."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from graphmem.endless.trail import CAPACITY, WINDOW, Trail, sensed_turns
from graphmem.model.events import Event
from graphmem.model.tree import WorkingEvent
from graphmem.retrieve.present import to_datetime
from graphmem.text.toolcalls import shorten_text
from graphmem.tree.buffer import PAUSE, comparison_stems
from graphmem.tree.sensor import Sensed, sensed_text
from graphmem.tree.words import comparison_key, stem_for_topics

LEAST, INJECTED = 0.5, 0.7  # minimum relevance to stay in the set, and to be given to the agent
SEAMLESS, SHIFT = 0.7, 0.4  # continuity
_TIES = 3  # shared words with which a later turn reuses an earlier one
_DECAY = 48 * 3_600 * 1_000_000  # microseconds in which continuity falls to 1/e
_WEIGHTS = {"topic": 0.3, "file": 0.2, "time": 0.3, "entity": 0.2}
_TOPICS, _CONTEXT = 10, 20  # topics of a context, and minimum turns for a context
_PREVIEW = 160


def working_set(trail: Trail) -> list[WorkingEvent]:
    """Return at most `CAPACITY` events, most relevant first; turns not yet in a memory are never dropped. Relevance
    decays exponentially since the last use, and reaches `LEAST` at the end of the window."""
    pending = {event.id for event in trail.pending}
    found = [sensed_turns(event) for event in trail.recent]
    used = _last_uses(found)
    events: list[WorkingEvent] = []
    for event, turn in zip(trail.recent, found, strict=True):
        age = max(0, trail.now - used[event.id])
        relevance = _base(turn) * 0.5 ** (age / WINDOW)
        if relevance >= LEAST or event.id in pending:
            events.append(_shown(event, turn, round(relevance, 4), event.id not in pending))
    events.sort(key=lambda one: (-one.relevance, -one.at.timestamp(), one.id))
    kept = [one for one in events if not one.consolidated]
    room = max(0, CAPACITY - len(kept))
    chosen = {one.id for one in [*kept, *[one for one in events if one.consolidated][:room]]}
    return [one for one in events if one.id in chosen]


@dataclass(frozen=True, slots=True)
class Context:
    """What some turns are about: case-folded sets, and their time span."""

    topics: frozenset[str]
    files: frozenset[str]
    entities: frozenset[str]
    begin: int
    end: int


def context_of(turns: Sequence[Sensed]) -> Context:
    """Return the context of some turns; its topics are those that most turns mention."""
    return Context(
        frozenset(map(stem_for_topics, active_topics(turns))),
        frozenset(path.casefold() for turn in turns for path in turn.files),
        frozenset(comparison_key(name) for turn in turns for _, name in turn.names),
        turns[0].at,
        turns[-1].at,
    )


def active_topics(turns: Iterable[Sensed], limit: int = _TOPICS) -> list[str]:
    """Return the words shared by most turns, most frequent first."""
    counts: Counter[str] = Counter()
    spelt: dict[str, str] = {}
    for turn in turns:
        for word in turn.words:
            spelt.setdefault(stem_for_topics(word), word)
        counts.update({stem_for_topics(word) for word in turn.words})
    return [spelt[one] for one, _ in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:limit]]


def continuity(before: Context, now: Context) -> float:
    """Return how well a context continues another one, in [0, 1]: overlap of topics, files and entities (Jaccard) and
    proximity in time. What both lack is ignored."""
    parts = {"time": math.exp(-max(0, now.begin - before.end) / _DECAY)}
    for name, a, b in (("topic", before.topics, now.topics), ("file", before.files, now.files),
                       ("entity", before.entities, now.entities)):  # fmt: skip
        if a or b:
            parts[name] = len(a & b) / len(a | b)
    return sum(_WEIGHTS[name] * value for name, value in parts.items()) / sum(_WEIGHTS[name] for name in parts)


def continuity_label(score: float | None) -> str:
    """Return the label of a continuity value."""
    if score is None:
        return "none"
    return "seamless" if score >= SEAMLESS else "topic_shift" if score >= SHIFT else "break"


def present_continuity(trail: Trail) -> float | None:
    """Return how well the present (the last turns of one session without a pause) continues what was before; None if
    there was nothing."""
    turns = [sensed_turns(event) for event in trail.recent]
    begin = len(turns)
    while (
        begin > 0
        and len(turns) - begin < _CONTEXT
        and (
            begin == len(turns)
            or (turns[begin - 1].session == turns[-1].session and turns[begin].at - turns[begin - 1].at < PAUSE)
        )
    ):
        begin -= 1
    before = turns[max(0, begin - _CONTEXT) : begin]
    return (
        round(continuity(context_of(before), context_of(turns[begin:])), 4) if before and begin < len(turns) else None
    )


def _base(turn: Sensed) -> float:
    return 0.8 if turn.intent == "act" else 1.0


def _last_uses(turns: Sequence[Sensed]) -> dict[str, int]:
    """Return when each turn was last used: by itself, or by a later turn that shares a file or several words."""
    marks = [comparison_stems(turn) for turn in turns]
    last: dict[str, int] = {}
    for place, turn in enumerate(turns):
        last[turn.event] = turn.at
        for later in range(len(turns) - 1, place, -1):
            shared = marks[place] & marks[later]
            if len(shared) >= _TIES or (shared and shared & frozenset(turn.files)):
                last[turn.event] = max(turn.at, turns[later].at)
                break
    return last


def _shown(event: Event, turn: Sensed, relevance: float, consolidated: bool) -> WorkingEvent:
    text = " ".join(shorten_text(sensed_text(event.payload)[0] or turn.core, _PREVIEW).split())
    return WorkingEvent(
        event.id, turn.role, to_datetime(event.at), event.session, text, relevance, consolidated, turn.words[:5]
    )
