"""Programs that fork while they have a memory open: children answer or refuse, and never wait for ever."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from support import STOP_S, with_deep

from graphmem import Memory

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks on this system")

START = """
import os, signal, sys, threading
from graphmem import Memory
from graphmem.errors import UsageError
mem = Memory.open(sys.argv[1], project="demo", settings={"embedding.provider": "none", "graph.buffer_pool_mb": 64})
mem.remember("The port of the gateway is 8080.")
mem.process()

def ended(child):
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
"""
LOAD = """
import faulthandler, time
done = threading.Event()

def work(turn):
    number = 0
    while not done.is_set():
        number += 1
        if turn % 2:
            mem.remember(f"The port of proxy {turn}.{number} is {9000 + number}.")
        if turn == 1:
            mem.process()
        mem.search("gateway port")
        time.sleep(0.005)

workers = [threading.Thread(target=work, args=(turn,)) for turn in range(8)]
for worker in workers:
    worker.start()
calls = [
    lambda: mem.search("gateway").hits[0],
    lambda: mem.remember(f"A child says {number}."),
    lambda: mem.cypher("MATCH (f:Fact) RETURN count(*)").rows[0],
    lambda: Memory.open(sys.argv[1], project="demo").search("gateway").hits[0],
    lambda: mem.close(),
    lambda: mem.tasks.create(f"Write chapter {number}"),
    lambda: mem.__exit__(),
    lambda: sys.exit(0),
]
ends, children = [], {}
for number in range(int(sys.argv[2])):
    if (child := os.fork()) == 0:
        faulthandler.dump_traceback_later(100, exit=True)
        calls[number % len(calls)]()
        os._exit(0)
    children[child] = number
    while len(children) == 4 or children and number + 1 == int(sys.argv[2]):
        child, status = os.wait()
        ends.append((os.waitstatus_to_exitcode(status), children.pop(child)))
done.set()
for worker in workers:
    worker.join()
mem.process()
said = [hit for hit in mem.search("child says", kinds=["fact"], k=500).hits if "A child says" in hit.content]
print([end for end in ends if end[0]], len(said), len(mem.tasks.ready()))
"""
OLDER = """
tasks, log = mem.tasks, mem._store.log
if (child := os.fork()) == 0:
    for use in (lambda: tasks.create("Write the manual"), lambda: log.head(), lambda: mem._store.log):
        try:
            use()
        except UsageError as error:
            print(error, flush=True)
    print(mem.tasks.create("Write the index").title, isinstance(mem, Memory), flush=True)
    try:
        mem.observe_many([{"content": lambda: 1}])
    except UsageError as error:
        print(error, flush=True)
    with mem:
        pass
    try:
        mem.search("gateway")
    except UsageError as error:
        print(error, flush=True)
    os._exit(0)
assert ended(child) == 0
print([task.title for task in mem.tasks.ready()])
"""
DEEPER = """
if (child := os.fork()) == 0:
    mem.remember("A child says 1.")
    if (deeper := os.fork()) == 0:
        mem.remember("A child of the child says 2.")
        with Memory.open(sys.argv[1], project="demo") as other:
            print(len(other.search("child says").hits), flush=True)
        sys.exit(0)
    assert ended(deeper) == 0
    print(mem.process() is not None, mem.head, flush=True)
    os._exit(0)
assert ended(child) == 0
print(mem.head)
"""
SURVIVOR = """
ready, go = os.pipe(), os.pipe()
if (child := os.fork()) == 0:
    os.close(go[1])
    mem.remember("A child says 1.")
    os.write(ready[1], b"x")
    os.read(go[0], 1)  # until the parent has closed its memory
    mem.remember("A child says 2.")
    mem.process()
    print(len(mem.search("child says").hits), flush=True)
    mem.close()
    os._exit(0)
os.read(ready[0], 1)
mem.close()
os.close(go[1])
assert ended(child) == 0
"""


def run(program: str, store: Path, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", START + program, str(store), *arguments],
        capture_output=True, text=True, timeout=60 * STOP_S,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.timeout(3_600)
@pytest.mark.parametrize("forks", with_deep([], [8, 480]))
def test_forks_while_threads_work_hang_nowhere(tmp_path: Path, forks: int) -> None:
    assert run(LOAD, tmp_path / "store", str(forks)) == f"[] {forks // 8} {forks // 8}\n"


def test_what_a_program_took_before_a_fork_refuses_in_the_child(tmp_path: Path) -> None:
    told = run(OLDER, tmp_path / "store").splitlines()
    assert told[:2] == ["this object was opened before a fork: take it from the memory again"] * 2
    assert told[2] == "this memory cannot be used in a forked process: open the memory in a program of its own"
    assert told[3] == "Write the index True"
    assert told[4] == "observe_many cannot be used in a forked process: open the memory in a program of its own"
    assert told[5].startswith("this memory was closed")
    assert told[6:] == ["['Write the index']"]


def test_a_fork_of_a_fork_uses_the_store_as_well(tmp_path: Path) -> None:
    assert run(DEEPER, tmp_path / "store") == "2\nTrue 3\n3\n"


def test_what_a_fork_writes_after_its_parent_closed_the_store_is_kept(tmp_path: Path) -> None:
    assert run(SURVIVOR, tmp_path / "store") == "2\n"
    with Memory.open(tmp_path / "store", project="demo") as mem:
        assert len([hit for hit in mem.search("child says").hits if "A child says" in hit.content]) == 2
