"""Measures what hooks cost an agent, as whole processes: `graphmem bench hooks` times each hook on a generated store
and sends it many kinds of malformed input. With `--data FOLDER` it replays transcripts through the real commands, four
sessions at once, and checks that everything is recorded exactly once."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from graphmem.bench.rebuild import drafts, write_log
from graphmem.extract.transcripts import Transcript
from graphmem.memory import Memory
from graphmem.model.batches import batched
from graphmem.model.sources import IngestReport

_MEMORIES = 300
_SESSIONS = 4
_LINES = 120  # of each transcript
_BUSY, _PAGE = 50_000, 1_000  # events of a store that is made again meanwhile, and of each batch that comes in
_HOOK = [sys.executable, "-m", "graphmem.interfaces.entry", "hook"]
_BROKEN = (b"", b"{", b"[]", b"null", b"\x00\xff" * 50_000, b"[" * 100_000, b'{"prompt": "' + b"x" * 8_000_000 + b'"}',
           b'{"session_id": [], "cwd": 5, "tool_input": "x", "prompt": {}}')  # fmt: skip
_CAPTURED = ("user_prompt", "agent_response", "tool_observation")


def main(count: int, data: Path | None = None) -> None:
    """Measure and print one JSON line; a bare interpreter is timed next to it, since the machine may be busy."""
    with tempfile.TemporaryDirectory(prefix="graphmem-bench-") as folder:
        repository = Path(folder) / "repository"
        subprocess.run(["git", "init", "-q", str(repository)], check=True)
        found = _replay(data, repository, Path(folder)) if data else _times(count, repository, Path(folder))
    sys.stdout.write(json.dumps(found) + "\n")


def _times(count: int, repository: Path, folder: Path) -> dict[str, Any]:
    alone, store = folder / "alone", folder / "store"
    environment = {**os.environ, "GRAPHMEM_STORE": str(store), "GRAPHMEM_OWNER__IDLE_S": "120"}
    with _filled(store):
        found: dict[str, Any] = {"python": _spent([[sys.executable, "-c", "pass"]] * count, [b""], environment)}
        calls: dict[str, dict[str, Any]] = {
            "PostToolUse": {
                "tool_name": "Bash",
                "tool_input": {"command": "make test"},
                "tool_response": {"stdout": "ok"},
            },
            "PreToolUse": {"tool_name": "Bash", "tool_input": {"command": "deploy service 7"}},
            "UserPromptSubmit": {"prompt": "How is service 7 deployed to the harbour cluster?"},
            "SessionStart": {"source": "startup"},
        }
        for _ in range(3):  # what a first search loads is no hook's own
            _run("UserPromptSubmit", _given(repository, "warm", calls["UserPromptSubmit"]), environment)
            time.sleep(1)
        told = 0
        for event, given in calls.items():
            inputs = [_given(repository, f"{event}-{n}", given | {"tool_use_id": f"{event}{n}"}) for n in range(count)]
            found[event] = _spent([[*_HOOK, event]] * count, inputs, environment)
            told += b"additionalContext" in _run(event, _given(repository, f"{event}-told", given), environment).stdout
        found["told"] = told  # of the four: a prompt and a start, and the two that had nothing to say
        lonely = environment | {"GRAPHMEM_STORE": str(alone)}
        inputs = [_given(repository, "s", calls["PostToolUse"] | {"tool_use_id": f"a{n}"}) for n in range(count)]
        found["PostToolUse without an owner"] = _spent([[*_HOOK, "PostToolUse"]] * count, inputs, lonely)
        found |= _busy(count, folder / "busy", environment, inputs)
        failed = [
            done.returncode for event in calls for raw in _BROKEN if (done := _run(event, raw, environment)).returncode
        ]
        found["broken inputs"] = {"sent": len(calls) * len(_BROKEN), "non-zero exits": len(failed)}
    return found


def _busy(count: int, store: Path, environment: dict[str, str], inputs: list[bytes]) -> dict[str, Any]:
    """Return the same append while the owner works without a pause: a rebuild of many events, then batches that come
    in."""
    write_log(store, _BUSY)
    more = (
        [{"content": draft.payload["content"], "session": f"more{draft.session}"} for draft in batch]
        for batch in batched(drafts(100 * _BUSY, seed=3), _PAGE)
    )
    found = {}
    with Memory.open(store, project="bench", daemon=True) as memory:
        memory.process()

        def ingest() -> None:
            memory.observe_many(next(more))
            memory.process()

        for name, work in (("rebuilding", memory.rebuild), ("ingesting", ingest)):
            over = threading.Event()
            worker = threading.Thread(target=_again, args=(work, over))
            worker.start()
            time.sleep(1)  # until it is at work
            spent = _spent([[*_HOOK, "PostToolUse"]] * count, inputs, environment | {"GRAPHMEM_STORE": str(store)})
            found[f"PostToolUse, owner {name}"] = spent
            found[f"python, owner {name}"] = _spent([[sys.executable, "-c", "pass"]] * count, [b""], environment)
            over.set()
            worker.join()
    return found


def _again(work: Callable[[], object], over: threading.Event) -> None:
    while not over.is_set():
        work()


def _filled(store: Path) -> Memory:
    """Return a store with an owner of its own process and some memories."""
    memory = Memory.open(store, project="bench", daemon=True)
    for number in range(_MEMORIES):
        memory.remember(f"Service {number} is deployed to the harbour cluster with `ship push {number} --slow`.")
    memory.process()
    return memory


def _given(repository: Path, session: str, more: dict[str, Any]) -> bytes:
    return json.dumps({"session_id": session, "cwd": str(repository), **more}).encode()


def _run(event: str, raw: bytes, environment: dict[str, str]) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([*_HOOK, event], input=raw, capture_output=True, env=environment, check=False, timeout=60)


def _spent(commands: list[list[str]], inputs: list[bytes], environment: dict[str, str]) -> dict[str, float]:
    spent, before = [], os.times()
    for number, command in enumerate(commands):
        started = time.perf_counter()
        subprocess.run(command, input=inputs[number % len(inputs)], capture_output=True, env=environment, check=True)
        spent.append((time.perf_counter() - started) * 1000)
    after = os.times()  # what a busy machine cannot blur: the processors' own time
    used = after.children_user + after.children_system - before.children_user - before.children_system
    return {"median_ms": round(statistics.median(spent), 1), "p95_ms": round(statistics.quantiles(spent, n=20)[-1], 1),
            "cpu_ms": round(1000 * used / len(spent), 1)}  # fmt: skip


def _replay(data: Path, repository: Path, folder: Path) -> dict[str, Any]:
    """Play the first lines of four transcripts at once, as the agent would have called, then compare with their reader."""
    store = folder / "store"
    environment = {**os.environ, "GRAPHMEM_STORE": str(store), "GRAPHMEM_OWNER__IDLE_S": "120"}
    paths = []
    for number, path in enumerate(sorted(data.rglob("*.jsonl"))[:_SESSIONS]):
        part = folder / "transcripts" / f"{number}.jsonl"
        part.parent.mkdir(exist_ok=True)
        part.write_bytes(b"\n".join(path.read_bytes().split(b"\n")[:_LINES]) + b"\n")
        paths.append(part)
    with Memory.open(store, project="bench", daemon=True) as memory:
        memory.process()
        with ThreadPoolExecutor(_SESSIONS) as pool:
            spent = [
                each
                for times in pool.map(lambda path: list(_played(path, repository, environment)), paths)
                for each in times
            ]
        kept = Counter(_act(event.payload, event.type) for event in memory.history(types=_CAPTURED, limit=2**31))
        wanted = Counter(_act(draft.payload, draft.type) for path in paths for draft in _drafts(path))
        later = memory.ingest("sessions", folder / "transcripts")
    return {"sessions": len(paths), "hooks": len(spent), "non-zero exits": sum(code != 0 for code, _ in spent),
            "median_ms": round(statistics.median(ms for _, ms in spent), 1), "acts": wanted.total(),
            "captured once": (wanted & kept).total(), "captured twice": (kept - wanted).total(),
            "new when the transcripts are read later": later.new}  # fmt: skip


def _drafts(path: Path) -> list[Any]:
    return [draft for draft in Transcript(path, "bench", IngestReport("sessions")).drafts() if draft.type in _CAPTURED]


def _act(payload: dict[str, Any], kind: str) -> tuple[str, str]:
    """Return what tells an act from others: its host's id, or for a prompt its words as far as both sides keep
    them."""
    return kind, str(payload.get("ref") if kind != "user_prompt" else "") or str(payload.get("content", ""))[:40]


def _played(path: Path, repository: Path, environment: dict[str, str]) -> Iterator[tuple[int, float]]:
    """Yield (exit status, milliseconds) of each hook of one session."""
    drafts = list(Transcript(path, "bench", IngestReport("sessions")).drafts())
    session = drafts[0].session if drafts else path.stem
    calls: list[tuple[str, dict[str, Any]]] = [("SessionStart", {"source": "startup"})]
    for draft in drafts:
        payload = draft.payload
        if draft.type == "user_prompt" and payload["role"] == "user":
            calls.append(("UserPromptSubmit", {"prompt": payload["content"]}))
        elif draft.type == "tool_observation":
            call = {"tool_name": payload["tool"], "tool_input": payload["input"], "tool_use_id": payload["ref"]}
            calls += [("PreToolUse", call), ("PostToolUse", call | {"tool_response": payload["content"]})]
    calls += [
        ("Stop", {"transcript_path": str(path)}),
        ("SessionEnd", {"transcript_path": str(path), "reason": "exit"}),
    ]
    for event, given in calls:
        started = time.perf_counter()
        done = _run(event, _given(repository, session, given), environment)
        yield done.returncode, (time.perf_counter() - started) * 1000
