"""A private PostgreSQL server for tests, in a temporary folder, reached by a Unix socket. It runs as an ordinary user, because the
server refuses to run as root."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from contextlib import suppress
from itertools import count
from pathlib import Path

_PATIENCE_S = 60.0


def find_binaries() -> Path | None:
    """Return the folder with the newest server on this machine, or None."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"), key=lambda path: int(path.parts[-3]))
    on_path = shutil.which("postgres")
    return found[-1].parent if found else Path(on_path).parent if on_path else None


class PostgresqlServer:
    """A cluster of its own. `url` names a fresh log."""

    def __init__(self, binaries: Path) -> None:
        self._binaries = binaries
        self._user = "postgres" if os.getuid() == 0 else None
        self.folder = Path(tempfile.mkdtemp(prefix="pg-"))
        if self._user:
            owner = pwd.getpwnam(self._user)
            os.chown(self.folder, owner.pw_uid, owner.pw_gid)
        self._data = self.folder / "data"
        self._schemas = count(1)
        self._process: subprocess.Popen[bytes] | None = None
        self._run(
            "initdb",
            "--no-sync",
            "--auth=trust",
            "--username=graphmem",
            "--encoding=UTF8",
            "--locale=C",
            "-D",
            self._data,
        )
        self.start()

    def _run(self, program: str, *words: object) -> None:
        made = subprocess.run(
            [self._binaries / program, *map(str, words)],
            user=self._user,
            cwd=self.folder,
            capture_output=True,
            text=True,
        )
        assert made.returncode == 0, made.stderr

    def start(self) -> None:
        """Start the server, and wait until it answers."""
        until = time.monotonic() + _PATIENCE_S
        while True:
            log = (self.folder / "server.log").open("ab")
            self._process = subprocess.Popen(
                [self._binaries / "postgres", "-D", self._data, "-k", self.folder, "-c", "listen_addresses=",
                 "-c", "max_connections=60", "-c", "shared_buffers=32MB"],
                user=self._user, cwd=self.folder, stdout=log, stderr=log, start_new_session=True,
            )  # fmt: skip
            log.close()
            while self._process.poll() is None and time.monotonic() < until:
                if self._answers():
                    return
                time.sleep(0.05)
            assert time.monotonic() < until, (self.folder / "server.log").read_text()
            time.sleep(0.1)  # processes of the killed one still end

    def _answers(self) -> bool:
        asked = subprocess.run(
            [self._binaries / "pg_isready", "-q", "-h", self.folder, "-U", "graphmem", "-d", "postgres"], check=False
        )
        return asked.returncode == 0

    def kill(self) -> None:
        """Kill the server without warning; its processes notice that and end."""
        assert self._process is not None
        self._process.kill()
        self._process.wait()

    def suspend(self) -> None:
        """Stop the server and all its processes: its sockets stay open, and nothing answers."""
        self._signal_all(signal.SIGSTOP)

    def resume(self) -> None:
        """Let a suspended server run on."""
        self._signal_all(signal.SIGCONT)

    def _signal_all(self, number: signal.Signals) -> None:
        assert self._process is not None
        self._process.send_signal(number)  # first: it starts no other process meanwhile
        listed = subprocess.run(
            ["ps", "-o", "pid=", "--ppid", str(self._process.pid)], stdout=subprocess.PIPE, text=True
        )
        for pid in map(int, listed.stdout.split()):
            with suppress(ProcessLookupError):
                os.kill(pid, number)

    def url(self) -> str:
        """Return the URL of a log that no other test uses."""
        return f"postgresql://graphmem@/postgres?host={self.folder}&schema=log_{next(self._schemas)}"

    def close(self) -> None:
        """End the server and delete its folder."""
        if self._process is not None and self._process.poll() is None:
            self.resume()
            self._process.terminate()
            try:
                self._process.wait(10)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
