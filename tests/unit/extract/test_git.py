"""The git source on real repositories: everything git says is there, whatever is in the paths, and absent blobs cost
patches only."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from graphmem.errors import NotFound
from graphmem.extract import git

pytestmark = pytest.mark.core


def test_commits_come_oldest_first_with_files_and_hunks(repository) -> None:
    repository.commit("start\n\nwith a body", {"a.py": "one\ntwo\nthree\n", "b c.txt": "x\n"})
    repository.git("mv", "b c.txt", "d é.txt")
    repository.commit("change", {"a.py": "one\n2\nthree\nfour\n", "bin": b"\0\1\2"})
    first, second = git.read_commits(repository.path)
    assert (first.subject, first.body, first.author, first.email) == ("start", "with a body", "Ada", "ada@example.org")
    assert [(f.path, f.kind, f.additions) for f in first.files] == [("a.py", "A", 3), ("b c.txt", "A", 1)]
    files = {f.path: f for f in second.files}
    assert files["d é.txt"].kind == "R" and files["d é.txt"].previous == "b c.txt"
    assert [tuple(h) for h in files["a.py"].hunks] == [(2, 1, 2, 1), (3, 0, 4, 1)]
    assert files["bin"].kind == "A" and files["bin"].binary
    assert second.parents == [first.hash] and "+four" in second.patch


@pytest.mark.parametrize(
    "name", ['quo"te.txt', "tab\there.txt", "b/b b/b", "한국어/파일.py", " lead", "new\nline", "diff --git a b"]
)
def test_odd_paths_survive(repository, name: str) -> None:
    repository.commit("one", {name: "x\n"})
    repository.commit("two", {name: "x\ny\n"})
    repository.git("rm", "-q", name)
    repository.commit("three")
    assert [(f.path, f.kind) for c in git.read_commits(repository.path) for f in c.files] == [
        (name, "A"),
        (name, "M"),
        (name, "D"),
    ]


def test_text_that_looks_like_a_diff_stays_text(repository) -> None:
    trap = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n" + "f" * 40 + "\ndiff --git a/y b/y\n"
    repository.commit("trap", {"notes.txt": trap})
    repository.commit("spring", {"notes.txt": trap.replace("@@", "@@@")})
    assert [[f.path for f in c.files] for c in git.read_commits(repository.path)] == [["notes.txt"], ["notes.txt"]]


def test_a_message_may_hold_any_character(repository) -> None:
    said = "a \x01 b\x02c\x03\n\n\x01\n:100644 100644 0 1 M\x02 d"
    repository.commit(said, {"a.txt": "one\n"})
    repository.commit("then", {"b.txt": "two\n"})
    first, second = git.read_commits(repository.path)
    assert (first.subject, [file.path for file in first.files]) == ("a \x01 b\x02c\x03", ["a.txt"])
    assert first.body == said.partition("\n\n")[2] and [file.path for file in second.files] == ["b.txt"]


def test_only_what_is_new_is_read(repository) -> None:
    known = repository.commit("one", {"a": "1"})
    repository.commit("two", {"a": "2"})
    assert [c.subject for c in git.read_commits(repository.path, known=known)] == ["two"]
    assert len(list(git.read_commits(repository.path, known="f" * 40))) == 2  # a rewritten history is read again


def test_the_patch_is_cut_at_its_limit(repository) -> None:
    repository.commit("big", {"a": "line\n" * 10_000})
    (commit,) = git.read_commits(repository.path, patch_bytes=100)
    kept, _, mark = commit.patch.partition("\n[patch cut: ")
    assert len(kept) == 100 and commit.files[0].additions == 10_000
    assert mark.startswith("100 of 60,") and mark.endswith(" bytes are stored]")
    repository.commit("small", {"b": "line\n"})
    assert "[patch cut" not in list(git.read_commits(repository.path, patch_bytes=1_000))[-1].patch


def test_a_history_without_its_blobs_still_has_its_commits(repository, tmp_path: Path) -> None:
    repository.commit("one", {"a.py": "x = 1\n"})
    repository.commit("two", {"b.py": "y = 1\n"})
    repository.git("config", "uploadpack.allowFilter", "true")
    clone = tmp_path / "clone"
    subprocess.run(
        ["git", "clone", "-q", "--bare", "--filter=blob:none", f"file://{repository.path}", clone],
        check=True,
        capture_output=True,
    )
    commits = list(git.read_commits(clone))
    assert [[f.path for f in c.files] for c in commits] == [["a.py"], ["b.py"]]
    assert [c.patch for c in commits] == ["", ""]


def test_blobs_that_lack_cost_only_the_patches_that_need_them(repository, tmp_path: Path) -> None:
    for number in (1, 2):
        repository.commit(f"a {number}", {"a.py": f"x = {number}\n"})
    repository.commit("b", {"b.py": "y = 1\n"})
    repository.git("config", "uploadpack.allowFilter", "true")
    clone = tmp_path / "clone"
    origin = f"file://{repository.path}"
    subprocess.run(["git", "clone", "-q", "--filter=blob:none", origin, clone], check=True, capture_output=True)
    read = list(git.read_commits(clone))
    assert [bool(c.patch) for c in read] == [False, False, True]  # the first `a.py` is nowhere here
    assert [c.lacks_patch for c in read] == [True, True, False]


def test_merges_bring_parents_and_no_files(repository) -> None:
    repository.commit("base", {"a": "1"})
    repository.git("checkout", "-q", "-b", "side")
    repository.commit("side", {"b": "1"})
    repository.git("checkout", "-q", "main")
    repository.commit("main", {"c": "1"})
    repository.git("merge", "-q", "--no-ff", "-m", "merge", "side")
    merge = list(git.read_commits(repository.path))[-1]
    assert len(merge.parents) == 2 and merge.files == []


def test_an_empty_repository_has_no_history(repository) -> None:
    assert (
        list(git.read_commits(repository.path)) == []
        and git.head_commit(repository.path) == ""
        and git.count_commits(repository.path) == 0
    )


def test_what_is_no_repository_says_so(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="not in a git repository"):
        git.find_repository(tmp_path)
    with pytest.raises(NotFound, match="not a folder"):
        git.find_repository(tmp_path / "missing")


def test_worktrees_are_one_repository(repository, tmp_path: Path) -> None:
    repository.commit("one", {"a": "1"})
    repository.git("worktree", "add", "-q", str(tmp_path / "tree"))
    assert git.find_repository(tmp_path / "tree")[1] == git.find_repository(repository.path)[1]
