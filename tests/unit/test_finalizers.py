"""Objects that are dropped without being closed: the garbage collector runs anywhere, also where a lock is held."""

from __future__ import annotations

import ast
import gc
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from support import STOP_S

from graphmem import Memory, finalizers
from graphmem.backends.text.fts5 import Fts5Index, open_index
from graphmem.backends.text.pages import Pages

# Threads open stores and indexes, drop every second one inside a cycle, so that only the collector finds it, and collect
# at nearly every allocation.
CHURN = """
import faulthandler, gc, sys, threading
from pathlib import Path
from graphmem import Memory
from graphmem.backends.text.fts5 import Fts5Index

faulthandler.dump_traceback_later(400, exit=True)
root, rounds, errors = Path(sys.argv[1]), int(sys.argv[2]), []
Memory.open(root / "warm", project="demo").close()

class Ring:
    pass

def churn(number):
    try:
        for turn in range(rounds):
            ring = Ring()
            ring.itself = ring
            if turn % 3:
                ring.held = Fts5Index(root / f"{turn % 2}.db")
            else:
                ring.held = Memory.open(root / f"store{number}", project="demo")
                ring.held.remember("We sign releases.")
            if turn % 2:
                ring.held.close()
            del ring
    except BaseException as error:
        errors.append(error)
        raise

gc.collect(); gc.freeze(); gc.collect()  # full collections are put off while much lives that is old
gc.set_threshold(1, 1, 1)
threads = [threading.Thread(target=churn, args=[number]) for number in range(4)]
for one in threads: one.start()
for one in threads: one.join()
gc.set_threshold(700, 10, 10)
print("errors", errors)
"""


class Ring:
    """Only the collector frees it."""

    def __init__(self, held: object) -> None:
        self.itself, self.held = self, held


def test_an_index_dropped_while_the_guard_is_held_waits_for_nobody(tmp_path: Path) -> None:
    script = """
import faulthandler, gc, sys
from pathlib import Path
from graphmem.backends.text.fts5 import Fts5Index
from graphmem.backends.text.pages import Pages
faulthandler.dump_traceback_later(200, exit=True)
index = Fts5Index(Path(sys.argv[1]))
ring = [index]; ring.append(ring)
del index, ring
with Pages._guard:
    gc.collect()
print("went on")
"""
    done = subprocess.run([sys.executable, "-c", script, str(tmp_path / "index.db")], capture_output=True, text=True)
    assert done.stdout == "went on\n", done.stderr


