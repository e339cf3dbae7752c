"""Payload schemas: for each event type, the fields that readers rely on and their types. Logs may come from older
versions, other machines or unusual callers; readers only see payloads of these shapes. An optional field of the wrong
type is dropped. An event without a required field becomes a dead letter with a reason. Unknown fields are kept."""

from __future__ import annotations

from typing import Any, NamedTuple

from graphmem.model.bounds import is_int, is_time
from graphmem.model.kinds import REMEMBERABLE
from graphmem.model.tasks import PRIORITIES, STATUSES

Kind = Any  # a type, "time", [kind] for a list, (kinds) for a list of at least that length, {name: kind} for an object
UNFIT = "unfit"  # payload key that lists dropped fields

_TEXTS = [str]
_NUMBER = float  # includes integers


class Shape(NamedTuple):
    """Required and optional fields of an event type."""

    needed: dict[str, Kind]
    optional: dict[str, Kind]


_TURN = Shape(
    {},
    {"role": str, "content": str, "ref": str, "agent": str, "title": str, "speaker": str, "tool": str, "command": str,
     "exit_code": int, "failed": bool, "reads": _TEXTS, "writes": _TEXTS, "commits": [(str, str)], "input": dict},
)  # fmt: skip
_BLOCKER = {"!kind": {"task", "condition", "artifact"}, "!id": str, "text": str, "confidence": _NUMBER, "label": str,
            "candidates": _TEXTS}  # fmt: skip
_STATUS, _PRIORITY = set(STATUSES), set(PRIORITIES)
_STATE = {
    "!status": _STATUS,
    "blockers": [_BLOCKER],
    "suggested": [_BLOCKER],
    "claimed_by": str,
    "claimed_until": "time",
}
_ACT = Shape(
    {"task": str, "state": _STATE},
    {"outcome": str, "commits": _TEXTS, "facts": _TEXTS, "by": str, "reason": str, "from": str},
)
_DESCRIBED = {"title": str, "description": str, "ref": str, "kind": str, "assignee": str, "source": str, "outcome": str,
              "labels": _TEXTS, "files": _TEXTS, "aliases": _TEXTS, "priority": _PRIORITY, "status": _STATUS}  # fmt: skip
_CHANGED = Shape({"task": str}, {"set": _DESCRIBED, **_DESCRIBED})
_JUDGED = Shape({}, {"item": str, "verdict": str, "reason": str})
_KINDS = set(REMEMBERABLE)
_RELATIONS = {"parent", "depends_on", "waits_for", "discovered_from", "duplicates", "supersedes", "related"}
_ENTITIES = {"task", "condition", "artifact"}
_FILE = {
    "!path": str,
    "!kind": str,
    "previous": str,
    "!additions": int,
    "!deletions": int,
    "hunks": [(int, int, int, int)],
}
_NOTE = {"!at": "time", "session": str, "items": _TEXTS, "retrieved": _TEXTS}

