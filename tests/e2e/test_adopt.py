"""A repository whose folder was renamed finds its memory again."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from support import STOP_S, Repository, is_owned, wait_until

from graphmem.interfaces.hooks.place import find

COMMAND = Path(sys.executable).parent / "graphmem"


def run(*arguments: str, cwd: Path, status: int = 0, given: str | None = None) -> str:
    done = subprocess.run([COMMAND, *arguments], cwd=cwd, capture_output=True, text=True, timeout=STOP_S, input=given)
    assert done.returncode == status, done.stderr
    return done.stdout + done.stderr


@pytest.fixture
def renamed(repository: Repository) -> Path:
    repository.commit("Grow kelp in baskets", {"kelp.py": "def grow():\n    return 1\n"})
    run("init", cwd=repository.path)
    run("remember", "Kelp is harvested in the morning.", cwd=repository.path)
    return repository.path.rename(repository.path.with_name("renamed"))


def test_a_renamed_repository_is_told_which_store_is_its_own(renamed: Path) -> None:
    said = run("search", "kelp", cwd=renamed, status=2)
    assert "has no store yet" in said and "`graphmem adopt`" in said
    assert "has the store of" in run("adopt", cwd=renamed)
    assert "in the morning" in run("search", "when is kelp harvested", cwd=renamed)
    run("init", cwd=renamed)
    assert "kelp.py" in run("code", "source", "grow", cwd=renamed)
    assert "no store belongs" in run("adopt", cwd=renamed, status=2)


@pytest.mark.deep
def test_what_hooks_recorded_since_is_kept(renamed: Path) -> None:
    prompt = {"session_id": "s", "cwd": str(renamed), "prompt": "We decided to sell kelp on Fridays."}
    run("hook", "UserPromptSubmit", cwd=renamed, given=json.dumps(prompt))
    for command in (["search", "kelp"], ["ask", "when is kelp harvested?"], ["status"], ["doctor"]):
        assert "`graphmem adopt` takes it over" in run(*command, cwd=renamed)
    assert "recorded since" in run("adopt", cwd=renamed)
    assert "in the morning" in run("search", "when is kelp harvested", cwd=renamed)
    assert "adopt" not in run("status", cwd=renamed)
    assert "on Fridays" in run("search", "sell kelp on Fridays", cwd=renamed)


def test_a_clone_takes_nothing_from_a_repository_that_exists(repository: Repository, tmp_path: Path) -> None:
    repository.commit("Grow kelp in baskets", {"kelp.py": "def grow():\n    return 1\n"})
    run("init", cwd=repository.path)
    repository.git("clone", "-q", ".", str(tmp_path / "clone"))
    assert "adopt" not in run("search", "kelp", cwd=tmp_path / "clone", status=2)
    run("adopt", cwd=tmp_path / "clone", status=2)


def test_stop_ends_the_owner(repository: Repository) -> None:
    repository.commit("Grow kelp in baskets")
    run("init", cwd=repository.path)
    store = Path(find(str(repository.path)).store)
    run("search", "kelp", cwd=repository.path)
    wait_until(lambda: is_owned(store))
    answer = json.loads(run("stop", "--json", cwd=repository.path))
    assert answer["data"] == {"store": str(store), "stopped": True}
    assert not is_owned(store)
    assert "No owner was running" in run("stop", cwd=repository.path)
    assert "Grow kelp" in run("search", "kelp", cwd=repository.path)
