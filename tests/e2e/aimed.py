"""Kill points: each names one step of the store's work, and what has to be done to come there. A child process that is armed
with one ends at that step as a power switch would end it. Nothing in the product knows of them."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from support import ENGINE, another_disk, read_stored
from workload import QUIET

from graphmem import Memory
from graphmem.backends.graph.engines import NATIVE
from graphmem.settings import Settings  # noqa: F401  (loaded before children are forked)

CANARY = "quokkaberry"
EMBEDDING = {"graph.buffer_pool_mb": 64}
SMALL = {
    "graphmem.projections.batch:_MAX_EVENTS": 12,
    "graphmem.backends.graph.writer:_MIN_COPIED_ROWS": 4,
}  # several held transactions
BESIDE = {**SMALL, "graphmem.sync.pipeline:MIN_EVENTS_FOR_HELPER": 0}  # with helpers, although little is new
KEPT = {
    "graphmem.tree.forest_cache:_MIN_NEW_DERIVATIONS": 0,
    "graphmem.tree.forest_cache:_REWRITE_SHARE": 10**9,
}  # the folded tree is written each time
BLOATED = {
    "graphmem.backends.graph.compaction:_LEAST": 0,
    "graphmem.backends.graph.compaction:_FACTOR": 0,
}  # any text that was replaced is reason enough
_armed = [False]


class Point(NamedTuple):
    """One step. `at` is `module:attribute`, killed before or after its n-th call, or `sql:file:beginning` of a statement
    that is not executed any more; `also` sets constants, so that little data reaches what else much would."""

    act: str
    at: str
    when: str = "before"
    nth: int = 1
    also: dict[str, Any] = {}  # noqa: RUF012
    settings: dict[str, Any] = QUIET


_LOG, _TEXT = "graphmem.backends.log.sqlite:SqliteLog", "graphmem.backends.text.fts5:Fts5Index"
_GRAPH, _SEAL = "graphmem.backends.graph.embedded:EmbeddedGraph", "graphmem.backends.graph.seal"
_WRITER = "graphmem.backends.graph.writer:GraphWriter"
_STATE, _OUTBOX = "graphmem.backends.log.state:LogState", "graphmem.backends.vectors.outbox:SqliteOutbox"
_COMPACT = "graphmem.backends.graph.compaction"
_REBUILD, _CATCH = "graphmem.sync.rebuild", "graphmem.sync.pipeline"
_MOVING, _RENEWAL = "graphmem.backends.moving", "graphmem.store.repair:ProjectionRepair"

POINTS: dict[str, Point] = {
    # an append: before it is durable, between its two rows, durable but not acknowledged
    "append: before its payload": Point("append", "sql:log.db:INSERT INTO payloads"),
    "append: before the commit": Point("append", "sql:log.db:COMMIT"),
    "append: after the commit": Point("append", f"{_LOG}.append", "after"),
    # projection: the index first, then the graph, whose cursor is part of its transaction
    "project: index not committed": Point("project", "sql:index.db:COMMIT"),
    "project: index committed, graph not begun": Point("project", f"{_TEXT}.apply", "after"),
    "project: graph not committed": Point("project", f"{_WRITER}.commit"),
    "project: graph committed, not sealed": Point("project", f"{_SEAL}:Seal.write"),
    "project: seal put": Point("project", "os:pwrite", "after"),
    "project: graph committed": Point("project", f"{_GRAPH}.apply", "after"),
    "project: derived, not noted": Point("project", f"{_LOG}.store_derivations", "after"),
    "project: index concluded, graph not": Point("project", f"{_CATCH}:run_conclusions", "after"),
    "project: links half refined": Point("project", f"{_GRAPH}.refine", also={}),
    "project: refined, cursor not": Point("project", f"{_GRAPH}.refine", "after"),
    # a fresh graph holds its transaction open over several batches
    "copy: in a held transaction": Point("rebuild", f"{_WRITER}._run", "after", 5, SMALL),
    "copy: between two batches of one": Point("rebuild", f"{_GRAPH}.apply", "after", 2, SMALL),
    "copy: before it is committed": Point("rebuild", f"{_WRITER}.commit", also=SMALL),
    "copy: after it was committed": Point("rebuild", f"{_WRITER}.commit", "after", also=SMALL),
    # the outbox
    "outbox: not claimed": Point("project", "sql:index.db:UPDATE jobs SET status = 'processing'", settings=EMBEDDING),
    "outbox: claimed": Point("project", f"{_OUTBOX}.claim", "after", settings=EMBEDDING),
    "outbox: embedded, not written": Point("project", f"{_OUTBOX}.complete", settings=EMBEDDING),
    "outbox: written, not acknowledged": Point("project", "sql:index.db:UPDATE jobs SET status = 'done'", settings=EMBEDDING),
    "outbox: acknowledged": Point("project", f"{_OUTBOX}.complete", "after", settings=EMBEDDING),
    "vectors: file not in place": Point("saved", "pathlib:Path.replace", settings=EMBEDDING,
                                        also={"graphmem.backends.vectors.flat:_SAVED": 0}),
    "vectors: file in place": Point("saved", "pathlib:Path.replace", "after", settings=EMBEDDING,
                                    also={"graphmem.backends.vectors.flat:_SAVED": 0}),
    # a rebuild
    "rebuild: begun": Point("rebuild", f"{_RENEWAL}.clear_index"),
    "rebuild: index half emptied": Point("rebuild", "sql:index.db:DELETE FROM contents"),
    "rebuild: index emptied": Point("rebuild", f"{_RENEWAL}.clear_index", "after"),
    "rebuild: fresh graph made": Point("rebuild", f"{_RENEWAL}.fresh_graph", "after"),
    "rebuild: while filling": Point("rebuild", f"{_TEXT}.apply", "after", 3),
    "rebuild: code restored": Point("rebuild", "graphmem.code.indexing:restore_code", "after"),
    "rebuild: filled": Point("rebuild", f"{_RENEWAL}.adopt_graph"),
    # the index and the memory tree made by processes of their own
    "beside: helpers started": Point("rebuild", "graphmem.store.remote_index:RemoteIndexWriter.__init__", "after", also=BESIDE),
    "beside: an order made, not told": Point("rebuild", "graphmem.store.remote_index:RemoteIndexWriter._tell", nth=2, also=BESIDE),
    "beside: an order told": Point("rebuild", "graphmem.store.remote_index:RemoteIndexWriter.apply", "after", 3, BESIDE),
    "beside: all told, not waited for": Point("rebuild", "graphmem.store.remote_index:RemoteIndexWriter.finish", also=BESIDE),
    "beside: tree folded, not taken": Point("rebuild", f"{_RENEWAL}.folded_tree", also=BESIDE | KEPT),
    # the swap: announce the new graph in the seal of the old one, rename the database, then remove files and rename the seal
    "swap: fresh graph closed": Point("rebuild", f"{_GRAPH}._shut", "after"),
    "swap: old graph closed": Point("rebuild", f"{_SEAL}:Seal.announce"),
    "swap: announced": Point("rebuild", f"{_SEAL}:Seal.announce", "after"),
    "swap: database renamed": Point("rebuild", "pathlib:Path.replace", "after", 1),
    "swap: old files removed": Point("rebuild", "pathlib:Path.replace", nth=2),
    "swap: seal renamed": Point("rebuild", "pathlib:Path.replace", "after", 2),
    "swap: opened": Point("rebuild", f"{_RENEWAL}.adopt_graph", "after"),
    "swap: swept, not noted": Point("rebuild", f"{_STATE}.finish_operation"),
    # forgetting
    "forget: no tombstone": Point("forget", "sql:log.db:INSERT INTO forgotten"),
    "forget: tombstone not committed": Point("forget", "sql:log.db:COMMIT"),
    "forget: tombstone": Point("forget", f"{_LOG}.forget", "after"),
    "forget: index, not graph": Point("forget", f"{_TEXT}.apply", "after"),
    "forget: graph": Point("forget", f"{_GRAPH}.apply", "after"),
    # purging
    "purge: begun, no tombstone": Point("purge", f"{_LOG}.forget"),
    "purge: tombstone": Point("purge", f"{_LOG}.forget", "after"),
    "purge: gone from answers": Point("purge", f"{_LOG}.purge"),
    "purge: payloads deleted, derivations not": Point("purge", "sql:log.db:DELETE FROM derivations"),
    "purge: erased, not committed": Point("purge", "sql:log.db:COMMIT", nth=2),
    "purge: erased": Point("purge", "sql:log.db:PRAGMA wal_checkpoint"),
    "purge: checkpoint": Point("purge", "sql:log.db:VACUUM"),
    "purge: vacuum": Point("purge", "sql:log.db:PRAGMA wal_checkpoint", nth=2),
    "purge: second vacuum": Point("purge", "sql:log.db:PRAGMA wal_checkpoint", nth=3),
    "purge: log erased": Point("purge", f"{_REBUILD}:rebuild_projections"),
    "purge: while filling": Point("purge", f"{_RENEWAL}.adopt_graph"),
    "purge: rebuilt": Point("purge", f"{_RENEWAL}.purge_index"),
    "purge: index optimised": Point("purge", "sql:index.db:PRAGMA wal_checkpoint"),
    "purge: index checkpoint": Point("purge", "sql:index.db:VACUUM"),
    "purge: index vacuum": Point("purge", "sql:index.db:PRAGMA wal_checkpoint", nth=2),
    "purge: code not pruned": Point("purge", "graphmem.code.index_store:prune_indexes"),
    "purge: not noted": Point("purge", f"{_STATE}.finish_operation", nth=2),
    # the folded memory tree in its file
    "tree: not kept": Point("project", "graphmem.tree.forest_cache:save_forest", also=KEPT),
    "tree: kept, not in place": Point("project", "pathlib:Path.replace", also=KEPT),
    "tree: kept": Point("project", "graphmem.tree.forest_cache:save_forest", "after", also=KEPT),
    "tree: kept, what it holds forgotten": Point("forget", f"{_LOG}.forget", "after", also=KEPT),
    "tree: kept, what it holds purged": Point("purge", f"{_LOG}.forget", "after", also=KEPT),
    "tree: kept, another log absorbed": Point("merge", f"{_LOG}.merge_records", "after", also=KEPT),
    "tree: kept, graph not swapped": Point("rebuild", f"{_RENEWAL}.adopt_graph", also=KEPT),
    # merging another machine's log
    "merge: begun": Point("merge", f"{_LOG}.merge_records"),
    "merge: half absorbed": Point("merge", "sql:log.db:INSERT INTO payloads", nth=4),
    "merge: not committed": Point("merge", "sql:log.db:COMMIT"),
    "merge: absorbed": Point("merge", f"{_LOG}.merge_records", "after"),
    "merge: rebuilt": Point("merge", f"{_STATE}.finish_operation"),
    # moving
    "move: noted": Point("move", "pathlib:Path.rename"),
    "move: renamed, no link": Point("move", f"{_MOVING}:_linked"),
    "move: linked, note not gone": Point("move", f"{_MOVING}:_forget"),
    "far: not begun": Point("far", "pathlib:Path.rename"),
    "far: copying": Point("far", "shutil:copy2", "after", 2),
    "far: copied": Point("far", f"{_MOVING}:_same", "after"),
    "far: old log not closed": Point("far", "sql:log.db:COMMIT"),
    "far: old log closed": Point("far", "pathlib:Path.rename", nth=2),
    "far: in place": Point("far", "pathlib:Path.rename", nth=3),
    "far: old one aside": Point("far", f"{_MOVING}:_linked"),
    "far: linked, old one not gone": Point("far", "shutil:rmtree", nth=2),
    "far: note not gone": Point("far", f"{_MOVING}:_forget"),
}  # fmt: skip
if NATIVE[ENGINE].keeps_replaced:  # a graph whose texts were changed is copied to a new file
    POINTS |= {
        "compact: begun": Point("compact", f"{_COMPACT}:copy_everything", also=BLOATED),
        "compact: half copied": Point("compact", f"{_WRITER}.write", "after", 5, BLOATED),
        "compact: copied": Point("compact", f"{_COMPACT}:copy_everything", "after", also=BLOATED),
        "compact: both closed": Point("compact", f"{_SEAL}:Seal.announce", also=BLOATED),
        "compact: announced": Point("compact", f"{_SEAL}:Seal.announce", "after", also=BLOATED),
        "compact: database renamed": Point("compact", "pathlib:Path.replace", "after", 1, BLOATED),
        "compact: old files removed": Point("compact", "pathlib:Path.replace", nth=2, also=BLOATED),
        "compact: seal renamed": Point("compact", "pathlib:Path.replace", "after", 2, BLOATED),
        "compact: told": Point("compact", f"{_COMPACT}:tell", "after", also=BLOATED),
    }


def prepare(store: Path, settings: dict[str, Any]) -> None:
    """A store with a little of everything, the log of another machine beside it, and what was acknowledged."""
    tree = store.parent / "tree"
    tree.mkdir(parents=True)
    (tree / "app.py").write_text("def one():\n    return two()\n\n\ndef two():\n    return 1\n")
    with Memory.open(store.parent / "other", project="demo", settings=settings) as mem:
        mem.observe_many([{"content": f"elsewhere the parser {n}", "session": "z", "ref": f"z{n}"} for n in range(8)])
        mem.export(store.parent / "other.jsonl")
    with Memory.open(store, project="demo", settings=settings) as mem:
        said = mem.observe_many(
            [{"content": f"We decided to keep the parser{n} in src/app{n % 3}.py because", "session": "ab"[n % 2],
              "ref": f"r{n}"} for n in range(30)]
        )  # fmt: skip
        said += mem.observe_many([{"content": f"The {CANARY} of Rosalind is secret because we decided", "ref": "gone"}])
        mem.tasks.create("Mend the parser", labels=["x"], files=["src/app1.py"])
        mem.index_code(tree)
        mem.process()
        mem.forget("r4")
    (store.parent / "acknowledged").write_text("".join(f"{name}\n" for name in said))


def die_at(store: Path, point: Point) -> None:
    """Live until the step."""
    file = os.open(store.parent / "acknowledged", os.O_WRONLY | os.O_APPEND)
    _aim(point)
    with Memory.open(store, project="demo", settings=point.settings) as mem:
        assert mem.cypher("RETURN 1").rows
        if point.act != "append":
            for name in mem.observe_many(
                [
                    {"content": f"We decided to drop the cache{n}", "ref": f"late{n}", "session": "late"}
                    for n in range(6)
                ]
            ):
                os.write(file, f"{name}\n".encode())
        if point.act not in ("append", "project", "saved"):
            mem.process()
        _armed[0] = True
        ACTIONS[point.act](mem, store)


def _append(mem: Memory, store: Path) -> None:
    mem.observe("never acknowledged", ref="never")


def _saved(mem: Memory, store: Path) -> None:
    mem.process()
    mem.search("keep the parser")


def _compact(mem: Memory, store: Path) -> None:
    assert mem.cypher("MATCH (t:Task) RETURN count(*)").rows == [[1]]  # takes a checkpoint
    mem.observe("after the checkpoint", ref="after")
    mem.process()


def _elsewhere(store: Path) -> Path:
    """A folder of another disk, of this life alone. Its name is written beside the store."""
    disk = another_disk(store)
    assert disk is not None
    folder = disk / f"graphmem-{os.getpid()}"
    (store.parent / "target").write_text(str(folder))
    return folder


ACTIONS: dict[str, Callable[[Memory, Path], Any]] = {
    "append": _append,
    "project": lambda mem, store: mem.process(),
    "saved": _saved,
    "compact": _compact,
    "rebuild": lambda mem, store: mem.rebuild(),
    "forget": lambda mem, store: mem.forget(session="late"),  # what a reverted graph never knew
    "purge": lambda mem, store: mem.forget("gone", purge=True),
    "merge": lambda mem, store: mem.merge(store.parent / "other.jsonl"),
    "move": lambda mem, store: mem.move(store.parent / "moved"),
    "far": lambda mem, store: mem.move(_elsewhere(store)),
}


def _aim(point: Point) -> None:
    left = [point.nth]

    def count() -> None:
        if _armed[0]:
            left[0] -= 1
            if left[0] == 0:
                os.kill(os.getpid(), signal.SIGKILL)
                time.sleep(10)

    for place, value in point.also.items():
        setattr(*located(place), value)
    if point.at.startswith("sql:"):
        _trace(*point.at.split(":", 2)[1:], count)
        return
    _wrap(*located(point.at), point.when, count)


def located(place: str) -> tuple[Any, str]:
    """Return the owner of `module:attribute` and the attribute's last name. AttributeError if there is no such thing."""
    module, _, path = place.partition(":")
    owner: Any = import_module(module)
    *parents, name = path.split(".")
    for parent in parents:
        owner = getattr(owner, parent)
    getattr(owner, name)
    return owner, name


