"""The facade: a store that is opened, written to and asked. One method a verb, each one call of a use case; nothing here
decides anything."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphmem import settings as settings_module
from graphmem.ask.asking import lead_if_asked
from graphmem.finalizers import Cleanup, run_pending
from graphmem.memify.pending import Pending
from graphmem.model.checked import check_argument, check_arguments
from graphmem.model.sources import MoveReport
from graphmem.operations.evolution import Categories, Judge, Memify, SetAside
from graphmem.operations.keeping import Export, Forget, Merge, Supersede
from graphmem.operations.pipeline import Process, Rebuild
from graphmem.operations.reading import IndexCode, Init
from graphmem.ports.request import quiet
from graphmem.services.recording import record_memory, record_turns
from graphmem.text.keys import plain_citation

if TYPE_CHECKING:
    import threading

    from graphmem.ask.answer import Answer
    from graphmem.code.reader import CodeReader
    from graphmem.evolution.schedule import Plan
    from graphmem.ingest.capture import CaptureReport
    from graphmem.model.events import Event
    from graphmem.model.reports import InitReport, MemifyReport
    from graphmem.model.results import Detail, SearchResult, TimelineEntry
    from graphmem.model.sources import ExchangeReport, ForgetReport, IndexReport, IngestReport, ProcessReport
    from graphmem.model.table import Table
    from graphmem.services.browse import BrowseService
    from graphmem.services.endless import Endless
    from graphmem.services.keeping import KeepingService
    from graphmem.services.sources import SourcesService
    from graphmem.services.tree import Tree
    from graphmem.store import Store
    from graphmem.tasks.service import Tasks

Progress = Callable[[str, int], None]


def _close(usage: Pending, store: Store) -> None:
    if os.getpid() == store.process:  # a fork that took nothing over has nothing to close
        usage.flush()
        store.close()


@check_arguments
class Memory:
    """A store of memory. Open it with `Memory.open`; close it, or use it as a context manager."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._usage = Pending(store)
        self._closing = Cleanup(self, _close, self._usage, store)  # also where it is dropped, or the program ends
        store.on_fork = self._usage.drop

    @classmethod
    def open(
        cls,
        path: str | Path | None = None,
        *,
        project: str | None = None,
        settings: Mapping[str, Any] | None = None,
        daemon: bool = False,
        around: str | Path | None = None,
    ) -> Memory:
        """Open the store in a directory, created if missing; without a path, that of the git repository around the
        folder `around` (default: the working directory). `project` names what is recorded (default: what the store was
        first opened for, or the repository's name); `settings` override the store's settings file. The graph is owned
        by one process: this one, unless another is already; with `daemon`, a background process that outlives this one
        and ends when idle. Raises NotFound outside of a repository, UsageError for a wrong setting."""
        from graphmem.store import Store, finish_interrupted_move, location

        check_argument("path", path, "str | Path | None")
        check_argument("project", project, "str | None")
        check_argument("settings", settings, "Mapping[str, Any] | None")
        run_pending()  # this store may have been dropped a moment ago
        place = location.locate(path, settings_module.stores_home(), around)
        finish_interrupted_move(place.store)
        chosen = settings_module.load_settings(place.store, settings)
        return cls(Store(place.store, chosen, project, daemon=daemon, name=place.project))

    def __enter__(self) -> Memory:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def close(self) -> None:
        """Release every file. Pending work stays in the log and is done by the next `process`."""
        self._closing()

    @property
    def location(self) -> Path:
        """The directory of the store."""
        return self._store.path

    @property
    def project(self) -> str:
        """The project that new events belong to."""
        return self._store.project

    @property
    def head(self) -> int:
        """The position of the last event: it grows with everything that is recorded."""
        return self._store.log.head()

    # -- writing

    def init(
        self, root: str | Path = ".", *, sessions: str | Path | None = None, progress: Progress = quiet
    ) -> InitReport:
        """Everything that can be known of a repository: code, history, documents and, where a folder is named, the
        transcripts in it; processed, with a report. Raises NotFound outside of a git repository."""
        return self._store.run(Init(Path(root).resolve(), Path(sessions).resolve() if sessions else None), progress)

    def observe(
        self,
        content: str,
        *,
        role: str = "user",
        session: str = "default",
        at: datetime | None = None,
        ref: str | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> str:
        """Record one raw turn and return the id of its event. With a `ref` (the caller's own id) the same turn is
        recorded once; without, each call is a turn of its own. `at` defaults to now."""
        return self.observe_many(
            [{"content": content, "role": role, "session": session, "at": at, "ref": ref, "metadata": metadata}]
        )[0]

    def observe_many(self, turns: Iterable[Mapping[str, Any]]) -> list[str]:
        """Record turns (dictionaries with the arguments of `observe`) in one transaction; returns their ids."""
        return record_turns(self._store, turns)

    def remember(
        self,
        content: str,
        *,
        kind: str = "fact",
        title: str | None = None,
        tags: Sequence[str] = (),
        files: Sequence[str] = (),
        at: datetime | None = None,
        ref: str | None = None,
        evidence: Sequence[str] = (),
    ) -> str:
        """Record an explicit memory and return the id of its event. A later one with the same `ref` replaces it; without
        one, the very same memory said again (of no stated time) stays one, unless it was forgotten in between.
        `evidence` are ids of turns it follows from. Raises UsageError for a kind that cannot be remembered."""
        return record_memory(
            self._store, content, kind=kind, title=title, tags=tags, files=files, at=at, ref=ref, evidence=evidence
        )

    def ingest(
        self, source: str, target: str | Path | None = None, *, progress: Progress = quiet, **options: Any
    ) -> IngestReport:
        """Record what a source holds ("git", "sessions", "documents", "terminal", "tests", or "files": each file as what it
        is); what is known already is not recorded again. `target` is a folder or file, default the working directory.
        Call `process` afterwards."""
        return self._sources.ingest(source, Path(target or "."), options, progress)

    def capture(
        self,
        command: str | Sequence[str] | None = None,
        *,
        output: str | None = None,
        exit_code: int | None = None,
        cwd: str | None = None,
        session: str = "",
    ) -> CaptureReport:
        """Keep what a command printed as a snapshot; without `output` the command is run first. Secrets are hidden,
        repeats of a day are one. Raises UsageError where there is neither."""
        return self._sources.capture(command, output=output, exit_code=exit_code, cwd=cwd, session=session)

    def index_code(
        self, root: str | Path = ".", *, only: Sequence[str] | None = None, progress: Progress = quiet
    ) -> IndexReport:
        """Build the code graph of a tree, or bring it up to date: unchanged files are not parsed again. `only` names the
        paths that may have changed, so that the rest is not even looked at."""
        return self._store.run(IndexCode(Path(root).resolve(), None if only is None else list(only)), progress)

    def watch(
        self, root: str | Path = ".", *, stop: threading.Event | None = None
    ) -> Iterator[tuple[list[str], IndexReport]]:
        """Index files again whenever they settle after a change; yields the changed paths and the report of each batch
        until `stop` (a threading.Event) is set."""
        return self._sources.watch(Path(root).resolve(), stop)

    def process(self, *, trigger: str | None = None, retry: bool = False, progress: Progress = quiet) -> ProcessReport:
        """Do everything pending: project, derive, conclude, embed. Idempotent. With a `trigger` ("session_end",
        "post_commit", "test_failure", "task_completion", "daily"), only what it stands for is derived. `retry` tries
        again what the steps had given up (see `health`)."""
        return self._store.run(Process(trigger, retry), progress)

    # -- reading

    def search(
        self,
        query: str,
        *,
        k: int = 10,
        kinds: Sequence[str] | None = None,
        session: str | None = None,
        scope: str = "project",
        as_of: datetime | None = None,
        budget: int | None = None,
        archived: bool = False,
        since: datetime | None = None,
        until: datetime | None = None,
        min_score: float = 0.0,
    ) -> SearchResult:
        """The k best hits for a question, with honest confidence. `kinds` restricts what is found ("turn", "fact",
        "document", "symbol", "commit", ...), `scope` is "session", "project" or "global", `as_of` shows the memory as
        it was, `budget` packs a context of at most so many tokens, `archived` looks into the archive, too. `since` and
        `until` (half-open) and `min_score` leave out hits before the best k are taken and the context is packed. What an
        operation answers (who wrote X) leads. Raises UsageError for a k below 1, an empty query and an unknown kind."""
        self._store.retriever.check_request(query, k, kinds, budget)
        found = self._store.retriever.search(
            query, k=k, kinds=kinds, session=session, scope=scope, project=self.project, as_of=as_of, budget=budget,
            archived=archived, since=since, until=until, min_score=min_score,
        )  # fmt: skip
        narrowed = kinds is not None or session or as_of or since or until
        return found if narrowed else lead_if_asked(query, found, self, budget)

    def ask(self, question: str, *, k: int = 5) -> Answer:
        """Answer a question in words: the evidence of the operation that its type names (callers, impact, tests, who
        introduced it, ...), the command for the rest, and the k best hits. Raises UsageError for an empty question."""
        from graphmem.ask.answer import answer_question

        search = self._store.retriever
        search.check_request(question, k)
        return answer_question(question, self, lambda text: search.search(text, k=k, project=self.project))

    def timeline(self, ids: Sequence[str], window: int = 3) -> list[TimelineEntry]:
        """What was said around these items in their sessions, in order. Raises NotFound where none of them is known."""
        names = [self.meant(each) for each in ids]
        return self._browse.require(names, self._store.retriever.timeline(names, window))

    def details(self, ids: Sequence[str]) -> list[Detail]:
        """These items (ids, refs or citations) in full, unknown ones left out. Raises NotFound where none is known."""
        names = [self.meant(each) for each in ids]
        return self._browse.require(names, self._store.retriever.details(names))

    def cypher(
        self,
        query: str,
        params: Mapping[str, Any] | None = None,
        *,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> Table:
        """Run a read-only Cypher query in a process of its own. At most `limit` rows and `timeout` seconds (defaults in the
        settings). Dates, intervals and UUIDs come as text, timestamps as datetime. Raises ForbiddenQuery for anything that
        is not reading, QueryTimeout, and QueryStopped where it takes too much memory or breaks the graph engine."""
        return self._browse.cypher(query, params, limit=limit, timeout=timeout)

    def query(self, name: str, params: Mapping[str, Any] | None = None, *, limit: int | None = None) -> Table:
        """Run one of the named queries that `schema` lists."""
        return self._browse.query(name, params, limit=limit)

    def neighbours(self, id: str, depth: int = 1, kinds: Sequence[str] | None = None) -> Table:
        """The nodes within `depth` steps (at most 3) of a node: an id, or whatever `show` understands. Raises NotFound."""
        return self._browse.neighbours(id, depth, kinds)

    def path(self, a: str, b: str) -> Table:
        """A shortest path between two nodes, whatever its relations. Names are those of `show`. Raises NotFound."""
        return self._browse.path(a, b)

    def show(self, id: str) -> dict[str, Any]:
        """Everything about one thing: a node by id, or what a ref, a citation, a commit hash, a path or the name of a
        symbol means. Raises NotFound."""
        return self._browse.show(id)

    def schema(self) -> dict[str, Any]:
        """Labels, relations and properties of the graph, and the named queries."""
        return self._browse.schema()

    def history(
        self,
        *,
        session: str | None = None,
        types: Sequence[str] | None = None,
        limit: int = 50,
        before: int | None = None,
        after: int = 0,
    ) -> list[Event]:
        """The newest events, newest last, between two positions of the log (exclusive)."""
        return self._browse.history(session=session, types=types, limit=limit, before=before, after=after)

    def event(self, id: str) -> Event:
        """One event by its id. Raises NotFound, also for one that was forgotten."""
        return self._browse.event(id)

    def activity(self, *, days: int = 90) -> Table:
        """How many events of each type there were on each of the last days: columns day, type, events."""
        return self._browse.activity(days)

    def sessions(self, *, page: int = 1, page_size: int = 20) -> dict[str, Any]:
        """A page of the sessions, those with the newest turns first, and how many there are."""
        return self._browse.sessions(page, page_size)

    def session(self, ref: str, *, page: int = 1, page_size: int = 50) -> dict[str, Any]:
        """One session with a page of its turns. Raises NotFound."""
        return self._browse.session(ref, page, page_size)

    def around(
        self, ids: Sequence[str] = (), *, relations: Sequence[str] | None = None, limit: int = 500
    ) -> dict[str, Any]:
        """Nodes and relations for a drawing of these nodes; without ids, of what ties the memory together. Raises NotFound."""
        return self._browse.around(ids, relations, limit)

    def outbox(self) -> dict[str, Any]:
        """How much waits for its vectors, and how far each projection got."""
        return self._browse.outbox()

    def meant(self, name: str) -> str:
        """The id, ref or citation of an item, also where the id is that which writing it returned."""
        return self._browse.resolve(name)

    @property
    def tasks(self) -> Tasks:
        """Tasks, blockers and conditions."""
        self._store.recognise()
        return self._store.tasks

    @cached_property
    def _browse(self) -> BrowseService:
        from graphmem.services.browse import BrowseService

        return BrowseService(self._store)

    @cached_property
    def _sources(self) -> SourcesService:
        from graphmem.services.sources import SourcesService

        return SourcesService(self._store)

    @cached_property
    def _keeping(self) -> KeepingService:
        from graphmem.services.keeping import KeepingService

        return KeepingService(self._store)

    @cached_property
    def code(self) -> CodeReader:
        """Callers, impact, text, history and the like, of the tree that was indexed last."""
        from graphmem.code.reader import CodeReader

        return CodeReader(self._store)

    @cached_property
    def tree(self) -> Tree:
        """The memory tree of long conversations: index, read, search, retrieve."""
        from graphmem.services.tree import Tree

        return Tree(self._store)

    @cached_property
    def endless(self) -> Endless:
        """One memory across sessions: enable, disable, status, consolidate."""
        from graphmem.services.endless import Endless

        return Endless(self._store)

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
        """What the memory is about: categories with their members and terms; with `history`, how they came to be."""
        return self._store.run(Categories(history))

    def feedback(self, id: str, verdict: str) -> dict[str, str]:
        """Say that an item was "useful" or "wrong". What is wrong leaves default search at once; `restore` or a later "useful"
        brings it back. Raises NotFound, UsageError for another verdict."""
        return self._store.run(Judge(self.meant(id), verdict))

    def archive(self, id: str) -> dict[str, str]:
        """Put an item away: default search no longer finds it, the log and `show` keep it. Raises NotFound."""
        return self._store.run(SetAside(self.meant(id), away=True))

    def restore(self, id: str) -> dict[str, str]:
        """Bring an item back from the archive; age alone never puts it there again. Raises NotFound."""
        return self._store.run(SetAside(self.meant(id), away=False))

    def schedule(self, *, scheduler: str | None = None, at: str = "04:30", write: str | Path | None = None) -> Plan:
        """The entry for cron, launchd or the Windows task scheduler that runs `memify` every day; written to a file where one
        is named. Raises UsageError for an unknown scheduler or time."""
        return self._keeping.schedule(scheduler, at, Path(write) if write else None)

    def used(
        self, *, shown: Sequence[str] = (), chosen: Sequence[str] = (), retrieved: Sequence[str] = (), session: str = ""
    ) -> None:
        """Note what of an answer was shown, opened, or found but not shown. Written in batches: it costs an answer nothing."""
        self._usage.note(shown=shown, chosen=chosen, retrieved=retrieved, session=session)

    def review(self, *, limit: int = 50, every: bool = False) -> Table:
        """What is withheld from agents because it gives them orders, newest first, with its origin and the reasons; with
        `every`, also what was allowed or denied."""
        return self._keeping.review(limit=limit, every=every)

    def allow(self, id: str) -> dict[str, str]:
        """Let agents see something that was withheld (an event, item or citation). Raises NotFound."""
        return self._keeping.decide(plain_citation(id), allowed=True)

    def deny(self, id: str) -> dict[str, str]:
        """Never show something to an agent (an event, item or citation), whatever it says. Raises NotFound."""
        return self._keeping.decide(plain_citation(id), allowed=False)

    # -- keeping

    def supersede(self, old: str, new: str, *, undo: bool = False) -> str:
        """Say that the fact `new` replaced the fact `old` (ids, refs or citations): it stays in the graph, but is no
        longer told. With `undo`, that it did not, whatever the rules conclude. Returns the id of the event. Raises
        NotFound."""
        return self._store.run(Supersede(self.meant(old), self.meant(new), undo))

    def forget(
        self,
        id: str | None = None,
        *,
        session: str | None = None,
        before: datetime | None = None,
        project: str | None = None,
        purge: bool = False,
    ) -> ForgetReport:
        """Forget one thing (by id, ref or citation), a session, everything before a time, or a project: gone from every
        answer at once. With `purge` the contents are erased from the files, too. Raises NotFound where nothing
        matches."""
        return self._store.run(Forget(id and plain_citation(id), session, before, project, purge))

    def export(self, path: str | Path, *, format: str = "log") -> ExchangeReport:
        """Write the store to a file: the whole log as JSON lines, which `merge` takes in, or the graph as "graphml",
        "jsonld", "parquet" (a folder) or "markdown". Raises UsageError for another form."""
        return self._store.run(Export(Path(path).absolute(), format))

    def merge(self, path: str | Path, *, progress: Progress = quiet) -> ExchangeReport:
        """Take in the exported log of another machine. Idempotent, in any order."""
        return self._store.run(Merge(Path(path).resolve()), progress)

    def move(self, url: str | Path) -> MoveReport:
        """Move the store to another folder (a path or a `file:` URL), also of another disk; this memory goes on there, and
        a link at the old place leads everyone else. Raises UsageError for any other URL and for a place that is taken,
        StoreBusy while another program has the graph open."""
        target = self._keeping.destination(url)
        self._usage.flush()
        old, place, events = self._store, self.location, self.head
        try:
            copied = old.move(target)
            place = target
        finally:  # where it could not be moved, this memory goes on where it is
            self.__dict__.clear()
            Memory.__init__(self, old.reopen(place))
        return MoveReport(str(old.path.absolute()), str(target), events, copied)

    def config(self) -> list[settings_module.SettingEntry]:
        """Every setting with its value, default and bounds."""
        return settings_module.list_entries(self._store.settings)

    def configure(self, changes: Mapping[str, Any]) -> list[settings_module.SettingEntry]:
        """Write settings (dotted keys) to the store's `settings.toml`; None brings a default back. They hold from the next
        opening on. Raises UsageError for a wrong one, and then writes nothing."""
        return settings_module.list_entries(settings_module.save_settings(self._store.path, changes))

    def stats(self) -> dict[str, Any]:
        """Counts of events, nodes, relations and items, and sizes in bytes."""
        return self._keeping.stats()

    def health(self) -> dict[str, Any]:
        """Whether every file is sound and every projection up to date, and what to do where not."""
        return self._keeping.health()

    def rebuild(self, *, progress: Progress = quiet) -> ProcessReport:
        """Throw away graph and indexes and make them again from the log."""
        return self._store.run(Rebuild(), progress)
