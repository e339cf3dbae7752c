"""Killed at any moment, a store loses no acknowledged event, and what it shows equals a clean replay of its log."""

from __future__ import annotations

import json
import os
import random
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import children
import pytest
import workload
from support import with_deep
from workload import QUIET

from graphmem import Memory

EMBEDDING = {"graph.buffer_pool_mb": 64}


def in_child(function: Callable[..., Any], *arguments: Any) -> Any:
    """Return the result of a function that runs in a process of its own, so that this one never holds an engine."""
    ended, found = children.run(function, *arguments)
    assert ended == 0, f"{function.__name__} ended with {ended}"
    return found


def one_life(folder: Path, seed: int, kills: int, settings: dict[str, Any]) -> list[str]:
    """Kill a store again and again, by step or by time; what is wrong with it in the end."""
    chance = random.Random(seed)
    store = folder / "store"
    if chance.random() < 0.5:
        in_child(_other_machine, folder, settings)
    for kill in range(kills):
        by_step = chance.random() < 0.7
        step = int(2 ** chance.uniform(6, 12)) if by_step else 0
        child = children.start(workload.live, store, seed * 1000 + kill, 60, step, settings)
        child.join(None if by_step else chance.uniform(0.05, 2.5))
        if child.is_alive() and child.pid:
            os.kill(child.pid, signal.SIGKILL)
            child.join()
        if child.exitcode not in (-signal.SIGKILL, 0):
            return [f"kill {kill}: the process ended with {child.exitcode}"]
    return list(in_child(workload.check, store, settings))


def _other_machine(folder: Path, settings: dict[str, Any]) -> None:
    with Memory.open(folder / "other", project="demo", settings=settings) as mem:
        for n in range(30):
            mem.observe(f"elsewhere we decided to keep the parser {n}", session="z", ref=f"r{n}")
        mem.export(folder / "other.jsonl")


@pytest.mark.parametrize("seed", with_deep([0], [1]))
def test_a_killed_store_equals_a_clean_replay(tmp_path: Path, seed: int) -> None:
    assert one_life(tmp_path, seed, 3, QUIET) == []


@pytest.mark.deep
@pytest.mark.timeout(7200)
def test_three_hundred_kills(tmp_path: Path) -> None:
    kills, wrong, started = 0, {}, time.time()
    for seed in range(100, 200):
        folder = tmp_path / str(seed)
        folder.mkdir()
        found = one_life(folder, seed, 3, EMBEDDING if seed % 4 == 0 else QUIET)
        kills += 3
        if found:
            wrong[seed] = found
        print(
            json.dumps({"seed": seed, "kills": kills, "seconds": round(time.time() - started), "wrong": found}),
            flush=True,
        )
    assert not wrong
