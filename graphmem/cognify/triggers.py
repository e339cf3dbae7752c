"""The trigger table: what happened -> which stages run (REQUIREMENTS 19). Stages are the steps and the conclusions; what a
trigger leaves out stays pending for the next run that has it."""

from __future__ import annotations

from graphmem.errors import UsageError

STEPS = frozenset({"entities", "facts", "episodes"})
CONCLUSIONS = frozenset({"gotchas", "skills", "patterns", "summaries"})
ALL = STEPS | CONCLUSIONS
DAILY = "daily"

TRIGGERS: dict[str, frozenset[str]] = {
    "session_end": STEPS | {"skills", "summaries"},
    "post_commit": STEPS | {"patterns", "gotchas"},
    "test_failure": frozenset({"episodes", "gotchas"}),
    "task_completion": ALL,
    DAILY: ALL,
}


def trigger(name: str | None) -> frozenset[str]:
    """The stages that run when this happened; without a name, all. Raises UsageError that lists the names."""
    if name is None:
        return ALL
    if name not in TRIGGERS:
        raise UsageError(f"there is no trigger `{name}`: choose one of {', '.join(TRIGGERS)}", trigger=name)
    return TRIGGERS[name]
