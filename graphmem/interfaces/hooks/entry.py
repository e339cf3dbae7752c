"""Runs one hook from standard input to standard output. The owner of the store answers; without an owner this process
does. In any case the agent quickly gets valid JSON and exit status 0."""

from __future__ import annotations

import json
import os
import sys
import threading
from typing import Any

from graphmem.interfaces.hooks.owner import Late, ask
from graphmem.interfaces.hooks.place import Spot, find
from graphmem.interfaces.owner_socket import NoOwner

_PATIENCE = {
    "UserPromptSubmit": 0.8,
    "PreToolUse": 0.5,
    "SessionStart": 3.0,
}  # seconds; more delay is not acceptable for recall
_USUALLY = 3.0
_LAST = 4.5  # seconds until the process exits unconditionally; agents wait five
_LARGEST = 64 << 20  # bytes of input
_WORTH = frozenset({"UserPromptSubmit", "PreToolUse"})  # hooks whose answer is worth the fallback without an owner
_TELLING = frozenset(
    "SessionStart UserPromptSubmit PostToolUse PostToolUseFailure Stop SubagentStop PreCompact SessionEnd".split()
)  # hooks with something to record


def answer(event: str) -> None:
    """Handle one hook and exit the process."""
    end = threading.Timer(_LAST, _leave)
    end.daemon = True
    end.start()
    said: dict[str, Any] = {}
    try:
        said = _respond(event, sys.stdin.buffer.read(_LARGEST + 1), _PATIENCE.get(event, _USUALLY))
    except BaseException as error:  # noqa: BLE001 - a hook never disturbs the agent
        _note(error)
    _leave(said)


def _leave(said: dict[str, Any] | None = None) -> None:
    """Print and exit immediately, without waiting for other threads."""
    try:
        sys.stdout.buffer.write(json.dumps(said or {}).encode() + b"\n")
        sys.stdout.buffer.flush()
    finally:
        os._exit(0)


def _note(error: BaseException) -> None:
    print(f"graphmem: {type(error).__name__}: {error}", file=sys.stderr, flush=True)  # noqa: T201


def _respond(event: str, raw: bytes, patience: float) -> dict[str, Any]:
    if len(raw) > _LARGEST:
        raise ValueError(f"the hook input is larger than {_LARGEST >> 20} MB; it was not recorded")
    given = json.loads(raw.decode("utf-8", "replace") or "{}")
    if not isinstance(given, dict):
        raise ValueError("the hook input is not a JSON object; it was not recorded")
    given.pop("graphmem_delivery", None)  # a name that only this process uses
    folder = os.environ.get("CLAUDE_PROJECT_DIR") or given.get("cwd")
    spot = find(folder if isinstance(folder, str) and folder else os.getcwd())  # noqa: PTH109
    if spot.paused:
        return {}
    if event in _TELLING:
        given |= _spooled(spot, event, raw)
    try:
        return ask(spot.store, event, given, patience)
    except NoOwner:
        return _alone(spot, event, given)
    except Late:
        return _alone(spot, event, given, recorded=True) if event in _WORTH else {}


def _alone(spot: Spot, event: str, given: dict[str, Any], *, recorded: bool = False) -> dict[str, Any]:
    from graphmem.interfaces.hooks.alone import answer_alone

    return answer_alone(spot, event, given, recorded=recorded)


def _spooled(spot: Spot, event: str, raw: bytes) -> dict[str, str]:
    """Save the hook input first, so that it is recorded even if this process is killed."""
    from graphmem.log.spool import DELIVERY, write

    try:
        return {DELIVERY: write(spot.store, event, raw)}
    except OSError as error:  # disk full or read-only; recording may still succeed
        _note(error)
        return {}
