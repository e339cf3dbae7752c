"""Commits that were amended away stay in the log, and are not put before those that took their place."""

from __future__ import annotations

from pathlib import Path

from support import Repository

from graphmem import Memory
from graphmem.retrieve.replaced import _unreachable


def test_an_amended_commit_is_behind_the_one_that_replaced_it_and_says_so(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "repository")
    repository.commit("Begin", {"a.py": "x = 1\n"})
    former = repository.commit("Add the feature helper", {"a.py": "x = 2\n"})
    with Memory.open(tmp_path / "store", project="demo") as memory:
        memory.init(repository.path)
        assert not any(hit.stale for hit in memory.search("Add the feature helper").hits)
        repository.write("a.py", "x = 3\n")
        repository.git("commit", "-q", "-a", "--amend", "--no-edit")
        now = repository.git("rev-parse", "HEAD")
        hits = [hit for hit in memory.search("Add the feature helper").hits if hit.ref in (former, now)]
        assert [hit.ref for hit in hits] == [now, former]
        assert [hit.stale.partition(":")[0] for hit in hits] == ["", "no longer in the history"]
        repository.git("branch", "kept", former)
        assert not any(hit.stale for hit in memory.search("Add the feature helper").hits)


def test_a_commit_of_another_machine_gives_git_no_option(tmp_path: Path) -> None:
    repository, written = Repository(tmp_path / "repository"), tmp_path / "written"
    head = repository.commit("Begin", {"a.py": "x = 1\n"})
    for named in (f"--output={written}", "--all", "^HEAD", "HEAD..", "--"):
        assert not _unreachable(repository.path, [named, head])
    assert not written.exists()