SHAPES: dict[str, Shape] = {
    **dict.fromkeys(("user_prompt", "agent_response", "tool_observation"), _TURN),
    "session_start": Shape({}, {"cwd": str, "branch": str, "source": str}),
    "session_end": Shape({}, {"reason": str}),
    "memory_remembered": Shape(
        {"content": str},
        {"kind": _KINDS, "title": str, "tags": _TEXTS, "files": _TEXTS, "ref": str, "evidence": _TEXTS},
    ),
    "memory_feedback": _JUDGED,
    "memory_archived": Shape({}, {"item": str, "verdict": str, "reason": str, "same_as": str}),
    "memory_restored": _JUDGED,
    "memory_shown": Shape(
        {}, {"event": str, "items": _TEXTS, "citations": _TEXTS, "parts": _TEXTS, "tokens": int, "retrieved": _TEXTS}
    ),
    "memory_used": Shape({}, {"notes": [_NOTE], "items": _TEXTS, "retrieved": _TEXTS}),
    "memory_forgotten": Shape(
        {},
        {"nodes": [(str, str)], "items": _TEXTS, "events": _TEXTS, "derived": bool, "unlisted": bool, "scope": str, "reason": str},
    ),
    "supersession_decided": Shape({"newer": str, "older": str, "holds": bool}, {"withdrawn": bool, "rated": bool}),
    "approval_required": Shape({"required": bool}, {}),
    "approval_decided": Shape({"items": _TEXTS, "verdict": str}, {"reason": str, "edited": str}),
    "entities_merged": Shape({"merged": str, "kept": str, "holds": bool}, {"reason": str}),
    "memory_marked": Shape({}, {"nodes": _TEXTS, "mode": str, "reason": str}),
    "memories_consolidated": Shape({}, {"merged": [(str, str, object)], "linked": [(str, str, _NUMBER)]}),
    "endless_changed": Shape({}, {"mode": str, "upto": "time"}),
    "turns_consolidated": Shape({"groups": [_TEXTS], "upto": "time", "carried": _TEXTS}, {"trigger": str}),
    "commit_observed": Shape(
        {"hash": str, "subject": str},
        {"body": str, "author": str, "email": str, "committed_at": "time", "parents": _TEXTS, "patch": str, "files": [_FILE]},
    ),
    "tree_indexed": Shape(
        {"root": str, "head": str},
        {"tree": str, "blobs": [(str, str)], "unparsed": [(str, str, str, int, int, str)]},
    ),
    "scip_indexed": Shape({"root": str, "tool": str}, {"blobs": [(str, str)]}),
    "document_observed": Shape(
        {"path": str, "digest": str, "sections": [(str, str, int)]}, {"replaced": int, "format": int}
    ),
    "snapshot_captured": Shape(
        {"content": str},
        {"command": str, "cwd": str, "exit_code": int, "environment": dict, "trigger": str, "severity": str, "error": str,
         "signature": str, "size": int, "role": str},
    ),
    "test_run_observed": Shape(
        {"name": str},
        {"tool": str, "passed": int, "failed": int, "skipped": int, "coverage": _NUMBER, "duration": _NUMBER, "commit": str,
         "failures": [{"!name": str, "file": str, "message": str}]},
    ),
    "source_ingested": Shape({"source": str, "target": str, "head": str}, {"drafts": int}),
    "task_created": Shape({"task": str, "title": str}, _DESCRIBED),
    "task_changed": _CHANGED,
    "task_title_changed": _CHANGED,
    "task_status_changed": _ACT,
    "task_blockers_set": _ACT,
    "task_claimed": _ACT,
    "task_priority_changed": Shape({"task": str, "to": _PRIORITY}, {}),
    "task_transition_rejected": Shape({"task": str, "from": str, "to": str, "reason": str}, {}),
    "task_linked": Shape({"task": str, "relation": _RELATIONS, "target": str}, {"kind": _ENTITIES, "removed": bool}),
    "condition_declared": Shape(
        {"condition": str, "text": str}, {"placeholder": bool, "task": str, "candidates": _TEXTS}
    ),
    "condition_resolved_to": Shape(
        {"condition": str},
        {"target": str, "type": str, "kind": _ENTITIES, "source_kind": _ENTITIES, "confidence": _NUMBER},
    ),
    "artifact_declared": Shape({"artifact": str}, {"kind": str, "text": str}),
    "memified": Shape({"day": int, "upto": int, "passes": _TEXTS}, {}),
    "graduated": Shape({}, {"moves": [{"!item": str, "!from": int, "!to": int}], "run": str}),
}  # fmt: skip
# Defaults for fields that readers expect although they may be missing.
_FILLED: dict[str, dict[str, Any]] = {
    "commit_observed": {"body": "", "author": "", "email": "", "committed_at": None, "parents": [], "files": []},
    "snapshot_captured": {"command": "", "cwd": "", "exit_code": None, "environment": {}, "trigger": "manual", "severity": "",
                          "error": "", "signature": "", "size": 0},
    "test_run_observed": {"tool": "", "passed": 0, "failed": 0, "skipped": 0, "failures": []},
    "memory_forgotten": {"nodes": [], "items": [], "events": [], "derived": False},
    "task_changed": {"set": {}},
    "task_title_changed": {"set": {}},
    "tree_indexed": {"blobs": []},
    "scip_indexed": {"blobs": []},
    "turns_consolidated": {"trigger": ""},
}  # fmt: skip


