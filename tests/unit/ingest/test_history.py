"""Which repositories have commits that were not read yet, and what it costs to ask."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from support import Repository

from graphmem import Memory, gitprocess
from graphmem.extract.heads import read_head
from graphmem.ingest.history import IndexedHeads


def commits_of(memory: Memory) -> list[str]:
    return [event.payload["subject"] for event in memory.history(types=["commit_observed"])]


def test_the_current_commit_is_read_without_git(repository: Repository, tmp_path: Path) -> None:
    assert read_head(repository.path) == ""
    first = repository.commit("first")
    assert read_head(repository.path) == first
    repository.git("pack-refs", "--all")
    assert read_head(repository.path) == first
    repository.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    second = repository.commit("second")
    assert (read_head(tmp_path / "side"), read_head(repository.path)) == (first, second)
    repository.git("checkout", "-q", "--detach", first)
    assert read_head(repository.path) == first
    repository.git("clone", "-q", "--bare", str(repository.path), str(tmp_path / "bare.git"))
    assert read_head(tmp_path / "bare.git") == first


@pytest.mark.parametrize(
    "head", ["ref: ../../secret", "ref: refs/heads/../../x", "\x00", "", "ref: refs/heads/" + "x" * 9_000]
)
def test_a_strange_head_says_nothing(head: str, repository: Repository) -> None:
    (repository.path / ".git" / "HEAD").write_text(head)
    assert read_head(repository.path) in (None, "")
    assert read_head(repository.path / "missing") is None


def test_process_reads_new_commits_once(repository: Repository, memory: Memory) -> None:
    repository.commit("first")
    memory.process()
    assert commits_of(memory) == []  # nobody imported this history
    memory.ingest("git", repository.path)
    repository.commit("second")
    memory.process()
    head = memory.head
    memory.process()
    assert commits_of(memory) == ["first", "second"]
    assert memory.head == head


def test_nothing_new_costs_no_git(repository: Repository, memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    repository.commit("first")
    memory.ingest("git", repository.path)
    monkeypatch.setattr(gitprocess, "_program", lambda: pytest.fail("git was started"))
    memory.process()
    memory.search("first")


def test_branches_that_were_read_before_stay_read(repository: Repository, memory: Memory) -> None:
    repository.commit("first")
    memory.ingest("git", repository.path)
    repository.git("checkout", "-q", "-b", "side")
    repository.commit("second")
    memory.process()
    repository.git("checkout", "-q", "main")
    memory.process()
    head = memory.head
    memory.process()
    assert memory.head == head and commits_of(memory) == ["first", "second"]


def test_a_repository_that_is_gone_or_broken_stops_nothing(repository: Repository, memory: Memory) -> None:
    repository.commit("first")
    memory.ingest("git", repository.path)
    (repository.path / ".git" / "refs" / "heads" / "main").write_text("1" * 40 + "\n")
    memory.process()
    shutil.rmtree(repository.path)
    memory.process()
    assert memory.search("first", kinds=["commit"]).hits


def test_a_tree_that_another_machine_indexed_is_not_read_here(
    repository: Repository, memory: Memory, tmp_path: Path
) -> None:
    repository.commit("first", {"a.py": "x = 1\n"})
    memory.index_code(repository.path)
    repository.commit("second", {"a.py": "x = 2\n"})
    assert IndexedHeads(memory._store.log).find_moved() == [repository.path]
    memory.export(tmp_path / "log.jsonl")
    with Memory.open(tmp_path / "other", project="other") as other:
        other.merge(tmp_path / "log.jsonl")
        assert IndexedHeads(other._store.log).find_moved() == []
