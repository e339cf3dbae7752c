"""Every other graph engine passes the tests of the default one, in a process of its own: a process can load only one of those that
are native. A server takes as long as all others together: daily, the shared queries read from it what they wrote there."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from conformance import GRAPH, LONG, OWN, run_suite, suites
from support import ENGINE, with_deep

from graphmem.backends.graph.engines import ENGINES, NATIVE

OTHERS = sorted(ENGINES.keys() - {ENGINE})
RIVAL = next(name for name in NATIVE if name != ENGINE)


@pytest.fixture
def short() -> Iterator[Path]:
    """A folder with a short name: sockets lie in those inside."""
    with tempfile.TemporaryDirectory(prefix="gm-") as folder:
        yield Path(folder)


def passes(engine: str, files: Sequence[str], folder: Path, *options: str) -> None:
    found = run_suite(engine, files, folder, *options)
    assert found.verdict == "passes", found.printed


@pytest.mark.parametrize(
    "engine", with_deep([one for one in OTHERS if one != "bolt"], [one for one in OTHERS if one == "bolt"])
)
def test_it_passes_the_tests_of_an_engine(engine: str, short: Path) -> None:
    passes(engine, GRAPH, short, "-k", OWN)


@pytest.mark.deep
@pytest.mark.timeout(20_000)
@pytest.mark.parametrize("engine", [name for name in OTHERS if name in NATIVE])
def test_it_passes_the_long_ones_too(engine: str, short: Path) -> None:
    passes(engine, (*GRAPH, *LONG), short, "-m", "deep or not deep")


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


def test_the_report_names_every_engine_and_log() -> None:
    rows = list(suites(deep=True))
    assert {on for name, on, *_ in rows if name == "graph contract"} == ENGINES.keys()
    assert {on for name, on, *_ in rows if name == "log contract"} == {"sqlite", "postgresql"}
    tests = Path(__file__).parents[1]
    assert all((tests / file).is_file() for *_, files, _ in rows for file in files)
