"""Several processes use one store at the same time: writers, readers, owners that come, go and die."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from support import STOP_S, end_owner, kill_owner, wait_until, with_deep

from graphmem import Memory
from graphmem.backends.remote import client, place
from graphmem.backends.remote.messages import codec_of
from graphmem.errors import StoreBusy, StoreError
from graphmem.operations.vocabulary import RECORDS

QUIET = {"embedding.provider": "none", "graph.buffer_pool_mb": 64}
WRITER = """
import sys
from pathlib import Path
from graphmem import Memory
with Memory.open(Path(sys.argv[1]), project="demo") as mem:
    for n in range(int(sys.argv[3])):
        print(mem.observe(f"writer {sys.argv[2]} says word{n} because", session=f"s{sys.argv[2]}"))
"""
LINGERING_OWNER = """
import sys
from pathlib import Path
from graphmem.owner.daemon import serve
serve(Path(sys.argv[1]), "demo", int(sys.argv[2]))
sys.stdin.read()
"""
READER = """
import sys
from pathlib import Path
from graphmem import Memory
with Memory.open(Path(sys.argv[1]), project="demo", daemon=True) as mem:
    print("ready", flush=True)
    asked = 0
    for _ in sys.stdin:
        break
    while not Path(sys.argv[1], "enough").exists():
        mem.search("word1 because", k=3)
        mem.cypher("MATCH (t:Turn) RETURN count(*)")
        mem.history(limit=2)
        asked += 1