def conform(event_type: str, payload: dict[str, Any]) -> tuple[dict[str, Any], str]:
    """Return the payload in its shape, and the reason to set the event aside ("" if valid; otherwise the payload is
    empty). Returns the same object if nothing had to change."""
    shape = SHAPES.get(event_type)
    if shape is None:
        return payload, ""
    for field, kind in shape.needed.items():
        if field not in payload:
            return {}, f"its `{field}` is missing"
        if not _fits(payload[field], kind):
            mended = _mended(payload[field], kind)
            if mended is None:
                return {}, f"its `{field}` is {_shown(payload[field])}"
            payload = {**payload, field: mended}
    kinds = shape.optional
    odd = [
        name
        for name, value in payload.items()
        if name in kinds and type(value) is not kinds[name] and not _fits_or_none(value, kinds[name])
    ]
    if odd:
        payload = _without(payload, odd, shape.optional)
    filled = _FILLED.get(event_type)
    if filled and not filled.keys() <= payload.keys():
        payload = {**filled, **payload}
    return payload, ""


def _without(payload: dict[str, Any], odd: list[str], kinds: dict[str, Kind]) -> dict[str, Any]:
    """Drop fields of the wrong type; of partly valid lists and objects, keep the valid part."""
    rest = {field: value for field, value in payload.items() if field not in odd}
    for field in odd:
        mended = _mended(payload[field], kinds[field])
        if mended is not None:
            rest[field] = mended
    return rest | {UNFIT: sorted(odd)}


def _mended(value: Any, kind: Kind) -> Any:
    """Return the valid part of a list or object; None if nothing is valid."""
    if isinstance(kind, list) and isinstance(value, list):
        return [one for one in value if _fits(one, kind[0])]
    if isinstance(kind, dict) and isinstance(value, dict):
        kept = {name: inner for name, inner in value.items() if not _odd(name, inner, kind)}
        return kept if _fits(kept, kind) else None
    return None


def _odd(name: str, value: Any, kinds: dict[str, Kind]) -> bool:
    kind = kinds.get(name, kinds.get(f"!{name}"))
    return kind is not None and not _fits(value, kind)


def _fits_or_none(value: Any, kind: Kind) -> bool:
    """Return whether a value fits. None is accepted for a number or string, but not for a list or object, which readers
    iterate over."""
    if value is None:
        return not isinstance(kind, list | dict | set) and kind is not dict
    return _fits(value, kind)


def _fits(value: Any, kind: Kind) -> bool:
    if kind is str:
        return type(value) is str
    if kind is int:
        return is_int(value)
    if isinstance(kind, list):
        inner = kind[0]
        if type(value) is not list:
            return False
        return all(type(one) is str for one in value) if inner is str else all(_fits(one, inner) for one in value)
    if isinstance(kind, tuple):
        return type(value) is list and len(value) >= len(kind) and all(map(_fits, value, kind))
    if isinstance(kind, set):
        return type(value) is str and value in kind
    if isinstance(kind, dict):
        return type(value) is dict and all(_has(value, name, inner) for name, inner in kind.items())
    if kind == "time":
        return is_time(value)
    if kind is float:
        return is_int(value) or (type(value) is float and value - value == 0)
    return kind is object or type(value) is kind


def _has(value: dict[str, Any], name: str, kind: Kind) -> bool:
    if name.startswith("!"):
        return name[1:] in value and _fits(value[name[1:]], kind)
    return name not in value or _fits_or_none(value[name], kind)


def _shown(value: Any) -> str:
    """Describe the type of a value without its content."""
    named = {str: "a text of no known meaning", int: "a number", float: "a number", bool: "true or false", list: "a list",
             dict: "an object"}  # fmt: skip
    return named.get(type(value), "nothing")
