"""Measures the viewer and its API on a large generated store: requests of each kind, the first page in a real browser,
and the frame rate while a graph with thousands of nodes is dragged. `python -m graphmem.bench.viewer 100000 [STORE]`
keeps the store."""

from __future__ import annotations

import http.client
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.parse
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np

from graphmem import resources
from graphmem.errors import SourceError
from graphmem.memory import Memory

_START = datetime(2026, 1, 1, tzinfo=UTC)
_FILES, _FACTS, _TASKS, _SESSION = 1_500, 2_000, 300, 100
_BATCH = 20_000
_DRAGGED = 20_000
_REQUESTS, _WARM = 25, 3
_WORDS = (
    "parser ledger berth harbour token cache queue socket schema index vector cursor outbox commit merge branch session turn fact"
    " gotcha skill pattern retry timeout deadline budget window layer hook owner daemon lock journal digest anchor replay"
).split()
_PATHS = {
    "stats": "/api/stats", "sessions": "/api/sessions", "session": "/api/session?id=s{n}", "events": "/api/events?limit=50",
    "events of a type": "/api/events?type=memory_remembered&limit=50", "search": "/api/search?query={words}&k=10",
    "details": "/api/details?ids={id}", "timeline": "/api/timeline?ids={id}", "show": "/api/show?id={id}",
    "around": "/api/around?ids={id}", "tasks": "/api/tasks/list", "report": "/api/tasks/report?format=json",
    "activity": "/api/activity?days=60", "outbox": "/api/outbox", "config": "/api/config",
    "cypher": "/api/cypher?query=MATCH%20(s:Session)%20RETURN%20count(*)",
}  # fmt: skip
_FRAMES = """() => new Promise(done => { const all = []; let last = performance.now(); const end = last + 4000;
const tick = now => { all.push(now - last); last = now; now < end ? requestAnimationFrame(tick) : done(all.slice(2)) };
requestAnimationFrame(tick) })"""


def main(count: int, store: Path | None = None) -> None:
    """Measure and report. The graph is drawn twice: of a store with `_DRAGGED` turns, and of the large one."""
    with tempfile.TemporaryDirectory(prefix="graphmem-bench-") as folder:
        place, smaller = store or Path(folder) / "store", Path(folder) / "smaller"
        ids = fill(place, count)
        with serve_store(place) as (port, token):
            report = {"items": count, "milliseconds": _api(port, token, ids), **_browser(port, token)}
        fill(smaller, min(count, _DRAGGED))
        with serve_store(smaller) as (port, token):
            report["smaller"] = _browser(port, token)
    sys.stdout.write(json.dumps(report, indent=1) + "\n")


def fill(store: Path, count: int, seed: int = 1, *, settings: Mapping[str, Any] | None = None) -> list[str]:
    """Make a store of so many turns, facts and tasks, unless it is there; returns ids of some turns."""
    chance = random.Random(seed)
    with Memory.open(store, project="bench", settings=settings) as mem:
        if mem.head < count:
            for start in range(0, count - _FACTS - _TASKS, _BATCH):
                mem.observe_many(
                    _turn(number, chance) for number in range(start, min(start + _BATCH, count - _FACTS - _TASKS))
                )
            for number in range(_FACTS):
                file = f"src/part{number % 60}/file{number % _FILES}.py"
                mem.remember(_sentence(chance), title=f"Fact {number}", files=[file])
            tasks = [mem.tasks.create(f"Task {number}: {_sentence(chance)}") for number in range(_TASKS)]
            for task, other in zip(tasks[::3], tasks[1::3], strict=False):
                mem.tasks.block(task.id, other.id)
        mem.process()
        found: list[str] = [row[0] for row in mem.cypher(resources.text("queries/graph/look/some_turns.cypher")).rows]
        return found


def _sentence(chance: random.Random) -> str:
    return " ".join(chance.choices(_WORDS, k=12))


def _turn(number: int, chance: random.Random) -> dict[str, Any]:
    """Mostly tool calls that touch files, as in the sessions of an agent."""
    at = _START + timedelta(minutes=number * 4)
    session = f"s{number // _SESSION}"
    if number % 5:
        file = f"src/part{chance.randrange(60)}/file{chance.randrange(_FILES)}.py"
        metadata = {"tool": "Edit", "input": {"file_path": file}, "writes": [file]}
        return {
            "content": "edited",
            "role": "tool",
            "session": session,
            "at": at,
            "ref": f"r{number}",
            "metadata": metadata,
        }
    role = "user" if number % 10 else "assistant"
    return {"content": _sentence(chance), "role": role, "session": session, "at": at, "ref": f"r{number}"}


