"""A random life of a store, in a process that may be killed at any step: every acknowledged event is written to a file
first. Also what two stores must agree on, and the replay of a log in a directory of its own."""

from __future__ import annotations

import os
import random
import shutil
import signal
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from support import ENGINE

from graphmem import Memory
from graphmem.backends.graph.engines import ENGINES
from graphmem.errors import GraphmemError

QUIET = {"embedding.provider": "none", "graph.buffer_pool_mb": 64}
WORDS = "parser buffer cache must never because fixed decided socket 한국어 메모리 graph token retry queue".split()


class Life:
    """Random calls of one store; `acknowledge` is told each event that was accepted."""

    def __init__(self, mem: Memory, seed: int, tree: Path, acknowledge: Callable[[str], None]) -> None:
        self.mem = mem
        self.random = random.Random(seed)
        self.tree = tree
        self.acknowledge = acknowledge
        self.turns: list[str] = []

    def sentence(self) -> str:
        return (
            " ".join(self.random.choices(WORDS, k=self.random.randint(3, 12))) + f" src/{self.random.choice(WORDS)}.py."
        )

    def act(self) -> None:
        name = self.random.choices(*zip(*ACTIONS.items(), strict=True))[0]
        try:
            getattr(self, name)()
        except GraphmemError as error:
            if type(error).__name__ in ("StoreError", "StoreDamaged"):
                raise

    def observe(self) -> None:
        ref = f"r{self.random.randint(0, 60)}" if self.random.random() < 0.6 else None
        turn = {"content": self.sentence(), "session": self.random.choice("abc"), "ref": ref}
        if self.random.random() < 0.3:
            turn |= {
                "role": "tool",
                "metadata": {"command": "git commit", "writes": ["src/app.py"], "commits": [["abc1234", "Fix"]]},
            }
        self.turns.append(self.mem.observe_many([turn])[0])
        self.acknowledge(self.turns[-1])

    def remember(self) -> None:
        evidence = self.random.sample(self.turns, min(2, len(self.turns)))
        self.acknowledge(
            self.mem.remember(
                self.sentence(),
                kind=self.random.choice(["fact", "document"]),
                ref=self.random.choice(["m1", "m2", None]),
                tags=self.random.sample(WORDS, 2),
                files=["src/app.py"],
                evidence=evidence,
            )
        )

    def task(self) -> None:
        name = f"Task {self.random.randint(0, 8)}"
        known = [task for task in self.mem.tasks.find() if task.title == name]
        if not known:
            self.mem.tasks.create(name, labels=[self.random.choice(WORDS)], files=["src/app.py"])
            return
        change = self.random.choice(["start", "done", "label", "block"])
        if change == "label":
            self.mem.tasks.update(known[0].id, labels=[self.random.choice(WORDS)])
        elif change == "block":
            self.mem.tasks.update(
                known[0].id,
                status="blocked",
                blocked_by=[self.random.choice([f"Task {n}" for n in range(9)] + ["the moon"])],
            )
        else:
            facts = [row[0] for row in self.mem.cypher("MATCH (f:Fact) RETURN f.id ORDER BY f.id LIMIT 2").rows]
            self.mem.tasks.update(known[0].id, status="in_progress")
            if change == "done":
                self.mem.tasks.update(known[0].id, status="done", facts=facts)

    def forget(self, **options: Any) -> None:
        target = self.random.random()
        if target < 0.2:
            self.mem.forget(session=self.random.choice("abc"), **options)
        else:
            self.mem.forget(self.random.choice([f"r{self.random.randint(0, 60)}", "m1", "m2"]), **options)

    def purge(self) -> None:
        self.forget(purge=True)

    def process(self) -> None:
        self.mem.process()

    def rebuild(self) -> None:
        self.mem.rebuild()

    def index(self) -> None:
        (self.tree / f"m{self.random.randint(0, 2)}.py").write_text(
            "\n".join(f"def f{n}():\n    return f{n + 1}()\n" for n in range(self.random.randint(0, 4)))
        )
        self.mem.index_code(self.tree)

    def merge(self) -> None:
        other = self.tree.parent / "other.jsonl"
        if other.exists():
            self.mem.merge(other)


ACTIONS = {
    "observe": 30,
    "remember": 10,
    "task": 10,
    "process": 14,
    "forget": 4,
    "purge": 2,
    "rebuild": 3,
    "index": 3,
    "merge": 1,
}


def die_at(step: int) -> None:
    """End this process, as a power switch would end it for everyone else, at its n-th write of any kind."""
    left = [step]

    def count(*_: Any) -> None:
        left[0] -= 1
        if left[0] <= 0:
            os.kill(os.getpid(), signal.SIGKILL)

    engine = ENGINES[ENGINE].load()
    connect = sqlite3.connect

    def traced(*arguments: Any, **options: Any) -> sqlite3.Connection:
        db = connect(*arguments, **options)
        db.set_trace_callback(lambda text: count() if not text.startswith(("SELECT", "PRAGMA", "--")) else None)
        return db

    sqlite3.connect = traced  # type: ignore[assignment]
    for owner, name in ((engine.Connection, "execute"), (Path, "unlink"), (Path, "replace"), (os, "pwrite")):
        _before_and_after(owner, name, count)


