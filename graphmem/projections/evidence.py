"""Projects machine evidence: terminal snapshots and test runs become nodes of their session and searchable items."""

from __future__ import annotations

import json

from graphmem.model.changes import Changes, Edge, Item, Node
from graphmem.model.events import Event
from graphmem.projections import names
from graphmem.projections.provenance import provenance
from graphmem.text.toolcalls import shorten_text


def project_snapshot(event: Event) -> Changes:
    """Project `{command, content, exit_code, cwd, environment, trigger, severity, error, signature}` to a Snapshot."""
    payload = event.payload
    content = shorten_text(payload["content"], names.TEXT_LIMIT)
    properties = {
        "project": event.project,
        "session": event.session,
        "command": payload["command"],
        "cwd": payload["cwd"],
        "exit_code": payload["exit_code"],
        "trigger": payload["trigger"],
        "severity": payload["severity"],
        "content": content,
        "signature": payload["signature"],
        "at": event.at,
        **provenance(event),
        "metadata": json.dumps({"environment": payload["environment"], "size": payload["size"]}, sort_keys=True),
    }
    changes = Changes(nodes=[Node("Snapshot", event.id, properties)])
    if event.session:
        session = names.session_id(event.session)
        changes.nodes.append(Node("Session", session, {"ref": event.session, "project": event.project}))
        changes.edges.append(Edge("PART_OF", "Snapshot", event.id, "Session", session, {}))
    title = payload["error"] or payload["command"]
    changes.items.append(_item(event, "snapshot", title, f"{payload['command']}\n{content}".strip()))
    return changes


def test_run(event: Event) -> Changes:
    """Project `{name, tool, passed, failed, skipped, failures: [{name, file, message}], coverage, duration, commit}` to a
    TestRun."""
    payload = event.payload
    properties = {
        "project": event.project,
        "session": event.session,
        "name": payload["name"],
        "tool": payload["tool"],
        "passed": payload["passed"],
        "failed": payload["failed"],
        "skipped": payload["skipped"],
        "commit_hash": payload.get("commit") or None,
        "coverage": payload.get("coverage"),
        "duration": payload.get("duration"),
        "at": event.at,
        **provenance(event),
        "metadata": json.dumps({"failures": payload["failures"][:100]}, ensure_ascii=False, sort_keys=True),
    }
    changes = Changes(nodes=[Node("TestRun", event.id, properties)])
    for path in sorted({failure["file"] for failure in payload["failures"]} - {""}):
        changes.nodes.append(Node("File", names.file_id(event.project, path), {"path": path, "project": event.project}))
    title = f"{payload['name']}: {payload['passed']} passed, {payload['failed']} failed, {payload['skipped']} skipped"
    failures = "\n".join(f"{failure['name']}: {failure['message']}" for failure in payload["failures"])
    changes.items.append(_item(event, "test_run", title, shorten_text(failures or title, names.TEXT_LIMIT)))
    return changes


def _item(event: Event, kind: str, title: str, text: str) -> Item:
    return Item(event.id, kind, title, text, event.at, "", event.session, event.project, "tool", event.id, event.clock)