def _wrap(owner: Any, name: str, when: str, count: Callable[[], None]) -> None:
    original = getattr(owner, name)

    def stepped(*arguments: Any, **options: Any) -> Any:
        if when == "before":
            count()
        result = original(*arguments, **options)
        if when == "after":
            count()
        return result

    setattr(owner, name, stepped)
    if owner.__class__.__name__ == "module":  # whoever imported it by name
        import sys

        for module in list(sys.modules.values()):
            if module.__name__.startswith("graphmem") and module.__dict__.get(name) is original:
                setattr(module, name, stepped)


def _trace(file: str, beginning: str, count: Callable[[], None]) -> None:
    connect = sqlite3.connect

    def traced(*arguments: Any, **options: Any) -> sqlite3.Connection:
        db = connect(*arguments, **options)
        if Path(str(arguments[0] if arguments else options["database"])).name == file:
            db.set_trace_callback(lambda text: count() if text.startswith(beginning) else None)
        return db

    sqlite3.connect = traced  # type: ignore[assignment]


def copied(source: Path, folder: Path) -> Path:
    """The prepared store, for one point."""
    return Path(shutil.copytree(source.parent, folder / "life", copy_function=shutil.copy2)) / source.name


def traces(store: Path, point: Point) -> list[str]:
    """What the opening after a kill had to clear away and did not: the purged text, or the ends of a move."""
    with Memory.open(store, project="demo", settings=point.settings) as mem:
        purged = point.act == "purge" and len(mem.history(types=["memory_forgotten"], limit=10)) > 1
    held = [
        f"{file.name} holds what was purged"
        for file in sorted(store.resolve().rglob("*"))
        if purged and file.is_file() and CANARY.encode() in read_stored(file).lower()
    ]
    places = {store, store.resolve(), store.parent / "moved"}
    ends = {
        place.with_name(name.format(place.name)) for place in places for name in (".{}.moving", "{}.moved", "{}.part")
    }
    return [*held, *(f"{end} was left" for end in sorted(ends) if os.path.lexists(end))]