def _before_and_after(owner: Any, name: str, count: Callable[[], None]) -> None:
    original = getattr(owner, name)

    def stepped(*arguments: Any, **options: Any) -> Any:
        count()
        try:
            return original(*arguments, **options)
        finally:
            count()

    setattr(owner, name, stepped)


def live(store: Path, seed: int, actions: int, step: int, settings: dict[str, Any]) -> None:
    """Open the store and act; acknowledged events go to `acknowledged` beside it, by one write each."""
    tree = store.parent / "tree"
    tree.mkdir(exist_ok=True)
    file = os.open(store.parent / "acknowledged", os.O_CREAT | os.O_WRONLY | os.O_APPEND)
    if step:
        die_at(step)
    with Memory.open(store, project="demo", settings=settings) as mem:
        life = Life(mem, seed, tree, lambda name: os.write(file, f"{name}\n".encode()) and None)
        for _ in range(actions):
            life.act()


def dump(store: Path, settings: dict[str, Any]) -> dict[str, list[Any]]:
    """The state of a store that is sound."""
    with Memory.open(store, project="demo", settings=settings) as mem:
        mem.process()
        assert mem.health()["sound"], mem.health()["problems"]
        return state(mem, store)


def state(mem: Memory, store: Path) -> dict[str, list[Any]]:
    """Everything in graph and index, sorted: equal states are equal memories."""
    # Without what is null: engines add the properties of other relations to one that was matched without a type, or do not.
    clean = lambda value: sorted(
        (k, str(v)) for k, v in value.items() if v is not None and (not k.startswith("_") or k == "_label")
    )
    ask = mem._store.graph.query  # `mem.cypher` would start a process for each store, and copy the graph for it
    nodes = ask("MATCH (n) WHERE label(n) <> 'Cursor' RETURN n").rows
    edges = ask("MATCH (a)-[r]->(b) RETURN a.id, r, b.id").rows
    waiting = ask("MATCH (n:Cursor) WHERE n.body IS NOT NULL RETURN n.id, n.body").rows
    found = {
        "nodes": sorted(str(clean(row[0])) for row in nodes),
        "edges": sorted(str((row[0], clean(row[1]), row[2])) for row in edges),
        "waiting": sorted(map(str, waiting)),
    }
    with closing(sqlite3.connect(store / "index.db")) as db:
        rows = lambda query: sorted(map(str, db.execute(query)))
        found["items"] = rows(
            "SELECT i.id, k.name, c.title, c.text, i.at, c.ref, s.name, p.name, c.role, c.event, i.sequence, c.tags, i.embed,"
            " i.cite FROM items i JOIN contents c USING (row) JOIN names k ON k.number = i.kind"
            " JOIN names s ON s.number = i.session JOIN names p ON p.number = i.project"
        )
        found["mentions"] = rows(
            "SELECT i.id, e.entity, e.name FROM mentions m JOIN items i USING (row) JOIN entities e USING (number)"
        )
        found["spellings"] = rows("SELECT word, uses FROM spellings")
        db.execute("CREATE VIRTUAL TABLE temp.v USING fts5vocab(main, words, 'row')")
        found["words"] = rows("SELECT term, doc FROM temp.v")
        lost = rows(  # a job whose worker was killed waits for the end of its lease
            "SELECT id FROM items JOIN models WHERE embed AND digest NOT IN (SELECT digest FROM vectors)"
            " AND row NOT IN (SELECT row FROM jobs WHERE status = 'processing')"
        )
        assert not lost
    return found


def replayed(store: Path, target: Path, settings: dict[str, Any]) -> dict[str, list[Any]]:
    """The dump of a fresh store that holds nothing but this log."""
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir()
    with closing(sqlite3.connect(store / "log.db")) as db, closing(sqlite3.connect(target / "log.db")) as copy:
        db.backup(copy)
    (target / "log.db").chmod(0o600)
    return dump(target, settings)


def check(store: Path, settings: dict[str, Any]) -> list[str]:
    """What is wrong with a store that was killed; nothing, if all is well."""
    acknowledged = set((store.parent / "acknowledged").read_text().split())
    after = dump(store, settings)
    with closing(sqlite3.connect(store / "log.db")) as db:
        present = {row[0] for row in db.execute("SELECT id FROM events")}
    wrong = [f"lost {name}" for name in acknowledged - present]
    clean = replayed(store, store.parent / "replay", settings)
    for part in clean:
        for sign, rows in (("+", set(after[part]) - set(clean[part])), ("-", set(clean[part]) - set(after[part]))):
            wrong += [f"{part} {sign} {row[:300]}" for row in sorted(rows)[:3]]
    return wrong
