"""The facade `Memory`: an open store with one method per command. Each method is one call of a use case, without logic.
Methods that maintain a memory are inherited from `maintenance`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphmem import settings as settings_module
from graphmem.ask.asking import lead_if_asked
from graphmem.browse.pages import outbox_state
from graphmem.browse.whole_graph import read_whole_graph
from graphmem.errors import UsageError
from graphmem.finalizers import Cleanup, run_pending
from graphmem.maintenance import Maintenance
from graphmem.memify.pending import Pending
from graphmem.model.checked import check_argument, check_arguments
from graphmem.model.sources import MoveReport
from graphmem.operations.keeping import Export, Forget, Merge, MergeEntities, Supersede
from graphmem.operations.pipeline import Process, Project
from graphmem.operations.reading import IndexCode, Init
from graphmem.ports.callers import refuse_agents
from graphmem.ports.request import quiet
from graphmem.services.recording import record_memory, record_turns
from graphmem.text.keys import plain_citation

if TYPE_CHECKING:
    import threading

    from graphmem.code.reader import CodeReader
    from graphmem.ingest.capture import CaptureReport
    from graphmem.model.analytics import Analytics
    from graphmem.model.events import Event
    from graphmem.model.reports import InitReport
    from graphmem.model.results import Answer, Detail, SearchResult, TimelineEntry
    from graphmem.model.sources import ExchangeReport, ForgetReport, IndexReport, IngestReport, ProcessReport
    from graphmem.model.table import Table
    from graphmem.services.endless import Endless
    from graphmem.services.sources import SourcesService
    from graphmem.services.tree import Tree
    from graphmem.store import Store
    from graphmem.tasks.service import Tasks

Progress = Callable[[str, int], None]
Names = Sequence[str]
_MOST_FOLLOWED = 200  # new commits that a search records first; the owner records more of them in the background


def _close(usage: Pending, store: Store) -> None:
    usage.flush()
    store.close()


@check_arguments
class Memory(Maintenance):
    """An open memory store. Open it with `Memory.open`; close it, or use it as a context manager."""

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        self._closing = Cleanup(self, _close, self._usage, store)  # also runs on garbage collection and at exit
        store.represent(self)

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
        """Open the store in a directory, creating it if missing. Without a path, use the git repository that contains
        `around` (default: the working directory). `project` names the project of new events (default: the store's first
        project, or the name of the repository). `settings` override the settings file. One process owns the graph: this
        one, unless another already does. With `daemon`, a background process owns it, which outlives this one and exits
        when idle. Raises NotFound outside of a repository, UsageError for invalid settings."""
        from graphmem.store import Store, finish_interrupted_move, location

        check_argument("path", path, "str | Path | None")
        check_argument("project", project, "str | None")
        check_argument("settings", settings, "Mapping[str, Any] | None")
        run_pending()  # this store may have been garbage-collected a moment ago
        place = location.locate(path, settings_module.stores_home(), around)
        finish_interrupted_move(place.store)
        chosen = settings_module.load_settings(place.store, settings)
        return cls(Store(place.store, chosen, project, daemon=daemon, name=place.project))

    def __enter__(self) -> Memory:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def close(self) -> None:
        """Close all files. Pending work stays in the log; the next `process` completes it."""
        self._closing()

    @property
    def location(self) -> Path:
        """Return the directory of the store."""
        return self._store.path

    @property
    def project(self) -> str:
        """Return the project of new events."""
        return self._store.project

    @property
    def head(self) -> int:
        """Return the log position of the last event; it grows with every recorded event."""
        return self._store.log.head()

    # -- writing

    def init(
        self,
        root: str | Path = ".",
        *,
        sessions: str | Path | None = None,
        wait: bool = True,
        progress: Progress = quiet,
    ) -> InitReport:
        """Index the code and import history, documents and, if `sessions` is given, the transcripts in that folder.
        Processes everything and returns a report. Without `wait`, returns as soon as the code can be queried, with a report
        of the code only; the owner process goes on. Raises NotFound outside of a git repository, UsageError without `wait`
        if the store is opened without an owner process."""
        if not wait and not self._store.daemon:
            raise UsageError("only an owner process continues by itself: open the store with `daemon=True`")
        folder = Path(sessions).resolve() if sessions else None
        return self._store.run(Init(Path(root).resolve(), folder, wait), progress)

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
        """Record one turn and return its event id. With `ref` (the caller's own id) the same turn is recorded only once;
        without it, each call records a new turn. `at` defaults to now."""
        return self.observe_many(
            [{"content": content, "role": role, "session": session, "at": at, "ref": ref, "metadata": metadata}]
        )[0]

    def observe_many(self, turns: Iterable[Mapping[str, Any]]) -> list[str]:
        """Record turns (dictionaries with the arguments of `observe`) in one transaction; return their event ids."""
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
        once: str | None = None,
    ) -> str:
        """Record an explicit memory and return its event id. A later memory with the same `ref` replaces it. Without
        `ref`, an identical memory (without `at`) is not recorded again, unless it was forgotten in between. `evidence`
        are ids of the turns it follows from. `once` is a key of the caller:
        a call that is repeated with it records nothing. Raises UsageError for a kind that cannot be remembered."""
        return record_memory(
            self._store,
            content,
            kind=kind,
            title=title,
            tags=tags,
            files=files,
            at=at,
            ref=ref,
            evidence=evidence,
            once=once,
        )

    def ingest(
        self, source: str, target: str | Path | None = None, *, progress: Progress = quiet, **options: Any
    ) -> IngestReport:
        """Record the content of a source ("git", "sessions", "documents", "terminal", "tests", or "files", which detects
        the format of each file). Known content is skipped. `target` is a folder or file (default: the working directory).
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
        """Record command output as a snapshot. Without `output`, the command is executed first. Secrets are redacted;
        repetitions within a day are stored once. Raises UsageError if neither is given."""
        return self._sources.capture(command, output=output, exit_code=exit_code, cwd=cwd, session=session)

    def index_code(
        self,
        root: str | Path = ".",
        *,
        only: Sequence[str] | None = None,
        scip: str | Path | None = None,
        progress: Progress = quiet,
    ) -> IndexReport:
        """Build or update the code graph of a tree. Unchanged files are not parsed again. `only` lists the paths that may
        have changed, so that all others are skipped without a check. Also records new commits, if the history was imported.
        `scip` is an index that a compiler-based indexer made of
        the tree: its calls are certain and take precedence. Raises SourceError if it is none."""
        paths, compiled = None if only is None else list(only), None if scip is None else Path(scip).resolve()
        report = self._store.run(IndexCode(Path(root).resolve(), paths, compiled), progress)
        self._sources.follow_history(exact=True, progress=progress)
        return report

    def watch(
        self, root: str | Path = ".", *, stop: threading.Event | None = None
    ) -> Iterator[tuple[list[str], IndexReport]]:
        """Re-index files whenever they change. Yield the changed paths and the report of each batch, until `stop` (a
        threading.Event) is set."""
        return self._sources.watch(Path(root).resolve(), stop)

    def process(self, *, trigger: str | None = None, retry: bool = False, progress: Progress = quiet) -> ProcessReport:
        """Record new commits, if the history was imported, and complete all pending work: projections, derived facts,
        embeddings. Idempotent. With a `trigger` ("session_end", "post_commit", "test_failure", "task_completion", "daily"),
        only the steps for that trigger run. `retry` retries dead letters (see `health`)."""
        self._sources.follow_history(exact=True, progress=progress)
        return self._store.run(Process(trigger, retry), progress)

    def project_pending(self) -> None:
        """Make what was recorded visible in searches, lists and Cypher, without deriving anything from it: an owner process derives
        later, otherwise `process` does."""
        self._store.run(Project())

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
        waiting: bool = False,
    ) -> SearchResult:
        """Return the k best hits for a query, with calibrated confidence. `kinds` restricts the kinds ("turn", "fact",
        "document", "symbol", "commit", ...). `scope` is "session", "project" or "global", `as_of` a time in the past,
        `budget` the maximum tokens of the packed context. `archived` includes archived memories, `waiting` those that
        wait for approval (their `status` says so). `since` and `until`
        (half-open) and `min_score` filter before the k best are selected. The answer of an operation (who wrote X) comes
        first. Raises UsageError for k below 1, an empty query or an unknown kind."""
        self._store.retriever.check_request(query, k, kinds, budget)
        self._sources.follow_history(_MOST_FOLLOWED)
        found = self._store.retriever.search(
            query, k=k, kinds=kinds, session=session, scope=scope, project=self.project, as_of=as_of, budget=budget,
            archived=archived, since=since, until=until, min_score=min_score, waiting=waiting,
        )  # fmt: skip
        narrowed = kinds is not None or session or as_of or since or until
        return found if narrowed else lead_if_asked(query, found, self, budget)

    def ask(self, question: str, *, k: int = 5) -> Answer:
        """Answer a question in natural language: the evidence of the operation for its question type (callers, impact, tests, who
        introduced it, ...), the command for more, and the k best hits. Raises UsageError for an empty question."""
        from graphmem.ask.answer import answer_question

        search = self._store.retriever
        search.check_request(question, k)
        self._sources.follow_history(_MOST_FOLLOWED)
        return answer_question(question, self, lambda text: search.search(text, k=k, project=self.project))

    def timeline(self, ids: Sequence[str], window: int = 3) -> list[TimelineEntry]:
        """Return the turns around items in their sessions, in order. Raises NotFound if none of the items exists."""
        names = [self.meant(each) for each in ids]
        return self._browse.require(names, self._store.retriever.timeline(names, window))

    def details(self, ids: Sequence[str]) -> list[Detail]:
        """Return items in full, by id, ref or citation. Unknown ones are skipped. Raises NotFound if none exists."""
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
        """Run a read-only Cypher query in a separate process, with at most `limit` rows and `timeout` seconds (defaults
        in the settings). Dates, intervals and UUIDs are returned as text, timestamps as datetime. Raises ForbiddenQuery
        if the query is not read-only, QueryTimeout, QueryStopped if it needs too much memory or crashes the engine."""
        return self._browse.cypher(query, params, limit=limit, timeout=timeout)

    def query(self, name: str, params: Mapping[str, Any] | None = None, *, limit: int | None = None) -> Table:
        """Run a named query (listed by `schema`)."""
        return self._browse.query(name, params, limit=limit)

    def neighbours(self, id: str, depth: int = 1, kinds: Sequence[str] | None = None) -> Table:
        """Return the nodes within `depth` steps (1 to 3) of a node, given by id or any name that `show` accepts. Raises
        NotFound."""
        return self._browse.neighbours(id, depth, kinds)

    def path(self, a: str, b: str, only: Sequence[str] = ()) -> Table:
        """Return a shortest path between two nodes over all types of relations, or over those in `only`. Names as in
        `show`. Raises NotFound, UsageError for an unknown type."""
        return self._browse.path(a, b, only)

    def show(self, id: str) -> dict[str, Any]:
        """Return an item with all its relations, by node id, ref, citation, commit hash, path or symbol name. Raises
        NotFound."""
        return self._browse.show(id)

    def schema(self) -> dict[str, Any]:
        """Return labels, relations, properties and the named queries."""
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
        """Return the newest events, newest last, between two positions of the log (exclusive)."""
        return self._browse.history(session=session, types=types, limit=limit, before=before, after=after)

    def event(self, id: str) -> Event:
        """Return one event by its id. Raises NotFound, also for one that was forgotten."""
        return self._browse.event(id)

    def activity(self, *, days: int = 90) -> Table:
        """Return how many events of each type there were on each of the last days: columns day, type, events."""
        return self._browse.activity(days)

    def analytics(self, *, days: int = 30) -> Analytics:
        """Return what hooks injected and what came of it, repeated failures, knowledge by area, and memories that may be junk."""
        return self._browse.analytics(days)

    def sessions(self, *, page: int = 1, page_size: int = 20) -> dict[str, Any]:
        """Return a page of the sessions, those with the newest turns first, and how many there are."""
        return self._browse.sessions(page, page_size)

    def session(self, ref: str, *, page: int = 1, page_size: int = 50) -> dict[str, Any]:
        """Return one session with a page of its turns. Raises NotFound."""
        return self._browse.session(ref, page, page_size)

    def around(
        self, ids: Names = (), *, relations: Names | None = None, limit: int = 500, without: Names = ()
    ) -> dict[str, Any]:
        """Return a drawing of these nodes, or of what ties the memory together, without these labels. Raises NotFound."""
        return self._browse.around(ids, relations, limit, without)

    def whole_graph(self, *, limit: int = 100_000, without: Names = ()) -> dict[str, Any]:
        """Return all nodes and relations for a drawing, in columns, without these labels; `total` says how many there are."""
        return read_whole_graph(self._store.graph, limit, without)

    def outbox(self) -> dict[str, Any]:
        """Return how much waits for its vectors, and how far each projection got."""
        return outbox_state(self._store)

    def meant(self, name: str) -> str:
        """Return the id, ref or citation of an item, also where the id is that which writing it returned."""
        return self._browse.resolve(name)

    @property
    def tasks(self) -> Tasks:
        """Tasks, blockers and conditions."""
        self._store.check_log_lineage()
        return self._store.tasks

    @cached_property
    def _sources(self) -> SourcesService:
        from graphmem.services.sources import SourcesService

        return SourcesService(self._store)

    @cached_property
    def code(self) -> CodeReader:
        """Callers, impact, text search, history and more, for the most recently indexed tree."""
        from graphmem.code.reader import CodeReader

        return CodeReader(self._store, lambda root: self._store.run(IndexCode(root)))

    @cached_property
    def tree(self) -> Tree:
        """Return the memory tree of long conversations: index, read, search, retrieve."""
        from graphmem.services.tree import Tree

        return Tree(self._store)

    @cached_property
    def endless(self) -> Endless:
        """Endless mode, one memory across sessions: enable, disable, status, consolidate."""
        from graphmem.services.endless import Endless

        return Endless(self._store)

    # -- keeping (`Maintenance` has the rest)

    def supersede(self, old: str, new: str, *, undo: bool = False) -> str:
        """Mark the fact `old` as superseded by `new` (ids, refs or citations). It stays in the graph, but is no longer
        returned as current. `undo` withdraws this: a contradiction is open again. If nobody had decided it, `undo` records
        that it was not superseded, even if the rules say so. Return the event id. Raises NotFound."""
        return self._store.run(Supersede(self.meant(old), self.meant(new), undo))

    def merge_entities(self, merged: str, kept: str, *, reason: str = "", undo: bool = False) -> str:
        """Record that the entity `merged` (id or name) is the same thing as `kept`: searches for one name find the other, and
        the pages of both show what mentions either. With `undo`, record that they differ. Return the event id. Raises
        NotFound, UsageError."""
        return self._store.run(MergeEntities(merged, kept, reason, undo))

    def forget(
        self,
        id: str | None = None,
        *,
        session: str | None = None,
        before: datetime | None = None,
        project: str | None = None,
        account: str | None = None,
        purge: bool = False,
        reason: str = "",
        progress: Progress = quiet,
    ) -> ForgetReport:
        """Forget an item (by id, ref or citation), a session, everything before a time, a project, or what an account of a
        shared server wrote: it disappears from all answers at once. With `purge`, its bytes are also erased from disk. The
        receipt keeps the reason, but not of a purge. Raises NotFound if nothing matches."""
        asked = Forget(id and plain_citation(id), session, before, project, purge, reason, account)
        return self._store.run(asked, progress)

    def export(self, path: str | Path, *, format: str = "log") -> ExchangeReport:
        """Export the store: the log as JSON lines (for `merge`), or the graph as "graphml", "jsonld", "parquet" (a
        folder) or "markdown". Raises UsageError for any other format."""
        return self._store.run(Export(Path(path).absolute(), format))

    def merge(
        self, path: str | Path, *, trust: bool = False, same_project: bool = False, progress: Progress = quiet
    ) -> ExchangeReport:
        """Merge a log exported on another machine. Idempotent; the order of merges does not matter. With `trust`, you
        vouch for that machine, also for what was merged before: what a person said there counts as said here. Otherwise
        its content is found, but makes no rule, decision or task. With `same_project`, its projects count as this one; without
        it, only the project of a trusted log of the same repository does."""
        return self._store.run(Merge(Path(path).resolve(), trust, same_project), progress)

    def move(
        self,
        url: str | Path | None = None,
        *,
        engine: str | None = None,
        log: str | None = None,
        progress: Progress = quiet,
    ) -> MoveReport:
        """Move the store to another folder (a path or a `file:` URL) and leave a link at the old location; or rebuild its
        graph with another engine; or move its `log` to a PostgreSQL server (its URL), or back ("local"). This memory continues
        with the result. Raises UsageError for an unusable target, StoreBusy while another program has the graph open."""
        target = self._keeping.destination(self.location, url, engine, log)
        self._usage.flush()
        old, place, events = self._store, self.location, self.head
        try:
            if engine:
                done = old.change_engine(engine, progress)
            else:
                done = old.move(target, log and log.removesuffix("local"), progress)
            place = target
        finally:  # if the move failed, this memory continues as it was
            self.__dict__.clear()
            Memory.__init__(self, old.reopen(place))
        copied, compared = (0, done) if engine or log else (done, 0)
        where = self._store.log.location if log else ""
        return MoveReport(str(old.path.absolute()), str(target), events, copied, engine or "", compared, where)

    def config(self) -> list[settings_module.SettingEntry]:
        """Return all settings with value, default and bounds."""
        return settings_module.list_entries(self._store.settings)

    def configure(self, changes: Mapping[str, Any]) -> list[settings_module.SettingEntry]:
        """Write settings (dotted keys) to the store's `settings.toml`; None restores a default. `approval.required` applies at
        once, others when the store is next opened. Raises UsageError, and writes nothing, for an invalid setting."""
        if settings_module.APPROVAL in changes:  # who switches it off releases all that waits
            refuse_agents(f"change the setting {settings_module.APPROVAL}")
        saved = settings_module.save_settings(self._store.path, changes)
        if settings_module.APPROVAL in changes:
            self._store.recorder.require_approval(saved.approval.required)
        return settings_module.list_entries(saved)
