"""Git is started by one module, in a way that no repository can use to start a program."""

from __future__ import annotations

import ast
import os
import pwd
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hostile import Trap

import graphmem
from graphmem import gitprocess
from graphmem.code import revisions, tree_states, worktree
from graphmem.codegraph import scan
from graphmem.errors import NotFound, SourceError
from graphmem.extract import git
from graphmem.extract.chats import belonging
from graphmem.hooks import warnings

PACKAGE = Path(graphmem.__file__).parent
STARTS = frozenset(
    "subprocess.run subprocess.Popen subprocess.call subprocess.check_output subprocess.check_call os.system os.popen os.execv"
    " os.execvp os.posix_spawn pty.spawn".split()
)
# Who starts processes, and what: git in one module, ourselves, and what the user typed.
STARTERS = {
    "gitprocess.py": "git",
    "ingest/capture.py": "the command that the user gave",
    "interfaces/cli/recorded.py": "the command that the user typed after `run`",
    "codegraph/worker.py": "graphmem",
    "backends/remote/client.py": "graphmem",
    "store/fork_client.py": "graphmem",
    "backends/graph/readers.py": "graphmem",
    "owner/daemon.py": "graphmem",
    "interfaces/install/check.py": "graphmem",
}


@pytest.fixture
def trap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Trap:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    return Trap(tmp_path)


def test_the_trap_springs_for_plain_git(trap: Trap) -> None:
    assert {"fsmonitor", "clean", "clean-2", "process", "submodule", "textconv", "external", "command", "gpg", "lazy-fetch",
            "post-index-change"} <= trap.spring()  # fmt: skip


READERS: dict[str, Callable[[Path], object]] = {
    "find": git.find_repository,
    "head": git.head_commit,
    "count": git.count_commits,
    "commits": lambda root: [(c.subject, len(c.files)) for c in git.read_commits(root)],
    "lines": lambda root: git.follow_lines(root, [("cart.py", 1, 3)]),
    "file": lambda root: git.follow_file(root, "cart.py"),
    "difference": lambda root: worktree.diff_worktree(root, "HEAD"),
    "hand": lambda root: warnings.changed_paths(str(root)),
    "scan": scan.scan_tree,
    "commit": lambda root: revisions.commit_of(root, "HEAD~1"),
    "reachable": lambda root: revisions.reachable_commits(root, "HEAD"),
    "committed": lambda root: tree_states._committed(root, ["cart.py"]),
    "sessions": belonging.session_folders,
}


@pytest.mark.parametrize("name", READERS)
def test_reading_starts_nothing(trap: Trap, name: str) -> None:
    assert READERS[name](trap.path)
    assert trap.ran() == []


def test_what_is_read_of_a_hostile_repository_is_right(trap: Trap) -> None:
    told = [(c.subject, [(f.path, f.additions) for f in c.files]) for c in git.read_commits(trap.path)]
    assert told[0] == ("Add the cart", [("cart.py", 6), ("notes.md", 3), ("web/app.js", 1)])
    assert [subject for subject, _ in told] == ["Add the cart", "Fix the tax", "Add a part"]
    changed = worktree.diff_worktree(trap.path, "HEAD")
    assert changed is not None and {"cart.py", "web/app.js", "new.py"} <= {path for path, *_ in changed.now}
    assert {"cart.py", "web/app.js", "new.py"} <= set(warnings.changed_paths(str(trap.path)))


def test_no_tree_writes_into_the_folder_of_git(repository, tmp_path: Path) -> None:
    repository.commit("one", {"a.py": "x = 1\n"})
    blob = repository.git("rev-parse", "HEAD:a.py")
    hostile = tmp_path / "tree"

    def tree(mode: str, name: str, hash_: str) -> str:
        hostile.write_bytes(f"{mode} {name}\0".encode() + bytes.fromhex(hash_))
        return repository.git("hash-object", "-t", "tree", "-w", "--literally", str(hostile))

    inner = tree("100755", "config", blob)
    commit = repository.git("commit-tree", "-m", "hostile", tree("40000", ".git", inner))
    folder = tmp_path / "taken"
    folder.mkdir()
    revisions._take_out(repository.path, commit, folder)
    assert "x = 1" not in (folder / ".git" / "config").read_text()


def test_dates_of_commits_are_bounded_and_marked(repository) -> None:
    repository.commit("start", {"a.py": "x = 1\n"})
    told = repository.git("cat-file", "commit", "HEAD").replace("1700000000", "999999999999")
    file = repository.path / ".git" / "far"
    file.write_text(told + "\n")
    repository.git("update-ref", "HEAD", repository.git("hash-object", "-t", "commit", "-w", "--literally", str(file)))
    (commit,) = git.read_commits(repository.path)
    assert commit.odd_dates and commit.committed_at == commit.authored_at == 253_402_300_799_000_000
    assert [f"{line[1]:%Y}" for line, _ in git.follow_file(repository.path, "a.py")] == [
        "2262"
    ]  # the last of a date here


def test_an_object_that_lacks_is_not_fetched(trap: Trap) -> None:
    lost = trap.repository.git("ls-tree", "HEAD", "gone.py").split()[2]
    assert tree_states._from_git(trap.path, lost) is None and trap.ran() == []


def test_only_known_commands_are_run(repository) -> None:
    with pytest.raises(KeyError):
        gitprocess.run(repository.path, "fetch")


