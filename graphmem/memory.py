"""The facade `Memory`: an open store with one method per command. Each method is one call of a use case, without logic."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from graphmem import settings as settings_module
from graphmem.errors import UsageError
from graphmem.finalizers import Cleanup, run_pending
from graphmem.memify.pending import Pending
from graphmem.model.bounds import seconds_to_time
from graphmem.model.checked import check_argument, check_arguments, storable_metadata
from graphmem.model.events import Draft
from graphmem.model.kinds import REMEMBERABLE
from graphmem.operations.keeping import Export, Forget, Merge, Supersede
from graphmem.operations.pipeline import Process, Rebuild
from graphmem.operations.reading import IndexCode, Init
from graphmem.ports.request import quiet
from graphmem.services.browse import BrowseService
from graphmem.services.evolution import EvolutionService, plain_citation, require_found
from graphmem.services.review import ReviewService
from graphmem.store import Store, finish_interrupted_move

if TYPE_CHECKING:
    import threading

    from graphmem.ask.answer import Answer
    from graphmem.code.reader import CodeReader
    from graphmem.ingest.capture import CaptureReport
    from graphmem.model.results import Detail, SearchResult, TimelineEntry
    from graphmem.model.sources import (
        ExchangeReport,
        ForgetReport,
        IndexReport,
        IngestReport,
        MoveReport,
        ProcessReport,
    )
    from graphmem.model.table import Table
    from graphmem.operations.init import InitReport
    from graphmem.services.endless import Endless
    from graphmem.services.tree import Tree
    from graphmem.tasks.service import Tasks

_TURN_TYPES = {"assistant": "agent_response", "tool": "tool_observation"}
_TURN = {"content": "str | None", "role": "str | None", "session": "str | None", "at": "datetime | None", "ref": "str | None",
         "metadata": "Mapping[str, Any] | None"}  # fmt: skip
ROLES = ("user", "assistant", "tool", "system")
Progress = Callable[[str, int], None]


def _digest(payload: Mapping[str, Any]) -> str:
    """Return the digest of a payload."""
    return hashlib.sha256(json.dumps(payload, sort_keys=True, default=str).encode("utf-8", "replace")).hexdigest()[:32]


def _close(usage: Pending, store: Store) -> None:
    if os.getpid() == store.process:  # a fork that inherited nothing has nothing to close
        usage.flush()
        store.close()


@check_arguments
class Memory(EvolutionService, BrowseService, ReviewService):
    """An open memory store. Open it with `Memory.open`; close it, or use it as a context manager."""

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        self._store = store
        self._closing = Cleanup(self, _close, self._usage, store)  # also runs on garbage collection and at exit
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
        """Open the store in a directory, creating it if missing. Without a path, use the git repository that contains
        `around` (default: the working directory). `project` names the project of new events (default: the store's first
        project, or the name of the repository). `settings` override the settings file. One process owns the graph: this
        one, unless another already does. With `daemon`, a background process owns it, which outlives this one and exits
        when idle. Raises NotFound outside of a repository, UsageError for invalid settings."""
        from graphmem.store import location

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

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
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
        self, root: str | Path = ".", *, sessions: str | Path | None = None, progress: Progress = quiet
    ) -> InitReport:
        """Index the code and import history, documents and, if `sessions` is given, the transcripts in that folder.
        Processes everything and returns a report. Raises NotFound outside of a git repository."""
        folder = Path(sessions).resolve() if sessions else None
        return self._store.run(Init(Path(root).resolve(), folder), progress)

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
        drafts = []
        for turn in turns:
            check_argument("each turn", turn, "Mapping[str, Any]")
            unknown = turn.keys() - _TURN.keys()
            for name, annotation in _TURN.items():
                check_argument(name, turn.get(name), annotation)
            if unknown or not (turn.get("content") or "").strip():
                raise UsageError(f"a turn needs the text `content`{f', not {sorted(unknown)}' if unknown else ''}")
            if (turn.get("role") or "user") not in ROLES:
                raise UsageError(f"`{turn['role']}` is not a role: choose one of {', '.join(ROLES)}", role=turn["role"])
            drafts.append(self._turn(**turn))
        return [appended.id for appended in self._store.recorder.record(drafts)] if drafts else []

    def _turn(
        self,
        content: str,
        role: str | None = None,
        session: str | None = None,
        at: datetime | None = None,
        ref: str | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> Draft:
        role, session = role or "user", session or "default"
        payload = {**storable_metadata(metadata), "role": role, "content": content, "ref": ref or ""}
        key = f"turn:{self.project}:{session}:{role}:{ref}" if ref else None
        return Draft(_TURN_TYPES.get(role, "user_prompt"), payload, self._micro(at), session, self.project, role, key)

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
        """Record an explicit memory and return its event id. A later memory with the same `ref` replaces it. Without
        `ref`, an identical memory (without `at`) is not recorded again, unless it was forgotten in between. `evidence`
        are ids of the turns it follows from. Raises UsageError for a kind that cannot be remembered."""
        if not content.strip():
            raise UsageError("nothing to remember: the text is empty")
        if kind not in REMEMBERABLE:
            raise UsageError(f"`{kind}` cannot be remembered: choose one of {', '.join(REMEMBERABLE)}", kind=kind)
        payload = {"content": content, "kind": kind, "title": title or "", "tags": list(tags), "files": list(files),
                   "ref": ref or "", "evidence": list(evidence)}  # fmt: skip
        same = None if ref or at else f"memory:{self.project}:{_digest(payload)}"
        draft = Draft("memory_remembered", payload, self._micro(at), "", self.project, "user", same)
        appended = self._store.recorder.record([draft])[0]
        if appended.outcome == "forgotten":  # intentionally remembered again
            appended = self._store.recorder.record([replace(draft, dedupe_key=None)])[0]
        return appended.id

    def ingest(
        self, source: str, target: str | Path | None = None, *, progress: Progress = quiet, **options: Any
    ) -> IngestReport:
        """Record the content of a source ("git", "sessions", "documents", "terminal", "tests", or "files", which detects
        the format of each file). Known content is skipped. `target` is a folder or file (default: the working directory).
        Call `process` afterwards."""
        from graphmem.ingest.record import ingest_source

        return ingest_source(
            self._store, source, Path(target or "."), options, progress, lambda: self._store.run(Process())
        )

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
        from graphmem.ingest.capture import capture

        return capture(self._store, command, output=output, exit_code=exit_code, cwd=cwd, session=session)

    def index_code(
        self, root: str | Path = ".", *, only: Sequence[str] | None = None, progress: Progress = quiet
    ) -> IndexReport:
        """Build or update the code graph of a tree. Unchanged files are not parsed again. `only` lists the paths that may
        have changed, so that all others are skipped without a check."""
        files = None if only is None else list(only)
        return self._store.run(IndexCode(Path(root).resolve(), files), progress)

    def watch(
        self, root: str | Path = ".", *, stop: threading.Event | None = None
    ) -> Iterator[tuple[list[str], IndexReport]]:
        """Re-index files whenever they change. Yield the changed paths and the report of each batch, until `stop` (a
        threading.Event) is set."""
        from graphmem.ingest.watch import watch_tree

        base = Path(root).resolve()
        self.index_code(base)
        return watch_tree(base, lambda changed: self.index_code(base, only=changed), stop)

    def process(self, *, trigger: str | None = None, retry: bool = False, progress: Progress = quiet) -> ProcessReport:
        """Complete all pending work: projections, derived facts, embeddings. Idempotent. With a `trigger` ("session_end",
        "post_commit", "test_failure", "task_completion", "daily"), only the steps for that trigger run. `retry` retries
        dead letters (see `health`)."""
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
        """Return the k best hits for a query, with calibrated confidence. `kinds` restricts the kinds ("turn", "fact",
        "document", "symbol", "commit", ...). `scope` is "session", "project" or "global", `as_of` a time in the past,
        `budget` the maximum tokens of the packed context. `archived` includes archived memories. `since` and `until`
        (half-open) and `min_score` filter before the k best are selected. Raises UsageError for k below 1, an empty query
        or an unknown kind."""
        if budget is not None and budget < 0:
            raise UsageError(f"budget must be at least 0 tokens, not {budget}", budget=budget)
        if k < 1:
            raise UsageError(f"k must be at least 1, not {k}", k=k)
        if not query.strip():
            raise UsageError("the query is empty: ask a question or name a symbol")
        self._store.retriever.check_kinds(kinds)
        return self._store.retriever.search(
            query, k=k, kinds=kinds, session=session, scope=scope, project=self.project, as_of=as_of, budget=budget,
            archived=archived,
            since=since, until=until, min_score=min_score,
        )  # fmt: skip

    def ask(self, question: str, *, k: int = 5) -> Answer:
        """Answer a question in natural language: the evidence of the operation for its question type (callers, impact,
        tests, who introduced it, ...), the command for more, and the k best hits. Raises UsageError for an empty
        question."""
        from graphmem.ask.answer import answer_question
        from graphmem.ask.operations import Sources

        return answer_question(question, Sources(self.code, self.tasks), lambda text: self.search(text, k=k))

    def timeline(self, ids: Sequence[str], window: int = 3) -> list[TimelineEntry]:
        """Return the turns around items in their sessions, in order. Raises NotFound if none of the items exists."""
        names = [self.meant(each) for each in ids]
        return require_found(names, self._store.retriever.timeline(names, window))

    def details(self, ids: Sequence[str]) -> list[Detail]:
        """Return items in full, by id, ref or citation. Unknown ones are skipped. Raises NotFound if none exists."""
        names = [self.meant(each) for each in ids]
        return require_found(names, self._store.retriever.details(names))

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
        from graphmem.model.table import Table
        from graphmem.text.cypher import check_read_only as verify

        verify(query, params or ())
        bounds = self._store.settings.graph
        for name, value in (("limit", limit), ("timeout", timeout)):
            if value is not None and not value > 0:
                raise UsageError(f"`{name}` must be greater than 0, not {value:g}", **{name: value})
        rows = self._store.graph.query_untrusted(
            query, params, limit=limit or bounds.query_rows, timeout=timeout or bounds.query_timeout_s
        )
        return Table(rows.columns, rows.rows, rows.truncated)

    def query(self, name: str, params: Mapping[str, Any] | None = None, *, limit: int | None = None) -> Table:
        """Run a named query (listed by `schema`)."""
        from graphmem.browse.named_queries import named_query
        from graphmem.model.table import Table

        query, bounds = named_query(name), self._store.settings.graph
        if limit is not None and limit <= 0:
            raise UsageError(f"`limit` must be greater than 0, not {limit}", limit=limit)
        text, arguments = self._store.settings.types.fitted(query.text), query.arguments(params or {})
        rows = self._store.graph.query(
            text, arguments, limit=limit or bounds.query_rows, timeout=bounds.query_timeout_s
        )
        return Table(rows.columns, rows.rows, rows.truncated)

    def neighbours(self, id: str, depth: int = 1, kinds: Sequence[str] | None = None) -> Table:
        """Return the nodes within `depth` steps (1 to 3) of a node, given by id or any name that `show` accepts. Raises
        NotFound."""
        from graphmem.browse import explore

        node = explore.resolve_node(self._store.graph, self._store.text, self.meant(id))
        return explore.neighbours_of(self._store.graph, node, depth, kinds)

    def path(self, a: str, b: str) -> Table:
        """Return a shortest path between two nodes over all relation types. Names as in `show`. Raises NotFound."""
        from graphmem.browse import explore

        graph, text = self._store.graph, self._store.text
        return explore.shortest_path(
            graph, text, *(explore.resolve_node(graph, text, self.meant(each)) for each in (a, b))
        )

    def show(self, id: str) -> dict[str, Any]:
        """Return an item with all its relations, by node id, ref, citation, commit hash, path or symbol name. Raises
        NotFound."""
        from graphmem.browse import explore

        return explore.show_node(self._store.graph, self._store.text, self.meant(id))

    def schema(self) -> dict[str, Any]:
        """Return labels, relations, properties and the named queries."""
        from graphmem.browse.named_queries import list_named_queries

        return self._store.graph.schema() | {"queries": [query.row() for query in list_named_queries()]}

    @property
    def tasks(self) -> Tasks:
        """Tasks, blockers and conditions."""
        self._store.recognise()
        return self._store.tasks

    @cached_property
    def code(self) -> CodeReader:
        """Callers, impact, text search, history and more, for the most recently indexed tree."""
        from graphmem.code.reader import CodeReader

        return CodeReader(self._store)

    @cached_property
    def tree(self) -> Tree:
        """The memory tree of long conversations: index, read, search, retrieve."""
        from graphmem.services.tree import Tree

        return Tree(self._store)

    @cached_property
    def endless(self) -> Endless:
        """Endless mode, one memory across sessions: enable, disable, status, consolidate."""
        from graphmem.services.endless import Endless

        return Endless(self._store)

    # -- keeping

    def supersede(self, old: str, new: str, *, undo: bool = False) -> str:
        """Mark the fact `old` as superseded by `new` (ids, refs or citations). It stays in the graph, but is no longer
        returned as current. With `undo`, record that it was not superseded, even if the rules say so. Return the event
        id. Raises NotFound."""
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
        """Forget an item (by id, ref or citation), a session, everything before a time, or a project: it disappears from
        all answers at once. With `purge`, its bytes are also erased from disk. Raises NotFound if nothing matches."""
        name = plain_citation(id) if id is not None else None
        return self._store.run(Forget(name, session, before, project, purge))

    def export(self, path: str | Path, *, format: str = "log") -> ExchangeReport:
        """Export the store: the log as JSON lines (for `merge`), or the graph as "graphml", "jsonld", "parquet" (a
        folder) or "markdown". Raises UsageError for any other format."""
        return self._store.run(Export(Path(path).absolute(), format))

    def merge(self, path: str | Path, *, progress: Progress = quiet) -> ExchangeReport:
        """Merge a log exported on another machine. Idempotent; the order of merges does not matter."""
        return self._store.run(Merge(Path(path).resolve()), progress)

    def move(self, url: str | Path) -> MoveReport:
        """Move the store to another folder (a path or a `file:` URL), also on another disk. This memory continues there,
        and a link at the old location points to it. Raises UsageError for another URL or a folder that is not empty,
        StoreBusy while another program has the graph open."""
        from graphmem.model.sources import MoveReport
        from graphmem.sync.destination import parse_destination

        target = parse_destination(url, self.location)
        self._usage.flush()
        old, project, events = self._store, self.project, self.head
        place = old.path
        try:
            copied = old.move(target)
            place = target
        finally:  # if the move failed, this memory continues at the old location
            self.__dict__.clear()
            Memory.__init__(self, Store(place, old.settings, project, daemon=old.daemon, name=project))
        return MoveReport(str(old.path.absolute()), str(target), events, copied)

    def config(self) -> list[settings_module.SettingEntry]:
        """Return all settings with value, default and bounds."""
        return settings_module.list_entries(self._store.settings)

    def configure(self, changes: Mapping[str, Any]) -> list[settings_module.SettingEntry]:
        """Write settings (dotted keys) to the store's `settings.toml`; None restores a default. Changes apply when the
        store is next opened. Raises UsageError for an invalid setting, and then writes nothing."""
        return settings_module.list_entries(settings_module.save_settings(self._store.path, changes))

    def stats(self) -> dict[str, Any]:
        """Return counts of events, nodes, relations and items, and file sizes in bytes."""
        from graphmem.sync.health import count_contents

        return count_contents(self._store)

    def health(self) -> dict[str, Any]:
        """Return whether all files are intact and all projections up to date, and recommendations if not."""
        from graphmem.sync.health import check_health

        return check_health(self._store)

    def rebuild(self, *, progress: Progress = quiet) -> ProcessReport:
        """Delete graph and indexes and rebuild them from the log."""
        return self._store.run(Rebuild(), progress)

    def _micro(self, at: datetime | None) -> int:
        if at is None:
            return self._store.clock.now()
        if at.tzinfo is None:
            raise UsageError("`at` needs a time zone: use datetime.now(timezone.utc)")
        return seconds_to_time(at.timestamp())
