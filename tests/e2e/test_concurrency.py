"""One store used by everybody at once: threads and processes on one memory, an event loop, clocks that jump, a disk that can only
be read. Nothing is lost, nothing is there twice, and nobody waits for ever."""

from __future__ import annotations

import asyncio
import os
import random
import subprocess
import sys
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support import STOP_S, Hands
from workload import QUIET, state

from graphmem import Memory
from graphmem.errors import GraphmemError
from graphmem.settings import load_settings
from graphmem.store import Store

_WRITER = """
import sys
from graphmem import Memory
store, name, turns = sys.argv[1], sys.argv[2], int(sys.argv[3])
with Memory.open(store, project="demo", settings={"embedding.provider": "none"}) as mem:
    for number in range(turns):
        mem.observe(f"{name} says {number}", session=name, ref=str(number))
        if number % 10 == 5:
            mem.search(f"{name} says")
"""


def contents(mem: Memory) -> Counter[str]:
    return Counter(event.payload["content"] for event in mem._store.log.read(types=["user_prompt"]))


def crowd(folder: Path, threads: int, processes: int, turns: int) -> None:
    """Threads on one memory that write, search, query, process and remember, and processes that write beside them."""
    with Memory.open(folder, project="demo", settings=QUIET) as mem:
        others = [
            subprocess.Popen([sys.executable, "-c", _WRITER, str(folder), f"process{number}", str(turns)])
            for number in range(processes)
        ]
        barrier = threading.Barrier(threads)

        def work(number: int) -> None:
            chance = random.Random(number)
            barrier.wait(STOP_S)
            for turn in range(turns):
                mem.observe(f"thread{number} says {turn}", session=f"thread{number}", ref=str(turn))
                act = chance.random()
                if act < 0.1:
                    mem.search(f"thread{number} says")
                elif act < 0.15:
                    mem.cypher("MATCH (t:Turn) RETURN count(t)")
                elif act < 0.2:
                    mem.process()
                elif act < 0.25:
                    mem.remember(f"thread{number} keeps {turn}")
                elif act < 0.3:
                    mem.health()

        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(work, range(threads), timeout=1_200))
        assert [process.wait(STOP_S) for process in others] == [0] * processes
        mem.process()
        said = [*(f"thread{n}" for n in range(threads)), *(f"process{n}" for n in range(processes))]
        assert contents(mem) == Counter(f"{name} says {turn}" for name in said for turn in range(turns))
        assert mem.health()["sound"], mem.health()["problems"]
        (counted,) = mem.cypher("MATCH (t:Turn) RETURN count(t)").rows
        assert counted == [len(said) * turns]
        grown = state(mem, folder)
        mem.rebuild()
        assert state(mem, folder) == grown


@pytest.mark.usefixtures("default_engine")
def test_sixteen_threads_and_four_processes_on_one_memory(tmp_path: Path) -> None:
    crowd(tmp_path / "store", 16, 4, 4)


@pytest.mark.deep
@pytest.mark.timeout(3_600)
def test_sixteen_threads_and_four_processes_for_long(tmp_path: Path) -> None:
    crowd(tmp_path / "store", 16, 4, 150)


def test_an_event_loop_uses_one_memory_from_its_threads(tmp_path: Path) -> None:
    async def main() -> None:
        mem = await asyncio.to_thread(lambda: Memory.open(tmp_path / "store", project="demo", settings=QUIET))
        try:
            say = [asyncio.to_thread(mem.observe, f"task {n}", ref=str(n)) for n in range(30)]
            ask = [asyncio.to_thread(mem.search, f"task {n}") for n in range(5)]
            done = await asyncio.wait_for(asyncio.gather(*say, *ask), STOP_S)
            assert len(set(done[:30])) == 30
            late = asyncio.create_task(asyncio.to_thread(mem.process))
            await asyncio.sleep(0)
            late.cancel()  # the thread goes on; the memory stays whole
            await asyncio.to_thread(mem.process)
            assert contents(mem) == Counter(f"task {n}" for n in range(30))
        finally:
            await asyncio.to_thread(mem.close)

    asyncio.run(main())


