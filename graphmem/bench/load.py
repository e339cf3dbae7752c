"""Sixteen clients of one store at once: eight agents over MCP, four that send hooks, four browsers over HTTP. `graphmem bench load
--count 600` runs them for so many seconds, on the log that `GRAPHMEM_LOG__URL` names, otherwise on a log in SQLite. Each client
waits a little after each answer. At the end, everything that was acknowledged must be in the log once."""

from __future__ import annotations

import http.client
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Any

from graphmem.bench.viewer import serve_store
from graphmem.errors import SourceError
from graphmem.memory import Memory
from graphmem.store.adoption import stop_owner

AGENTS, HOOKS, BROWSERS = 8, 4, 4
_SEEDED = 400  # turns in the store before
_PAUSE_S = 0.25  # between an answer and the next request of a client
_HOOK_PAUSE_S = 1.0  # people and agents do not type faster
_SAMPLED_S = 2.0
_WORDS = "crane harbour permit oil winch pulley berth tide rope anchor deck hull mast keel ballast pilot".split()
_PATHS = (
    "/api/stats",
    "/api/sessions",
    "/api/search?query={words}&k=10",
    "/api/events?limit=50",
    "/api/tasks/list",
    "/api/cypher?query=MATCH%20(s:Session)%20RETURN%20count(*)",
)
_ENTRY = [sys.executable, "-m", "graphmem.interfaces.entry"]


def main(seconds: int) -> None:
    """Measure and print one line of JSON. Raises SourceError if an answer was an error, or something was lost or kept twice."""
    with tempfile.TemporaryDirectory(prefix="graphmem-load-") as folder:
        store = Path(folder) / "store"
        _seed(store)
        run = _Run(store, seconds)
        try:
            figures = run.measure()
        finally:
            stop_owner(store)
        figures |= _verify(store, run.acknowledged)
    sys.stdout.write(json.dumps(figures) + "\n")
    if run.errors or figures["lost"] or figures["twice"]:
        raise SourceError(f"{len(run.errors)} errors: {'; '.join(run.errors[:5])}")


def _seed(store: Path) -> None:
    chance = random.Random(1)
    with Memory.open(store, project="load") as memory:
        memory.observe_many(
            {"content": _sentence(chance), "role": "user", "session": f"s{n // 20}", "ref": f"seed{n}"}
            for n in range(_SEEDED)
        )
        memory.process()


def _sentence(chance: random.Random) -> str:
    return f"The {' '.join(chance.choices(_WORDS, k=5))} was moved because of the {chance.choice(_WORDS)}"


def _verify(store: Path, acknowledged: list[str]) -> dict[str, Any]:
    with Memory.open(store) as memory:
        memory.process()
        found: Counter[str] = Counter()
        for event in memory._store.log.read():
            found[str(event.payload.get("content", ""))] += 1
        health = memory.health()
    return {
        "events": sum(found.values()),
        "acknowledged": len(acknowledged),
        "lost": sum(not found[one] for one in acknowledged),
        "twice": sum(found[one] > 1 for one in acknowledged),
        "sound": health["sound"],
    }


