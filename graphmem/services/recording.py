"""Records data on request: turns, memories, and command output."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from graphmem.errors import UsageError
from graphmem.log.recording import Recording
from graphmem.model.bounds import seconds_to_time
from graphmem.model.checked import check_argument, storable_metadata
from graphmem.model.events import Draft
from graphmem.model.kinds import REMEMBERABLE
from graphmem.ports.callers import AGENT, WRITER, signed

ROLES = ("user", "assistant", "tool", "system")
_TURN_TYPES = {"assistant": "agent_response", "tool": "tool_observation"}
_TURN = {"content": "str | None", "role": "str | None", "session": "str | None", "at": "datetime | None", "ref": "str | None",
         "metadata": "Mapping[str, Any] | None"}  # fmt: skip


def record_turns(store: Recording, turns: Iterable[Mapping[str, Any]]) -> list[str]:
    """Record turns in one transaction and return their ids. Raises UsageError for a turn without text or with an unknown
    role."""
    drafts = []
    for turn in turns:
        check_argument("each turn", turn, "Mapping[str, Any]")
        unknown = turn.keys() - _TURN.keys()
        for name, annotation in _TURN.items():
            check_argument(name, turn.get(name), annotation)
        if unknown or not (turn.get("content") or "").strip():
            raise UsageError(
                f"a turn needs a `content` string{f' and does not accept {sorted(unknown)}' if unknown else ''}"
            )
        if (turn.get("role") or "user") not in ROLES:
            raise UsageError(f"`{turn['role']}` is not a role: choose one of {', '.join(ROLES)}", role=turn["role"])
        drafts.append(_turn(store, **turn))
    return [appended.id for appended in store.recorder.record(drafts)] if drafts else []


def _turn(
    store: Recording,
    content: str,
    role: str | None = None,
    session: str | None = None,
    at: datetime | None = None,
    ref: str | None = None,
    metadata: Mapping[str, Any] | None = None,
) -> Draft:
    role, session = role or "user", session or "default"
    payload = {**storable_metadata(metadata), "role": role, "content": content, "ref": ref or ""}
    if role == "user" and WRITER.get() == AGENT:  # no person's word, whatever the agent calls it
        payload["agent"] = payload.get("agent") or AGENT
    key = f"turn:{store.project}:{session}:{role}:{ref}" if ref else None
    return Draft(
        _TURN_TYPES.get(role, "user_prompt"), payload, _clock(store, at), session, store.project, signed(role), key
    )


def record_memory(
    store: Recording,
    content: str,
    *,
    kind: str,
    title: str | None,
    tags: Sequence[str],
    files: Sequence[str],
    at: datetime | None,
    ref: str | None,
    evidence: Sequence[str],
    once: str | None = None,
) -> str:
    """Record an explicit memory and return its event id. With the key `once`, a repeated call records nothing.
    Raises UsageError for an empty text or a kind that cannot be
    remembered."""
    if not content.strip():
        raise UsageError("nothing to remember: the text is empty")
    if kind not in REMEMBERABLE:
        raise UsageError(f"`{kind}` cannot be remembered: choose one of {', '.join(REMEMBERABLE)}", kind=kind)
    payload = {"content": content, "kind": kind, "title": title or "", "tags": list(tags), "files": list(files),
               "ref": ref or "", "evidence": list(evidence)}  # fmt: skip
    same = None if ref or at else f"memory:{store.project}:{_digest(payload)}"
    if once is not None:
        same = f"once:{store.project}:{once}"
    draft = Draft("memory_remembered", payload, _clock(store, at), "", store.project, signed(WRITER.get()), same)
    appended = store.recorder.record([draft])[0]
    if appended.outcome == "forgotten" and once is None:  # said again on purpose
        appended = store.recorder.record([replace(draft, dedupe_key=None)])[0]
    return appended.id


def _digest(payload: Mapping[str, Any]) -> str:
    """Return the hash of a payload."""
    return hashlib.sha256(json.dumps(payload, sort_keys=True, default=str).encode("utf-8", "replace")).hexdigest()[:32]


def _clock(store: Recording, at: datetime | None) -> int:
    """Return a time in microseconds since 1970; default now."""
    if at is None:
        return store.clock.now()
    if at.tzinfo is None:
        raise UsageError("`at` needs a time zone: use datetime.now(timezone.utc)")
    return seconds_to_time(at.timestamp())
