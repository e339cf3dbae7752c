"""One store with something of everything, the ways to damage its files at a random place, and what is asked of it. A trial ends
with a list of what was silently wrong: an answer that is not the one of the sound store, and no error either."""

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
from graphmem.backends.vectors import flat, usearch
from graphmem.errors import GraphmemError, StoreError

SETTINGS = {"graph.buffer_pool_mb": 64}
SUBJECTS = "parser cache gateway scheduler importer viewer socket outbox 색인 메모리".split()
VERBS = "retries drops rewrites compresses guards locks reads 다시".split()
CODE = {
    "app.py": "from store import keep\n\n\ndef main():\n    return keep(1)\n\n\ndef unused():\n    return 2\n",
    "store.py": "def keep(value):\n    return check(value)\n\n\ndef check(value):\n    return value\n",
}
SEARCHES = ("what may the parser not do", "where does the gateway listen", "scheduler retries", "compressing of memory",
            "메모리 색인", "the port of the socket", "who locks the outbox", "src/cache.py")  # fmt: skip
CYPHER = (
    "MATCH (t:Turn) RETURN count(*)",
    "MATCH (f:Fact) RETURN f.id, f.content ORDER BY f.id",
    "MATCH (t:Task) RETURN t.id, t.title, t.status ORDER BY t.id",
    "MATCH (a:Symbol)-[c:CALLS]->(b:Symbol) RETURN a.name, b.name, c.line ORDER BY a.name, b.name",
    "MATCH (s:Session)<-[r]-(t) RETURN s.id, count(*) ORDER BY s.id",
    "MATCH (f:Fact)-[r]->(e:Entity) RETURN f.id, e.name ORDER BY f.id, e.name",
)


def few_are_enough() -> None:
    """Have files of vectors written, and the approximate index made, for stores as small as these."""
    flat._SAVED = 50  # type: ignore[misc]
    usearch.UsearchIndex.worth_it = 100


def make(store: Path, end: str) -> None:
    """A store that is closed at the end, or whose owner is killed with its write-ahead logs full."""
    few_are_enough()
    chance = random.Random(7)
    tree = store.parent / "tree"
    tree.mkdir(exist_ok=True)
    for name, text in CODE.items():
        (tree / name).write_text(text)
    mem = Memory.open(store, project="demo", settings=SETTINGS)
    for batch in range(4):
        mem.observe_many(
            {"content": _sentence(chance, batch * 50 + n), "session": f"s{batch}", "ref": f"{batch}-{n}"}
            for n in range(50)
        )
        mem.remember(f"The port of the {SUBJECTS[batch]} is {8000 + batch}.", tags=["ports"])
        mem.tasks.create(f"Mend the {SUBJECTS[batch]}", blocked_by=["the review"], status="blocked")
        mem.process()
        mem.index_code(tree)
    mem.search("warm")  # writes the file of the vectors
    if end == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    mem.close()


def _sentence(chance: random.Random, n: int) -> str:
    what, does, other = chance.choice(SUBJECTS), chance.choice(VERBS), chance.choice(SUBJECTS)
    start = f"We decided that the {what} never" if n % 9 == 0 else f"The {what} now"
    return f"{start} {does} the {other} {n} in src/{what}.py."


def questions(mem: Memory) -> dict[str, Callable[[], Any]]:
    """What is asked, by name."""

    def hits(text: str) -> Any:
        found = mem.search(text, k=8)
        if lacking := found.degraded.keys() & {"index", "vectors"}:
            raise StoreError(found.degraded[min(lacking)])
        return [(hit.id, hit.content, hit.citation, round(hit.score, 4)) for hit in found.hits]

    asked: dict[str, Callable[[], Any]] = {f"search {text}": lambda text=text: hits(text) for text in SEARCHES}
    asked |= {query: lambda query=query: mem.cypher(query).rows for query in CYPHER}
    asked |= {
        "tasks": lambda: [(task.id, task.title, task.status) for task in mem.tasks.find()],
        "blocked": lambda: [(one.task.id, [str(each) for each in one.blockers]) for one in mem.tasks.blocked()],
        "callers": lambda: str(mem.code.callers("store.check")),
        "dead": lambda: str(mem.code.dead()),
        "history": lambda: [(event.id, str(event.payload)) for event in mem.history(limit=10_000)],
        "details": lambda: [str(one) for one in mem.details(["0-7", "3-40"])],
        "timeline": lambda: [str(one) for one in mem.timeline(["2-20"])],
        "tree": lambda: str(mem.tree.retrieve("what may the parser not do")),
        "session": lambda: str(mem.session("s1")),
    }
    return asked


def answers(mem: Memory) -> dict[str, Any]:
    """What comes back: a GraphmemError stands for the answer that it refuses."""
    found: dict[str, Any] = {}
    for name, ask in questions(mem).items():
        try:
            found[name] = ask()
        except GraphmemError as error:
            found[name] = error
    return found


def opened(store: Path) -> Memory:
    few_are_enough()
    return Memory.open(store, project="demo", settings=SETTINGS)


def sound_answers(store: Path) -> dict[str, Any]:
    with opened(store) as mem:
        return answers(mem)


