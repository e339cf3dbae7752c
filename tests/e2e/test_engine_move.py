"""A store keeps its graph engine until it is moved to another one, which then answers the same. Each process here loads one
engine, so what concerns both runs in processes of its own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support import ENGINE, is_owned, kill_owner, with_deep

from graphmem import Memory
from graphmem.backends.graph.engines import NATIVE, Engine
from graphmem.errors import NotInstalled, StoreError, UsageError
from graphmem.settings import load_settings
from graphmem.store import Store, engine_change

OTHER = next(name for name in NATIVE if name != ENGINE)
HERE = Path(__file__).parent
QUIET = {"embedding.provider": "none", "graph.buffer_pool_mb": 64}


def run(program: str, *words: object) -> Any:
    """What a program prints as JSON in a process of its own; None if it was killed."""
    paths = f"import json, sys; sys.path[:0] = {[str(HERE), str(HERE.parent)]!r}\n"
    done = subprocess.run([sys.executable, "-c", paths + program, *map(str, words)], capture_output=True, text=True)
    assert done.returncode in (0, -9), done.stderr
    return json.loads(done.stdout) if done.returncode == 0 else None


MADE = """
import workload
from pathlib import Path
from graphmem import Memory
folder = Path(sys.argv[1])
tree = folder / "tree"
tree.mkdir()
(tree / "app.py").write_text("def one():\\n    return two()\\n\\n\\ndef two():\\n    return 1\\n")
with Memory.open(folder / "store", project="demo", settings=json.loads(sys.argv[2])) as mem:
    life = workload.Life(mem, 7, tree, lambda name: None)
    mem.index_code(tree)
    for name in ["observe"] * 30 + ["remember"] * 6 + ["task"] * 6:
        getattr(life, name)()
    mem.observe("We decided to keep the crane in Oslo because the harbour is deep", session="s1")
    mem.process()
print("0")
"""
STATE = """
import engine_answers, workload
from pathlib import Path
from graphmem import Memory
with Memory.open(Path(sys.argv[1])) as mem:
    mem.process()
    assert mem.health()["sound"], mem.health()["problems"]
    files = sorted(file.name for file in Path(sys.argv[1]).glob("graph-*"))
    state = workload.state(mem, Path(sys.argv[1]))
    answers = engine_answers.collect(mem, 10, 1) if sys.argv[2:] else {}
    print(json.dumps({"engine": mem._store.access.files.engine, "files": files, "state": state, "answers": answers}))
"""
MOVE = """
from pathlib import Path
from graphmem import Memory
with Memory.open(Path(sys.argv[1])) as mem:
    report = mem.move(engine=sys.argv[2])
    print(json.dumps([report.engine, report.compared, mem.search("crane").hits[0].content]))
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    run(MADE, folder, json.dumps(QUIET))
    (folder / "store" / "settings.toml").write_text('[embedding]\nprovider = "none"\n[graph]\nbuffer_pool_mb = 64\n')
    return folder / "store"


