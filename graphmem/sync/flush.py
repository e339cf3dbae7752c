"""`flush`: run by the owner of a store when a window of new events is full or old enough. It determines the triggers in
the new events and runs the corresponding stages (`cognify.triggers`); when idle, all stages."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from graphmem.cognify.triggers import DAILY, STEPS, TRIGGERS
from graphmem.context import StoreContext
from graphmem.model.events import Event
from graphmem.model.sources import ProcessReport
from graphmem.sync.process import process_pending, run_processing
from graphmem.text.toolcalls import runs_tests

FLUSHED = "flushed"  # log position up to which triggers were read
_DAILY, _DAY = "daily", 86_400_000_000  # microseconds
_TELLING = (
    "session_end",
    "commit_observed",
    "test_run_observed",
    "tool_observation",
    "snapshot_captured",
    "task_status_changed",
)
Progress = Callable[[str, int], None]


def flush_window(
    context: StoreContext, *, idle: bool = False, progress: Progress = lambda stage, count: None
) -> ProcessReport:
    """Derive knowledge from new events; when no more events arrive (`idle`), run the concluding steps as well, and once a
    day the daily work."""
    state, head = context.log.state, context.log.head()
    since = state.watermark(FLUSHED)
    if idle:
        if context.clock.now() - state.watermark(_DAILY) >= _DAY:
            state.save_watermark(_DAILY, context.clock.now())
            report = process_pending(context, trigger=DAILY, progress=progress)
        else:
            report = process_pending(context, progress=progress)
    else:
        stages = set(STEPS)
        for happened in triggers_of(context.log.read(since, types=_TELLING, upto=head)):
            stages |= TRIGGERS[happened]
        report = run_processing(context, frozenset(stages), progress)
    if head > since:
        state.save_watermark(FLUSHED, head)
    return report


def triggers_of(events: Iterable[Event]) -> set[str]:
    """Return the triggers in these events, by the names of the trigger table."""
    return {happened for event in events if (happened := _trigger(event))}


def _trigger(event: Event) -> str:
    payload = event.payload
    match event.type:
        case "session_end":
            return "session_end"
        case "commit_observed":
            return "post_commit"
        case "test_run_observed":
            return "test_failure" if payload.get("failures") else ""
        case "tool_observation":
            if payload.get("commits"):
                return "post_commit"
            failed = payload.get("exit_code") and runs_tests(str(payload.get("command") or ""))
            return "test_failure" if failed else ""
        case "snapshot_captured":
            return "test_failure" if payload.get("trigger") == "failure" else ""
        case "task_status_changed":
            return "task_completion" if (payload.get("state") or {}).get("status") == "done" else ""
    return ""
