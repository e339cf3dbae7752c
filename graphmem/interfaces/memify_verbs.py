"""The verbs by which memory evolves and is judged, one row each, as in `verbs`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from graphmem.interfaces.verb import Verb
from graphmem.memory import Memory


def memify(
    mem: Memory,
    trigger: Annotated[str, "what happened: daily, session_end, task_completion"] = "daily",
    pass_: Annotated[list[str] | None, "only this pass, with what it needs; several times for more"] = None,
    force: Annotated[bool, "also when there is nothing new"] = False,
    progress: Any = None,
) -> Any:
    """Let memory evolve: what is used rises, what is stale sinks, categories follow the content."""
    return mem.memify(trigger, passes=pass_, force=force, **({"progress": progress} if progress else {}))


def categories(mem: Memory, history: Annotated[bool, "how they came to be"] = False) -> Any:
    """List what the memory is about: its categories, or their history."""
    return mem.categories(history=history)


def feedback(
    mem: Memory,
    id: Annotated[str, "an id, ref or citation"],
    verdict: Annotated[Literal["useful", "wrong"], "what you found it to be"],
) -> dict[str, str]:
    """Say that a memory was useful, or wrong: what is wrong is no longer found."""
    return mem.feedback(id, verdict)


def archive(mem: Memory, id: Annotated[str, "an id, ref or citation"]) -> dict[str, str]:
    """Put a memory away: search no longer finds it, nothing is lost."""
    return mem.archive(id)


def restore(mem: Memory, id: Annotated[str, "an id, ref or citation"]) -> dict[str, str]:
    """Bring a memory back from the archive."""
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