def test_stores_open_and_close_in_threads_while_garbage_is_collected_everywhere(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", CHURN, str(tmp_path), "30"], capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout == "errors []\n", done.stdout + done.stderr[-6000:]


def test_a_dropped_index_is_closed_soon_and_trusted_afterwards(tmp_path: Path) -> None:
    path = tmp_path / "index.db"
    ring = Ring(Fts5Index(path))
    ring.held._db.execute("INSERT INTO meta VALUES ('k', 'v')")  # type: ignore[attr-defined]
    del ring
    gc.collect()
    finalizers.run_pending()
    assert not path.with_name("index.db-wal").exists()
    db = open_index(path)  # it would refuse pages that are not what was written
    assert db.execute("SELECT value FROM meta WHERE name = 'k'").fetchone() == ("v",)
    db.close()


def test_one_object_knows_the_pages_of_a_file_however_its_connections_go(tmp_path: Path) -> None:
    path = tmp_path / "index.db"
    ring = Ring(Fts5Index(path))
    first = Pages.of(path)
    del ring
    gc.collect()
    assert Pages.of(path) is first
    finalizers.run_pending()
    assert first.join(0) == 0 and first._file == (-1, 0)  # nothing is left open


def test_a_dropped_memory_is_closed_soon_and_its_notes_are_written(tmp_path: Path) -> None:
    mem = Memory.open(tmp_path / "store", project="demo")
    mem.remember("We sign each turn.")
    mem.process()
    ring = Ring(mem)
    del mem, ring
    gc.collect()
    finalizers.run_pending()
    assert not (tmp_path / "store" / "index.db-wal").exists()
    with Memory.open(tmp_path / "store") as again:
        assert again.search("turn").hits


def test_cleanup_runs_once_and_a_failure_stops_nothing(caplog: pytest.LogCaptureFixture) -> None:
    ran: list[str] = []

    def fail() -> None:
        raise RuntimeError("no")

    owner = Ring(None)
    cleanup = finalizers.Cleanup(owner, ran.append, "one")
    cleanup()
    cleanup()
    finalizers.enqueue(fail)
    finalizers.enqueue(lambda: ran.append("two"))
    del owner
    gc.collect()
    finalizers.run_pending()
    assert ran == ["one", "two"] and "no" in caplog.text


def test_what_waits_runs_without_being_asked() -> None:
    finalizers.start()
    ran = threading.Event()
    finalizers.enqueue(ran.set)
    assert ran.wait(STOP_S)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_fork_closes_nothing_of_its_parent(tmp_path: Path) -> None:
    script = """
import os, sys
from graphmem import Memory, finalizers
mem = Memory.open(sys.argv[1], project="demo")
mem.remember("We sign each turn."); mem.process()
ran = []
finalizers.Cleanup(mem, ran.append, 1)
child = os.fork()
if not child:
    del mem
    finalizers.run_all()
    os._exit(7 if ran else 0)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
assert mem.search("turn").hits and mem.remember("We sign each turn.")
mem.close()
"""
    done = subprocess.run([sys.executable, "-c", script, str(tmp_path / "s")], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_a_second_signal_ends_an_owner_that_does_not_come_to_an_end() -> None:
    script = """
import threading
from graphmem.owner.daemon import stop_at_signals
stop_at_signals(threading.Event())
print("ready", flush=True)
while True:
    pass
"""
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout
        process.stdout.readline()
        for _ in range(2):
            process.send_signal(signal.SIGTERM)
            time.sleep(0.3)
        assert process.wait(STOP_S) == 128 + signal.SIGTERM
    finally:
        process.kill()
        process.communicate()


def test_the_owner_ends_at_a_signal_at_any_moment(tmp_path: Path) -> None:
    """A handler that takes the lock of an event which the interrupted code waits for would wait for ever."""
    script = """
import sys, threading
from graphmem.owner.daemon import stop_at_signals
event = threading.Event()
stop_at_signals(event)
print("ready", flush=True)
with event._cond:  # as `wait` does for a moment at each poll
    sys.stdin.readline()
event.wait(240) and print("stopped")
"""
    process = subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout and process.stdin
        process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        time.sleep(0.3)
        output, _ = process.communicate("\n", timeout=STOP_S)
    finally:
        process.kill()
    assert output == "stopped\n"


def module_locks() -> dict[str, str]:
    """Locks that modules and classes have, which live as long as the process: {module.name: expression}."""
    found = {}
    root = Path(finalizers.__file__).parent
    for path in root.rglob("*.py"):
        module = ".".join(path.relative_to(root.parent).with_suffix("").parts).removesuffix(".__init__")
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for where in (tree, *(node for node in tree.body if isinstance(node, ast.ClassDef))):
            for node in where.body:
                value = getattr(node, "value", None)
                if isinstance(value, ast.Call) and ast.unparse(value.func) in {f"threading.{kind}" for kind in _LOCKS}:
                    target = node.targets[0] if isinstance(node, ast.Assign) else node.target
                    inside = f".{where.name}" if isinstance(where, ast.ClassDef) else ""
                    found[f"{module}{inside}.{ast.unparse(target)}"] = module
    return found


_LOCKS = ("Lock", "RLock", "Condition", "Semaphore", "BoundedSemaphore")
HOLDING = """
import importlib, os, sys, threading
names, ready, done = sys.argv[1:], threading.Event(), threading.Event()

def of(name):
    module, _, attribute = name.partition(":")
    found = importlib.import_module(module)
    for part in attribute.split("."):
        found = getattr(found, part)
    return found

def hold():
    for name in names:
        of(name).acquire()
    ready.set()
    done.wait()

threading.Thread(target=hold, daemon=True).start()
ready.wait()
if (child := os.fork()) == 0:
    held = [name for name in names if not of(name).acquire(timeout=5)]
    print("held", held, flush=True)
    os._exit(bool(held))
os._exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks on this system")
def test_no_lock_of_a_module_is_held_in_a_fork() -> None:
    locks = module_locks()
    assert len(locks) >= 4
    names = [f"{module}:{name.removeprefix(module + '.')}" for name, module in locks.items()]
    done = subprocess.run([sys.executable, "-c", HOLDING, *names], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "held []\n"), done.stderr
