"""Prints which suite passes on which graph engine and log: `python tests/conformance.py`, with `--deep` also kills, damage and
soak of the native engines, which take an hour each. Each row is a process of its own."""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from graphmem.backends.graph.engines import ENGINES, NATIVE

TESTS = Path(__file__).parent
GRAPH = ("contract/test_graph_store.py",)
# What is of an engine's own: copies for readers, values that only it has, files that earlier releases wrote.
OWN = "not copy and not lives_on and not a_value and not written_before and not leaves"
LONG = (
    "unit/text/test_cypher.py", "unit/backends/test_readers.py", "unit/backends/test_embedded_graph.py", "unit/backends/test_packing.py", "unit/export/test_formats_wellformed.py",
    "e2e/test_crashes.py", "e2e/test_aimed_kills.py", "e2e/test_damage.py", "e2e/test_damage_log.py",
)  # fmt: skip


class Outcome(NamedTuple):
    """The numbers of tests, and what pytest printed."""

    passed: int
    failed: int
    skipped: int
    printed: str

    @property
    def verdict(self) -> str:
        """What the table says."""
        if self.failed or not self.passed:
            return "**fails**" if self.failed else "not run"
        return "passes"


def run_suite(engine: str, files: Sequence[str], folder: Path, *options: str) -> Outcome:
    """Run test files in a process whose graph engine is this one."""
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--basetemp", folder / "t", *options]
    environment = {**os.environ, "GRAPHMEM_GRAPH__ENGINE": engine}
    for name in [name for name in environment if name.startswith("PYTEST_")]:
        del environment[name]
    done = subprocess.run(
        [*words, *(TESTS / file for file in files)], cwd=TESTS.parent, env=environment, capture_output=True, text=True
    )
    printed = done.stdout[-6_000:] + done.stderr[-2_000:]
    counts = {word: int(number) for number, word in re.findall(r"(\d+) (passed|failed|error|skipped)", done.stdout)}
    failed = counts.get("failed", 0) + counts.get("error", 0)
    if "passed" not in counts and not done.returncode:  # the short summary of `-q -q`
        counts["passed"] = done.stdout.count(".")
    return Outcome(
        counts.get("passed", 0), failed or int(done.returncode not in (0, 5)), counts.get("skipped", 0), printed
    )


def suites(*, deep: bool) -> Iterator[tuple[str, str, str, Sequence[str], Sequence[str]]]:
    """Yield suite, what it runs on, the graph engine, the test files and options of pytest."""
    for engine in ENGINES:
        yield "graph contract", engine, engine, GRAPH, ("-k", OWN)
    yield "shared queries, compared with kuzu", "bolt, sqlite", "kuzu", ("e2e/test_shared_queries.py",), ()
    yield "change of engine, all answers compared", "kuzu, ladybug, sqlite", "kuzu", ("e2e/test_engine_move.py",), ()
    for log in ("sqlite", "postgresql"):
        yield "log contract", log, "kuzu", ("contract/test_log.py",), ("-k", log)
    yield "server away, killed, stopped", "postgresql", "kuzu", ("e2e/test_log_server.py",), ()
    yield "projectors race, snapshots", "postgresql", "sqlite", ("e2e/test_projectors.py",), ()
    for engine in NATIVE if deep else ():
        yield "kills, damage, readers, soak", engine, engine, LONG, ("-m", "deep or not deep")


def main() -> int:
    """Run all suites and print a table in Markdown; return 1 if one fails."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--deep", action="store_true", help="also the long suites")
    has_failed = False
    sys.stdout.write("| Suite | On | | Tests | Skipped |\n|---|---|---|---|---|\n")
    for name, on, engine, files, options in suites(deep=parser.parse_args().deep):
        with tempfile.TemporaryDirectory(prefix="gm-") as folder:
            found = run_suite(engine, files, Path(folder), *options)
        sys.stdout.write(f"| {name} | {on} | {found.verdict} | {found.passed} | {found.skipped} |\n")
        sys.stdout.flush()
        if found.failed:
            has_failed = True
            sys.stderr.write(found.printed)
    return int(has_failed)


if __name__ == "__main__":
    sys.exit(main())
