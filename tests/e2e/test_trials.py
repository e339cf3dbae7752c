"""Damage at random places of every file: whatever is asked then is answered as before, or refused in a sentence. How many trials
of each kind is `GRAPHMEM_TRIALS`; `python tests/e2e/test_trials.py` prints the table."""

from __future__ import annotations

import collections
import json
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import children
import damage
import pytest

TRIALS = int(os.environ.get("GRAPHMEM_TRIALS", "25"))


def _apart(function: Any, *arguments: Any) -> Any:
    """Return what a function returns in a process of its own; None if that ends otherwise."""
    return children.run(function, *arguments)[1]


def stores(folder: Path) -> dict[str, tuple[Path, dict[str, Any]]]:
    """The two stores that are damaged, each with its sound answers."""
    for end in ("closed", "killed"):
        (folder / end).mkdir()
        _apart(damage.make, folder / end / "store", end)
        damage.copy(folder / end / "store", folder / end / "sound")
    return {
        end: (folder / end / "store", _apart(damage.sound_answers, folder / end / "sound"))
        for end in ("closed", "killed")
    }


def one(base: tuple[Path, dict[str, Any]], kind: str, seed: int, folder: Path) -> tuple[str, list[str]]:
    """One trial, on a copy."""
    store = damage.copy(base[0], folder / "tried")
    try:
        found = _apart(damage.trial, store, kind, seed, base[1])
        return found or ("died", ["the process died"])
    finally:
        shutil.rmtree(store)


@pytest.fixture(scope="module")
def bases(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, dict[str, Any]]]:
    return stores(tmp_path_factory.mktemp("trials"))


@pytest.mark.deep
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("kind", damage.DAMAGES)
def test_nothing_is_silently_wrong(bases: dict[str, tuple[Path, dict[str, Any]]], kind: str, tmp_path: Path) -> None:
    base = bases[damage.DAMAGES[kind][0]]
    wrong = {seed: found for seed in range(TRIALS) if (found := one(base, kind, seed, tmp_path)[1])}
    assert not wrong


def table(kinds: list[str]) -> None:
    """Print a line for each kind: how many trials went how, and what was silently wrong."""
    with tempfile.TemporaryDirectory() as folder:
        known = stores(Path(folder))
        for kind in kinds or list(damage.DAMAGES):
            tried = [one(known[damage.DAMAGES[kind][0]], kind, seed, Path(folder)) for seed in range(TRIALS)]
            went = collections.Counter(how.partition(":")[0] for how, _ in tried)
            wrong = {seed: found for seed, (_, found) in enumerate(tried) if found}
            print(f"{kind:22}{len(tried) - len(wrong):4} of {len(tried)} right  {dict(went)}", flush=True)
            for seed, found in wrong.items():
                print(f"    {seed}: {tried[seed][0][:150]}; {json.dumps(found, ensure_ascii=False)[:400]}", flush=True)


if __name__ == "__main__":
    table(sys.argv[1:])
