"""One client asks its owner for the world: it is told so in time, the owner stays small and alive, and others are answered."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path

import pytest
from support import STOP_S, kill_owner, wait_until

from graphmem import Memory
from graphmem.backends.remote import place
from graphmem.errors import GraphmemError, QueryStopped, QueryTimeout, StoreError

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
COUNT = "MATCH (f:Fact) RETURN count(*)"
SLOW = "MATCH (a:Fact), (b:Fact), (c:Fact), (d:Fact) WHERE a.content + b.content < c.content + d.content RETURN max(c.content)"
WORLD = [
    "UNWIND range(1, 2000000000) AS x RETURN x",
    "RETURN size(range(1, 3000000000))",
    "RETURN repeat('x', 3000000000)",
    "UNWIND range(1, 100000) AS x UNWIND range(1, 100000) AS y RETURN x, y ORDER BY y, x",
    SLOW,
]


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPHMEM_EMBEDDING__PROVIDER", "none")
    monkeypatch.setenv("GRAPHMEM_GRAPH__QUERY_MEMORY_MB", "128")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Path]:
    """A store whose daemon is there, with enough facts for a query without end."""
    store = tmp_path / "store"
    with Memory.open(store, project="demo", daemon=True) as mem:
        for number in range(200):
            mem.remember(f"fact {number}")
        mem.process()
        assert mem.cypher(COUNT).rows == [[200]]
    yield store
    kill_owner(store)


def owner(store: Path) -> int:
    return int(place.read_endpoint(store)["pid"])


def resident_mb(pid: int) -> int:
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") >> 20


def readers(pid: int) -> dict[int, float]:
    """The reader processes of an owner, with the seconds of processor time that each has used."""
    found = {}
    for task in Path(f"/proc/{pid}/task").iterdir():
        with suppress(FileNotFoundError, ProcessLookupError):  # a thread or a reader that ended meanwhile
            for child in (task / "children").read_text().split():
                used = Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()
                found[int(child)] = (int(used[11]) + int(used[12])) / os.sysconf("SC_CLK_TCK")
    return found


def busy(pid: int) -> list[int]:
    """Readers that compute: those whose time grows while one looks."""
    before = readers(pid)
    time.sleep(0.3)
    return [child for child, used in readers(pid).items() if used > before.get(child, used) + 0.02]


def test_whatever_one_asks_others_are_answered_by_the_same_small_owner(store: Path) -> None:
    first = owner(store)
    most, meanwhile, done = 0, 0, threading.Event()
    running: list[int] = []  # the number of the query that is asked right now
    asked = count()

    def others() -> None:
        nonlocal most, meanwhile
        with Memory.open(store, project="demo", daemon=True) as mem:
            mem.stats()
            while not done.wait(0.05):
                before = running[:]
                assert mem.query("callers", {"name": "x"}).rows == []
                meanwhile += bool(before) and before == running
                most = max(most, resident_mb(first))

    asking = threading.Thread(target=others)
    asking.start()
    with Memory.open(store, project="demo", daemon=True) as mem:

        def ask_for(query: str) -> None:
            running.append(next(asked))
            with pytest.raises((QueryStopped, QueryTimeout)):
                mem.cypher(query, timeout=2)
            running.clear()
            assert mem.cypher(COUNT).rows == [[200]]

        for query in WORLD:  # some of them would take days
            ask_for(query)
        until = time.monotonic() + STOP_S
        while meanwhile < len(WORLD) and time.monotonic() < until:  # a busy machine answers less in two seconds
            ask_for(SLOW)
    done.set()
    asking.join(STOP_S)
    assert owner(store) == first and most < 1_000
    assert meanwhile >= len(WORLD)  # who waits for a query is answered after it


def test_a_query_that_ended_its_reader_is_not_sent_again(store: Path) -> None:
    first, errors = owner(store), []

    def question() -> None:
        with Memory.open(store, project="demo", daemon=True) as mem:
            try:
                mem.cypher(SLOW, timeout=300)
            except GraphmemError as error:
                errors.append(error)

    asking = threading.Thread(target=question)
    asking.start()
    computing: list[int] = []
    wait_until(lambda: computing.extend(busy(first)) or computing)
    for child in computing:
        os.kill(child, signal.SIGSEGV)
    asking.join(STOP_S)
    (error,) = errors
    assert isinstance(error, QueryStopped) and "SIGSEGV" in str(error) and "not sent again" in str(error)
    wait_until(lambda: busy(first) == [])  # the next reader starts, and then waits
    assert owner(store) == first


def test_an_owner_that_dies_during_a_query_is_not_asked_again(store: Path) -> None:
    first, errors = owner(store), []

    def question() -> None:
        with Memory.open(store, project="demo", daemon=True) as mem:
            try:
                mem.cypher(SLOW, timeout=300)
            except GraphmemError as error:
                errors.append(error)

    asking = threading.Thread(target=question)
    asking.start()
    wait_until(lambda: busy(first))
    children = list(readers(first))
    os.kill(first, signal.SIGKILL)
    asking.join(STOP_S)
    (error,) = errors
    assert isinstance(error, StoreError) and "was not repeated" in str(error)
    wait_until(lambda: not [child for child in children if Path(f"/proc/{child}/exe").exists()])  # they ended with it
    with Memory.open(store, project="demo", daemon=True) as mem:
        assert mem.cypher(COUNT).rows == [[200]] and owner(store) != first
        wait_until(lambda: busy(owner(store)) == [])


def test_a_query_ends_when_its_client_is_killed(store: Path) -> None:
    first = owner(store)
    program = (
        f"import sys; from graphmem import Memory\nMemory.open(sys.argv[1], daemon=True).cypher({SLOW!r}, timeout=300)"
    )
    client = subprocess.Popen([sys.executable, "-c", program, str(store)])
    wait_until(lambda: busy(first))
    client.kill()
    client.wait()
    wait_until(lambda: busy(first) == [])
    assert owner(store) == first