print(asked)
"""


def refusal(store: Path) -> str:
    """Why the owner of a store is asked to leave, or ""."""
    return client.refusal_of(client.Link(client.connect(store), codec_of(RECORDS)), store)


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPHMEM_EMBEDDING__PROVIDER", "none")
    monkeypatch.setenv("GRAPHMEM_GRAPH__BUFFER_POOL_MB", "64")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Path]:
    """A store whose daemon, if one was started, is gone after the test."""
    path = tmp_path / "store"
    yield path
    kill_owner(path)


def run(script: str, *arguments: Any, **options: Any) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", script, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


def owner(store: Path) -> int:
    return int(place.read_endpoint(store).get("pid", 0))


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def crowd(store: Path, writers: int, each: int, readers: int) -> dict[str, Any]:
    """Writers and readers at once with a daemon; what they saw."""
    watching = [run(READER, store, stdin=subprocess.PIPE) for _ in range(readers)]
    for reader in watching:
        assert reader.stdout.readline() == "ready\n", reader.stderr.read()
        reader.stdin.write("go\n")
        reader.stdin.flush()
    started = time.perf_counter()
    writing = [run(WRITER, store, number, each) for number in range(writers)]
    said = [line for writer in writing for line in writer.communicate()[0].split()]
    seconds = time.perf_counter() - started
    assert all(writer.returncode == 0 for writer in writing)
    (store / "enough").touch()
    answers = [reader.communicate(timeout=STOP_S) for reader in watching]
    assert [error for _, error in answers if "Error" in error] == []
    return {"said": said, "asked": sum(int(out.split()[-1]) for out, _ in answers), "seconds": seconds}


def check_crowd(store: Path, writers: int, each: int, readers: int) -> None:
    seen = crowd(store, writers, each, readers)
    with Memory.open(store, project="demo", daemon=True) as mem:
        mem.process()
        (count,) = mem.cypher("MATCH (t:Turn) RETURN count(*)").rows[0]
        turns = [event.id for event in mem.history(limit=10**6)]
        assert len(turns) == len(set(turns)) == count == writers * each and set(turns) == set(seen["said"])
        assert mem.health()["sound"]
    print(json.dumps({"appends": len(seen["said"]), "seconds": round(seen["seconds"], 1), "reads": seen["asked"]}))


def test_writers_and_readers_do_not_disturb_each_other(store: Path) -> None:
    check_crowd(store, 3, 60, 1)


@pytest.mark.deep
@pytest.mark.timeout(1800)
def test_eight_writers_of_two_thousand_events(store: Path) -> None:
    check_crowd(store, 8, 2000, 2)


@pytest.mark.usefixtures("default_engine")
def test_a_client_goes_on_when_its_owner_is_killed(store: Path) -> None:
    with Memory.open(store, project="demo", daemon=True) as mem:
        mem.observe("one")
        mem.process()
        first = owner(store)
        os.kill(first, signal.SIGKILL)
        mem.observe("two")
        mem.process()
        assert mem.cypher("MATCH (t:Turn) RETURN count(*)").rows == [[2]]
        assert owner(store) not in (0, first)


def test_an_owner_makes_way_when_its_log_was_restored_from_a_backup(store: Path, tmp_path: Path) -> None:
    with Memory.open(store, project="demo", daemon=True) as mem:
        mem.observe("one")
        mem.process()
        mem.observe("two")
        with (
            closing(sqlite3.connect(store / "log.db")) as db,
            closing(sqlite3.connect(tmp_path / "backup.db")) as backup,
        ):
            db.backup(backup)
        mem.observe("three, which the backup has not")
        mem.process()
        first = owner(store)
        for file in store.glob("log.db*"):
            file.unlink()
        with pytest.raises(StoreError, match=r"not stored: log.db was moved, deleted or replaced while it was open"):
            mem.observe("it would be lost with the file")
    shutil.move(tmp_path / "backup.db", store / "log.db")
    (store / "log.db").chmod(0o600)
    with Memory.open(store, project="demo", daemon=True) as mem:
        with pytest.raises(StoreError, match="not the log of these projections"):
            mem.process()
        assert owner(store) not in (0, first)
        mem.rebuild(accept_loss=True)
        mem.observe("four")
        mem.process()
        assert mem.cypher("MATCH (t:Turn) RETURN count(*)").rows == [[3]] and mem.health()["sound"]


@pytest.mark.usefixtures("default_engine")
def test_windows_flush_by_themselves_and_an_owner_killed_among_them_loses_none(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GRAPHMEM_BUFFER__IDLE_S", "600")
    monkeypatch.setenv("GRAPHMEM_BUFFER__FLUSH_S", "0.5")
    expected = {f"The team decided to use tool{n} instead of old{n} for the shop." for n in range(24)}
    told = "MATCH (f:Fact) RETURN f.content"
    with Memory.open(store, project="demo", daemon=True) as mem:
        assert mem.cypher(told).rows == []
        for number, content in enumerate(sorted(expected)):
            mem.observe(content.replace("The team", "We"), session="s", ref=str(number))
            if number == 11:  # a window is full, and being derived from
                os.kill(owner(store), signal.SIGKILL)
                wait_until(lambda: mem.cypher("MATCH (t:Turn) RETURN count(*)").rows != [[0]])
        wait_until(lambda: len(mem.cypher(told).rows) == len(expected))
        contents = [row[0] for row in mem.cypher(told).rows]
        assert set(contents) == expected and len(contents) == len(expected)
        events = mem.history(limit=100)
        assert mem.process().derived == 0 and mem.history(limit=100) == events


def test_an_owner_concludes_by_itself_once_it_is_quiet(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPHMEM_BUFFER__IDLE_S", "1")
    monkeypatch.setenv("GRAPHMEM_BUFFER__FLUSH_S", "0.2")
    with Memory.open(store, project="demo", daemon=True) as mem:
        for text in ("We decided to use pnpm instead of npm.", "Should the cart stay?"):
            mem.observe(text, session="s", role="assistant")
        made = {"command": "git commit", "writes": ["src/app.py"], "commits": [["abc1234", "Fix"]]}
        mem.observe("done", session="s", role="tool", metadata=made)
        wait_until(lambda: mem.cypher("MATCH (s:Summary) RETURN count(*)").rows != [[0]])  # no session ended


def test_daemons_that_race_leave_one(store: Path) -> None:
    with Memory.open(store, project="demo"):
        pass
    left, *others = [client.start_daemon(store, "demo") for _ in range(4)]
    assert left is not None and others == [None] * 3
    wait_until(lambda: client.connect(store))
    assert owner(store) == left.pid and client.start_daemon(store, "demo") is None
    socket = place.socket_path(store)
    assert stat.S_IMODE(socket.stat().st_mode) == 0o600 and stat.S_IMODE(socket.parent.stat().st_mode) == 0o700
    left.terminate()
    assert left.wait(STOP_S) == 0
    assert not socket.exists() and not place.read_endpoint(store)


def test_an_owner_that_died_while_it_started_is_started_again(store: Path) -> None:
    with Memory.open(store, project="demo"):
        pass
    first = client.start_daemon(store, "demo")
    first.kill()
    first.wait(STOP_S)
    second = client.start_daemon(store, "demo")
    wait_until(lambda: client.connect(store))
    assert owner(store) == second.pid


def test_the_next_owner_need_not_wait_until_the_interpreter_of_the_last_has_ended(store: Path) -> None:
    with Memory.open(store, project="demo"):
        pass
    right = place.claim_start(store)
    lingers = subprocess.Popen(
        [sys.executable, "-c", LINGERING_OWNER, str(store), str(right)], pass_fds=(right,), stdin=subprocess.PIPE
    )
    os.close(right)
    wait_until(lambda: client.connect(store))
    end_owner(store)
    wait_until(lambda: client.start_daemon(store, "demo"))
    assert lingers.poll() is None
    lingers.communicate()


def test_a_program_uses_the_daemon_that_is_there_and_the_reverse(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPHMEM_OWNER__IDLE_S", "1")
    with Memory.open(store, project="demo", daemon=True) as mem:
        mem.observe("one")
        mem.process()
        daemon = owner(store)
        with Memory.open(store, project="demo") as other:
            assert other.cypher("MATCH (t:Turn) RETURN count(*)").rows == [[1]] and owner(store) == daemon
    wait_until(lambda: not alive(daemon))  # idle
    assert not place.socket_path(store).exists() and not place.read_endpoint(store)
    with Memory.open(store, project="demo") as mem:
        mem.process()
        assert owner(store) == os.getpid()
        done = run(
            "import sys; from graphmem import Memory\nwith Memory.open(sys.argv[1], daemon=True) as m: print(m.cypher('MATCH (t:Turn) RETURN count(*)').rows)",
            store,
        )
        assert done.communicate(timeout=STOP_S)[0] == "[[1]]\n"


def test_a_client_whose_embedded_owner_left_gets_a_daemon(store: Path) -> None:
    first = Memory.open(store, project="demo")
    first.observe("one")
    first.process()
    second = run(
        "import sys; from graphmem import Memory\nwith Memory.open(sys.argv[1]) as m:\n    for _ in sys.stdin: print(m.cypher('MATCH (t:Turn) RETURN count(*)').rows, flush=True)",
        store,
        stdin=subprocess.PIPE,
    )
    second.stdin.write("x\n")
    second.stdin.flush()
    assert second.stdout.readline() == "[[1]]\n"
    first.close()
    assert second.communicate("x\n", timeout=STOP_S)[0] == "[[1]]\n"


def test_an_owner_of_another_version_is_replaced_or_named(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Memory.open(store, project="demo", daemon=True) as mem:
        mem.observe("one")
        mem.process()
        old = owner(store)
        monkeypatch.setattr(client, "VERSION", "0.0.0")
        assert refusal(store) != ""  # the daemon was told to leave
        wait_until(lambda: not alive(old))
    monkeypatch.undo()
    with Memory.open(store, project="demo") as mem:
        mem.process()
        monkeypatch.setattr(client, "VERSION", "0.0.0")
        with pytest.raises(StoreBusy, match="runs graphmem"):
            client.connect_or_start(store, "demo", RECORDS)


def test_a_daemon_of_code_that_was_changed_is_replaced_and_an_embedded_owner_is_not(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Memory.open(store, project="demo", daemon=True) as mem:
        mem.observe("one")
        mem.process()
        old = owner(store)
        assert refusal(store) == ""
        monkeypatch.setattr(client, "stamp", lambda: "edited meanwhile")
        assert "other code" in refusal(store)
        wait_until(lambda: not alive(old))
        monkeypatch.undo()
        assert mem.cypher("MATCH (t:Turn) RETURN count(*)").rows == [[1]]
        assert owner(store) != old
    wait_until(lambda: client.connect(store) is not None)
    client.claim_from_daemon(store).release()
    wait_until(lambda: client.connect(store) is None)
    with Memory.open(store) as mem:
        mem.process()
        monkeypatch.setattr(client, "stamp", lambda: "edited meanwhile")
        assert refusal(store) == ""


def test_a_store_deep_down_has_a_socket(tmp_path: Path) -> None:
    deep = tmp_path / ("d" * 100) / ("e" * 100)
    with Memory.open(deep, project="demo") as mem:
        mem.observe("one")
        mem.process()
        assert client.connect(deep) is not None


@pytest.mark.parametrize("daemon", with_deep([True], [False]))
def test_a_fork_of_a_program_uses_the_store_as_well(store: Path, daemon: bool) -> None:
    program = """
