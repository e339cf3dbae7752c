"""The code as of a commit. Its files are extracted from git to a temporary folder and indexed there; files identical to
the current ones are not parsed again. Nothing is written to the log or the graph."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import NamedTuple

from graphmem.code import index_store
from graphmem.codegraph import languages
from graphmem.codegraph.build import build
from graphmem.codegraph.scan import LIMIT, is_of_git, is_text
from graphmem.codegraph.view import View
from graphmem.context import StoreContext
from graphmem.errors import UsageError
from graphmem.finalizers import Cleanup
from graphmem.gitprocess import run as git
from graphmem.privacy import redact
from graphmem.text.moments import read_moment


class Revisions:
    """Views of an indexed tree as of commits. The last view is cached."""

    def __init__(self, context: StoreContext) -> None:
        self._parts = context
        self._last: tuple[Path, str, View] | None = None

    def view(self, root: Path, as_of: str, *, flow: bool = True) -> View:
        """Return a view of the code below `root` as of a commit, or the last commit before a date. Without `flow` it is
        faster, but has only names, imports and types. Raises UsageError for an unknown revision."""
        commit = commit_of(root, as_of)
        last = self._last
        if last is None or last[:2] != (root, commit) or last[2].index.flow < flow:
            self._last = None  # free it before the next one needs the memory
            self._last = last = root, commit, self._indexed(root, commit, flow)
        return last[2]

    def _indexed(self, root: Path, commit: str, flow: bool) -> View:
        now, _ = index_store.load_index(self._parts, root)
        folder = Path(tempfile.mkdtemp(prefix="graphmem-"))
        try:
            _take_out(root, commit, folder)
            view = View(build(folder, previous=now, flow=flow))
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        Cleanup(view, partial(shutil.rmtree, ignore_errors=True), folder)  # when no longer used, or at exit
        return view


def commit_of(root: Path, as_of: str) -> str:
    """Return the hash of a git revision (`v1.2`, `HEAD~3`, a short hash), or of the last commit before a date. The tag of a
    version may have a "v" that is not given, or a name before it that no other tag of the version has (`core-v1.2`). Dates
    follow first parents, because commits merged later were not there yet."""
    for name in (as_of, f"v{as_of}") if as_of[:1].isdigit() else (as_of,):
        if found := _resolve(root, name):
            return found
    if (version := as_of.removeprefix("v"))[:1].isdigit() and "." in version:
        tags = git(root, "tag", "--list", f"*{version}", check=False).decode("utf-8", "replace").split()
        named = [tag for tag in tags if re.fullmatch(rf".*[-/@_]v?{re.escape(version)}", tag)]
        if len(named) == 1 and (found := _resolve(root, f"refs/tags/{named[0]}")):
            return found
    try:
        until = read_moment(as_of, datetime.now(UTC))
    except UsageError:
        raise UsageError(f"`{as_of}` is neither a commit of {root} nor a date", as_of=as_of) from None
    hash_ = (
        git(root, "rev-list", "-1", "--first-parent", f"--before={until.isoformat()}", "HEAD", "--").decode().strip()
    )
    if not hash_:
        raise UsageError(f"{root} has no commit before {as_of}", as_of=as_of)
    return hash_


def _resolve(root: Path, name: str) -> str:
    given = ("--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    found = git(root, "rev-parse", *given, check=False).decode().split()
    return found[-1] if found else ""


def last_tag(root: Path, commit: str = "HEAD") -> tuple[str, ...]:
    """Return the name of the newest tag that a commit contains, if there is one."""
    decorated = ("--simplify-by-decoration", "--decorate=short", "--decorate-refs=refs/tags/*", "--format=%D")
    for line in (
        git(root, "log", *decorated, "--end-of-options", commit, check=False).decode("utf-8", "replace").splitlines()
    ):
        if line:
            return (line.partition(", ")[0].removeprefix("tag: "),)
    return ()


def first_tags(root: Path, hashes: Sequence[str]) -> dict[str, str]:
    """Return the tag that names each commit best: the first one that contains it. Commits that no tag contains are left out."""
    if not hashes:
        return {}
    said = git(root, "name-rev", "--tags", "--name-only", *hashes, check=False).decode("utf-8", "replace").splitlines()
    named = ((hash_, re.split(r"[~^]", line)[0]) for hash_, line in zip(hashes, said, strict=False))
    return {hash_: tag for hash_, tag in named if tag != "undefined"}


class DatedTag(NamedTuple):
    """A tag with its day, and the hash and the subject of its commit."""

    name: str
    day: str
    hash: str
    subject: str


_FORMAT = (
    "%(refname:short)%00%(creatordate:short)%00%(*objectname)%(objectname)"
    "%00%(if)%(*subject)%(then)%(*subject)%(else)%(subject)%(end)"
)


def dated_tags(root: Path) -> list[DatedTag]:
    """Return the tags, newest first; those of anything but commits have the hash of that."""
    said = git(root, "tag", "--list", "--sort=-creatordate", f"--format={_FORMAT}", check=False)
    rows = (line.split("\0") for line in said.decode("utf-8", "replace").splitlines())
    return [DatedTag(row[0], row[1], row[2][:40], redact(row[3]).text) for row in rows if len(row) == 4]


def reachable_commits(root: Path, commit: str) -> frozenset[str]:
    """Return all commits reachable from a commit, including itself."""
    return frozenset(git(root, "rev-list", commit, "--").decode().split())


def _take_out(root: Path, commit: str, folder: Path) -> None:
    """Write the source files of a commit, so that git lists them as in a work tree."""
    git(folder, "init", "-q")
    files = list(_sources(root, commit))
    answer = git(root, "cat-file", "--batch", stdin="".join(f"{blob}\n" for _, blob, _ in files).encode())
    at = 0
    for path, _, executable in files:
        end = answer.index(b"\n", at)
        size = int(answer[at:end].split()[2])
        target = folder / path
        if folder in target.resolve().parents:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(answer[end + 1 : end + 1 + size])
            target.chmod(0o700 if executable else 0o600)
        at = end + 1 + size + 1


def _sources(root: Path, commit: str) -> Iterator[tuple[str, str, bool]]:
    """Yield path, blob and executable flag of each file that may be code."""
    for entry in git(root, "ls-tree", "-r", "-l", "-z", commit).split(b"\0"):
        about, _, name = entry.partition(b"\t")
        mode, _, blob, size = about.split() or (b"", b"", b"", b"")
        if not mode.startswith(b"100") or not size.isdigit() or int(size) > LIMIT:  # for a missing blob it prints `BAD`
            continue
        path, executable = os.fsdecode(name), mode == b"100755"
        if not is_text(path) or is_of_git(path):
            continue
        if languages.for_path(path) or (executable and "." not in path.rpartition("/")[2]):
            yield path, blob.decode(), executable
