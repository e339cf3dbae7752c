"""The verbs by which memory evolves and is judged, one row each, as in `verbs`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from graphmem.interfaces.verb import Verb
from graphmem.memory import Memory


def memify(
    mem: Memory,
    trigger: Annotated[str, "what happened: daily, session_end, task_completion"] = "daily",
    pass_: Annotated[list[str] | None, "only this pass and those it depends on; repeatable"] = None,
    force: Annotated[bool, "also run without new events"] = False,
    progress: Any = None,
) -> Any:
    """Run the daily passes: scores, decay, conflicts, categories, duplicates."""
    return mem.memify(trigger, passes=pass_, force=force, **({"progress": progress} if progress else {}))


def categories(mem: Memory, history: Annotated[bool, "how they changed"] = False) -> Any:
    """List the categories of memories, or their history."""
    return mem.categories(history=history)


def feedback(
    mem: Memory,
    id: Annotated[str, "an id, ref or citation"],
    verdict: Annotated[Literal["useful", "wrong"], "your verdict"],
) -> dict[str, str]:
    """Rate a memory as useful or wrong; search no longer finds what is wrong."""
    return mem.feedback(id, verdict)


def archive(mem: Memory, id: Annotated[str, "an id, ref or citation"]) -> dict[str, str]:
    """Archive a memory: search no longer finds it, nothing is deleted."""
    return mem.archive(id)


def restore(mem: Memory, id: Annotated[str, "an id, ref or citation"]) -> dict[str, str]:
    """Restore a memory from the archive."""
    return mem.restore(id)


def schedule(
    mem: Memory,
    scheduler: Annotated[
        Literal["cron", "launchd", "schtasks"] | None, "whose entry to make (default: this machine's)"
    ] = None,
    at: Annotated[str, "the time of day"] = "04:30",
    write: Annotated[Path | None, "write it to this file instead of printing it"] = None,
) -> Any:
    """Print the line that runs memify every day; due work also runs whenever the store is used."""
    return mem.schedule(scheduler=scheduler, at=at, write=write)


MEMIFY = (
    Verb("memify", memify, writes=True),
    Verb("categories", categories),
    Verb("feedback", feedback, writes=True, agent=True),
    Verb("archive", archive, writes=True),
    Verb("restore", restore, writes=True),
    Verb("schedule", schedule, local=True),
)