import os, sys
from graphmem import Memory
mem = Memory.open(sys.argv[1], project="demo", daemon=sys.argv[2] == "True")
mem.remember("The port of the gateway is 8080.")
mem.process()
before = mem.tasks
if (child := os.fork()) == 0:
    print(len(mem.search("port").hits), mem.cypher("MATCH (f:Fact) RETURN count(*)").rows, flush=True)
    mem.remember("The port of the proxy is 9090.")
    mem.process()
    mem.tasks.create("Write the manual")
    assert mem.tasks is not before
    print(len(mem.search("port").hits), mem.cypher("MATCH (f:Fact) RETURN count(*)").rows, flush=True)
    sys.exit(0)
assert os.waitpid(child, 0)[1] == 0
print(len(mem.search("port").hits), mem.cypher("MATCH (f:Fact) RETURN count(*)").rows, len(mem.tasks.ready()), flush=True)
"""
    done = subprocess.run(
        [sys.executable, "-c", program, str(store), str(daemon)], capture_output=True, text=True, timeout=STOP_S
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "1 [[1]]\n2 [[2]]\n2 [[2]] 1\n", "")


def test_a_program_that_forgets_to_close_leaves_a_closed_store(store: Path) -> None:
    program = """
import os, sys
from graphmem import Memory
mem = Memory.open(sys.argv[1], project="demo", settings={"embedding.provider": "none", "graph.buffer_pool_mb": 64})
mem.remember("The port of the gateway is 8080.")
mem.process()
if os.fork() == 0:
    sys.exit(0)  # a fork has nothing to close
os.wait()
print(len(mem.search("port").hits))
"""
    done = subprocess.run([sys.executable, "-c", program, str(store)], capture_output=True, text=True, timeout=STOP_S)
    assert (done.returncode, done.stdout, done.stderr) == (0, "1\n", "")
    assert [path.name for path in store.iterdir() if path.name.endswith(("wal", "shm"))] == []
    assert not (store / "owner.json").exists()
