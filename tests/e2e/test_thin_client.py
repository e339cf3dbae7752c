"""Commands that the owner of a store answers: the same as in a process of their own, and without what makes one slow."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from support import STOP_S, Repository, end_owner, kill_owners, wait_until, with_deep

from graphmem.backends.remote import client
from graphmem.interfaces.cli import thin
from graphmem.interfaces.cli.main import Invocation
from graphmem.interfaces.cli.served import is_served
from graphmem.interfaces.cli.thin import SERVED, store_without_owner
from graphmem.interfaces.hooks.place import find
from graphmem.interfaces.verbs.registry import VERBS

ENTRY = "from graphmem.interfaces.entry import run; run()"
WATCHED = """
import sys
sys.argv = ["graphmem", *sys.argv[1:]]
try:
    from graphmem.interfaces.entry import run
    run()
finally:
    heavy = {"typer", "rich", "numpy", "pydantic", "graphmem.memory", "graphmem.store"} & set(sys.modules)
    print("\\nheavy:", sorted(heavy), file=sys.stderr)
"""


def graphmem(here: Path, *words: str, code: str = ENTRY, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code, *words], cwd=here, env=os.environ | environment, capture_output=True, text=True,
        timeout=STOP_S,
    )  # fmt: skip


def alone(here: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """The same command in a process of its own: it has a setting that the owner does not know."""
    return graphmem(here, *words, GRAPHMEM_BUFFER__RETRIES="5")


def heavy(here: Path, *words: str, **environment: str) -> str:
    return graphmem(here, *words, code=WATCHED, **environment).stderr.rpartition("heavy: ")[2].strip()


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A repository with an owner that runs."""
    repository = Repository(tmp_path_factory.mktemp("thin"))
    repository.write("pkg/cache.py", "def evict():\n    return 1\n\n\ndef full():\n    return evict()\n")
    repository.write("pkg/__init__.py", "")
    repository.commit("Evict the oldest entry")
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GRAPHMEM_HOME", str(home))
        patch.setenv("XDG_RUNTIME_DIR", str(tmp_path_factory.mktemp("run")))
        assert graphmem(repository.path, "init", ".").returncode == 0
        wait_until(lambda: heavy(repository.path, "tasks", "list") == "[]")
        yield repository.path
    kill_owners(home)