@pytest.fixture(scope="module")
def before(made: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What the store says before anything is moved."""
    return run(STATE, shutil.copytree(made, tmp_path_factory.mktemp("before") / "store"), "answers")


@pytest.fixture
def store(made: Path, tmp_path: Path) -> Iterator[Path]:
    yield Path(shutil.copytree(made, tmp_path / "store"))
    kill_owner(tmp_path / "store")


@pytest.mark.parametrize("others", with_deep([("sqlite",)], [((OTHER, "sqlite"),)]), ids=len)
def test_it_moves_to_the_other_engines_and_back_with_everything_it_answers(
    store: Path, before: Any, others: tuple[str, ...]
) -> None:
    assert before["engine"] == ENGINE
    for engine in (*others, ENGINE):
        name, compared, found = run(MOVE, store, engine)
        assert name == engine and compared > 100 and "crane" in found
        after = run(STATE, store, "answers")
        assert after["engine"] == engine and all(f".{engine}" in file for file in after["files"])
        assert after["state"] == before["state"]
        assert {name: rows for name, rows in before["answers"].items() if rows != after["answers"][name]} == {}
    assert sum(1 for name, rows in before["answers"].items() if name.startswith("search ") and rows) >= 7


KILLED = """
import os, signal
from pathlib import Path
import aimed
from graphmem import Memory
owner, name = aimed.located(sys.argv[2])
aimed._wrap(owner, name, sys.argv[3], lambda: os.kill(os.getpid(), signal.SIGKILL) if armed else None)
armed = []
with Memory.open(Path(sys.argv[1])) as mem:
    armed.append(1)
    mem.move(engine=sys.argv[4])
"""


KEPT = {
    "asked": ("graphmem.backends.remote.client:claim_from_daemon", "after", True),
    "one surveyed": ("graphmem.store.engine_change:_survey", "after", True),
    "both surveyed": ("graphmem.store.engine_change:_compare", "after", True),
    "not recorded": ("graphmem.store.graph_files:GraphFiles.adopt_engine", "before", True),
    "recorded": ("graphmem.backends.graph.seal:delete_files", "before", False),
    "done": ("graphmem.store.graph_files:GraphFiles.adopt_engine", "after", False),
}
DAILY = ("not recorded",)


@pytest.mark.parametrize(
    "name", [name if name in DAILY else pytest.param(name, marks=pytest.mark.deep) for name in KEPT]
)
def test_killed_in_between_one_of_them_answers_as_before(store: Path, before: Any, name: str) -> None:
    place, when, kept = KEPT[name]
    assert run(KILLED, store, place, when, OTHER) is None
    after = run(STATE, store)
    assert after["engine"] == (ENGINE if kept else OTHER)
    assert after["state"] == before["state"]
    assert all(f".{after['engine']}" in file for file in after["files"]), "what was left is cleared away"


def test_a_worker_that_dies_and_a_graph_that_differs_leave_the_store_as_it_was(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Memory.open(store) as mem:
        mem.process()
        count = mem._store.graph.query("MATCH (n) WHERE label(n) <> 'Cursor' RETURN count(*)").rows
        started = engine_change.client.start_worker

        def killed(*words: Any) -> Any:
            worker = started(*words)
            assert worker is not None
            worker.kill()
            return worker

        with monkeypatch.context() as patch:
            patch.setattr(engine_change.client, "start_worker", killed)
            with pytest.raises(StoreError, match="ended unexpectedly: the store is as it was"):
                mem.move(engine=OTHER)
        surveyed = engine_change._survey

        def altered(path: Path, project: str, engine: str, progress: Any) -> engine_change.Survey:
            found = surveyed(path, project, engine, progress)
            rows = found.tables["Turn"][0] - (engine == OTHER)
            return found._replace(tables={**found.tables, "Turn": (rows, found.tables["Turn"][1])})

        with monkeypatch.context() as patch:
            patch.setattr(engine_change, "_survey", altered)
            with pytest.raises(StoreError, match=f"Turn has .* rows instead of .*: the store keeps {ENGINE}"):
                mem.move(engine=OTHER)
        assert not list(store.glob(f"*.{OTHER}*"))
        assert mem._store.graph.query("MATCH (n) WHERE label(n) <> 'Cursor' RETURN count(*)").rows == count


def test_what_it_cannot_move_to_is_one_sentence(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Memory.open(store) as mem:
        for arguments, sentence in (
            ({"engine": "neo"}, "there is no graph engine `neo`: choose kuzu, ladybug, bolt or sqlite"),
            ({"engine": ENGINE}, f"is already of the engine {ENGINE}"),
            ({}, "name either the folder, the graph engine or the place of the log"),
            ({"url": "x", "engine": OTHER}, "name either the folder, the graph engine or the place of the log"),
        ):
            with pytest.raises(UsageError, match=sentence):
                mem.move(**arguments)
        monkeypatch.setattr(Engine, "is_installed", False)
        with pytest.raises(NotInstalled, match=f"the graph engine {OTHER} is not installed: pip install"):
            mem.move(engine=OTHER)
        assert mem.search("crane").hits


def test_the_store_says_which_engine_it_has_not_the_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the record, as in an older store, its files say it."""
    monkeypatch.setenv("GRAPHMEM_GRAPH__ENGINE", OTHER)
    here = tmp_path / "store"
    assert run(STATE, here)["engine"] == OTHER
    monkeypatch.setenv("GRAPHMEM_GRAPH__ENGINE", ENGINE)
    assert run(STATE, here)["engine"] == OTHER
    store = Store(here, load_settings(here))
    store.log._db.execute("DELETE FROM meta WHERE name = 'graph_engine'")
    assert store.access.files.engine == OTHER
    assert store.access.files.usable_engine().name == OTHER
    store.log.state.setting("graph_engine", "neptune", replace=True)
    with pytest.raises(
        StoreError, match="of the engine neptune, which this version of graphmem does not know: upgrade"
    ):
        store.graph  # noqa: B018
    store.log.state.setting("graph_engine", OTHER, replace=True)
    monkeypatch.setattr(Engine, "is_installed", False)
    with pytest.raises(NotInstalled, match=f"the graph engine {OTHER} is not installed: pip install"):
        store.graph  # noqa: B018
    assert not is_owned(here)
    store.close()


@pytest.mark.deep
def test_where_no_engine_is_installed_the_graph_is_in_sqlite_tables(tmp_path: Path) -> None:
    """As on a new Python, for which neither Kuzu nor Ladybug has a wheel."""
    (tmp_path / "sitecustomize.py").write_text('import sys\nsys.modules["kuzu"] = sys.modules["ladybug"] = None\n')
    (tmp_path / "app.py").write_text("def one():\n    return two()\n\n\ndef two():\n    return 1\n")
    told = {**os.environ, "PYTHONPATH": str(tmp_path), "GRAPHMEM_STORE": str(tmp_path / "store")}
    told |= {"GRAPHMEM_EMBEDDING__PROVIDER": "none"}
    told.pop("GRAPHMEM_GRAPH__ENGINE", None)

    def command(*words: str) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "graphmem.interfaces.entry", *words],
            cwd=tmp_path,
            env=told,
            capture_output=True,
            text=True,
        )
        return done.stdout + done.stderr

    try:
        command("remember", "The crane is oiled on Mondays, because the manual says so", "--file", "app.py")
        assert "file" in command("index") and "projected" in command("process")
        assert "oiled on Mondays" in command("search", "crane") and "ABOUT  Fact" in command("show", "app.py")
        assert "app.two" in command("cypher", "MATCH (s:Symbol)-[:CALLS]->(o) RETURN o.qualified_name")
        assert "one" in command("code", "callers", "two") and "CALLS" in command("stats")
        refused = command("cypher", "MATCH (f:Fact) RETURN list_sort(collect(f.id))")
        assert "no function or operator `list_sort`" in refused and "graphmem move --engine ladybug" in refused
        assert "`f` has no property `nothing`: `graphmem schema` lists them\n" in command(
            "cypher", "MATCH (f:Fact) RETURN f.nothing"
        )
        assert "the graph engine ladybug is not installed" in command("move", "--engine", "ladybug")
        assert "healthy" in command("doctor") and list((tmp_path / "store").glob("graph-*.sqlite"))
    finally:
        kill_owner(tmp_path / "store")


TWO = """
from pathlib import Path
from graphmem import Memory
first, second = map(Path, sys.argv[1:])
with Memory.open(first) as one, Memory.open(second) as two:
    found = [mem.cypher("MATCH (t:Turn) RETURN count(*)").rows for mem in (one, two)]
    owners = [mem._store.server is not None for mem in (one, two)]
    print(json.dumps([found, owners]))
"""


@pytest.mark.deep
def test_a_program_uses_stores_of_both_engines(store: Path, tmp_path: Path) -> None:
    """The second one through an owner of its own: no process can load both."""
    second = Path(shutil.copytree(store, tmp_path / "second"))
    run(MOVE, second, OTHER)
    found, owners = run(TWO, store, second)
    assert found[0] == found[1] and owners == [True, False]
    kill_owner(second)
