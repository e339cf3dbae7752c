"""Hooks find the same store as everyone else, without git."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from graphmem import settings
from graphmem.errors import NotFound
from graphmem.interfaces.hooks.place import find
from graphmem.store.location import locate, of_repository


def test_the_same_store_as_git_says(repository, tmp_path: Path) -> None:
    repository.commit("Start", {"a/b/c.txt": "x"})
    repository.git("worktree", "add", "-q", str(tmp_path / "tree"))
    repository.git("clone", "-q", "--bare", ".", str(tmp_path / "bare.git"))
    (tmp_path / "link").symlink_to(repository.path)
    places = [
        repository.path,
        repository.path / "a" / "b",
        tmp_path / "tree" / "a",
        tmp_path / "link" / "a",
        tmp_path / "bare.git",
    ]
    for folder in places:
        wanted = of_repository(folder, settings.stores_home())
        assert find(str(folder)) == (str(wanted.store), wanted.project), folder
    assert find(str(repository.path)).store == find(str(tmp_path / "tree")).store


def test_submodules_are_repositories_of_their_own(repository, make_repository) -> None:
    inner = make_repository("inner")
    inner.commit("Start", {"x": "1"})
    repository.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner.path), "deps/inner")
    wanted = of_repository(repository.path / "deps" / "inner", settings.stores_home())
    assert find(str(repository.path / "deps" / "inner")) == (str(wanted.store), wanted.project)


def test_folders_outside_of_repositories_have_stores_of_their_own(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    (one / "deep").mkdir(parents=True)
    other.mkdir()
    assert find(str(one)).project == "one"
    assert len({find(str(one)).store, find(str(other)).store, find(str(one / "deep")).store}) == 3
    Path(find(str(one)).store).mkdir(parents=True)  # from here on, what is below belongs to it
    assert find(str(one / "deep")) == find(str(one))
    assert locate(None, settings.stores_home(), one / "deep")[:2] == (Path(find(str(one)).store), "one")
    with pytest.raises(NotFound, match="not in a git repository"):
        locate(None, settings.stores_home(), other)


def test_no_folder_has_no_store_and_the_home_folder_the_shared_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert find(str(tmp_path / "gone")) == ("", "")
    monkeypatch.setenv("HOME", str(tmp_path))
    shared = (str(settings.stores_home() / "global"), "global")
    assert find(str(tmp_path)) == find(os.sep) == shared
    Path(shared[0]).mkdir(parents=True)
    (tmp_path / "project").mkdir()
    assert find(str(tmp_path / "project")).project == "project"
    (tmp_path / ".git").write_bytes(b"gitdir: /no/where\n\xff")
    assert find(str(tmp_path)).store


def test_a_store_can_be_named_and_paused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPHMEM_STORE", str(tmp_path / "s"))
    assert find(os.sep) == (str(tmp_path / "s"), "s")
    assert not find(os.sep).paused
    (tmp_path / "s").mkdir()
    (tmp_path / "s" / "paused").touch()
    assert find(os.sep).paused
