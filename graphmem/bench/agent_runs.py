"""What a real agent gains: `graphmem bench agent-runs --data FOLDER --agent claude-code` gives an agent the same tasks with and
without graphmem, and counts successes, tokens, turns and seconds. It runs where the agent and its key are.

The order of events is fixed before the first run: tasks, prompts, rules of judging and the number of repetitions are written to
`plan.json` in the folder `--keep`, and a run with another plan is refused there. Each run has a new clone at the same path, and
with graphmem a new copy of the same store, so that no run sees another. Both runs of a task follow each other, which of them
first is drawn by lot. What was run already is read from `runs.jsonl`, so an interrupted measurement goes on."""

from __future__ import annotations

import hashlib
import json
import os
import random
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from graphmem.backends.remote import client
from graphmem.bench.agent_programs import GRAPHMEM, Program, find_program
from graphmem.bench.agent_tasks import Task, final_answer, is_right, read_tasks
from graphmem.bench.compare import describe_machine
from graphmem.bench.questions import check_out
from graphmem.bench.retrieval import read_lines
from graphmem.errors import UsageError
from graphmem.memory import Memory

WITH, WITHOUT = "with", "without"
_SEED, _RESAMPLES = 0, 2_000
_LIMIT_S = 900.0  # of a run
_METRICS = ("success", "tokens", "turns", "seconds")
_FORMATS = {"success": "{:.2f}", "tokens": "{:,.0f}", "turns": "{:.1f}", "seconds": "{:.1f}"}


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a task. `tokens` is what was read and written. `failed` says why the agent did not end its work; then it did
    not succeed. `is_mixed`: the run without graphmem used it all the same."""

    task: str
    type: str
    arm: str
    repeat: int
    success: bool
    tokens: int | None
    turns: int | None
    seconds: float
    model: str
    answer: str
    failed: str
    is_mixed: bool = False


def run(
    data: Path, agent: str, count: int | None = None, repeats: int = 1, keep: Path | None = None,
    limit_s: float = _LIMIT_S,
) -> dict[str, Any]:  # fmt: skip
    """Run the plan and return `{"machine", "agent", "data", "at", "seed", "plan", "repeats", "results", "runs"}`. Raises UsageError
    or SourceError without tasks, NotFound without the agent, UsageError if `keep` has the runs of another plan."""
    program, tasks = find_program(agent), read_tasks(data, count)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="graphmem-bench-")))
        plan = make_plan(agent, tasks, repeats, limit_s)
        kept = keep or folder / "runs"
        done = _begin(kept, plan)
        for task, repeat, arms in _order(tasks, repeats):
            for arm in arms:
                if (task.id, repeat, arm) not in done:
                    one = _Bench(folder, program, limit_s).run(task, repeat, arm)
                    done[task.id, repeat, arm] = one
                    with (kept / "runs.jsonl").open("a", encoding="utf-8") as file:
                        file.write(json.dumps(asdict(one), ensure_ascii=False) + "\n")
    runs = list(done.values())
    return {
        "machine": describe_machine(),
        "agent": {"name": agent, "version": program.version(), "model": ", ".join(sorted({one.model for one in runs} - {""}))},
        "data": data.resolve().name,
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "seed": _SEED,
        "plan": hashlib.sha256(json.dumps(plan).encode()).hexdigest()[:16],
        "repeats": repeats,
        "results": [summarise(runs, group) for group in ("", *dict.fromkeys(task.type for task in tasks))],
        "runs": [asdict(one) for one in runs],
    }  # fmt: skip


def make_plan(agent: str, tasks: Sequence[Task], repeats: int, limit_s: float) -> dict[str, Any]:
    """Return what is fixed before the first run."""
    return {
        "agent": agent,
        "repeats": repeats,
        "limit_s": limit_s,
        "seed": _SEED,
        "primary": "success, tokens: difference of the means, paired by task, 95 % interval",
        "tasks": {task.id: task.fingerprint() for task in tasks},
    }


def _begin(kept: Path, plan: dict[str, Any]) -> dict[tuple[str, int, str], Run]:
    """Write the plan, or check that it is the one that was begun, and return what was run already."""
    kept.mkdir(parents=True, exist_ok=True)
    written = kept / "plan.json"
    if not written.exists():
        written.write_text(json.dumps(plan, indent=1) + "\n", "utf-8")
    elif json.loads(written.read_text("utf-8")) != plan:
        raise UsageError(f"{written} is another plan: choose a new folder with --keep, or repeat its command")
    runs = kept / "runs.jsonl"
    found = [Run(**line) for line in read_lines(runs)] if runs.exists() else []
    return {(one.task, one.repeat, one.arm): one for one in found}


def _order(tasks: Sequence[Task], repeats: int) -> Iterator[tuple[Task, int, tuple[str, str]]]:
    """Yield each task and repetition in an order drawn by lot, repository by repository, whose store is made once."""
    chance = random.Random(_SEED)
    places: dict[tuple[Path, str, object], list[tuple[Task, int]]] = {}
    for task in tasks:
        places.setdefault((task.clone, task.commit, task.told), []).extend((task, number) for number in range(repeats))
    for pairs in places.values():
        for task, repeat in chance.sample(pairs, len(pairs)):
            yield task, repeat, chance.choice(((WITH, WITHOUT), (WITHOUT, WITH)))


class _Bench:
    """Runs tasks in a folder: the trees and stores of a run are made anew each time, at the same paths."""

    def __init__(self, folder: Path, program: Program, limit_s: float) -> None:
        self._folder, self._program, self._limit_s = folder, program, limit_s
        self._tree, self._home = folder / "work" / "repository", folder / "home"

    def run(self, task: Task, repeat: int, arm: str) -> Run:
        """Run a task once."""
        prepared = self._prepare(task) if arm == WITH else None
        self._clone(task)
        connection = self._folder / "connection"
        shutil.rmtree(connection, ignore_errors=True)
        with self._environment(prepared) as environment:
            said = self._program.run(
                task.prompt, self._tree, connection, environment, self._limit_s, is_connected=arm == WITH
            )
            is_mixed = arm == WITHOUT and any(self._home.iterdir())
        success = not said.failed and is_right(task, said.text, self._tree)
        tokens = None if said.read is None or said.written is None else said.read + said.written
        return Run(
            task.id, task.type, arm, repeat, success, tokens, said.turns, said.seconds, said.model, final_answer(said.text),
            said.failed, is_mixed,
        )  # fmt: skip

    def _prepare(self, task: Task) -> Path:
        """Return the store of a repository and of what was told before, made once, without an owner."""
        key = hashlib.sha256(repr((task.clone, task.commit, task.told)).encode()).hexdigest()[:16]
        store = self._folder / "stores" / key
        if not store.exists():
            self._clone(task)
            with Memory.open(store, project=self._tree.name) as memory:
                memory.init(self._tree)
                memory.observe_many(
                    [{"content": text, "role": role, "session": session} for session, role, text in task.told]
                )
                memory.process()
        return store

    def _clone(self, task: Task) -> None:
        shutil.rmtree(self._tree.parent, ignore_errors=True)
        self._tree.parent.mkdir()
        check_out(task.clone, task.commit, self._tree)

    @contextmanager
    def _environment(self, prepared: Path | None) -> Iterator[dict[str, str]]:
        """Give a run a home of its own and, with graphmem, a copy of the store with an owner."""
        shutil.rmtree(self._home, ignore_errors=True)
        self._home.mkdir()
        kept = {name: value for name, value in os.environ.items() if not name.startswith("GRAPHMEM_")}
        environment = {**kept, "GRAPHMEM_HOME": str(self._home)}
        if prepared is None:
            yield environment
            return
        store = self._folder / "store"
        shutil.rmtree(store, ignore_errors=True)
        shutil.copytree(prepared, store)
        environment["GRAPHMEM_STORE"] = str(store)
        try:  # an owner that is awake, as in the middle of a day
            subprocess.run([*GRAPHMEM, "search", "what is here?"], cwd=self._tree, env=environment,
                           capture_output=True, check=True)  # fmt: skip
            yield environment
        finally:
            client.claim_from_daemon(store).release()


def summarise(runs: Sequence[Run], group: str = "") -> dict[str, Any]:
    """Return what all runs, or those of a type, came to: means over tasks, and the mean difference with its interval."""
    chosen = [one for one in runs if not group or one.type == group]
    counted = {arm: [one for one in chosen if one.arm == arm] for arm in (WITH, WITHOUT)}
    found: dict[str, Any] = {
        "group": group or "all",
        "tasks": len({one.task for one in chosen}),
        "failed": {arm: sum(bool(one.failed) for one in counted[arm]) for arm in counted},
        "mixed": sum(one.is_mixed for one in chosen),
    }
    for metric in _METRICS:
        found[metric] = _difference(counted[WITH], counted[WITHOUT], metric)
    return found


def _difference(own: Sequence[Run], other: Sequence[Run], metric: str) -> dict[str, Any] | None:
    """Return both means, their difference, and its 95 % interval (bootstrap over tasks); None where an agent does not say. Success
    counts every run, the others the runs that ended."""
    means = [_by_task(runs, metric) for runs in (own, other)]
    tasks = [task for task in means[0] if task in means[1]]
    if not tasks:
        return None
    pairs = np.array([[each[task] for each in means] for task in tasks])
    gaps = pairs[:, 0] - pairs[:, 1]
    chance = np.random.default_rng(_SEED)
    drawn = chance.choice(gaps, (_RESAMPLES, len(gaps))).mean(axis=1)
    low, high = np.quantile(drawn, (0.025, 0.975))
    numbers = {
        "with": pairs[:, 0].mean(), "without": pairs[:, 1].mean(), "difference": gaps.mean(), "low": low, "high": high,
    }  # fmt: skip
    return {"tasks": len(tasks), **{name: round(float(number), 3) for name, number in numbers.items()}}


def _by_task(runs: Sequence[Run], metric: str) -> dict[str, float]:
    values: dict[str, list[float]] = {}
    for one in runs:
        value = getattr(one, metric)
        if value is not None and (metric == "success" or not one.failed):
            values.setdefault(one.task, []).append(float(value))
    return {task: sum(each) / len(each) for task, each in values.items()}


def markdown(found: dict[str, Any]) -> str:
    """Return the results as a Markdown table below a line about the run."""
    agent, machine = found["agent"], ", ".join(str(value) for value in found["machine"].values())
    named = ", ".join(filter(None, (agent["name"], agent["version"], agent["model"])))
    lines = [
        f"Agent: {named}. Data: {found['data']}. {found['at']}, {machine}, seed {found['seed']}, plan {found['plan']},"
        f" {found['repeats']} runs of each task and way.",
        "",
        "| Tasks | Number | Failed with; without | "
        + " | ".join(f"{name.capitalize()} with; without; difference (95 % interval)" for name in _METRICS)
        + " |",
        "|---|---|---|" + "---|" * len(_METRICS),
    ]
    for one in found["results"]:
        cells = [_cell(one[metric], _FORMATS[metric]) for metric in _METRICS]
        failed = f"{one['failed'][WITH]}; {one['failed'][WITHOUT]}"
        lines.append(f"| {one['group']} | {one['tasks']} | {failed} | {' | '.join(cells)} |")
    lines += ["", *_remarks(found)]
    return "\n".join(lines).rstrip()


def _remarks(found: dict[str, Any]) -> list[str]:
    reasons = dict.fromkeys(one["failed"] for one in found["runs"] if one["failed"])
    mixed = sum(one["is_mixed"] for one in found["runs"])
    lines = [f"Failed: {reason}" for reason in reasons]
    return [*lines, f"{mixed} runs without graphmem used it all the same."] if mixed else lines


def _cell(numbers: dict[str, Any] | None, form: str) -> str:
    if numbers is None:
        return ""
    own, other, gap, low, high = (
        form.format(numbers[name]) for name in ("with", "without", "difference", "low", "high")
    )
    return f"{own}; {other}; {gap} ({low} to {high})"
