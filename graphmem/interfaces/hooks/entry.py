"""Runs one hook from standard input to standard output. The owner of the store answers; without an owner this process
does. In any case the agent quickly gets valid JSON and exit status 0."""

from __future__ import annotations

import errno
import json
import os
import sys
import threading
from collections.abc import Sequence
from typing import Any, NoReturn

from graphmem.errors import message_of
from graphmem.hooks.events import EVENTS, UNTIL, hook_event, parse_input
from graphmem.interfaces.hooks.owner import OwnerTimeout, ask, ask_starting
from graphmem.interfaces.hooks.place import StoreLocation, find
from graphmem.interfaces.owner_socket import OwnerUnavailable
from graphmem.log.unanswered import note_unanswered
from graphmem.model.limits import HOOK_BYTES

_LAST = 2.5  # seconds until the process ends: its input is saved, and the agent waits
_WAIT = 0.8  # share of that to wait for the owner, which answers sooner than another process could open the store
_SAVING_S = 5.0  # seconds longer on a machine so busy that what was read is not saved yet
_LIMIT = "GRAPHMEM_HOOK_LIMIT_S"  # variable that overrides it
# Larger input is recorded later, and only the ends of its texts are searched for now.
_MAX_SEARCHED_BYTES = 400_000
_QUOTED = 60  # characters of an argument that an error message quotes
_KEPT_END_CHARS = 8_000  # characters of each end of a text in such an input


def run_hook(arguments: Sequence[str]) -> None:
    """Answer the hook that a command line names, and end the process. Invalid arguments are a mistake in the settings of the
    agent, which must not stop it: status 2 would."""
    _open_missing_streams()
    problem = problem_of(arguments)
    if problem:
        _say(f"{problem}; nothing was recorded")
        _leave()
    answer(arguments[0])


def problem_of(arguments: Sequence[str]) -> str:
    """Return what is wrong with the arguments of a hook, or ""."""
    event = arguments[0] if arguments else ""
    if not event:
        return "the event name is missing, as in `graphmem hook SessionStart`"
    if event.startswith("-"):
        return f"a hook has no option {event[:_QUOTED]!a}, only the name of an event"
    if event not in EVENTS:
        return f"there is no hook event {event[:_QUOTED]!a}"
    return ""


def _open_missing_streams() -> None:
    """Connect closed standard streams to the null device, so that no file of the store gets their numbers."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest free number: this one


def answer(event: str) -> None:
    """Answer one hook and end the process."""
    limit = _limit()
    asked: list[str] = []  # the store that was asked, once it is known
    saved = threading.Event()  # not while input was read and is not saved
    saved.set()
    end = threading.Timer(limit, _give_up, (event, asked, saved))
    end.daemon = True
    end.start()
    said: dict[str, Any] = {}
    try:
        raw = sys.stdin.buffer.read(HOOK_BYTES + 1) if sys.stdin else b""
        saved.clear()
        said = _respond(event, raw, limit, asked, saved)
    except BaseException as error:  # noqa: BLE001 - a hook never makes the agent fail
        _note(error)
    _leave(said)


def _give_up(event: str, asked: Sequence[str], saved: threading.Event) -> NoReturn:
    """End the process without an answer, but not before what it read is saved."""
    try:
        if not saved.wait(_SAVING_S):
            _say("the machine is too busy: this hook was not recorded")
        for store in asked:
            _note_unanswered(store, event)
    finally:
        _leave()


def _note_unanswered(store: str, event: str) -> None:
    """Note that an agent got no context, for `status` and `doctor`."""
    handling = hook_event(event)
    if handling.has_context and not handling.only_after_failure:
        note_unanswered(store, event)


def _leave(said: dict[str, Any] | None = None) -> NoReturn:
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
    _say(_sentence(error))


def _say(sentence: str) -> None:
    """Print a sentence on standard error, if there is one."""
    try:
        sys.stderr.write(f"graphmem: {sentence}\n")
        sys.stderr.flush()
    except (OSError, ValueError, AttributeError):  # closed: nobody listens
        return


def _sentence(error: BaseException) -> str:
    """Return the error as a sentence for a person, without class names and error numbers."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, OSError) and cause.errno in (errno.ENOSPC, errno.EDQUOT):
            return "the disk is full: this hook was not recorded. Free some space; `graphmem doctor` says where."
        if "database or disk is full" in str(cause):
            return "the disk is full: this hook is recorded later. Free some space; `graphmem doctor` says where."
        cause = cause.__cause__ or cause.__context__
    if isinstance(error, RecursionError):
        return "the hook input is nested too deeply; it was not recorded"
    if isinstance(error, json.JSONDecodeError):
        return "the hook input is not JSON; it was not recorded"
    if isinstance(error, OSError):
        return f"the input of this hook cannot be saved: {(error.strerror or 'the store cannot be written').lower()}"
    return message_of(error) or "the hook failed"


