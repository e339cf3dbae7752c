"""Finds other events that mention purged tasks: by ids, which contain words of the title, or as quoted blockers. Events
never change, so these are forgotten and recorded again without the mention, together with later events of the same task."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Set
from typing import Any

from graphmem.context import StoreContext
from graphmem.model.events import TASK_EVENTS, Draft, Event
from graphmem.projections.forgetting import owned_nodes
from graphmem.projections.registry import project_event
from graphmem.text.keys import citation_id

_GONE = "[forgotten]"
_ENTITIES = ("task", "condition", "artifact")
_UNCHANGED_FIELDS = frozenset(
    {*_ENTITIES, "target", "key", "id", "kind", "relation", "title", "aliases", "labels", "type"}
)
# Events that name items and sessions; tasks may be named in any event.
_REFERRING_TYPES = {
    *TASK_EVENTS,
    *"memory_shown memory_used memory_feedback memory_archived memory_restored memory_marked memory_compacted".split(),
    *"memory_reviewed memories_consolidated turns_consolidated endless_changed supersession_decided graduated".split(),
    *"memified memory_remembered approval_decided".split(),
}
_MIN_TITLE_LENGTH = (
    8  # minimum characters of a multi-word title that is searched for in texts: shorter ones occur by chance
)


def matches_id(event: Event, id: str) -> bool:
    """Return whether an id is that of an event, or of an item or node that exists because of it."""
    payload = event.payload
    if id in (event.id, citation_id(event.id), payload.get("ref"), payload.get("task")):
        return True
    nodes, items = owned_nodes([project_event(event)])
    return id in items or id in map(citation_id, items) or any(id == node for _, node in nodes)


def forget_mentions(
    context: StoreContext, gone: Iterable[Event], items: Iterable[str] = (), sessions: Iterable[str] = ()
) -> list[str]:
    """Re-record everything that mentions the tasks of these events, these items or sessions; return the ids of the events
    to forget with them."""
    known = {event.id: event for event in gone}
    tasks = {event.payload["task"] for event in known.values() if event.type == "task_created" and not event.problem}
    named, whole = set(items), set(sessions)
    if not (tasks or named or whole):
        return []
    head = context.log.head()
    types = None if tasks else _REFERRING_TYPES
    living = [event for event in context.log.read(upto=head, types=types) if event.id not in known]
    names = (tasks | _conditions([*known.values(), *living], tasks)) if tasks else set()
    own = {event.id: event for event in living if _entity(event) in names}
    said_of = [event for event in (*known.values(), *own.values()) if event.type in TASK_EVENTS]
    mention = _Mention(names | named, said_of, whole)
    others = list(_with_what_followed((event for event in living if event.id not in own), mention))
    forgotten, concerned = set(own), {_entity(event) for event in others} - {""}
    while others:
        said = [draft for event in others if (draft := mention.without(event))]
        recorded = {one.id for one in context.recorder.record(said)} if said else set()
        forgotten |= {event.id for event in others}
        late = context.log.read(
            head, types=TASK_EVENTS
        )  # recorded by another process meanwhile: it must remain the last one
        head = context.log.head()
        others = [event for event in late if event.id not in recorded and _entity(event) in concerned]
    return sorted(forgotten)


def _entity(event: Event) -> str:
    """Return the task, condition or artifact that an event is about."""
    entity = next((event.payload[kind] for kind in _ENTITIES if event.payload.get(kind)), "")
    return str(entity) if event.type in TASK_EVENTS else ""


def _conditions(events: Iterable[Event], tasks: set[str]) -> set[str]:
    """Return the conditions that were resolved to one of these tasks, or represent its blockers."""
    return {
        event.payload["condition"]
        for event in events
        if event.payload.get("condition")
        and (
            event.payload.get("task") in tasks
            or (event.payload.get("target") in tasks and event.payload.get("type", "confirmed") == "confirmed")
        )
    }


def _with_what_followed(events: Iterable[Event], mention: _Mention) -> Iterator[Event]:
    """Yield events that mention it, in clock order. A task event contains the whole state, so later events of the task
    must follow again."""
    begun: set[str] = set()
    for event in sorted(events, key=lambda one: (one.clock, one.origin, one.position)):
        entity = _entity(event)
        if entity in begun or mention.within(event):
            begun |= {entity} - {""}
            yield event


class _Mention:
    """How events mention tasks: by id, and by the words of their titles."""

    def __init__(self, names: set[str], events: Iterable[Event], whole: Set[str] = frozenset()) -> None:
        self._names = names
        self._whole = whole  # names that count only as whole values, or at the end of an id
        fields = [{**event.payload, **event.payload.get("set", {})} for event in events]
        words = {str(field.get(name) or "") for field in fields for name in ("title", "text")}
        words |= {str(alias) for field in fields for alias in field.get("aliases", ())}
        entity = sorted(
            (one for one in words if len(one) >= _MIN_TITLE_LENGTH and len(one.split()) > 1), key=len, reverse=True
        )
        self._words = _any_of(entity)
        self._ids = _any_of(sorted(names, key=len, reverse=True))

    def within(self, event: Event) -> bool:
        """Return whether an event mentions it: by an id or, in events of the task itself, by words."""
        return event.session in self._whole or bool(self._cleared(event.payload, event.type) != event.payload)

    def without(self, event: Event) -> Draft | None:
        """Return the payload without the mention; None if nothing is left."""
        if event.payload.get("target") in self._names:
            return None
        payload = self._cleared(event.payload, event.type)
        session = _GONE if event.session in self._whole else event.session
        return Draft(event.type, payload, event.at, session, event.project, event.actor)

    def _cleared(self, value: Any, type: str, key: str = "") -> Any:
        if isinstance(value, str):
            if value in self._whole or value.rpartition(":")[2] in self._whole:
                return _GONE
            value = self._ids.sub(_GONE, value)
            return value if key in _UNCHANGED_FIELDS or type not in TASK_EVENTS else self._words.sub(_GONE, value)
        if isinstance(value, dict):
            return {name: self._cleared(inner, type, name) for name, inner in value.items()}
        if isinstance(value, list):
            return [self._cleared(inner, type, key) for inner in value if not self._is(inner)]
        return value

    def _is(self, value: Any) -> bool:
        """Return whether a value is one of them: its id, a record with that id, or `[label, id]` of an older tombstone."""
        if isinstance(value, dict):
            value = value.get("id")
        elif isinstance(value, list):
            value = value[-1] if value else None
        if not isinstance(value, str):
            return False
        return value in self._names or value in self._whole or value.rpartition(":")[2] in self._whole


def _any_of(words: list[str]) -> re.Pattern[str]:
    """Return a pattern for one of these as a whole, ignoring case; it matches nothing for an empty list."""
    return re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, words)) or '(?!)'})(?![\w-])", re.IGNORECASE)
