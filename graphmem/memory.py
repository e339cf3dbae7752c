"""The facade: a store that is opened, written to and asked. One method a verb, each one call of a use case; nothing here
decides anything."""

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
    """Names a payload."""
    return hashlib.sha256(json.dumps(payload, sort_keys=True, default=str).encode("utf-8", "replace")).hexdigest()[:32]


def _close(usage: Pending, store: Store) -> None:
    if os.getpid() == store.process:  # a fork that took nothing over has nothing to close
        usage.flush()
        store.close()


@check_arguments
class Memory(EvolutionService, BrowseService, ReviewService):
    """A store of memory. Open it with `Memory.open`; close it, or use it as a context manager."""

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        self._store = store
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
        from graphmem.store import location

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

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
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
        """Record one raw turn and return the id of its event. With a `ref` (the caller's own id) the same turn is
        recorded once; without, each call is a turn of its own. `at` defaults to now."""
        return self.observe_many(
            [{"content": content, "role": role, "session": session, "at": at, "ref": ref, "metadata": metadata}]
        )[0]

    def observe_many(self, turns: Iterable[Mapping[str, Any]]) -> list[str]:
        """Record turns (dictionaries with the arguments of `observe`) in one transaction; returns their ids."""
        drafts = []
        for turn in turns:
            check_argument("each turn", turn, "Mapping[str, Any]")
            unknown = turn.keys() - _TURN.keys()
            for name, annotation in _TURN.items():
                check_argument(name, turn.get(name), annotation)
            if unknown or not (turn.get("content") or "").strip():
                raise UsageError(
                    f"a turn needs the text `content`{f' and does not have {sorted(unknown)}' if unknown else ''}"
                )
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
        """Record an explicit memory and return the id of its event. A later one with the same `ref` replaces it; without
        one, the very same memory said again (of no stated time) stays one, unless it was forgotten in between.
        `evidence` are ids of turns it follows from. Raises UsageError for a kind that cannot be remembered."""
        if not content.strip():
            raise UsageError("nothing to remember: the text is empty")
        if kind not in REMEMBERABLE:
            raise UsageError(f"`{kind}` cannot be remembered: choose one of {', '.join(REMEMBERABLE)}", kind=kind)
        payload = {"content": content, "kind": kind, "title": title or "", "tags": list(tags), "files": list(files),
                   "ref": ref or "", "evidence": list(evidence)}  # fmt: skip
        same = None if ref or at else f"memory:{self.project}:{_digest(payload)}"
        draft = Draft("memory_remembered", payload, self._micro(at), "", self.project, "user", same)
        appended = self._store.recorder.record([draft])[0]
        if appended.outcome == "forgotten":  # said anew on purpose
            appended = self._store.recorder.record([replace(draft, dedupe_key=None)])[0]
        return appended.id

    def ingest(
        self, source: str, target: str | Path | None = None, *, progress: Progress = quiet, **options: Any
    ) -> IngestReport:
        """Record what a source holds ("git", "sessions", "documents", "terminal", "tests", or "files": each file as what it
        is); what is known already is not recorded again. `target` is a folder or file, default the working directory.
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
        """Keep what a command printed as a snapshot; without `output` the command is run first. Secrets are hidden,
        repeats of a day are one. Raises UsageError where there is neither."""
        from graphmem.ingest.capture import capture

        return capture(self._store, command, output=output, exit_code=exit_code, cwd=cwd, session=session)

    def index_code(
        self, root: str | Path = ".", *, only: Sequence[str] | None = None, progress: Progress = quiet
    ) -> IndexReport:
        """Build the code graph of a tree, or bring it up to date: unchanged files are not parsed again. `only` names the
        paths that may have changed, so that the rest is not even looked at."""
        files = None if only is None else list(only)
        return self._store.run(IndexCode(Path(root).resolve(), files), progress)

    def watch(
        self, root: str | Path = ".", *, stop: threading.Event | None = None
    ) -> Iterator[tuple[list[str], IndexReport]]:
        """Index files again whenever they settle after a change; yields the changed paths and the report of each batch
        until `stop` (a threading.Event) is set."""
        from graphmem.ingest.watch import watch_tree

        base = Path(root).resolve()
        self.index_code(base)
        return watch_tree(base, lambda changed: self.index_code(base, only=changed), stop)

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
        `until` (half-open) and `min_score` leave out hits before the best k are taken and the context is packed. Raises
        UsageError for a k below 1, an empty query and a kind that nothing has."""
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
        """Answer a question in words: the evidence of the operation that its type names (callers, impact, tests, who
        introduced it, ...), the command for the rest, and the k best hits. Raises UsageError for an empty question."""
        from graphmem.ask.answer import answer_question
        from graphmem.ask.operations import Sources

        return answer_question(question, Sources(self.code, self.tasks), lambda text: self.search(text, k=k))

    def timeline(self, ids: Sequence[str], window: int = 3) -> list[TimelineEntry]:
        """What was said around these items in their sessions, in order. Raises NotFound where none of them is known."""
        names = [self.meant(each) for each in ids]
        return require_found(names, self._store.retriever.timeline(names, window))

    def details(self, ids: Sequence[str]) -> list[Detail]:
        """These items in full; ids, refs and citations are understood; unknown ones are left out. Raises NotFound where
        none is known."""
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
        """Run a read-only Cypher query in a process of its own. At most `limit` rows and `timeout` seconds (defaults in the
        settings). Dates, intervals and UUIDs come as text, timestamps as datetime. Raises ForbiddenQuery for anything that
        is not reading, QueryTimeout, and QueryStopped where it takes too much memory or breaks the graph engine."""
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
        """Run one of the named queries that `schema` lists."""
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
        """The nodes within `depth` steps (at most 3) of a node: an id, or whatever `show` understands. Raises NotFound."""
        from graphmem.browse import explore

        node = explore.resolve_node(self._store.graph, self._store.text, self.meant(id))
        return explore.neighbours_of(self._store.graph, node, depth, kinds)

    def path(self, a: str, b: str) -> Table:
        """A shortest path between two nodes, whatever its relations. Names are those of `show`. Raises NotFound."""
        from graphmem.browse import explore

        graph, text = self._store.graph, self._store.text
        return explore.shortest_path(
            graph, text, *(explore.resolve_node(graph, text, self.meant(each)) for each in (a, b))
        )

    def show(self, id: str) -> dict[str, Any]:
        """Everything about one thing: a node by id, or what a ref, a citation, a commit hash, a path or the name of a
        symbol means. Raises NotFound."""
        from graphmem.browse import explore

        return explore.show_node(self._store.graph, self._store.text, self.meant(id))

    def schema(self) -> dict[str, Any]:
        """Labels, relations and properties of the graph, and the named queries."""
        from graphmem.browse.named_queries import list_named_queries

        return self._store.graph.schema() | {"queries": [query.row() for query in list_named_queries()]}

    @property
    def tasks(self) -> Tasks:
        """Tasks, blockers and conditions."""
        self._store.recognise()
        return self._store.tasks

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
        name = plain_citation(id) if id is not None else None
        return self._store.run(Forget(name, session, before, project, purge))

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
        from graphmem.model.sources import MoveReport
        from graphmem.sync.destination import parse_destination

        target = parse_destination(url, self.location)
        self._usage.flush()
        old, project, events = self._store, self.project, self.head
        place = old.path
        try:
            copied = old.move(target)
            place = target
        finally:  # where it could not be moved, this memory goes on where it is
            self.__dict__.clear()
            Memory.__init__(self, Store(place, old.settings, project, daemon=old.daemon, name=project))
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
        from graphmem.sync.health import count_contents

        return count_contents(self._store)

    def health(self) -> dict[str, Any]:
        """Whether every file is sound and every projection up to date, and what to do where not."""
        from graphmem.sync.health import check_health

        return check_health(self._store)

    def rebuild(self, *, progress: Progress = quiet) -> ProcessReport:
        """Throw away graph and indexes and make them again from the log."""
        return self._store.run(Rebuild(), progress)

    def _micro(self, at: datetime | None) -> int:
        if at is None:
            return self._store.clock.now()
        if at.tzinfo is None:
            raise UsageError("`at` needs a time zone: use datetime.now(timezone.utc)")
        return seconds_to_time(at.timestamp())
