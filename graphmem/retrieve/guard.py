"""Decides which memories are withheld from agents. A third-party text that contains instructions for the agent is
withheld until a person allows it; what a person denied is always withheld. Reads only the log, so hooks can use it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, Protocol

from graphmem.errors import StoreError
from graphmem.log.approvals import read_approvals
from graphmem.model.changes import Item
from graphmem.model.events import Event
from graphmem.ports.log import Derivations, EventLog
from graphmem.projections.registry import FACTS
from graphmem.text.keys import citation_id
from graphmem.trust.detector import assess
from graphmem.trust.marking import reasons_of
from graphmem.trust.origin import is_exempt, origin_of

REVIEWED = "memory_reviewed"
ALLOW, DENY = "allow", "deny"
WITHHELD_NOTE = "withheld: {}, see `graphmem review`"
_MULTI_ITEM_EVENTS = frozenset({"document_observed"})  # events of many items: each is looked at by itself
_DEFAULT_ORIGIN = "repository"  # what code and conclusions are at least as trusted as, where no event says more


class Mark(NamedTuple):
    """Judgement of a text: its origin, why it looks like instructions, and whether it is withheld from agents."""

    origin: str = ""
    reasons: tuple[str, ...] = ()
    withheld: bool = False


class Log(EventLog, Derivations, Protocol):
    """A log that says when a person last reviewed something."""

    @property
    def state(self) -> Any: ...


class Guard:
    """Marks of items and events of one log. Verdicts are read again when there are new ones."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._at = (-1, -1)
        self._verdicts: dict[str, str] = {}
        self.lacking: dict[str, str] = {}  # "log" -> why origins are unknown, if it could not be read last time

    @property
    def verdicts(self) -> dict[str, str]:
        """Return what a person said last of each item or event: `allow` or `deny`."""
        last = (
            self._log.state.last_position(REVIEWED),
            self._log.state.last_position("log_merged"),
        )  # which machines are trusted
        if last != self._at:
            reviewed = self._log.read(types=[REVIEWED]) if last[0] else ()
            self._verdicts = {str(one.payload.get("target")): str(one.payload.get("verdict")) for one in reviewed}
            self._at = last
        return self._verdicts

    def marks(self, items: Sequence[Item], *, required: bool = False) -> list[Mark]:
        """Return the mark of each item. Where the log cannot be read, its text alone is judged, so that a search continues,
        and `lacking` says why; with `required`, StoreError is raised."""
        events: dict[str, Event] = {}
        self.lacking = {}
        try:
            events = self._log.get(list({item.event for item in items if item.event}))
        except StoreError as error:
            if required:
                raise
            self.lacking = {"log": str(error)}
        return [self._mark(item, events.get(item.event)) for item in items]

    def mark_of_event(self, event: Event) -> Mark:
        """Return the mark of an event."""
        return self._judged(origin_of(event), reasons_of(event), event.id)

    def shown(self, events: Iterable[Event]) -> list[Event]:
        """Return those events that an agent may be shown."""
        return [event for event in events if not self.mark_of_event(event).withheld]

    def unapproved(self, items: Sequence[Item]) -> set[str]:
        """Return the ids of those items that no hook may show, because what they say is new and not approved: turns from which
        something that waits or was rejected was learnt, or from which nobody has learnt yet."""
        if not read_approvals(self._log).is_required:
            return set()
        events = self._log.get(list({item.event for item in items if item.event and item.kind == "turn"}))
        unapproved = self.unapproved_turns(events.values())
        return {item.id for item in items if item.event in unapproved}

    def unapproved_turns(self, turns: Iterable[Event]) -> set[str]:
        """Return the ids of those turns whose words no hook may show, for the same reasons."""
        approvals = read_approvals(self._log)
        if not approvals.is_required:
            return set()
        new = {turn.id: turn.clock for turn in turns if turn.clock > approvals.since}
        read = self._log.processed_sources(FACTS, list(new)) if new else set()
        return {
            name
            for name, clock in new.items()
            if name not in read
            or any(
                approvals.status_of(fact["id"], clock)
                for body in self._log.state.step_results(FACTS, name)
                for fact in body.get("facts", ())
            )
        }

    def _mark(self, item: Item, event: Event | None) -> Mark:
        origin = origin_of(event) if event is not None else _DEFAULT_ORIGIN
        if event is not None and is_exempt(origin, event.type):
            return self._judged(origin, (), item.event)
        found = reasons_of(event) if event is not None and event.type not in _MULTI_ITEM_EVENTS else ()
        reasons = found or assess(f"{item.title}\n{item.text}" if item.title else item.text)
        return self._judged(origin, reasons, item.event or citation_id(item.id))

    def _judged(self, origin: str, reasons: tuple[str, ...], name: str) -> Mark:
        said = self.verdicts.get(name, "")
        return Mark(origin, reasons, said == DENY or (bool(reasons) and said != ALLOW))


def withheld_note(count: int) -> str:
    """Return the note for an agent about withheld hits; "" if there are none."""
    return WITHHELD_NOTE.format(count) if count else ""
