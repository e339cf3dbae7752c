"""The half of the facade `Memory` that maintains a memory: what evolves with use and age, what agents may see, and health.
Each method is one call of a use case, without logic."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphmem.errors import UsageError
from graphmem.memify.pending import Pending
from graphmem.operations.evolution import Categories, DecideApproval, Judge, Memify, SetAside
from graphmem.operations.pipeline import Rebuild
from graphmem.ports.callers import refuse_agents
from graphmem.ports.request import quiet
from graphmem.settings import load_settings
from graphmem.sync.damage_mark import warn_of_damage
from graphmem.text.keys import plain_citation

if TYPE_CHECKING:
    from graphmem.evolution.schedule import Plan
    from graphmem.model.reports import MemifyReport
    from graphmem.model.sources import ProcessReport
    from graphmem.model.table import Table
    from graphmem.services.browse import BrowseService
    from graphmem.services.keeping import KeepingService
    from graphmem.store import Store

Progress = Callable[[str, int], None]


class ReviewQueues:
    """What a person decides: which new memories and which texts with orders agents may see. Part of `Memory`."""

    def __init__(self, store: Store) -> None:
        self._store = store

    @cached_property
    def _browse(self) -> BrowseService:
        from graphmem.services.browse import BrowseService

        return BrowseService(self._store)

    @cached_property
    def _keeping(self) -> KeepingService:
        from graphmem.services.keeping import KeepingService

        return KeepingService(self._store)

    def approvals(self, *, limit: int = 50, every: bool = False) -> Table:
        """Return what was learnt and waits for a person's approval, newest first, if the setting `approval.required` asks for it;
        with `every`, also what was rejected."""
        return self._keeping.approvals(limit=limit, every=every)

    def approve(self, ids: str | Sequence[str], *, content: str = "", undo: bool = False) -> dict[str, Any]:
        """Let agents be shown what waited for approval (ids, refs or citations). With `content`, this text is remembered in place
        of the one memory; with `undo`, they wait again. Raises NotFound, UsageError, also for an agent."""
        refuse_agents("approve memories")
        return self._decide_approval(ids, "undo" if undo else "approve", content=content)

    def reject(self, ids: str | Sequence[str], reason: str = "", *, undo: bool = False) -> dict[str, Any]:
        """Keep what waited for approval from agents and from searches (ids, refs or citations); with `undo`, it waits again.
        Raises NotFound, UsageError, also for an agent."""
        refuse_agents("reject memories")
        return self._decide_approval(ids, "undo" if undo else "reject", reason=reason)

    def _decide_approval(
        self, ids: str | Sequence[str], verdict: str, *, reason: str = "", content: str = ""
    ) -> dict[str, Any]:
        given = [ids] if isinstance(ids, str) else ids
        if not given or not all(plain_citation(id).strip() for id in given):
            raise UsageError("name at least one memory, and each by its id: `graphmem approvals` lists what waits")
        names = [self._browse.resolve(id) for id in given]
        return self._store.run(DecideApproval(names, verdict, reason, content))

    def review(self, *, limit: int = 50, every: bool = False) -> Table:
        """Return what is withheld from agents because it gives them orders, newest first, with its origin and the
        reasons; with `every`, also what was allowed or denied."""
        return self._keeping.review(limit=limit, every=every)

    def allow(self, id: str) -> dict[str, str]:
        """Let agents see something that was withheld (an event, item or citation). Raises NotFound, UsageError for an agent."""
        refuse_agents("allow withheld memories")
        return self._keeping.decide(plain_citation(id), allowed=True)

    def deny(self, id: str) -> dict[str, str]:
        """Never show something to an agent (an event, item or citation), whatever it says. Raises NotFound."""
        return self._keeping.decide(plain_citation(id), allowed=False)

    @property
    def allowed(self) -> frozenset[str]:
        """Return the ids of what a person allowed agents to see, although it gives them orders."""
        return self._keeping.allowed()


class Maintenance(ReviewQueues):
    """The maintenance of an open store, part of `Memory`."""

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        self._usage = Pending(store)

    def memify(
        self,
        trigger: str = "daily",
        *,
        passes: Sequence[str] | None = None,
        force: bool = False,
        progress: Progress = quiet,
    ) -> MemifyReport:
        """Let memory evolve, from the log alone. `trigger` is "daily", "session_end" or "task_completion"; `passes` names some
        passes instead. A second run of a day finds nothing to do. Raises UsageError for an unknown trigger or pass."""
        self._usage.flush()
        return self._store.run(Memify(trigger, list(passes) if passes else None, force), progress)

    def categories(self, *, history: bool = False) -> Table:
        """Return what the memory is about: categories with their members and terms; with `history`, how they came to
        be."""
        return self._store.run(Categories(history))

    def feedback(self, id: str, verdict: str, reason: str = "") -> dict[str, str]:
        """Say that an item was "useful" or "wrong", and why. What is wrong leaves default search at once; `restore` or a later
        "useful" brings it back. Raises NotFound, UsageError for another verdict."""
        return self._store.run(Judge(self._browse.resolve(id), verdict, reason))

    def archive(self, id: str, same_as: str = "") -> dict[str, str]:
        """Put an item away: default search no longer finds it, the log and `show` keep it. With `same_as`, an item of the same
        kind that says the same, it is merged into that one, and its uses count there. `restore` undoes both. Raises NotFound,
        UsageError for two items that cannot be merged."""
        kept = same_as and self._browse.resolve(same_as)
        return self._store.run(SetAside(self._browse.resolve(id), away=True, same_as=kept))

    def restore(self, id: str) -> dict[str, str]:
        """Bring an item back from the archive; age alone never puts it there again. Raises NotFound."""
        return self._store.run(SetAside(self._browse.resolve(id), away=False))

    def schedule(self, *, scheduler: str | None = None, at: str = "04:30", write: str | Path | None = None) -> Plan:
        """Return the entry for cron, launchd or the Windows task scheduler that runs `memify` every day; written to a
        file where one is named. Raises UsageError for an unknown scheduler or time."""
        return self._keeping.schedule(scheduler, at, Path(write) if write else None)

    def used(
        self, *, shown: Sequence[str] = (), chosen: Sequence[str] = (), retrieved: Sequence[str] = (), session: str = ""
    ) -> None:
        """Note what of an answer was shown, opened, or found but not shown. Written in batches: it costs an answer nothing."""
        self._usage.note(shown=shown, chosen=chosen, retrieved=retrieved, session=session)

    def stats(self) -> dict[str, Any]:
        """Return counts of events, nodes, relations and items, and file sizes in bytes."""
        return self._keeping.stats()

    def health(self) -> dict[str, Any]:
        """Return the state of all files and projections, and recommendations if something is wrong."""
        return self._keeping.health()

    @property
    def damage_warning(self) -> str:
        """Return a sentence for who records, if the last `health` found the log damaged; otherwise ""."""
        return warn_of_damage(self._store)

    def bug_report(self) -> dict[str, Any]:
        """Return versions, platform, sizes, settings, states and errors, without any text of the user."""
        return self._keeping.bug_report()

    def follow_moved_log(self) -> None:
        """Continue with the log at its new place, if another process moved it (`graphmem move --log`). Who keeps a memory open for
        long calls this between two uses of it."""
        old = self._store
        if not old.is_log_moved:
            return
        log = load_settings(old.path).log
        if log.url == old.settings.log.url:  # it is being moved just now
            return
        old.close()
        self.__dict__.clear()
        type(self).__init__(self, old.reopen_with_log(log))

    def rebuild(self, *, accept_loss: bool = False, progress: Progress = quiet) -> ProcessReport:
        """Delete graph and indexes and rebuild them from the log. Raises StoreDamaged if the log is missing or lost its end,
        because they contain more then; with `accept_loss`, what the log lost is given up."""
        return self._store.run(Rebuild(accept_loss), progress)