def test_the_user_decides_and_is_told_how(repository, monkeypatch: pytest.MonkeyPatch) -> None:
    if os.geteuid():
        pytest.skip("only root can give a folder away")
    repository.commit("one", {"a.py": "x = 1\n"})
    other = pwd.getpwnam("nobody").pw_uid
    for place in (repository.path, repository.path / ".git"):
        os.chown(place, other, -1)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.delenv("SUDO_UID", raising=False)
    for read in (git.find_repository, git.head_commit, scan.scan_tree, lambda root: list(git.read_commits(root))):
        with pytest.raises(gitprocess.NotTrusted, match=r"another user.*safe\.directory") as refused:
            read(repository.path)
        assert "\n" not in refused.value.message
    mine = repository.path.parent / "gitconfig"
    subprocess.run(["git", "config", "-f", mine, "safe.directory", str(repository.path)], check=True)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(mine))
    assert len(git.head_commit(repository.path)) == 40


def test_a_bare_repository_is_read_unless_the_user_forbids_it(
    repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.commit("one", {"a.py": "x = 1\n"})
    bare = tmp_path / "bare.git"
    repository.git("clone", "-q", "--bare", ".", str(bare))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    assert git.find_repository(bare) == (bare, bare) and [c.subject for c in git.read_commits(bare)] == ["one"]
    mine = tmp_path / "gitconfig"
    mine.write_text("[safe]\n\tbareRepository = explicit\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(mine))
    with pytest.raises(NotFound, match="bare repository"):
        git.find_repository(bare)


def test_a_work_tree_elsewhere_is_not_read(repository, tmp_path: Path) -> None:
    repository.commit("one", {"a.py": "x = 1\n"})
    (tmp_path / "private.md").write_text("# Private\n")
    repository.git("config", "core.worktree", str(tmp_path))
    with pytest.raises(NotFound, match=r"core\.worktree"):
        git.find_repository(repository.path)


def test_the_environment_leads_nowhere_else(repository, make_repository, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = repository.commit("mine", {"a.py": "x = 1\n"})
    other = make_repository("other")
    other.commit("other")
    monkeypatch.setenv("GIT_DIR", str(other.path / ".git"))
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", "false")
    assert git.head_commit(repository.path) == mine


def test_git_that_lies_in_the_working_directory_is_not_taken(
    repository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    here = tmp_path / "here"
    here.mkdir()
    (here / "git").write_text(f"#!/bin/sh\n: > {tmp_path}/ran\n")
    (here / "git").chmod(0o755)
    monkeypatch.chdir(here)
    monkeypatch.setenv("PATH", f".{os.pathsep}{os.environ['PATH']}")
    gitprocess._program.cache_clear()
    git.head_commit(repository.path)
    gitprocess._program.cache_clear()
    assert not (tmp_path / "ran").exists()


def test_what_says_too_much_or_takes_too_long_is_ended(repository) -> None:
    repository.commit("one", {f"{number:03}.txt": "x\n" for number in range(300)})
    with pytest.raises(SourceError, match="more than 1,000 bytes"):
        gitprocess.run(repository.path, "ls-tree", "-r", "HEAD", limit=1_000)
    os.mkfifo(repository.path / ".git" / "info" / "stuck")
    repository.git("config", "core.excludesFile", str(repository.path / ".git" / "info" / "stuck"))
    with pytest.raises(SourceError, match=r"took more than 0\.5 s"):
        gitprocess.run(repository.path, "ls-files", "-co", "--exclude-standard", timeout_s=0.5)


def test_processes_are_started_in_few_places() -> None:
    found = set()
    for file in PACKAGE.rglob("*.py"):
        name = file.relative_to(PACKAGE).as_posix()
        if name.startswith("bench/"):  # they measure, on command
            continue
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            match node:
                case ast.Call(func=ast.Attribute(value=ast.Name(id=module), attr=called)) if (
                    f"{module}.{called}" in STARTS
                ):
                    found.add(name)
    assert found == set(STARTERS)


@pytest.mark.skipif(not shutil.which("git"), reason="git is missing")
def test_a_repository_with_sha_256_is_read(tmp_path: Path) -> None:
    from support import Repository

    tree = tmp_path / "sha256"
    tree.mkdir()
    subprocess.run(["git", "init", "-q", "-b", "main", "--object-format=sha256", tree], check=True)
    repository = Repository(tree)
    repository.commit("one", {"a.py": "x = 1\n"})
    repository.commit("two", {"a.py": "x = 2\n", "b.py": "y = 1\n"})
    first, second = git.read_commits(tree)
    assert len(first.hash) == 64 and second.parents == [first.hash]
    assert [(f.path, f.additions) for f in second.files] == [("a.py", 1), ("b.py", 1)] and "+x = 2" in second.patch


def test_each_command_that_the_package_gives_to_git_is_a_known_one() -> None:
    given = {
        (str(file.relative_to(PACKAGE)), each.value)
        for file in PACKAGE.rglob("*.py")
        if "gitprocess" in (source := file.read_text("utf-8")) or "import git" in source
        for call in ast.walk(ast.parse(source))
        if isinstance(call, ast.Call) and ast.unparse(call.func) in {"git", "run", "open_git", "gitprocess.run"}
        for each in call.args[1:2]
        if isinstance(each, ast.Constant) and isinstance(each.value, str)
    }
    assert {"tag", "log"} <= {command for _, command in given}
    assert not {(file, command) for file, command in given if command not in gitprocess._COMMANDS}