def _respond(event: str, raw: bytes, limit_s: float, asked: list[str], saved: threading.Event) -> dict[str, Any]:
    handling = hook_event(event)
    if len(raw) > HOOK_BYTES:
        raise ValueError(f"the hook input is larger than {HOOK_BYTES >> 20} MB; it was not recorded")
    given = parse_input(raw)
    if not isinstance(given, dict):
        raise ValueError("the hook input is not a JSON object; it was not recorded")
    for name in ("graphmem_delivery", "graphmem_recorded", UNTIL):  # only this process may set them
        given.pop(name, None)
    folder = os.environ.get("CLAUDE_PROJECT_DIR") or given.get("cwd")
    location = find(folder if isinstance(folder, str) and _is_path(folder) else os.getcwd())  # noqa: PTH109
    if not location.store:
        raise ValueError(f"the folder {folder!a} does not exist; nothing was recorded")
    if location.paused:
        return {}
    asked.append(location.store)
    full: OSError | None = None
    if handling.is_recorded:
        try:
            given |= _spooled(location, event, raw)
        except OSError as error:  # the disk is full or read-only: appending to the log may still work
            full = error
    saved.set()
    if len(raw) > _MAX_SEARCHED_BYTES and full is None:
        given = _ends(given) | {"graphmem_recorded": True}
    try:
        try:
            return _asked(location, event, given, limit_s * _WAIT)
        except OwnerTimeout:
            _note_unanswered(location.store, event)
            return {}
    except Exception as error:
        if full is None:
            raise
        raise full from error  # report the first error only


def _asked(location: StoreLocation, event: str, given: dict[str, Any], timeout_s: float) -> dict[str, Any]:
    """Return the answer of the owner, also of one that an earlier hook has just started; without one, that of this process."""
    try:
        return ask(location.store, event, given, timeout_s)
    except OwnerUnavailable:
        said = None if event == "SessionStart" else ask_starting(location.store, event, given, timeout_s)
        return _alone(location, event, given) if said is None else said


def _is_path(folder: str) -> bool:
    """Return whether a folder can exist at all: neither empty nor with a NUL or half a character."""
    return bool(folder) and "\0" not in folder and folder == folder.encode("utf-8", "ignore").decode()


def _alone(location: StoreLocation, event: str, given: dict[str, Any]) -> dict[str, Any]:
    from graphmem.interfaces.hooks.alone import answer_alone

    return answer_alone(location, event, given)


def _spooled(location: StoreLocation, event: str, raw: bytes) -> dict[str, str]:
    """Save the hook input first, so that it is recorded even if this process is killed."""
    from graphmem.log.spool import DELIVERY, write

    return {DELIVERY: write(location.store, event, raw)}


def _ends(value: Any) -> Any:
    """Return the input with long texts cut to their ends. The whole input is recorded from the spool."""
    if isinstance(value, str):
        return (
            value if len(value) <= 3 * _KEPT_END_CHARS else f"{value[:_KEPT_END_CHARS]}\n…\n{value[-_KEPT_END_CHARS:]}"
        )
    if isinstance(value, dict):
        return {name[:_KEPT_END_CHARS]: _ends(inner) for name, inner in list(value.items())[:_KEPT_END_CHARS]}
    return [_ends(inner) for inner in value[:_KEPT_END_CHARS]] if isinstance(value, list) else value
