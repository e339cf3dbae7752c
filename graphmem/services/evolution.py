"""The memory maintenance methods of `Memory`: memify, categories, feedback, archive, usage records."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

from graphmem.errors import NotFound
from graphmem.log.recording import Recording
from graphmem.memify.pending import Pending
from graphmem.operations.evolution import Categories, Judge, Memify, SetAside
from graphmem.ports.request import Progress, Runner, quiet

if TYPE_CHECKING:
    from graphmem.evolution.schedule import Plan
    from graphmem.model.reports import MemifyReport
    from graphmem.model.table import Table
    from graphmem.ports.log import EventLog

T = TypeVar("T")


def plain_citation(name: str) -> str:
    """Convert a citation, `[mem:XXXXXX]` or copied without brackets, to its stored form."""
    return bare.removeprefix("mem:") if (bare := name.strip().strip("[]")).startswith("mem:") else name


def require_found(names: Sequence[str], items: list[T]) -> list[T]:
    """Resolve names to items. Raises NotFound for unknown names."""
    if names and not items:
        unknown = ", ".join(f"`{name}`" for name in names)
        raise NotFound(f"no item {unknown}: use ids from `graphmem search`", ids=list(names))
    return items


class _Runner(Recording, Runner, Protocol):
    @property
    def path(self) -> Path: ...
    @property
    def log(self) -> EventLog: ...


class EvolutionService:
    """Memory maintenance methods."""

    def __init__(self, parts: _Runner) -> None:
        self._parts = parts
        self._usage = Pending(parts)

    def meant(self, name: str) -> str:
        """Resolve an id, ref or citation to an item; also accepts the event id returned when the item was written."""
        from graphmem.browse.explore import item_of

        return item_of(self._parts.log, plain_citation(name))

    def memify(
        self,
        trigger: str = "daily",
        *,
        passes: Sequence[str] | None = None,
        force: bool = False,
        progress: Progress = quiet,
    ) -> MemifyReport:
        """Run maintenance passes (importance, decay, associations, duplicates, conflicts, levels, categories,
        communities, insights), from the log only. `trigger` is "daily", "session_end" or "task_completion"; `passes`
        selects passes instead. A second run on the same day finds nothing to do. Raises UsageError for an unknown
        trigger or pass."""
        self._usage.flush()
        named = list(passes) if passes else None
        return self._parts.run(Memify(trigger, named, force), progress)

    def categories(self, *, history: bool = False) -> Table:
        """Return categories with members and distinguishing terms; with `history`, how they changed."""
        return self._parts.run(Categories(history))

    def feedback(self, id: str, verdict: str) -> dict[str, str]:
        """Rate an item (by id, ref or citation) as "useful" or "wrong". Wrong items leave the default search at once;
        `restore` or a later "useful" brings them back. Raises NotFound, UsageError for any other rating."""
        return self._parts.run(Judge(self.meant(id), verdict))

    def archive(self, id: str) -> dict[str, str]:
        """Archive an item: the default search no longer returns it; the log and `show` still have it. Raises
        NotFound."""
        return self._parts.run(SetAside(self.meant(id), away=True))

    def restore(self, id: str) -> dict[str, str]:
        """Restore an archived item; age alone never archives it again. Raises NotFound."""
        return self._parts.run(SetAside(self.meant(id), away=False))

    def schedule(self, *, scheduler: str | None = None, at: str = "04:30", write: str | Path | None = None) -> Plan:
        """Return the entry for cron, launchd or the Windows task scheduler that runs `memify` daily, and write it to
        a file if one is given. Raises UsageError for an unknown scheduler or time."""
        from graphmem.evolution.schedule import schedule

        return schedule(self._parts.path, scheduler=scheduler, at=at, write=Path(write) if write else None)

    def used(
        self, *, shown: Sequence[str] = (), chosen: Sequence[str] = (), retrieved: Sequence[str] = (), session: str = ""
    ) -> None:
        """Record which items of an answer were shown, opened, or found but not shown. Buffered in memory and written
        in batches, so that it does not delay answers."""
        self._usage.note(shown=shown, chosen=chosen, retrieved=retrieved, session=session)