@contextmanager
def serve_store(store: Path) -> Iterator[tuple[int, str]]:
    """Context manager: the HTTP server of a store; yields its port, and a token for it."""
    name = f"bench-{os.getpid()}"
    with run_server("--store", str(store), lines=3) as port:
        try:
            yield port, _token("new", name)
        finally:
            _token("revoke", name)


@contextmanager
def run_server(*arguments: str, lines: int, environment: Mapping[str, str] | None = None) -> Iterator[int]:
    """Context manager: `graphmem serve` with these arguments, whose first lines name its address; yields its port. Raises
    SourceError if it does not start."""
    command = [sys.executable, "-m", "graphmem.interfaces.entry", "serve", *arguments, "--port", "0"]
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        told = "".join(process.stdout.readline() for _ in range(lines))
        found = re.search(r"http://127\.0\.0\.1:(\d+)", told)
        if found is None:
            raise SourceError(f"the server did not start: {told}")
        yield int(found[1])
    finally:
        process.terminate()
        process.wait(60)


def _token(*arguments: str) -> str:
    command = [sys.executable, "-m", "graphmem.interfaces.entry", "token", *arguments]
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()


def _api(port: int, token: str, ids: list[str]) -> dict[str, dict[str, float]]:
    """Median and 95th percentile of each kind of request, the way and the parsing included."""
    chance = random.Random(2)
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    table, every = {}, []
    for name, path in _PATHS.items():
        times = []
        for _ in range(_REQUESTS + _WARM):
            words = urllib.parse.quote(" ".join(chance.choices(_WORDS, k=4)))
            asked = path.format(n=chance.randrange(100), words=words, id=chance.choice(ids))
            started = time.perf_counter()
            connection.request("GET", asked, headers={"Authorization": f"Bearer {token}"})
            answer = connection.getresponse()
            json.loads(answer.read())
            times.append((time.perf_counter() - started) * 1_000)
            if answer.status != 200:
                raise SystemExit(f"{asked}: {answer.status}")
        every += times[_WARM:]
        table[name] = _quantiles(times[_WARM:])
    return table | {"all": _quantiles(every)}


def _quantiles(times: list[float]) -> dict[str, float]:
    p50, p95 = np.percentile(times, [50, 95])
    return {"p50": round(float(p50), 1), "p95": round(float(p95), 1), "most": round(max(times), 1)}


def _browser(port: int, token: str) -> dict[str, Any]:
    """Return the first page, and a large graph while it is dragged; empty if there is no browser."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        chromium = None
    if chromium is None:
        return {"browser": "left out: pip install playwright, apt-get install chromium"}
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.goto(f"http://127.0.0.1:{port}/login?key={token}")
        page.wait_for_selector(".gm-heading")
        first = []
        for _ in range(5):
            started = time.perf_counter()
            page.goto(f"http://127.0.0.1:{port}/")
            page.wait_for_selector(".gm-tiles")
            first.append((time.perf_counter() - started) * 1_000)
        started = time.perf_counter()
        page.goto(f"http://127.0.0.1:{port}/graph")
        page.wait_for_selector(".gm-graph canvas", timeout=180_000)
        page.wait_for_selector(".gm-graph-busy", state="detached", timeout=180_000)
        drawn = (time.perf_counter() - started) * 1_000
        page.wait_for_timeout(1_500)
        shown = page.locator(".gm-count").inner_text()
        part = page.locator(".gm-part").all_inner_texts()
        frames = _dragged(page)
        browser.close()
    return {
        "first page": _quantiles(first),
        "graph": " ".join([shown, *part]),
        "graph drawn": round(drawn),
        "frames while dragging": _quantiles(frames),
    }


def _dragged(page: Any) -> list[float]:
    """Milliseconds between frames while the graph is dragged for four seconds."""
    box = page.locator(".gm-graph").bounding_box()
    x, y = box["x"] + 30, box["y"] + 30
    page.mouse.move(x, y)
    page.mouse.down()
    page.evaluate(f"window.frames_ = ({_FRAMES})()")
    until, step = time.monotonic() + 3.8, 0
    while time.monotonic() < until:
        step += 1
        page.mouse.move(x + 200 * np.sin(step / 15), y + 150 * np.sin(step / 11))
    page.mouse.up()
    times: list[float] = page.evaluate("window.frames_")
    return times


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000, Path(sys.argv[2]) if len(sys.argv) > 2 else None)