class _Run:
    """One run of all clients."""

    def __init__(self, store: Path, seconds: int) -> None:
        self._store, self._seconds = store, seconds
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._taken: dict[str, list[float]] = {}
        self._memory: list[float] = []
        self.errors: list[str] = []
        self.acknowledged: list[str] = []  # contents that must be in the log

    def measure(self) -> dict[str, Any]:
        """Start everything, wait, and return the figures."""
        with ExitStack() as stack:
            port, token = stack.enter_context(serve_store(self._store))
            agents = [stack.enter_context(_agent(self._store)) for _ in range(AGENTS)]
            work: list[Callable[[int], None]] = [
                *(self._agent_of(ask) for ask in agents),
                *[self._hook] * HOOKS,
                *[lambda number: self._browse(number, port, token)] * BROWSERS,
            ]
            threads = [threading.Thread(target=self._guarded, args=(one, n)) for n, one in enumerate(work)]
            started = time.monotonic()
            for thread in threads:
                thread.start()
            while time.monotonic() - started < self._seconds and not self._stopping.is_set():
                self._memory.append(_owner_mb(self._store))
                self._stopping.wait(_SAMPLED_S)
            self._stopping.set()
            for thread in threads:
                thread.join()
            lasted = time.monotonic() - started
        return self._figures(lasted)

    def _figures(self, lasted: float) -> dict[str, Any]:
        every = [one for times in self._taken.values() for one in times]
        half = [one for one in self._memory[len(self._memory) // 2 :] if one]
        quarter = max(1, len(half) // 2)
        return {
            "log": "postgresql" if os.environ.get("GRAPHMEM_LOG__URL") else "sqlite",
            "seconds": round(lasted),
            "load_average": round(os.getloadavg()[1], 1),
            "requests": len(every),
            "errors": len(self.errors),
            **{name: _quantiles(times) for name, times in sorted(self._taken.items())},
            "all": _quantiles(every),
            "owner_mb": {
                "third quarter": round(statistics.median(half[:quarter] or [0])),
                "last quarter": round(statistics.median(half[quarter:] or [0])),
                "most": round(max(self._memory, default=0)),
            },
        }

    def _guarded(self, work: Callable[[int], None], number: int) -> None:
        try:
            work(number)
        except Exception as error:  # noqa: BLE001 (each is a finding)
            self._fail(f"client {number}: {type(error).__name__}: {error}")

    def _fail(self, said: str) -> None:
        with self._lock:
            self.errors.append(said[:300])

    @contextmanager
    def _timed(self, name: str) -> Iterator[None]:
        started = time.perf_counter()
        yield
        with self._lock:
            self._taken.setdefault(name, []).append((time.perf_counter() - started) * 1_000)

    def _keep(self, content: str) -> None:
        with self._lock:
            self.acknowledged.append(content)

    def _turns(self, number: int, pause_s: float) -> Iterator[tuple[int, random.Random]]:
        chance, turn = random.Random(number), 0
        while not self._stopping.wait(pause_s * chance.uniform(0.5, 1.5)):
            yield turn, chance
            turn += 1

    def _agent_of(self, ask: Callable[[str, dict[str, Any]], dict[str, Any]]) -> Callable[[int], None]:
        def work(number: int) -> None:
            for turn, chance in self._turns(number, _PAUSE_S):
                content = f"Agent {number} noted in turn {turn}: {_sentence(chance)}"
                tool, given = (
                    ("remember", {"content": content}) if turn % 4 == 3 else ("search", {"query": _sentence(chance)})
                )
                with self._timed(f"agent {tool}"):
                    answer = ask(tool, given)
                if "error" in answer or answer["result"].get("isError"):
                    self._fail(f"{tool}: {json.dumps(answer)}")
                elif tool == "remember":
                    self._keep(content)

        return work

    def _hook(self, number: int) -> None:
        for turn, chance in self._turns(number, _HOOK_PAUSE_S):
            content = f"Person {number} said in turn {turn}: {_sentence(chance)}"
            told = {"hook_event_name": "UserPromptSubmit", "session_id": f"h{number}", "prompt": content}
            with self._timed("hook"):
                done = subprocess.run(
                    [*_ENTRY, "hook", "UserPromptSubmit"],
                    input=json.dumps(told | {"cwd": str(self._store.parent)}),
                    env=_environment(self._store), cwd=self._store.parent, capture_output=True, text=True,
                )  # fmt: skip
            if done.returncode or "traceback" in done.stderr.lower():
                self._fail(f"hook: {done.returncode} {done.stderr[-200:]}")
            else:
                self._keep(content)

    def _browse(self, number: int, port: int, token: str) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        for turn, chance in self._turns(number, _PAUSE_S):
            path = _PATHS[turn % len(_PATHS)].format(words=urllib.parse.quote(_sentence(chance)))
            with self._timed("browser"):
                connection.request("GET", path, headers={"Authorization": f"Bearer {token}"})
                answer = connection.getresponse()
                body = answer.read()
            if answer.status != 200:
                self._fail(f"{path}: {answer.status} {body[:200]!r}")


def _quantiles(times: list[float]) -> dict[str, float]:
    """Return the number, and milliseconds."""
    found = sorted(times) or [0.0]
    p50, p99 = (round(found[min(len(found) - 1, int(share * len(found)))], 1) for share in (0.5, 0.99))
    return {"count": len(times), "p50": p50, "p99": p99, "most": round(found[-1], 1)}


def _environment(store: Path) -> dict[str, str]:
    return {**os.environ, "GRAPHMEM_STORE": str(store)}


def _owner_mb(store: Path) -> float:
    """Return the resident memory of the process that owns the store; 0 if there is none just now."""
    try:
        process = json.loads((store / "owner.json").read_text("utf-8"))["pid"]
        status = Path(f"/proc/{process}/status").read_text("utf-8")
    except (OSError, ValueError, KeyError):
        return 0.0
    resident = next((line.split()[1] for line in status.splitlines() if line.startswith("VmRSS:")), "0")
    return int(resident) / 1_024


@contextmanager
def _agent(store: Path) -> Iterator[Callable[[str, dict[str, Any]], dict[str, Any]]]:
    """Context manager: a client of an MCP server on standard input and output; yields what calls a tool."""
    process = subprocess.Popen(
        [*_ENTRY, "mcp"], env=_environment(store), cwd=store.parent, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    assert process.stdin is not None and process.stdout is not None
    source, out, numbers = process.stdout, process.stdin, iter(range(1, 1 << 30))

    def call(method: str, parameters: dict[str, Any]) -> dict[str, Any]:
        number = next(numbers)
        _send(out, {"id": number, "method": method, "params": parameters})
        while line := source.readline():
            answer: dict[str, Any] = json.loads(line)
            if answer.get("id") == number:
                return answer
        raise EOFError("the MCP server has ended")

    try:
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "load", "version": "1"}}
        call("initialize", hello)
        _send(out, {"method": "notifications/initialized"})
        yield lambda tool, given: call("tools/call", {"name": tool, "arguments": given})
    finally:
        process.terminate()
        process.wait(20)


def _send(out: IO[str], message: dict[str, Any]) -> None:
    out.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    out.flush()
