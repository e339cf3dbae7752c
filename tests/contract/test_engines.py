"""Every other graph engine passes the tests of the default one, in a process of its own: a process can load only one of those that
are native."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from support import ENGINE

from graphmem.backends.graph.engines import ENGINES, NATIVE

TESTS = Path(__file__).parents[1]
DAILY = ("contract/test_graph_store.py",)
LONG = (
    "unit/text/test_cypher.py", "unit/backends/test_readers.py", "unit/backends/test_embedded_graph.py", "unit/backends/test_packing.py", "unit/export/test_formats_wellformed.py",
    "e2e/test_crashes.py", "e2e/test_aimed_kills.py", "e2e/test_damage.py",
)  # fmt: skip
OTHERS = sorted(ENGINES.keys() - {ENGINE})
RIVAL = next(name for name in NATIVE if name != ENGINE)


@pytest.fixture
def short() -> Iterator[Path]:
    """A folder with a short name: sockets lie in those inside."""
    with tempfile.TemporaryDirectory(prefix="gm-") as folder:
        yield Path(folder)


def passes(engine: str, files: tuple[str, ...], folder: Path, *options: str) -> None:
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--basetemp", folder / "t", *options]
    environment = {**os.environ, "GRAPHMEM_GRAPH__ENGINE": engine}
    for name in [name for name in environment if name.startswith("PYTEST_")]:
        del environment[name]
    done = subprocess.run(
        [*words, *(TESTS / file for file in files)], cwd=TESTS.parent, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout[-6_000:] + done.stderr[-2_000:]


@pytest.mark.parametrize("engine", OTHERS)
def test_it_passes_the_tests_of_an_engine(engine: str, short: Path) -> None:
    passes(
        engine, DAILY, short, "-k", "not copy and not lives_on and not a_value and not written_before and not leaves"
    )


@pytest.mark.deep
@pytest.mark.timeout(20_000)
@pytest.mark.parametrize("engine", [name for name in OTHERS if name in NATIVE])
def test_it_passes_the_long_ones_too(engine: str, short: Path) -> None:
    passes(engine, (*DAILY, *LONG), short, "-m", "deep or not deep")


def test_a_process_that_has_loaded_one_refuses_another_in_one_sentence() -> None:
    program = f"""
from graphmem.backends.graph.engines import ENGINES
from graphmem.errors import StoreError
first, second = ENGINES[{ENGINE!r}], ENGINES[{RIVAL!r}]
first.load()
assert second.rival == first.name and not first.rival
try:
    second.load()
except StoreError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"this process has loaded the graph engine {ENGINE}, and cannot load {RIVAL}, too")
