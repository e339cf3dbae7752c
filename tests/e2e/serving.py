"""A running `graphmem serve` over a store of its own, for the tests of the API and the viewer: one a module, or one for several
modules, because starting costs seconds. The store is filled once in a run of the tests, whatever the number of workers, and
copied for each server, because reading its texts costs more than all the rest."""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import harbour
import httpx
import morning
import pytest
from support import STOP_S, Repository, kill_owner

from graphmem import Memory

get, post = partial(httpx.get, timeout=STOP_S), partial(httpx.post, timeout=STOP_S)  # of a client without a token
HOSTILE = "<img src=x onerror=\"window.hacked='yes'\"><script>window.hacked='yes'</script>"


_kept: dict[str, Any] = {}
_ends = ExitStack()


def keep(name: str, made: Callable[[], AbstractContextManager[Any]]) -> Any:
    """What was made under this name, until `end_kept`: several modules have it together."""
    if name not in _kept:
        _kept[name] = _ends.enter_context(made())
    return _kept[name]


def end_kept() -> None:
    """End all that is kept."""
    _kept.clear()
    _ends.close()


class Served:
    """A server, its store and a client that holds the token."""

    def __init__(self, folder: Path, repository: Repository) -> None:
        self.store = folder / "store"
        self.environment = {
            **os.environ,
            "GRAPHMEM_HOME": str(folder / "home"),
            "XDG_RUNTIME_DIR": str(folder / "run"),
        }
        (folder / "run").mkdir(mode=0o700, exist_ok=True)
        self.repository = repository

    def start(self, also: Sequence[Path] = ()) -> None:
        """Run the server, with other stores to switch to, and wait until it answers."""
        command = [
            sys.executable,
            "-m",
            "graphmem.interfaces.entry",
            "serve",
            "--store",
            str(self.store),
            "--port",
            "0",
            *(word for path in also for word in ("--also", str(path))),
        ]
        self.process = subprocess.Popen(
            command, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        assert self.process.stdout is not None
        told = self.process.stdout.readline() + self.process.stdout.readline() + self.process.stdout.readline()
        found = re.search(
            r"(http://127\.0\.0\.1:(\d+))\n.* (http://(graphmem-[0-9a-f]+\.localhost:\d+)/login\?key=(\S+))", told
        )
        assert found, told
        self.url, self.port, self.link, self.own_name, self.key = found[1], int(found[2]), found[3], found[4], found[5]
        self.token = self.run_token("rotate" if "default" in self.run_token("list") else "new")
        headers = {"Authorization": f"Bearer {self.token}"}
        self.client = httpx.Client(base_url=self.url, headers=headers, timeout=STOP_S)

    def run_token(self, *arguments: str) -> str:
        """What `graphmem token` prints."""
        command = [sys.executable, "-m", "graphmem.interfaces.entry", "token", *arguments]
        return subprocess.run(
            command, env=self.environment, stdout=subprocess.PIPE, text=True, check=True
        ).stdout.strip()

    def log_in(self, shown: str, **headers: str) -> httpx.Response:
        """What the form of the login page is answered with."""
        return post(f"{self.url}/login", data={"key": shown}, headers={"Origin": self.url, **headers})

    def stop(self) -> None:
        self.client.close()
        self.process.terminate()
        self.process.wait(STOP_S)
        kill_owner(self.store)


def fill(store: Path, repository: Repository) -> None:
    """Make a store, with texts in it that would run if a page did not escape them."""
    for name, text in harbour.FILES.items():
        repository.commit(f"Add {name}", {name: text})
    repository.commit(f"Hostile {HOSTILE}", {"harbour/<b onclick=alert(1)>.py": "def harmless():\n    return 1\n"})
    with Memory.open(store, project="harbour") as mem:
        mem.init(repository.path)
        harbour.fill(mem)
        mem.remember(f"A hostile fact {HOSTILE}", title=f"Hostile {HOSTILE}", ref="hostile")
        mem.tasks.create(f"Hostile task {HOSTILE}")
        morning.spend_morning(mem, repository.path)


def filled(shared: Path) -> Path:
    """The folder with the filled store and its repository. The first worker that asks fills it; the others wait."""
    folder = shared / "served"
    folder.mkdir(exist_ok=True)
    with (folder / "lock").open("w") as lock, pytest.MonkeyPatch.context() as patch:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "done").exists():
            patch.setenv("GRAPHMEM_HOME", str(folder / "home"))
            patch.setenv("XDG_RUNTIME_DIR", str(folder / "run"))
            (folder / "run").mkdir(mode=0o700, exist_ok=True)
            fill(folder / "store", Repository(folder / "repository"))
            (folder / "done").touch()
    return folder


@contextmanager
def serving(
    factory: pytest.TempPathFactory, name: str, more: Callable[[Memory], None] | None = None, other: str = ""
) -> Iterator[Served]:
    """A copy of the filled store behind a running server; `more` adds to the copy, `other` is a fact of a second store."""
    base = factory.getbasetemp()
    source = filled(base.parent if "PYTEST_XDIST_WORKER" in os.environ else base)
    folder = factory.mktemp(name)
    shutil.copytree(source / "store", folder / "store")
    served = Served(folder, Repository(source / "repository"))
    if more is not None:
        with pytest.MonkeyPatch.context() as patch:
            for variable in ("GRAPHMEM_HOME", "XDG_RUNTIME_DIR"):
                patch.setenv(variable, served.environment[variable])
            with Memory.open(served.store, project="harbour") as mem:
                more(mem)
    also = [folder / "lighthouse"] if other else []
    for path in also:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("GRAPHMEM_HOME", served.environment["GRAPHMEM_HOME"])
            with Memory.open(path, project="lighthouse") as mem:
                mem.remember(other)
                mem.process()
    served.start(also)
    try:
        yield served
    finally:
        served.stop()
        for path in also:
            kill_owner(path)
