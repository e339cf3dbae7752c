"""Reports input that is recorded but not searchable: dead letters of projections, and hook input not yet recorded, each
with advice. Read-only."""

from __future__ import annotations

from graphmem.context import StoreContext
from graphmem.log import spool
from graphmem.log.unanswered import recent_unanswered
from graphmem.model.tasks import to_datetime
from graphmem.plurals import counted
from graphmem.ports.backlog import PROJECTION

_RETRY = "`graphmem process --retry` retries dead letters; `graphmem forget ID` discards an event"
_SHOWN = {PROJECTION: "graph and index", f"{PROJECTION}.graph": "graph", f"{PROJECTION}.text": "index",
          f"{PROJECTION}.engine": "graph"}  # fmt: skip
_NAMED = 10  # dead letters that are listed individually
_NORMAL_WAIT_US = 60_000_000  # microseconds for which waiting is normal


def set_aside(context: StoreContext, problems: list[str], advice: list[str]) -> list[dict[str, str]]:
    """Return the dead letters of projections: `[{"event", "type", "projection", "version", "reason"}]`."""
    letters = [letter for letter in context.backlog.letters(dead=True) if letter.step.startswith(PROJECTION)]
    events = context.log.get([letter.event for letter in letters])
    found = []
    for letter in letters:
        if letter.event in events:  # otherwise it was forgotten
            name, _, version = letter.step.partition("/")
            found.append(
                {"event": letter.event, "type": events[letter.event].type, "projection": _SHOWN.get(name, name),
                 "version": version, "reason": letter.error}
            )  # fmt: skip
    problems += [
        f"dead letter: {one['type']} {one['event']} is not in {one['projection']}: {one['reason']}"
        for one in found[:_NAMED]
    ]
    problems += [f"dead letters: {counted(len(found) - _NAMED, 'more event')}"] * (len(found) > _NAMED)
    advice += [_RETRY] * bool(found)
    return found


def deliveries(context: StoreContext, problems: list[str], advice: list[str]) -> dict[str, int]:
    """Return hook input missing in the log, and hooks that got no answer in time within a day: `{"waiting": n, "since":
    microseconds or 0, "lost": n, "unanswered": n}`."""
    found = spool.count_waiting(str(context.path))
    if found.number and context.clock.now() - found.since > _NORMAL_WAIT_US:
        problems.append(
            f"hooks: {counted(found.number, 'call')} waiting to be recorded since {to_datetime(found.since):%Y-%m-%d %H:%M}"
        )
        advice.append("`graphmem process` records waiting hook calls")
    if found.lost:
        problems.append(
            f"hooks: {counted(found.lost, 'call')} can no longer be recorded: their key was lost"
            " in a reboot, or they contain nothing recordable"
        )
        advice.append(f"discard them: delete the `.lost` files in {context.path / spool.FOLDER}")
    late = recent_unanswered(str(context.path))
    if late.number:
        advice.append(
            f"{counted(late.number, 'hook')} of the last day got no memory in time (the last a {late.last}):"
            " if the machine is that busy often, set GRAPHMEM_HOOK_LIMIT_S to more seconds than 2.5 for the agent"
        )
    return {"waiting": found.number, "since": found.since, "lost": found.lost, "unanswered": late.number}
