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
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import IO, Any

from graphmem.bench.viewer import serve_store
from graphmem.errors import SourceError, StoreBusy
from graphmem.memory import Memory
from graphmem.store.adoption import stop_owner

AGENTS, HOOKS, BROWSERS = 8, 4, 4
_SEEDED = 400  # turns in the store before
_PAUSE_S = 0.25  # between an answer and the next request of a client
_HOOK_PAUSE_S = 1.0  # people and agents do not type faster
_SAMPLED_S = 2.0
_TRIES = 10  # to end an owner: each waits for some seconds
_WORDS = "crane harbour permit oil winch pulley berth tide rope anchor deck hull mast keel ballast pilot".split()
_PATHS = (
    "/api/stats",
    "/api/sessions",
    "/api/search?query={words}&k=10",
    "/api/events?limit=50",
    "/api/tasks/list",
    "/api/cypher?query=MATCH%20(s:Session)%20RETURN%20count(*)",
)
Ask = Callable[[str, dict[str, Any]], dict[str, Any]]  # calls a tool
Work = Callable[[int], None]  # of one client, by its number
ENTRY = [sys.executable, "-m", "graphmem.interfaces.entry"]


def main(seconds: int) -> None:
    """Measure and print one line of JSON. Raises SourceError if an answer was an error, or something was lost or kept twice."""
    with tempfile.TemporaryDirectory(prefix="graphmem-load-") as folder:
        store = Path(folder) / "store"
        seed_store(store)
        run = Run(seconds)
        try:
            figures = _measure(run, store)
        finally:
            end_owner(store)
        figures |= verify_log([store], run.acknowledged)
    report(figures, run.errors)


def report(figures: dict[str, Any], errors: Sequence[str]) -> None:
    """Print the figures. Raises SourceError if an answer was an error, or something was lost or kept twice."""
    sys.stdout.write(json.dumps(figures) + "\n")
    if errors or figures["lost"] or figures["twice"]:
        raise SourceError(f"{len(errors)} errors: {'; '.join(errors[:5])}")


def _measure(run: Run, store: Path) -> dict[str, Any]:
    """Start a server for the browsers and the agents, run all clients, and return the figures."""
    with ExitStack() as stack:
        port, token = stack.enter_context(serve_store(store))
        agents = [stack.enter_context(_agent(store)) for _ in range(AGENTS)]
        work: list[Work] = [
            *(partial(run.work_as_agent, ask) for ask in agents),
            *[partial(_send_hooks, run, store)] * HOOKS,
            *[partial(run.browse, port, {"Authorization": f"Bearer {token}"}, _PATHS)] * BROWSERS,
        ]

        def sample() -> dict[str, float]:
            return {"owner": owner_mb(store), "server": children_mb("serve"), "agents": children_mb("mcp")}

        return run.measure(work, sample)


def seed_store(store: Path) -> None:
    """Fill a new store with turns of several sessions."""
    chance = random.Random(1)
    with Memory.open(store, project="load") as memory:
        memory.observe_many(
            {"content": sentence(chance), "role": "user", "session": f"s{n // 20}", "ref": f"seed{n}"}
            for n in range(_SEEDED)
        )
        memory.process()


def sentence(chance: random.Random) -> str:
    """Return something that a person or an agent could say."""
    return f"The {' '.join(chance.choices(_WORDS, k=5))} was moved because of the {chance.choice(_WORDS)}"


def verify_log(stores: Sequence[Path], acknowledged: list[str]) -> dict[str, Any]:
    """Return how many events there are in the logs of stores, and how much of what was acknowledged is missing or there twice."""
    found: Counter[str] = Counter()
    is_sound = True
    for store in stores:
        with Memory.open(store) as memory:
            memory.process()
            for event in memory._store.log.read():
                found[str(event.payload.get("content", ""))] += 1
            is_sound &= memory.health()["sound"]
    return {
        "events": sum(found.values()),
        "acknowledged": len(acknowledged),
        "lost": sum(not found[one] for one in acknowledged),
        "twice": sum(found[one] > 1 for one in acknowledged),
        "sound": is_sound,
    }


