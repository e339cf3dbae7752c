"""A private graph server for tests: ArcadeDB with its Bolt plugin, in a temporary folder, on loopback. Server and Java come out
of the wheel `arcadedb-embedded`; nothing of it is imported."""

from __future__ import annotations

import base64
import importlib.util
import json
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.request
from itertools import count
from pathlib import Path

_PATIENCE_S = 240.0
USER = "root"
# Half of the processor time of a server that lives for a minute goes into compiling it well.
_SHORT_LIVED = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto")


def find_package() -> Path | None:
    """Return the folder of the installed wheel, or None."""
    found = importlib.util.find_spec("arcadedb_embedded")
    return Path(found.origin).parent if found and found.origin else None


class ArcadeServer:
    """A server of its own. `url` names a fresh database."""

    def __init__(self, package: Path) -> None:
        self._package = package
        self.folder = Path(tempfile.mkdtemp(prefix="arcade-"))
        self.password = secrets.token_hex(12)
        self._bolt, self._http = _free_port(), _free_port()
        self._names = count(1)
        self._process: subprocess.Popen[bytes] | None = None
        self.start()

    def start(self) -> None:
        """Start the server, and wait until it answers."""
        options = {
            "server.rootPath": self.folder, "server.rootPassword": self.password, "server.databaseDirectory": self.folder / "databases",
            "server.plugins": "Bolt:com.arcadedb.bolt.BoltProtocolPlugin", "bolt.port": self._bolt, "bolt.host": "127.0.0.1",
            "server.httpIncomingHost": "127.0.0.1", "server.httpIncomingPort": self._http,
        }  # fmt: skip
        log = (self.folder / "server.log").open("ab")
        self._process = subprocess.Popen(
            [self._package / "jre/bin/java", *_SHORT_LIVED, "-Xmx768m", "-cp", f"{self._package}/jars/*",
             *(f"-Darcadedb.{name}={value}" for name, value in options.items()), "com.arcadedb.server.ArcadeDBServer"],
            cwd=self.folder, stdout=log, stderr=log, stdin=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        log.close()
        until = time.monotonic() + _PATIENCE_S
        while not self._answers():
            assert self._process.poll() is None and time.monotonic() < until, (self.folder / "server.log").read_text()
            time.sleep(0.1)

    def _answers(self) -> bool:
        try:
            self._command("list databases")
            socket.create_connection(("127.0.0.1", self._bolt), 1).close()
            return True
        except OSError:
            return False

    def _command(self, command: str) -> None:
        asked = urllib.request.Request(
            f"http://127.0.0.1:{self._http}/api/v1/server", json.dumps({"command": command}).encode(), method="POST"
        )
        asked.add_header("Authorization", "Basic " + base64.b64encode(f"{USER}:{self.password}".encode()).decode())
        asked.add_header("Content-Type", "application/json")
        urllib.request.urlopen(asked, timeout=60).close()

    def url(self) -> str:
        """Return the URL of an empty database that no other test uses."""
        name = f"graph{next(self._names)}"
        self._command(f"create database {name}")
        return f"bolt://127.0.0.1:{self._bolt}?database={name}"

    def kill(self) -> None:
        """Kill the server without warning."""
        assert self._process is not None
        self._process.kill()
        self._process.wait()

    def suspend(self) -> None:
        """Stop the server: its sockets stay open, and nothing answers."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Let a suspended server run on."""
        assert self._process is not None
        self._process.send_signal(signal.SIGCONT)

    def close(self) -> None:
        """End the server and delete its folder."""
        if self._process is not None and self._process.poll() is None:
            self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])
