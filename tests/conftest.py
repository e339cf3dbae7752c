"""What all tests share: a store in a fresh directory, a git repository to write into, and a clock that obeys."""

from __future__ import annotations

import gc
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from arcadedb_server import USER, ArcadeServer, find_package
from hypothesis import settings
from postgresql_server import PostgresqlServer, find_binaries
from support import ENGINE, EXPLORES, MEMORY_DISK, Hands, Repository, examples, kill_owners

from graphmem import Memory
from graphmem.agent_shells import CERTAIN, LIKELY

# How busy the machine is decides nothing, and neither does chance: the same code passes or fails each time. With the variable
# GRAPHMEM_EXPLORE, property tests draw new cases in every run, and eight times as many.
settings.register_profile("repeatable", deadline=None, derandomize=not EXPLORES, max_examples=examples(100))
settings.load_profile("repeatable")
_ROOM = 6 << 30  # bytes
# Folders and files whose tests are of rules over a log or of processes, whatever the graph engine.
_RULES = frozenset(
    "bench browse code cognify endless export extract forget fuzz hooks ingest interfaces log memify model owner privacy"
    " projections retrieve store sync tasks text tree trust test_adopt test_ask test_code_edits test_contributing test_damage_log"
    " test_ask_environment test_concurrency test_demonstration test_finalizers test_followups test_foreign_repositories test_forks test_hook_arguments"
    " test_hook_deliveries test_hooks test_import_errors test_init test_install test_log_server test_lost_log test_mcp"
    " test_merge_projects test_renewal"
    " test_merge_trust test_model test_move test_new_commits test_odd_events test_poisoning test_private_pieces"
    " test_processes test_shared_server test_small_mends test_thin_client test_triggers".split()
)
# Files that take more than ten seconds.
_LONG = frozenset(
    "test_contributing test_damage test_engine_move test_engines test_hook_deliveries test_http test_init test_mcp test_processes"
    " test_purge test_shared_server test_shared_queries".split()
)
_BROWSE = "tests/e2e/test_viewer"  # the beginning of the names of files whose tests need a browser
# In each area, a file stays on the default engine (own labels, what is merged, what hooks answer, fields of code), or a test with the
# fixture `default_engine`. Of the ways to it, these are in files that are not named above: command line, hooks, HTTP, MCP, viewer.
_ON_DEFAULT = frozenset(
    "test_asleep_graph test_bench_engines test_code_fields test_cypher test_cypher_columns test_formats_wellformed test_hooks_respond"
    " test_labels test_merging test_named test_typed".split()
)


# As for a user, bytecode is kept: the tests start a thousand processes, and each would compile all that it imports.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
for _name in CERTAIN | LIKELY:  # whoever runs the tests, their words are a person's
    os.environ.pop(_name, None)


def pytest_configure(config: pytest.Config) -> None:
    """Keep temporary folders in memory where there is room: what stores write for safety takes half of the time on a disk.
    `--basetemp` chooses another place."""
    if MEMORY_DISK.is_dir() and shutil.disk_usage(MEMORY_DISK).free > _ROOM:
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY_DISK))
    if (chosen := config.option.markexpr) and "deep" not in chosen:  # it replaces `not deep` of pyproject.toml
        config.option.markexpr = f"({chosen}) and not deep"


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """With `-m core`, load only the files that have such tests: the others import servers, browsers and models."""
    if config.option.markexpr != "(core) and not deep" or not collection_path.name.startswith("test_"):
        return None
    return "mark.core" not in collection_path.read_text("utf-8") or None


def pytest_collection_finish() -> None:
    """What collecting has loaded lives until the end: no collection of garbage looks at it again."""
    gc.collect()
    gc.freeze()


def pytest_xdist_auto_num_workers() -> int:
    """Half as many again as there are cores: much of what the tests do is waiting for processes that they started."""
    return max(2, (os.cpu_count() or 1) * 3 // 2)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The long files first, so that no worker is left alone with one."""
    items.sort(
        key=lambda item: (
            not item.nodeid.startswith(_BROWSE),
            item.path.stem not in _LONG,
            "e2e" not in item.path.parts,
        )
    )


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> object | None:
    """With `--dist loadfile`, all files that need a browser are in one worker: they share it, and a server."""
    if config.option.dist != "loadfile":
        return None
    from xdist.scheduler import LoadFileScheduling

    class Scheduling(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file = super()._split_scope(nodeid)
            return _BROWSE if _BROWSE in file else file

    return Scheduling(config, log)


@pytest.fixture(scope="module", autouse=True)
def _graph_of_rules(request: pytest.FixtureRequest) -> Iterator[None]:
    """Daily, graphs of tests of rules are in SQLite tables: rules over a log do not ask for the engine, and a store on the default
    one, in files, takes .4 s of processor time to make and close, in tables .07 s; an owner's life with it takes 3.4 s instead of
    2. Before a release (deep tests, or new cases), or where the environment names an engine, they are on that one. That engines
    answer alike, query by query, is what the contracts and the shared queries say."""
    path = request.path
    are_rules = (path.parent.name in _RULES and path.stem not in _ON_DEFAULT) or path.stem in _RULES
    with pytest.MonkeyPatch.context() as patch:
        is_daily = not EXPLORES and "deep" not in request.config.option.markexpr.replace("not deep", "")
        if are_rules and is_daily and "GRAPHMEM_GRAPH__ENGINE" not in os.environ:
            patch.setenv("GRAPHMEM_GRAPH__ENGINE", "sqlite")
        yield


@pytest.fixture
def default_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    """For a test that stays on the default engine, in a file whose other tests do not."""
    monkeypatch.setenv("GRAPHMEM_GRAPH__ENGINE", ENGINE)


@pytest.fixture(autouse=True)
def _home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Nothing that a test does reaches the user's own stores or sockets, and no owner of a store there outlives the test."""
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("GRAPHMEM_HOME", str(home))
    monkeypatch.setenv("GRAPHMEM_HOOK_LIMIT_S", "60")  # the machine of the tests may be busy
    runtime = tmp_path_factory.mktemp("run")
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime))
    yield
    kill_owners(home)
    shutil.rmtree(home, ignore_errors=True)


@pytest.fixture
def clock() -> Hands:
    return Hands()


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "store", project="demo") as mem:
        yield mem


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "repository")


@pytest.fixture
def make_repository(tmp_path: Path) -> Callable[[str], Repository]:
    return lambda name: Repository(tmp_path / name)


@pytest.fixture(scope="session")
def postgresql() -> Iterator[PostgresqlServer]:
    """A PostgreSQL server of this test run."""
    pytest.importorskip("psycopg", reason="psycopg is not installed: pip install '.[postgresql]'")
    binaries = find_binaries()
    if binaries is None:
        pytest.skip("no PostgreSQL server is installed: apt-get install postgresql")
    server = PostgresqlServer(binaries)
    yield server
    server.close()


@pytest.fixture(scope="session")
def graph_server() -> Iterator[ArcadeServer]:
    """A server that speaks Bolt, of this test run; the environment has its user and password."""
    pytest.importorskip("neo4j", reason="neo4j is not installed: pip install '.[bolt]'")
    package = find_package()
    if package is None:
        pytest.skip("no graph server is installed: pip install arcadedb-embedded")
    server = ArcadeServer(package)
    os.environ.update(NEO4J_USERNAME=USER, NEO4J_PASSWORD=server.password)
    yield server
    del os.environ["NEO4J_USERNAME"], os.environ["NEO4J_PASSWORD"]
    server.close()
