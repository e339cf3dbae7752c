"""The trigger table: which stages run after which event. Stages are steps and conclusions. A stage that a trigger omits
stays pending until a run that includes it."""

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


def stages_for(name: str | None) -> frozenset[str]:
    """Return the stages that run after an event; all without a name. Raises UsageError that lists the valid names."""
    if name is None:
        return ALL
    if name not in TRIGGERS:
        raise UsageError(f"there is no trigger `{name}`: choose one of {', '.join(TRIGGERS)}", trigger=name)
    return TRIGGERS[name]