@pytest.fixture(autouse=True)
def _home(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Instead of a home for each test: the one that has the owner."""


COMMANDS = [
    "search evict --json",
    "code callers pkg/cache.py:1",
    "code callers nobody.has.this",
    "ask what-calls-evict",
    "cypher DROP",
    "tasks",
    "search --never",
    "code callers --help",
]
MORE = [
    "search evict",
    "code callers pkg.cache.evict",
    "code outline pkg/cache.py --json",
    "explain evict",
    "history",
    "show nothing-of-this-name",
    "tasks show nothing",
    "cypher RETURN(1)AS(x)",
    "schema",
    "search",
]


@pytest.mark.parametrize("command", with_deep(COMMANDS, MORE))
def test_the_owner_answers_as_a_process_of_its_own_does(here: Path, command: str) -> None:
    there, own = graphmem(here, *command.split()), alone(here, *command.split())
    assert (there.returncode, without_time(there.stdout), there.stderr) == (
        own.returncode,
        without_time(own.stdout),
        own.stderr,
    )


def without_time(text: str) -> str:
    try:
        found = json.loads(text)
    except ValueError:
        return text
    if isinstance(found, dict) and "meta" in found:
        found["meta"].pop("seconds", None)
    return json.dumps(found)


def test_nothing_is_loaded_that_a_print_does_not_need(here: Path) -> None:
    assert heavy(here, "search", "evict") == "[]"
    assert heavy(here, "code", "callers", "pkg.cache.evict") == "[]"
    assert heavy(here, "search", "evict", GRAPHMEM_HOOK_LIMIT_S="9") == "[]"  # concerns hooks alone
    assert "graphmem.store" in heavy(here, "search", "evict", GRAPHMEM_BUFFER__RETRIES="5")


def test_a_path_is_meant_from_where_it_was_typed(here: Path) -> None:
    found = graphmem(here / "pkg", "code", "callers", "cache.py:1")
    assert "  full  return evict()" in found.stdout and heavy(here / "pkg", "code", "callers", "cache.py:1") == "[]"


def test_what_is_written_in_the_owner_is_found_by_everybody(here: Path) -> None:
    assert heavy(here, "tasks", "create", "Write the release notes") == "[]"
    assert "release notes" in graphmem(here, "tasks", "ready").stdout
    assert "release notes" in alone(here, "tasks", "ready").stdout


def test_changed_settings_are_noticed(here: Path) -> None:
    (card,) = Path(os.environ["GRAPHMEM_HOME"]).rglob("owner.json")
    file = card.with_name("settings.toml")
    before = file.read_bytes() if file.exists() else None
    file.write_text("[buffer]\nretries = 4\n")
    try:
        assert "graphmem.store" in heavy(here, "search", "evict")
    finally:
        file.unlink() if before is None else file.write_bytes(before)


def test_another_time_zone_has_a_process_of_its_own(here: Path) -> None:
    assert "graphmem.store" in heavy(here, "tasks", "list", TZ="Asia/Seoul")


def test_a_reader_that_goes_away_ends_it_quietly(here: Path) -> None:
    line = f'{sys.executable} -c "{ENTRY}" schema | head -1; echo "${{PIPESTATUS[0]}}" >&2'
    done = subprocess.run(["bash", "-c", line], cwd=here, capture_output=True, text=True, timeout=STOP_S)
    assert done.stderr.strip() == "0"


def test_a_person_alone_allows_what_was_withheld() -> None:
    """The verb looks whether an agent runs it: in the owner it could not tell."""
    for verb in VERBS:
        if verb.name in ("allow", "deny", "rebuild", "forget", "init", "export"):
            assert not is_served(Invocation(verb, {}, None, None, False)), verb.name


def test_every_served_word_is_one_of_a_verb() -> None:
    assert {verb.name.split()[0] for verb in VERBS} & SERVED == SERVED


def test_what_a_client_in_an_agents_shell_writes_is_the_agents(here: Path) -> None:
    def actor(write: str, **environment: str) -> str:
        assert graphmem(here, "remember", f"{write} writes this.", **environment).returncode == 0
        rows = json.loads(graphmem(here, "history", "--type", "memory_remembered", "--json").stdout)["data"]
        return next(row["actor"] for row in rows if write in row["preview"])

    assert (
        heavy(here, "remember", "The owner writes this.", CLAUDECODE="1") == "[]"
    )  # the owner's own shell tells nothing
    assert actor("Served agent", CLAUDECODE="1") == "agent"
    assert actor("Served person") == "user"
    assert actor("Lone agent", CURSOR_AGENT="1", GRAPHMEM_BUFFER__RETRIES="5") == "agent"
    assert actor("Lone person", GRAPHMEM_BUFFER__RETRIES="5") == "user"


def test_a_command_without_an_owner_starts_one_for_the_next(here: Path) -> None:
    store = store_of(here)
    end_owner(store)
    assert alone(here, "search", "evict").returncode == 0  # with a setting of its own: the owner would not have it
    assert graphmem(here, "search", "evict", "--store", str(store)).returncode == 0
    assert graphmem(here, "tasks", "show", "nothing").returncode != 0
    assert not is_owned(store)
    assert heavy(here, "search", "evict") != "[]"
    wait_until(lambda: is_owned(store))
    wait_until(lambda: heavy(here, "code", "callers", "pkg.cache.evict") == "[]")


def test_a_command_that_no_owner_runs_starts_none(here: Path, tmp_path: Path) -> None:
    end_owner(store_of(here))
    assert graphmem(here, "guide").returncode in (0, 2)
    assert store_without_owner([]) == "" == store_without_owner(["bench", "weight"])
    assert not is_owned(store_of(here))
    assert graphmem(tmp_path, "search", "evict").returncode != 0  # there is no store, and none is made
    assert not list(tmp_path.rglob("owner.*"))


def store_of(here: Path) -> Path:
    return Path(find(str(here)).store)


def is_owned(store: Path) -> bool:
    return client.is_reachable(store)


@pytest.mark.parametrize(("name", "asks"), [("GRAPHMEM_COMPILE", True), ("GRAPHMEM_EMBEDDING__PROVIDER", False)])
def test_a_setting_of_one_process_keeps_a_command_from_the_owner(
    monkeypatch: pytest.MonkeyPatch, name: str, asks: bool
) -> None:
    """`GRAPHMEM_COMPILE` is for who builds the package: no setting of a store."""
    monkeypatch.setenv(name, "0")
    assert thin._is_for_owner(["search", "kelp"]) is asks