@settings(max_examples=3, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    jumps=st.lists(st.integers(-(5 * 10**14), 5 * 10**14), min_size=3, max_size=10)
)  # within the times that are kept
def test_a_clock_that_jumps_loses_nothing_and_keeps_the_order(
    tmp_path_factory: pytest.TempPathFactory, jumps: list[int]
) -> None:
    folder, clock = tmp_path_factory.mktemp("clock"), Hands()
    with Memory(Store(folder, load_settings(None, QUIET), "demo", clock)) as mem:
        for number, jump in enumerate(jumps):
            mem.observe(f"turn {number}", session="s")
            mem.capture("make", output=f"error: number {number}", exit_code=2)
            if number % 3 == 1:
                mem.process()
            clock.time += jump
        mem.process()
        log = mem._store.log
        assert [event.payload["content"] for event in log.read(types=["user_prompt"])] == [
            f"turn {n}" for n in range(len(jumps))
        ]
        clocks = [event.clock for event in log.read()]
        assert clocks == sorted(set(clocks)) and len(list(log.read(types=["snapshot_captured"]))) == len(jumps)
        grown = state(mem, folder)
        mem.rebuild()
        assert state(mem, folder) == grown
        rows = mem.cypher("MATCH (t:Turn) WHERE t.role = 'user' RETURN t.content ORDER BY t.sequence").rows
        assert [row[0] for row in rows] == [f"turn {n}" for n in range(len(jumps))]


@pytest.mark.skipif(os.getuid() == 0 and not Path("/usr/bin/setpriv").exists(), reason="root may write everywhere")
def test_a_read_only_disk_is_searched_and_says_why_it_keeps_nothing(tmp_path: Path) -> None:
    """As another user where the tests run as root, who may write to what is read-only."""
    store = tmp_path / "store"
    with Memory.open(store, project="demo", settings=QUIET) as mem:
        mem.observe("the albatross is a bird", session="s")
        mem.process()
    script = (
        "import sys, json\n"
        "from graphmem import Memory\n"
        "from graphmem.errors import GraphmemError\n"
        "with Memory.open(sys.argv[1], settings={'embedding.provider': 'none'}) as mem:\n"
        "    print(len(mem.search('albatross').hits))\n"
        "    for act in (lambda: mem.observe('x'), mem.process, mem.rebuild, lambda: mem.forget('x')):\n"
        "        try:\n"
        "            act()\n"
        "            print('kept')\n"
        "        except GraphmemError as error:\n"
        "            print(str(error).count(chr(10)))\n"
    )
    for path in [store, *store.rglob("*")]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    for path in [tmp_path, *tmp_path.parents][:4]:  # a worker of the tests has a folder more
        path.chmod(path.stat().st_mode | 0o555)
    as_other = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] if os.getuid() == 0 else []
    done = subprocess.run(
        [*as_other, sys.executable, "-c", script, str(store)], capture_output=True, text=True, timeout=STOP_S
    )
    for path in [store, *store.rglob("*")]:
        path.chmod(0o755 if path.is_dir() else 0o644)
    assert done.returncode == 0 and "Traceback" not in done.stderr, done.stderr
    found, *kept = done.stdout.split()
    assert found == "1" and set(kept) == {"0"}, done.stdout


@pytest.mark.skipif(
    getattr(os, "getuid", lambda: 1)() != 0, reason="tests that do not run as root cannot become another user"
)
def test_a_store_in_a_folder_of_somebody_else_is_no_surprise(tmp_path: Path) -> None:
    """The access may end after the store was opened."""
    store = tmp_path / "store"
    store.mkdir()
    tmp_path.chmod(0o700)
    script = "import sys, pathlib\nfrom graphmem.backends.log.file_access import describe_fix\nprint(describe_fix(pathlib.Path(sys.argv[1])))"
    as_other = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    done = subprocess.run(
        [*as_other, sys.executable, "-c", script, str(store)], capture_output=True, text=True, timeout=STOP_S
    )
    assert done.stdout.startswith("give this user access to the folders of "), done.stderr


def test_a_clock_that_went_back_does_not_stop_captures(tmp_path: Path) -> None:
    """What was captured at times that are still to come is not taken for recent."""
    clock = Hands()
    with Memory(Store(tmp_path, load_settings(None, QUIET), "demo", clock)) as mem:
        for number in range(30):
            mem.capture("make", output=f"error: number {number}", exit_code=2)
        assert mem.capture("make", output="error: one too many", exit_code=2).outcome == "limited"
        clock.time -= 3_600_000_000
        assert mem.capture("make", output="error: an hour before", exit_code=2).outcome == "new"


def test_a_closed_memory_says_so_in_every_thread(tmp_path: Path) -> None:
    mem = Memory.open(tmp_path / "store", project="demo", settings=QUIET)
    mem.observe("x")
    mem.close()

    def use(_: int) -> str:
        try:
            mem.observe("y")
        except GraphmemError as error:
            return str(error)
        return "kept"

    with ThreadPoolExecutor(8) as pool:
        assert all("closed" in answer for answer in pool.map(use, range(16)))
