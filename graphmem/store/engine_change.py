"""Changes the graph engine of a store. The graph of the new engine is built from the log next to the old one, and replaces it
once both hold the same. Until then nothing of the old one is touched, so that an interrupted change leaves the store as it
was. A process can load only one engine: each graph is opened by a worker (`graphmem.owner.survey`)."""

from __future__ import annotations

import hashlib
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, NamedTuple

from graphmem.backends.graph.bolt_connection import parse_graph_url
from graphmem.backends.graph.engines import ENGINES
from graphmem.backends.remote import client
from graphmem.errors import StoreBusy, StoreError, UsageError, error_named
from graphmem.export.scan import scan_nodes, scan_relations
from graphmem.model.packed import Damaged, Schema, read_frame, write_frame
from graphmem.plurals import counted
from graphmem.ports.graph import GraphStore
from graphmem.ports.request import Progress
from graphmem.ports.text import DERIVED, EVENTS
from graphmem.store.graph_files import GraphFiles
from graphmem.store.remote_index import Failed, Step, terminate_worker

_ROUNDS = 5  # events may arrive while one of the graphs is brought up to date


class Survey(NamedTuple):
    """What a graph holds: its cursors, and the number of rows and a digest of each table."""

    cursors: dict[str, int]
    tables: dict[str, tuple[int, str]]


class SurveyPipe:
    """The protocol between the process that changes the engine and its worker."""

    def __init__(self, source: IO[bytes], out: IO[bytes]) -> None:
        self._source, self._out = source, out
        self._job: Schema[tuple[str, str]] = Schema(tuple[str, str])
        self._news: Schema[Step | Survey | Failed] = Schema(Step | Survey | Failed)

    def start(self, project: str, engine: str) -> None:
        """Send the job: bring the graph of this engine up to date and survey it."""
        write_frame(self._out, self._job.pack((project, engine)))

    def job(self) -> tuple[str, str]:
        """Read the project and the engine."""
        return self._job.unpack(read_frame(self._source))

    def send(self, news: Step | Survey | Failed) -> None:
        """Send progress, the result or an error."""
        write_frame(self._out, self._news.pack(news))

    def news(self) -> Step | Survey | Failed:
        """Read the next message of the worker. Raises EOFError if it died."""
        return self._news.unpack(read_frame(self._source))


def survey_graph(graph: GraphStore) -> Survey:
    """Return what a graph holds, in all its rows."""
    return Survey(graph.cursors(), dict(_tables(graph)))


def _tables(graph: GraphStore) -> Iterator[tuple[str, tuple[int, str]]]:
    for scan in (scan_nodes, scan_relations):
        for table in scan(graph):
            digest = hashlib.sha256()
            for row in table.rows:
                digest.update(repr(row).encode("utf-8", "surrogatepass"))
            yield " ".join((table.name, *filter(None, table.ends))), (len(table.rows), digest.hexdigest())


def check_engine(files: GraphFiles, engine: str) -> None:
    """Raise UsageError unless a store can get this engine, NotInstalled if it is missing."""
    if engine not in ENGINES:
        *names, last = ENGINES
        raise UsageError(f"there is no graph engine `{engine}`: choose {', '.join(names)} or {last}", engine=engine)
    if engine == files.engine:
        raise UsageError(f"the graph of this store is already of the engine {engine}", engine=engine)
    for needed in (engine, files.engine):
        ENGINES[needed].require()
    if not ENGINES[engine].is_embedded:
        parse_graph_url(files.url)


def change_engine(path: Path, project: str, files: GraphFiles, engine: str, progress: Progress) -> int:
    """Rebuild the graph of a store, which is not open in this process, with another engine. Return the number of rows, which
    are equal in both. Raises StoreBusy while another program has the graph open, or if events keep arriving; StoreError if
    the new graph cannot be built, or differs from the old one. Then the store keeps its engine."""
    replaced = files.engine
    lock = client.claim_from_daemon(path)
    try:
        files.delete_candidate(engine)
        found = _compare(path, project, (replaced, engine), progress)
        files.adopt_engine(engine)
    except BaseException:
        if files.engine == replaced:
            files.delete_candidate(engine)
        raise
    finally:
        lock.release()
    return sum(rows for rows, _ in found.tables.values())


def _compare(path: Path, project: str, engines: tuple[str, str], progress: Progress) -> Survey:
    """Bring both graphs up to the same events, and return what both hold. Raises StoreError if it differs."""
    for _ in range(_ROUNDS):
        before, after = (_survey(path, project, engine, progress) for engine in engines)
        difference = _difference(before.tables, after.tables)
        if not difference:
            return after
        if all(before.cursors.get(name) == after.cursors.get(name) for name in (EVENTS, DERIVED)):
            raise StoreError(
                f"the graph of {engines[1]} is not that of {engines[0]} ({difference}): the store keeps {engines[0]}",
                path=str(path),
            )
    raise StoreBusy("events keep arriving: end the agents that use this store, then try again", path=str(path))


def _difference(before: Mapping[str, tuple[int, str]], after: Mapping[str, tuple[int, str]]) -> str:
    for table in sorted({*before, *after}):
        (old, _), (new, _) = (found.get(table, (0, "")) for found in (before, after))
        if old != new:
            return f"{table} has {counted(new, 'row')} instead of {old}"
        if before.get(table) != after.get(table):
            return f"{table} has other values"
    return ""


def _survey(path: Path, project: str, engine: str, progress: Progress) -> Survey:
    worker = client.start_worker("survey", path)
    if worker is None:
        raise StoreError("cannot start a process to build the graph", path=str(path))
    news: Step | Survey | Failed
    with terminate_worker(worker):
        pipe = SurveyPipe(*_ends(worker))
        try:
            pipe.start(project, engine)
            while isinstance(news := pipe.news(), Step):
                progress(f"{engine}: {news.stage}", news.done)
        except (OSError, EOFError, Damaged):
            raise StoreError(
                f"the process with the graph of {engine} ended unexpectedly: the store is as it was", path=str(path)
            ) from None
    if isinstance(news, Failed):
        raise error_named(news.kind, news.message, news.data)
    return news


def _ends(worker: subprocess.Popen[bytes]) -> tuple[IO[bytes], IO[bytes]]:
    assert worker.stdin is not None and worker.stdout is not None
    return worker.stdout, worker.stdin
