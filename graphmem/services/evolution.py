"""The part of the facade by which memory evolves: runs, categories, verdicts, the archive, and notes of use. Each method is
one call of a use case, as in `memory`."""

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
    from graphmem.memify.run import MemifyReport
    from graphmem.model.table import Table
    from graphmem.ports.log import EventLog

T = TypeVar("T")


def plain_citation(name: str) -> str:
    """A citation as it is printed, `[mem:XXXXXX]`, or copied without its brackets, as the store knows it."""
    return bare.removeprefix("mem:") if (bare := name.strip().strip("[]")).startswith("mem:") else name


def require_found(names: Sequence[str], items: list[T]) -> list[T]:
    """What these names mean. Raises NotFound where they mean nothing."""
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
    """What `Memory` can do about how memory evolves."""

    def __init__(self, parts: _Runner) -> None:
        self._parts = parts
        self._usage = Pending(parts)

    def meant(self, name: str) -> str:
        """The id, ref or citation of an item, also where the id is that which writing it returned."""
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
        """Let memory evolve: importance, decay, associations, duplicates, conflicts, levels, categories, communities and
        insights, from the log alone. `trigger` is "daily", "session_end" or "task_completion"; `passes` names some of them
        instead. A second run of a day finds nothing to do. Raises UsageError for an unknown trigger or pass."""
        self._usage.flush()
        named = list(passes) if passes else None
        return self._parts.run(Memify(trigger, named, force), progress)

    def categories(self, *, history: bool = False) -> Table:
        """What the memory is about: categories with their members and the terms that tell them apart; with `history`, how
        they came to be."""
        return self._parts.run(Categories(history))

    def feedback(self, id: str, verdict: str) -> dict[str, str]:
        """Say that an item (by id, ref or citation) was "useful" or "wrong". What is wrong leaves default search at once;
        `restore` or a later "useful" brings it back. Raises NotFound, UsageError for another verdict."""
        return self._parts.run(Judge(self.meant(id), verdict))

    def archive(self, id: str) -> dict[str, str]:
        """Put an item away: default search no longer finds it, the log and `show` keep it. Raises NotFound."""
        return self._parts.run(SetAside(self.meant(id), away=True))

    def restore(self, id: str) -> dict[str, str]:
        """Bring an item back from the archive; age alone never puts it there again. Raises NotFound."""
        return self._parts.run(SetAside(self.meant(id), away=False))

    def schedule(self, *, scheduler: str | None = None, at: str = "04:30", write: str | Path | None = None) -> Plan:
        """The entry for cron, launchd or the Windows task scheduler that runs `memify` on this store every day; written to
        a file where one is named. Raises UsageError for an unknown scheduler or time."""
        from graphmem.evolution.schedule import schedule

        return schedule(self._parts.path, scheduler=scheduler, at=at, write=Path(write) if write else None)

    def used(
        self, *, shown: Sequence[str] = (), chosen: Sequence[str] = (), retrieved: Sequence[str] = (), session: str = ""
    ) -> None:
        """Note what of an answer was shown to somebody, what they opened, and what was found but not shown. Kept in memory
        and written in batches, so that it costs an answer nothing."""
        self._usage.note(shown=shown, chosen=chosen, retrieved=retrieved, session=session)
