"""Runs one hook from standard input to standard output. The owner of the store answers; without an owner this process
does. In any case the agent quickly gets valid JSON and exit status 0."""

from __future__ import annotations

import errno
import json
import os
import sys
import threading
from typing import Any

from graphmem.interfaces.hooks.owner import OwnerTimeout, ask
from graphmem.interfaces.hooks.place import StoreLocation, find
from graphmem.interfaces.owner_socket import OwnerUnavailable

_PATIENCE = {"UserPromptSubmit": 0.8, "PreToolUse": 0.5}  # seconds; recall is worth no more
_USUALLY = 2.0
_LAST = 2.5  # seconds until the process ends however far it is: what it was told is kept, and agents wait
_LIMIT = "GRAPHMEM_HOOK_LIMIT_S"  # variable that overrides it
_LARGEST = 64 << 20  # bytes of input
_LARGE = 400_000  # bytes of input from which on it is recorded later, and only its ends are looked at now
_END = 8_000  # characters of each end of a text in such an input
_WORTH = frozenset({"UserPromptSubmit", "PreToolUse"})  # hooks whose answer is worth a second way
_TELLING = frozenset(
    "SessionStart UserPromptSubmit PostToolUse PostToolUseFailure Stop SubagentStop PreCompact SessionEnd".split()
)  # hooks with something to record


def answer(event: str) -> None:
    """Answer one hook and end the process."""
    end = threading.Timer(_limit(), _leave)
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


def _limit() -> float:
    try:
        return min(60.0, max(0.1, float(os.environ[_LIMIT])))
    except (KeyError, ValueError):
        return _LAST


def _note(error: BaseException) -> None:
    print(f"graphmem: {_sentence(error)}", file=sys.stderr, flush=True)  # noqa: T201


def _sentence(error: BaseException) -> str:
    """What went wrong, for a person: no name of a class, no number of an error."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, OSError) and cause.errno in (errno.ENOSPC, errno.EDQUOT):
            return "the disk is full: what this hook was told is not recorded. Free some space; `graphmem doctor` says where."
        if "database or disk is full" in str(cause):
            return "the disk is full: what this hook was told may not be recorded. Free some space; `graphmem doctor` says where."
        cause = cause.__cause__ or cause.__context__
    if isinstance(error, RecursionError):
        return "the input is nested too deeply: nothing of it was recorded"
    if isinstance(error, json.JSONDecodeError):
        return "the input is no JSON: nothing of it was recorded"
    if isinstance(error, OSError):
        return f"what this hook was told cannot be kept: {(error.strerror or 'the store cannot be written').lower()}"
    return str(error) or "this hook could not be answered"


def _respond(event: str, raw: bytes, patience: float) -> dict[str, Any]:
    if len(raw) > _LARGEST:
        raise ValueError(f"the hook input is larger than {_LARGEST >> 20} MB; it was not recorded")
    given = json.loads(raw.decode("utf-8", "replace") or "{}")
    if not isinstance(given, dict):
        raise ValueError("the input is no JSON object: nothing of it was recorded")
    for name in ("graphmem_delivery", "graphmem_recorded"):  # only this process names them
        given.pop(name, None)
    folder = os.environ.get("CLAUDE_PROJECT_DIR") or given.get("cwd")
    spot = find(folder if isinstance(folder, str) and folder else os.getcwd())  # noqa: PTH109
    if spot.paused:
        return {}
    full: OSError | None = None
    if event in _TELLING:
        try:
            given |= _spooled(spot, event, raw)
        except OSError as error:  # the disk is full or read-only: the log may still take it
            full = error
    if len(raw) > _LARGE and full is None:
        given = _ends(given) | {"graphmem_recorded": True}
    try:
        try:
            return ask(spot.store, event, given, patience)
        except OwnerUnavailable:
            return _alone(spot, event, given)
        except OwnerTimeout:
            return _alone(spot, event, given, recorded=True) if event in _WORTH else {}
    except Exception as error:
        if full is None:
            raise
        raise full from error  # one reason is enough: the first


def _alone(spot: StoreLocation, event: str, given: dict[str, Any], *, recorded: bool = False) -> dict[str, Any]:
    from graphmem.interfaces.hooks.alone import answer_alone

    return answer_alone(spot, event, given, recorded=recorded)


def _spooled(spot: StoreLocation, event: str, raw: bytes) -> dict[str, str]:
    """Save the hook input first, so that it is recorded even if this process is killed."""
    from graphmem.log.spool import DELIVERY, write

    return {DELIVERY: write(spot.store, event, raw)}


def _ends(value: Any) -> Any:
    """The same with only the ends of long texts: what is recorded is whole, and recall reads no more."""
    if isinstance(value, str):
        return value if len(value) <= 3 * _END else f"{value[:_END]}\n…\n{value[-_END:]}"
    if isinstance(value, dict):
        return {name[:_END]: _ends(inner) for name, inner in list(value.items())[:_END]}
    return [_ends(inner) for inner in value[:_END]] if isinstance(value, list) else value
