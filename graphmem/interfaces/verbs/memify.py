"""Verbs for memory maintenance: memify, categories, feedback, archive, schedule."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from graphmem.interfaces.verbs.verb import Verb
from graphmem.memory import Memory


def memify(
    mem: Memory,
    trigger: Annotated[str, "run the passes that are due at this event: daily, session_end, task_completion"] = "daily",
    pass_: Annotated[list[str] | None, "only this pass and the passes it depends on"] = None,
    force: Annotated[bool, "run even without new events"] = False,
    progress: Any = None,
) -> Any:
    """Run the maintenance passes: scores, decay, conflicts, categories, duplicates."""
    return mem.memify(trigger, passes=pass_, force=force, **({"progress": progress} if progress else {}))


def categories(mem: Memory, history: Annotated[bool, "show how they changed"] = False) -> Any:
    """List the categories of memories, or how they changed."""
    return mem.categories(history=history)


def feedback(
    mem: Memory,
    id: Annotated[str, "an id, ref or citation"],
    verdict: Annotated[Literal["useful", "wrong"], "your rating"],
    reason: Annotated[str, "why, in a few words"] = "",
) -> dict[str, str]:
    """Rate a memory as useful or wrong. Searches no longer return wrong memories."""
    return mem.feedback(id, verdict, reason)


def archive(
    mem: Memory,
    id: Annotated[str, "an id, ref or citation"],
    same_as: Annotated[str, "merge it into this memory, which says the same"] = "",
) -> dict[str, str]:
    """Archive a memory: searches no longer return it, but nothing is deleted."""
    return mem.archive(id, same_as)


def restore(mem: Memory, id: Annotated[str, "an id, ref or citation"]) -> dict[str, str]:
    """Restore a memory from the archive."""
    return mem.restore(id)


def schedule(
    mem: Memory,
    scheduler: Annotated[
        Literal["cron", "launchd", "schtasks"] | None, "the scheduler (default: that of this machine)"
    ] = None,
    at: Annotated[str, "time of day"] = "04:30",
    write: Annotated[Path | None, "write to this file instead of printing"] = None,
) -> Any:
    """Print a scheduler entry that runs memify daily. Due work also runs whenever the store is used."""
    return mem.schedule(scheduler=scheduler, at=at, write=write)


MEMIFY = (
    Verb("memify", memify, writes=True),
    Verb("categories", categories),
    Verb("feedback", feedback, writes=True, agent=True),
    Verb("archive", archive, writes=True),
    Verb("restore", restore, writes=True),
    Verb("schedule", schedule, local=True),
)