class Run:
    """One run of all clients, for so many seconds."""

    def __init__(self, seconds: int) -> None:
        self._seconds = seconds
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._taken: dict[str, list[float]] = {}
        self._memory: list[tuple[float, dict[str, float]]] = []
        self.errors: list[str] = []
        self.acknowledged: list[str] = []  # contents that must be in the log

    def measure(self, work: Sequence[Work], sample: Callable[[], dict[str, float]]) -> dict[str, Any]:
        """Run all clients until the time is over, and return the figures. `sample` returns MB of memory by process."""
        threads = [threading.Thread(target=self._guarded, args=(one, n)) for n, one in enumerate(work)]
        started = time.monotonic()
        for thread in threads:
            thread.start()
        while (passed := time.monotonic() - started) < self._seconds and not self._stopping.is_set():
            self._memory.append((passed, sample()))
            self._stopping.wait(_SAMPLED_S)
        self._stopping.set()
        for thread in threads:
            thread.join()
        return self._figures(time.monotonic() - started)

    def _figures(self, lasted: float) -> dict[str, Any]:
        every = [one for times in self._taken.values() for one in times]
        return {
            "log": "postgresql" if os.environ.get("GRAPHMEM_LOG__URL") else "sqlite",
            "seconds": round(lasted),
            "load_average": round(os.getloadavg()[1], 1),
            "requests": len(every),
            "errors": len(self.errors),
            **{name: _quantiles(times) for name, times in sorted(self._taken.items())},
            "all": _quantiles(every),
            "mb_each_minute": self._memory_by_minute(),
        }

    def _memory_by_minute(self) -> dict[str, list[int]]:
        """Return the median of each minute's samples; 0 for a process that was not there."""
        names = self._memory[0][1] if self._memory else {}
        minutes = sorted({int(at // 60) for at, _ in self._memory})
        return {
            name: [
                round(statistics.median(found[name] for at, found in self._memory if int(at // 60) == minute))
                for minute in minutes
            ]
            for name in names
        }

    def _guarded(self, work: Work, number: int) -> None:
        try:
            work(number)
        except Exception as error:  # noqa: BLE001 (each is a finding)
            self.fail(f"client {number}: {type(error).__name__}: {error}")

    def fail(self, said: str) -> None:
        """Keep an error."""
        with self._lock:
            self.errors.append(said[:300])

    @contextmanager
    def timed(self, name: str) -> Iterator[None]:
        """Context manager: measure a request."""
        started = time.perf_counter()
        yield
        with self._lock:
            self._taken.setdefault(name, []).append((time.perf_counter() - started) * 1_000)

    def keep(self, content: str) -> None:
        """Note what was acknowledged."""
        with self._lock:
            self.acknowledged.append(content)

    def turns(self, number: int, pause_s: float = _PAUSE_S) -> Iterator[tuple[int, random.Random]]:
        """Yield the turns of a client until the run is over, with a pause before each."""
        chance, turn = random.Random(number), 0
        while not self._stopping.wait(pause_s * chance.uniform(0.5, 1.5)):
            yield turn, chance
            turn += 1

    def work_as_agent(self, ask: Ask, number: int) -> None:
        """Search and remember with tools of MCP."""
        for turn, chance in self.turns(number):
            content = f"Agent {number} noted in turn {turn}: {sentence(chance)}"
            tool, given = (
                ("remember", {"content": content}) if turn % 4 == 3 else ("search", {"query": sentence(chance)})
            )
            with self.timed(f"agent {tool}"):
                answer = ask(tool, given)
            if "error" in answer or answer["result"].get("isError"):
                self.fail(f"{tool}: {json.dumps(answer)}")
            elif tool == "remember":
                self.keep(content)

    def browse(self, port: int, headers: dict[str, str], paths: Sequence[str], number: int) -> None:
        """Ask one path after the other over HTTP."""
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        for turn, chance in self.turns(number):
            path = paths[turn % len(paths)].format(words=urllib.parse.quote(sentence(chance)))
            with self.timed("browser"):
                connection.request("GET", path, headers=headers)
                answer = connection.getresponse()
                body = answer.read()
            if answer.status != 200:
                self.fail(f"{path}: {answer.status} {body[:200]!r}")


def _send_hooks(run: Run, store: Path, number: int) -> None:
    for turn, chance in run.turns(number, _HOOK_PAUSE_S):
        content = f"Person {number} said in turn {turn}: {sentence(chance)}"
        told = {"hook_event_name": "UserPromptSubmit", "session_id": f"h{number}", "prompt": content}
        with run.timed("hook"):
            done = subprocess.run(
                [*ENTRY, "hook", "UserPromptSubmit"],
                input=json.dumps(told | {"cwd": str(store.parent)}),
                env=_environment(store), cwd=store.parent, capture_output=True, text=True,
            )  # fmt: skip
        if done.returncode or "traceback" in done.stderr.lower():
            run.fail(f"hook: {done.returncode} {done.stderr[-200:]}")
        else:
            run.keep(content)


def _quantiles(times: list[float]) -> dict[str, float]:
    """Return the number, and milliseconds."""
    found = sorted(times) or [0.0]
    p50, p99 = (round(found[min(len(found) - 1, int(share * len(found)))], 1) for share in (0.5, 0.99))
    return {"count": len(times), "p50": p50, "p99": p99, "most": round(found[-1], 1)}


def _environment(store: Path) -> dict[str, str]:
    return {**os.environ, "GRAPHMEM_STORE": str(store)}


def owner_mb(store: Path) -> float:
    """Return the resident memory of the process that owns a store; 0 if there is none just now."""
    try:
        return _resident_mb(Path("/proc", str(json.loads((store / "owner.json").read_text("utf-8"))["pid"])))
    except (OSError, ValueError, KeyError):
        return 0.0


def end_owner(store: Path) -> None:
    """End the owner of a store, and wait until it completed what it was asked."""
    for last in (*[False] * _TRIES, True):
        try:
            stop_owner(store)
            return
        except StoreBusy:
            if last:
                raise


def children_mb(word: str) -> float:
    """Return the resident memory of all processes that this one started with a command that has the word."""
    total = 0.0
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError, IndexError):
            parent = (process / "stat").read_text("utf-8", "replace").rpartition(")")[2].split()[1]
            if parent == str(os.getpid()) and word.encode() in (process / "cmdline").read_bytes().split(b"\0"):
                total += _resident_mb(process)
    return total


def _resident_mb(process: Path) -> float:
    status = (process / "status").read_text("utf-8")
    resident = next((line.split()[1] for line in status.splitlines() if line.startswith("VmRSS:")), "0")
    return int(resident) / 1_024


@contextmanager
def _agent(store: Path) -> Iterator[Ask]:
    """Context manager: a client of an MCP server on standard input and output; yields what calls a tool."""
    process = subprocess.Popen(
        [*ENTRY, "mcp"], env=_environment(store), cwd=store.parent, text=True,
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