def trial(store: Path, damage: str, seed: int, sound: dict[str, Any]) -> tuple[str, list[str]]:
    """Damage a store, ask, do what it says, and ask again. (how it went, what was silently wrong)."""
    DAMAGES[damage][1](store, random.Random(f"{damage} {seed}"))
    try:
        mem = opened(store)
    except GraphmemError as error:
        return f"refused: {error}", []
    with mem:
        first = answers(mem)
        refused = [name for name, answer in first.items() if isinstance(answer, GraphmemError)]
        wrong = [f"{name} at first" for name, answer in first.items() if name not in refused and answer != sound[name]]
        report = mem.health()
        named = bool(report["problems"] or report["repaired"])
        if not (named or refused or seed % 5 == 0):
            return "no effect", wrong
        try:
            mem.rebuild()
        except GraphmemError as error:
            kept = {name: answer for name, answer in answers(mem).items() if not isinstance(answer, GraphmemError)}
            wrong += [f"{name} after it was refused" for name, answer in kept.items() if answer != sound[name]]
            return f"not rebuilt: {error}", wrong if not report["sound"] else [*wrong, "refused, but called sound"]
        again = answers(mem)
        lost = not report["sound"] and any(": built from " in line for line in report["problems"])
        if not lost:
            wrong += [f"{name} after a rebuild" for name, answer in again.items() if repr(answer) != repr(sound[name])]
            left = mem.health()["problems"]
            wrong += [f"still there after a rebuild: {line}" for line in left]
    how = (
        "a loss named" if lost else "refused in part, then made again" if refused else "named" if named else "no effect"
    )
    return how, wrong


# -- damages


def _one(store: Path, pattern: str) -> Path:
    return next(store.glob(pattern))


def _flip(file: Path, chance: random.Random) -> None:
    with file.open("r+b") as data:
        place = chance.randrange(file.stat().st_size)
        data.seek(place)
        (byte,) = data.read(1)
        data.seek(place)
        data.write(bytes([byte ^ 1 << chance.randrange(8)]))


def _garble(file: Path, chance: random.Random) -> None:
    with file.open("r+b") as data:
        data.seek(chance.randrange(file.stat().st_size))
        data.write(chance.randbytes(chance.choice((40, 400, 4000))))


def _cut(file: Path, chance: random.Random) -> None:
    os.truncate(file, chance.randrange(file.stat().st_size))


def _in_place(how: Callable[[Path, random.Random], None], pattern: str) -> Callable[[Path, random.Random], None]:
    return lambda store, chance: how(_one(store, pattern), chance)


def _value(table: str, column: str) -> Callable[[Path, random.Random], None]:
    """One byte of one value in the log, as a program would change it that knows SQLite."""

    def change(store: Path, chance: random.Random) -> None:
        with closing(sqlite3.connect(store / "log.db")) as db, db:
            triggers = db.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
            for name, _ in triggers:
                db.execute(f"DROP TRIGGER {name}")
            rows = db.execute(f"SELECT rowid, {column} FROM {table} ORDER BY rowid").fetchall()
            row, value = chance.choice([one for one in rows if one[1] not in ("", b"")])
            changed: Any = value + 1_000_000 if isinstance(value, int) else None
            if isinstance(value, bytes):
                place = chance.randrange(len(value))
                changed = value[:place] + bytes([value[place] ^ 1]) + value[place + 1 :]
            if isinstance(value, str):
                place = chance.randrange(len(value))
                changed = value[:place] + ("x" if value[place] != "x" else "y") + value[place + 1 :]
            db.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (changed, row))
            for _, sql in triggers:
                db.execute(sql)

    return change


def _each(*columns: tuple[str, str]) -> Callable[[Path, random.Random], None]:
    return lambda store, chance: _value(*chance.choice(columns))(store, chance)


_ENVELOPE = "id sequence clock type version at session project actor".split()
DAMAGES: dict[str, tuple[str, Callable[[Path, random.Random], None]]] = {
    "graph log cut": ("killed", _in_place(_cut, f"graph-*.{ENGINE}.wal")),
    "graph log garbled": ("killed", _in_place(_garble, f"graph-*.{ENGINE}.wal")),
    "graph flipped": ("closed", _in_place(_flip, f"graph-*.{ENGINE}.zst")),
    "index log cut": ("killed", _in_place(_cut, "index.db-wal")),
    "index log garbled": ("killed", _in_place(_garble, "index.db-wal")),
    "index garbled": ("closed", _in_place(_garble, "index.db")),
    "index flipped": ("closed", _in_place(_flip, "index.db")),
    "index cut": ("closed", _in_place(_cut, "index.db")),
    "vectors gone": ("closed", lambda store, _: _one(store, "vectors-*.f16").unlink()),
    "vectors cut": ("closed", _in_place(_cut, "vectors-*.f16")),
    "vectors flipped": ("closed", _in_place(_flip, "vectors-*.f16")),
    "near vectors cut": ("closed", _in_place(_cut, "vectors-*.usearch")),
    "near vectors flipped": ("closed", _in_place(_flip, "vectors-*.usearch")),
    "code flipped": ("closed", _in_place(_flip, "code.db")),
    "code garbled": ("closed", _in_place(_garble, "code.db")),
    "log flipped": ("closed", _in_place(_flip, "log.db")),
    "log garbled": ("closed", _in_place(_garble, "log.db")),
    "log payload": ("closed", _each(("payloads", "body"), ("payloads", "salt"))),
    "log envelope": ("closed", _each(*(("events", column) for column in _ENVELOPE))),
    "log derivation": ("closed", _each(*(("derivations", c) for c in ("step", "source", "input_hash", "body")))),
    "log checksum": ("closed", _each(("events", "digest"), ("events", "checksum"), ("derivations", "checksum"))),
    "log log cut": ("killed", _in_place(_cut, "log.db-wal")),
}


def copy(store: Path, target: Path) -> Path:
    return Path(shutil.copytree(store, target, copy_function=shutil.copy2))
