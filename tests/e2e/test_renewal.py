"""An owner that has grown is renewed once it is left alone: the same process with a new image, which keeps the store."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from support import Repository, end_owner, wait_until

from graphmem.backends.remote import place
from graphmem.memory import Memory

OWNER = """
import sys
from pathlib import Path
from graphmem.interfaces.daemon import serve_commands
from graphmem.owner import daemon
daemon._RENEW_EVENTS, daemon._RENEW_BYTES, daemon._RENEW_QUIET_S = 3, int(sys.argv[2]), 0.2
raise SystemExit(daemon.serve(Path(sys.argv[1]), "demo", serve_commands))
"""


def _start(store: Path, swollen: int) -> subprocess.Popen[bytes]:
    process = subprocess.Popen([sys.executable, "-c", OWNER, str(store), str(swollen)])
    wait_until(lambda: place.read_endpoint(store).get("pid") == process.pid)
    return process


def _record(store: Path) -> None:
    with Memory.open(store, project="demo", daemon=True) as client:
        client.observe_many({"content": f"We keep queue {number} in SQLite.", "session": "s"} for number in range(9))
        assert client.process().derived > 0


def _renewals(store: Path) -> int:
    return (store / "owner.log").read_text("utf-8").count("renewed")


def test_a_swollen_owner_is_renewed_once_and_keeps_answering(tmp_path: Path) -> None:
    store = tmp_path / "store"
    with Memory.open(store, project="demo"):
        pass
    (store / "settings.toml").write_text("[buffer]\nidle_s = 0.3\n")
    process = _start(store, 1)
    _record(store)
    wait_until(lambda: _renewals(store) == 1)
    wait_until(lambda: (store / "owner.log").read_text("utf-8").count("owns") == 2)
    assert place.read_endpoint(store)["pid"] == process.pid and process.poll() is None
    with Memory.open(store, project="demo", daemon=True) as client:
        assert client.search("queue").hits and client.cypher("MATCH (t:Turn) RETURN count(t)").rows == [[9]]
        client.remember("The queue is small.")
        client.process()
    assert _renewals(store) == 1  # little was recorded since
    end_owner(store)
    process.wait()


def test_an_owner_is_renewed_soon_after_init(tmp_path: Path, repository: Repository) -> None:
    for number in range(9):
        repository.write(f"module{number}.py", f"def answer{number}():\n    return {number}\n")
        repository.commit(f"Add module {number}")
    store = tmp_path / "store"
    with Memory.open(store, project="demo"):
        pass
    owner = OWNER.replace("= 3, int(sys.argv[2]), 0.2", "= 3, int(sys.argv[2]), 60.0\ndaemon._INIT_QUIET_S = 0.2")
    process = subprocess.Popen([sys.executable, "-c", owner, str(store), "1"])
    wait_until(lambda: place.read_endpoint(store).get("pid") == process.pid)
    with Memory.open(store, project="demo", daemon=True) as client:
        client.init(repository.path, wait=False)
    wait_until(lambda: _renewals(store) == 1)
    with Memory.open(store, project="demo", daemon=True) as client:
        assert client.search("Add module").hits and client.code.outline("module7.py").symbols
    end_owner(store)
    process.wait()


@pytest.mark.deep
def test_a_small_owner_stays(tmp_path: Path) -> None:
    store = tmp_path / "store"
    with Memory.open(store, project="demo"):
        pass
    (store / "settings.toml").write_text("[buffer]\nidle_s = 0.3\n")
    process = _start(store, 1 << 40)
    _record(store)
    with Memory.open(store, project="demo", daemon=True) as client:
        wait_until(lambda: client.process().events == 0)
    assert process.poll() is None and _renewals(store) == 0
    end_owner(store)
    process.wait()
