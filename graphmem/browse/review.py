"""Review of text withheld from agents: the list, and a person's decisions. A decision is an event that refers to its
target by id and contains none of its text."""

from __future__ import annotations

from typing import Any

from graphmem.errors import NotFound, UsageError
from graphmem.model.events import Draft, Event
from graphmem.model.table import Table
from graphmem.ports.callers import signed
from graphmem.projections.memories import project_document
from graphmem.retrieve.guard import ALLOW, DENY, REVIEWED, Guard
from graphmem.retrieve.present import to_datetime, truncate_text
from graphmem.text.keys import citation_id
from graphmem.trust.detector import assess
from graphmem.trust.hidden import strip_hidden
from graphmem.trust.marking import reasons_of
from graphmem.trust.origin import origin_of

_COLUMNS = ["id", "origin", "kind", "at", "session", "reasons", "verdict", "text"]
_TEXT = 160  # maximum characters of each
_KINDS = {"commit_observed": "commit", "document_observed": "document", "snapshot_captured": "snapshot",
          "test_run_observed": "test_run", "session_start": "session"}  # fmt: skip


def review(parts: Any, *, limit: int = 50, every: bool = False) -> Table:
    """Return the newest withheld events with reasons; with `every`, include those already allowed or denied. Raises
    UsageError for a limit below 1."""
    if limit < 1:
        raise UsageError(f"limit must be at least 1, not {limit}", limit=limit)
    verdicts = Guard(parts.log).verdicts
    rows: list[list[object]] = []
    denied = parts.log.get([name for name, verdict in verdicts.items() if verdict == DENY]) if every else {}
    found = {event.id: event for event in (*parts.log.pages.suspected_injections(), *denied.values())}
    for event in sorted(found.values(), key=lambda one: -one.position):
        verdict = verdicts.get(event.id, "")
        reasons = ", ".join(reasons_of(event)) if every or not verdict else ""
        if (reasons or (every and verdict)) and len(rows) < limit:
            kind, at = _KINDS.get(event.type, "turn"), to_datetime(event.at)
            rows.append([event.id, origin_of(event), kind, at, event.session, reasons, verdict, _telling(event)])
    return Table(_COLUMNS, rows)


def decide(parts: Any, id: str, verdict: str) -> dict[str, str]:
    """Record a person's decision, `allow` or `deny`, on an event or the source event of an item. Raises NotFound."""
    if verdict not in (ALLOW, DENY):
        raise UsageError(f"there is no verdict `{verdict}`: use allow or deny", verdict=verdict)
    if not id.strip():
        raise UsageError("name a memory: `graphmem review` lists what is withheld")
    target = id if parts.log.get([id]) else _source_of(parts, id)
    payload = {"target": target, "verdict": verdict}
    parts.recorder.record([Draft(REVIEWED, payload, parts.clock.now(), "", parts.project, signed("user"))])
    return {"id": target, "verdict": verdict}


def _source_of(parts: Any, name: str) -> str:
    """Return the event of an item; for an item derived from several events, its citation, which contains no text."""
    for stored in parts.retriever.ports.text.find([name]):
        return str(stored.item.event or citation_id(stored.item.id))
    raise NotFound(f"there is no item `{name}`: `graphmem review` lists withheld items", id=name)


def _telling(event: Event) -> str:
    """Return the part of an event to be reviewed, as readable text."""
    payload = event.payload
    if event.type == "document_observed":
        texts = [f"{item.title}: {item.text}" for item in project_document(event).items]
        text = next((one for one in texts if assess(one)), "")
    else:
        parts = (payload.get(name) for name in ("subject", "content", "body", "branch", "name"))
        text = " ".join(str(part) for part in parts if part)
    lines = [line for line in text.splitlines() if assess(line)]
    return truncate_text(" ".join(strip_hidden(lines[0] if lines else text).split()), _TEXT)
