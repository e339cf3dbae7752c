"""The endless mode service, `mem.endless`: enable, disable, status, working set, memories, and manual consolidation.
The automatic parts are in hooks (`inject`) and in the owner (`follow`)."""

from __future__ import annotations

from collections import Counter
from datetime import datetime, timedelta

from graphmem import resources
from graphmem.context import StoreContext
from graphmem.endless import trail as trails
from graphmem.endless.consolidate import consolidate_due, group_turns, record_decision
from graphmem.endless.switch import CHANGED, switched_on
from graphmem.endless.working import active_topics, continuity_label, present_continuity, working_set
from graphmem.errors import UsageError
from graphmem.model.checked import check_arguments
from graphmem.model.events import Draft, Event
from graphmem.model.tree import ConsolidatedMemory, EndlessReport, EndlessStatus, WorkingEvent
from graphmem.operations.pipeline import Process
from graphmem.ports.callers import signed
from graphmem.retrieve.present import to_datetime

DAYS = 7  # past days that enabling loads
IMPORTED = 0.6  # confidence of summaries of earlier sessions
_FILES, _TOPICS = 8, 8
_SHOWN = 5_000  # maximum usage events read to count how often a memory was shown


@check_arguments
class Endless:
    """Endless mode of a store."""

    def __init__(self, store: StoreContext) -> None:
        self._store = store

    def enable(self, *, days: int = DAYS) -> EndlessReport:
        """Enable endless mode: load and consolidate the turns of the last `days`. If already enabled, nothing
        changes. Raises UsageError for a negative number."""
        if days < 0:
            raise UsageError(f"days must be at least 0, not {days}", days=days)
        if switched_on(self._store) is not None:
            return EndlessReport("endless")
        now = self._store.clock.now()
        loaded = trails.turns_since(self._store, now - days * 86_400_000_000)
        upto = max((event.clock for event in loaded), default=now)
        self._changed("endless", upto, days)
        decided = self._load(loaded)
        self._store.run(Process())
        groups = decided.payload["groups"] if decided else []
        return EndlessReport("endless", len(loaded), len(groups), sum(map(len, groups)))

    def disable(self) -> EndlessReport:
        """Disable endless mode; existing memories are kept."""
        if switched_on(self._store) is not None:
            self._changed("session", self._store.clock.now(), 0)
        return EndlessReport("session")

    def status(self) -> EndlessStatus:
        """Return mode, working set, continuity, last consolidation, topics and files."""
        seen = trails.read_trail(self._store)
        events = working_set(seen) if seen.enabled else []
        turns = [trails.sensed_turns(event) for event in seen.recent] if seen.enabled else []
        times = [one.at for one in events]
        span = (max(times) - min(times)) / timedelta(hours=1) if times else 0.0
        score = present_continuity(seen) if seen.enabled else None
        files = Counter(path for turn in turns for path in turn.files)
        return EndlessStatus(
            mode="endless" if seen.enabled else "session",
            session=f"endless_{to_datetime(seen.now):%Y-%m-%d}" if seen.enabled else "",
            since=to_datetime(seen.enabled.at) if seen.enabled else None,
            working_set=len(events),
            pending=len(seen.pending) if seen.enabled else 0,
            span_hours=round(span, 2),
            continuity=score,
            label=continuity_label(score),
            consolidated=sum(one.id.startswith("endless:") for one in self._known()),
            last_run=to_datetime(seen.last.at) if seen.last else None,
            last_trigger=str(seen.last.payload["trigger"]) if seen.last else "",
            topics=tuple(active_topics(turns, _TOPICS)),
            files=tuple(path for path, _ in files.most_common(_FILES)),
        )

    def consolidate(self) -> EndlessReport:
        """Consolidate pending turns into memories now. Raises UsageError while the mode is off."""
        if switched_on(self._store) is None:
            raise UsageError("endless mode is off: enable it with `graphmem endless enable`")
        decided = consolidate_due(self._store, "manual")
        self._store.run(Process())
        groups = [group for event in decided for group in event.payload["groups"]]
        return EndlessReport("endless", 0, len(groups), sum(map(len, groups)))

    def working_set(self) -> list[WorkingEvent]:
        """Return the events of the working set, most relevant first."""
        return working_set(trails.read_trail(self._store))

    def memories(self, query: str | None = None, *, limit: int = 20) -> list[ConsolidatedMemory]:
        """Return consolidated memories, newest first, or those that match a query. Includes session summaries from
        one week before the mode was enabled, with confidence .6."""
        known = {one.id: one for one in self._known()}
        if query:
            hits = self._store.retriever.search(
                query, k=4 * limit, kinds=["summary"], project=self._store.project, budget=0
            )
            return [known[hit.id] for hit in hits.hits if hit.id in known][:limit]
        return list(known.values())[:limit]

    def _known(self) -> list[ConsolidatedMemory]:
        shown = Counter(
            item
            for event in self._store.log.pages.newest(_SHOWN, types=["memory_shown"])
            for item in event.payload.get("items", ())
        )
        enabled = switched_on(self._store)
        oldest = to_datetime(enabled.at) - timedelta(days=DAYS) if enabled else None
        text = resources.text("queries/graph/read/endless_memories.cypher")
        rows = self._store.graph.query(text, {"project": self._store.project, "limit": 10**9}, limit=10**9).rows
        found = []
        for identifier, kind, title, content, confidence, at, sources in rows:
            when: datetime = at if at.tzinfo else at.replace(tzinfo=to_datetime(0).tzinfo)
            if kind == "consolidated" or (oldest is not None and when >= oldest):
                sure = confidence if kind == "consolidated" else IMPORTED
                about = tuple(part for part in str(title).split(", ") if part)
                found.append(
                    ConsolidatedMemory(
                        identifier, content, about, tuple(sorted(sources or ())), sure, when, shown[identifier]
                    )
                )
        return found

    def _changed(self, mode: str, upto: int, days: int) -> None:
        store = self._store
        payload = {"mode": mode, "upto": upto, "days": days}
        store.recorder.record([Draft(CHANGED, payload, store.clock.now(), "", store.project, signed("user"))])

    def _load(self, loaded: list[Event]) -> Event | None:
        """Load past turns when the mode is enabled; skip turns that a memory already contains."""
        store = self._store
        kept = {
            turn
            for event in store.log.read(types=[trails.CONSOLIDATED])
            for group in event.payload.get("groups", ())
            for turn in group
        }
        waiting = {event.id: event for event in (*trails.read_trail(store).pending, *loaded) if event.id not in kept}
        turns = [trails.sensed_turns(event) for event in sorted(waiting.values(), key=lambda one: (one.clock, one.id))]
        if not turns:
            return None
        groups, rest = group_turns(turns)
        return record_decision(store, trails.read_trail(store), "enabled", [*groups, *rest], [])
