"""Reads the history of a git repository with git: commits, files, changed ranges and patch texts. Commit data is limited:
dates, names, number of files. Missing blobs (partial clones, damaged repositories) cost their patches, never the commits.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from difflib import SequenceMatcher
from functools import cache
from itertools import islice
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import IO

from graphmem.errors import NotFound, SourceError
from graphmem.gitprocess import NotTrusted, open_git, run
from graphmem.makeway import make_way
from graphmem.model.bounds import to_authors_moment
from graphmem.model.sources import FEWEST_REPLACED, Commit, FileChange, Hunk
from graphmem.privacy import strip_private_sections

Line = tuple[str, datetime, str, str]  # hash, time, author and subject of a commit
_BEGIN = b"\x01"  # a separator field before each commit; fields end with NUL, which no message can contain
_FORMAT = "%x01%x00%H%x00%P%x00%an%x00%ae%x00%at%x00%ct%x00%s%x00%b%x00"
_FIELDS = 8
# A line of git's own in a patch: start of a hunk, file or commit.
_MARK = re.compile(
    rb"\n(?:@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@()|(diff --git )|([0-9a-f]{40}(?:[0-9a-f]{24})?)(?=\n))"
)
_FILE, _COMMIT = 6, 7  # its groups
# Header of a file that was changed in place, the usual case.
_CHANGED = re.compile(rb'diff --git [^"\n]+\nindex [^\n]+\n--- a/([^\n\t]+)\t?\n\+\+\+ b/\1\t?')
_LIKE = 0.3  # share of equal lines, and
_ALIKE = 0.6  # of equal characters, from which a rewritten function is still the same
_COMPARED_LINES, _COMPARED = (
    400,
    2_000,
)  # lines and characters that are compared, which takes the square of their number
_PATIENCE = 20.0  # timeout in seconds for following lines, and for dates of files
_NAMES_LIMIT = 64_000_000  # bytes of a list of changed files
_GROUP, _AHEAD = 250, 3  # commits per patch group, and maximum waiting groups
_MAX_TIME_S = 253_402_300_799  # seconds: the end of the year 9999, the maximum date
_FIELD_LIMIT = 1_000_000  # bytes of one field of a log, a message or a file name
_SUBJECT_LIMIT = 2_000  # characters
_FILES_LIMIT = 1_000_000  # files of one commit: with nested trees, a few objects can produce billions


def find_repository(path: Path) -> tuple[Path, Path]:
    """Return (work tree or bare folder, common git directory) of the repository that contains a path. Raises NotFound,
    with a fix if git does not trust the repository."""
    if not path.is_dir():
        raise NotFound(f"{path} is not a folder", path=str(path))
    try:
        answer = _line(run(path, "rev-parse", "--git-common-dir", "--is-bare-repository"))
    except NotTrusted:
        raise
    except SourceError as error:
        raise NotFound(f"{path} is not in a git repository: run `git init` there first", path=str(path)) from error
    directory, _, bare = answer.rpartition("\n")
    common = (path / directory).resolve()
    if bare == "true":
        return common, common
    root = Path(_line(run(path, "rev-parse", "--show-toplevel")))
    if root.resolve() != _surrounding(path.resolve()):
        raise NotFound(
            f"the configuration of {common} sets core.worktree to {root}, outside of the repository: nothing is read there;"
            " if that is wrong, run `git config --unset core.worktree`",
            path=str(path),
        )
    return root, common


def _line(answer: bytes) -> str:
    """Return git's output without its final newline: a path may end with one, too."""
    return os.fsdecode(answer.removesuffix(b"\n"))


def _surrounding(path: Path) -> Path | None:
    """Return the nearest parent folder with a repository, as git finds it."""
    return next((folder for folder in (path, *path.parents) if os.path.lexists(folder / ".git")), None)


def head_commit(repository: Path) -> str:
    """Return the hash of the current commit, "" before the first one."""
    return run(repository, "rev-parse", "--verify", "--quiet", "HEAD", check=False).decode().strip()


def first_commits(repository: Path) -> list[str]:
    """Return the commits without parents that the current commit descends from; none before the first commit."""
    return run(repository, "rev-list", "--max-parents=0", "HEAD", "--", check=False).decode().split()


def count_commits(repository: Path, upto: str = "HEAD") -> int:
    """Return the number of commits reachable from a commit; 0 if it is unknown."""
    text = run(repository, "rev-list", "--count", upto, "--", check=False).decode().strip()
    return int(text) if text else 0


def last_changes(folder: Path, wanted: Callable[[str], bool]) -> dict[str, int]:
    """Return when the committed files below a folder whose names are wanted last changed: path, relative to the folder ->
    microseconds. Files with uncommitted changes are left out; without a readable history, all."""
    names = ("--name-only", "-z", "--no-renames", "--relative")
    try:
        edited = run(folder, "diff", *names, "HEAD", "--", timeout_s=_PATIENCE, limit=_NAMES_LIMIT)
        log = run(folder, "log", *names, "--format=%x01%ct", "HEAD", "--", timeout_s=_PATIENCE, limit=_NAMES_LIMIT)
    except (SourceError, NotFound):
        return {}
    out: dict[str, int] = {}
    at = 0
    for field in log.replace(b"\n", b"\0").split(b"\0"):
        name = os.fsdecode(field)
        if field.startswith(_BEGIN):
            at = _micro(name[1:])
        elif field and wanted(name):
            out.setdefault(name, at)
    for field in edited.split(b"\0"):
        out.pop(os.fsdecode(field), None)
    return out


def follow_lines(repository: Path, ranges: Sequence[tuple[str, int, int]]) -> list[Line]:
    """Return the commits that changed these lines (file, first, last) of HEAD, newest first, followed through merges and
    renames: hash, moment in the author's zone, author, subject. Of one range, the history ends where something else stood in its
    place. Raises SourceError, also on timeout."""
    given = [f"-L{first},{last}:{file}" for file, first, last in ranges]
    if len(ranges) > 1:
        return [line for line, _ in _history(repository, "-s", *given)]
    found = []
    for line, patch in _told(repository, *given):
        found.append(line)
        if replaces_all(patch):
            break
    return found


def replaces_all(patch: str) -> bool:
    """Return whether a patch of `git log -L` leaves no line of what it changes, and what it removes is not like what it adds:
    git follows lines, and takes a function in the place of a deleted one for its successor."""
    lines = patch[patch.find("\n@@") + 1 :].split("\n")[1:]
    removed, added = ([line[1:] for line in lines if line[:1] == sign] for sign in "-+")
    kept = [line for line in lines if line[:1] == " " and line.strip()]
    return not kept and min(len(removed), len(added)) >= FEWEST_REPLACED and is_unlike(removed, added)


def is_unlike(removed: Sequence[str], added: Sequence[str]) -> bool:
    """Return whether removed lines are so unlike those added that something else stood there; white space does not count."""
    removed, added = ([" ".join(line.split()) for line in one] for one in (removed, added))
    before, after = (" ".join(one)[:_COMPARED] for one in (removed, added))
    of_lines = SequenceMatcher(None, removed[:_COMPARED_LINES], added[:_COMPARED_LINES], autojunk=False)
    if of_lines.quick_ratio() >= _LIKE and of_lines.ratio() >= _LIKE:
        return False
    of_text = SequenceMatcher(None, before, after, autojunk=False)
    return of_text.real_quick_ratio() < _ALIKE or of_text.quick_ratio() < _ALIKE or of_text.ratio() < _ALIKE


def follow_file(repository: Path, file: str) -> list[tuple[Line, str]]:
    """Return the commits that changed a file, followed through renames, each with git's change letter."""
    return _history(repository, "--follow", "--name-status", "--", file)


def _history(repository: Path, *wanted: str) -> list[tuple[Line, str]]:
    """Return commits with the first letter of git's status."""
    return [(line, rest.strip()[:1]) for line, rest in _told(repository, *wanted)]


def _told(repository: Path, *wanted: str) -> Iterator[tuple[Line, str]]:
    """Yield commits with what git prints behind them."""
    answer = run(
        repository, "log", "--date=raw", "--format=%x00%x01%x00%H%x00%ad%x00%an%x00%s%x00", *wanted, timeout_s=_PATIENCE
    )
    for one in answer.decode("utf-8", "replace").split("\0\1\0")[1:]:
        hash_, at, author, subject, rest = one.split("\0", 4)
        yield (hash_, to_authors_moment(at), author, subject), rest


def read_commits(repository: Path, *, known: str = "", patch_bytes: int = 4_000) -> Iterator[Commit]:
    """Yield commits reachable from HEAD (but not from `known`), oldest first, with files; with hunks and patches if the
    blobs exist."""
    if not head_commit(repository):
        return
    span = ["HEAD"]
    if known and run(repository, "cat-file", "-t", known, check=False).strip() == b"commit":
        span = [f"{known}..HEAD"]
    with open_git(repository, "log", "--reverse", "--topo-order", "--raw", "--no-abbrev", "--no-renames", "--root", "-z",
                 f"--format={_FORMAT}", *span, "--") as log:  # fmt: skip
        read = list(_commits(_fields(log)))
    patches = _patches(repository, [(commit.hash, blobs) for commit, blobs in read if blobs], patch_bytes)
    following = next(patches, None)
    for commit, blobs in read:
        if following is not None and following[0] == commit.hash:
            _, commit.files, commit.patch = following
            following = next(patches, None)
        else:
            commit.lacks_patch = bool(blobs)
        yield commit


def _commits(fields: Iterator[bytes]) -> Iterator[tuple[Commit, list[str]]]:
    """Yield the commits of a log without patches, each with the blobs that its diff needs."""
    commit, blobs = None, list[str]()
    for field in fields:
        field = field.lstrip(b"\n")
        if field == _BEGIN:
            make_way()
            if commit is not None:
                yield commit, blobs
            told = [text.decode("utf-8", "replace") for text in islice(fields, _FIELDS)]
            if len(told) < _FIELDS:
                return  # git was stopped, which is reported elsewhere
            hash_, parents, author, email, authored, committed, subject, body = told
            times = _micro(authored), _micro(committed)
            commit, blobs = (
                Commit(hash_, parents.split(), author, email, *times, subject[:_SUBJECT_LIMIT], body.strip()),
                [],
            )
            commit.odd_dates = any(_seconds(said) != _number(said) for said in (authored, committed))
        elif commit is not None and field.startswith(b":"):
            if len(commit.files) == _FILES_LIMIT:
                raise SourceError(f"commit {commit.hash} lists more than {_FILES_LIMIT:,} files: it was not read")
            old_mode, new_mode, old, new, status = field[1:].decode().split(" ")
            commit.files.append(FileChange(next(fields, b"").decode("utf-8", "replace"), status[0]))
            blobs += [
                blob for mode, blob in ((old_mode, old), (new_mode, new)) if blob.strip("0") and mode != "160000"
            ]  # a submodule commit is not a blob of this repository
    if commit is not None:
        yield commit, blobs


def _fields(log: IO[bytes]) -> Iterator[bytes]:
    """Yield the NUL-terminated fields of a log; overlong fields are truncated."""
    kept, rest = b"", 0  # the start of a field, and its length
    while chunk := log.read(1 << 20):
        first, *others = chunk.split(b"\0")
        kept, rest = (kept + first)[:_FIELD_LIMIT], rest + len(first)
        for field in others:
            yield kept
            kept = field[:_FIELD_LIMIT]
    yield kept


def _number(said: str) -> int:
    return int(said) if said.isdecimal() and len(said) < 20 else -1 if said else 0


def _seconds(said: str) -> int:
    """Return seconds since 1970, clamped to the supported years; git accepts any number."""
    return min(max(_number(said), 0), _MAX_TIME_S) if len(said) < 20 else _MAX_TIME_S


def _micro(seconds: str) -> int:
    return _seconds(seconds) * 1_000_000


def read_blobs(repository: Path, names: Sequence[str], largest: int) -> Iterator[tuple[str, bytes | None]]:
    """Yield files as of commits (`HASH:PATH`) in order, each with its content; None if git does not have it, or for more than
    `largest` bytes. Nothing is fetched."""
    given = "".join(f"{name}\n" for name in names).encode()
    with open_git(repository, "cat-file", "--batch", stdin=given, check=False, timeout_s=_PATIENCE) as said:
        for name in names:
            size = said.readline().split()[-1:]
            if not size or not size[0].isdigit():
                yield name, None
                continue
            content = said.read(int(size[0]))
            said.read(1)
            yield name, content if len(content) <= largest else None


def _missing(repository: Path, blobs: Iterable[str]) -> set[str]:
    """Return those blobs that the repository lacks. Lists existing ones, because a query for a missing one would make git
    fetch it."""
    missing = set(blobs)
    everything = ("cat-file", "--batch-all-objects", "--unordered", "--batch-check=%(objectname)")
    with open_git(repository, *everything, check=False) as held:
        missing.difference_update(line.rstrip().decode() for line in held)
    return missing


def _patches(
    repository: Path, changed: Sequence[tuple[str, list[str]]], limit: int
) -> Iterator[tuple[str, list[FileChange], str]]:
    """Yield (hash, files with hunks, patch text up to `limit` bytes) of those commits whose blobs all exist, in order.
    Commits without changes, or on which git fails, are skipped. Git runs ahead while results are consumed."""
    groups = (changed[start : start + _GROUP] for start in range(0, len(changed), _GROUP))
    missing = cache(lambda: _missing(repository, (blob for _, blobs in changed for blob in blobs)))
    with ThreadPoolExecutor(1) as pool:
        ahead = deque(pool.submit(_diffs, repository, group, missing) for group in islice(groups, _AHEAD))
        while ahead:
            diffs = ahead.popleft().result()
            ahead.extend(pool.submit(_diffs, repository, group, missing) for group in islice(groups, 1))
            if diffs is not None:
                with diffs:
                    yield from _parse(diffs, limit)


def _diffs(repository: Path, changed: Sequence[tuple[str, list[str]]], missing: Callable[[], set[str]]) -> mmap | None:
    """Return git's output for these commits (with their blobs): for all, or if that fails, for those with no `missing`
    blobs. None without output."""
    whole, diffs = _run_diff(repository, [hash_ for hash_, _ in changed])
    if whole:
        return diffs
    return _run_diff(repository, [hash_ for hash_, blobs in changed if not missing().intersection(blobs)])[1]


def _run_diff(repository: Path, hashes: Sequence[str]) -> tuple[bool, mmap | None]:
    """Return whether git succeeded on all of these, and its output in an unnamed file, because it can exceed the
    available memory."""
    arguments = ("diff-tree", "--stdin", "-r", "--root", "-p", "-U0", "-M", "--src-prefix=a/", "--dst-prefix=b/")
    with tempfile.TemporaryFile(prefix="graphmem-") as found:
        whole = True
        try:
            with open_git(repository, *arguments, stdin="\n".join(hashes).encode() + b"\n", stdout=found):
                pass
        except NotTrusted:
            raise
        except SourceError:
            whole = False
        said = mmap(found.fileno(), 0, access=ACCESS_READ) if os.fstat(found.fileno()).st_size else None
        return whole, said


def _parse(diffs: mmap, limit: int) -> Iterator[tuple[str, list[FileChange], str]]:
    """Yield (hash, files, patch) for each commit in the output of `git diff-tree --stdin -p -U0`. Lines of a hunk start
    with `+`, `-` or `\\`, so no text can be mistaken for git's own lines."""
    end = diffs.find(b"\n")
    hash_, begin, files = diffs[:end].decode(), end + 1, list[FileChange]()
    header = 0  # start of the last file's header, 0 once it is parsed
    for mark in _MARK.finditer(diffs, end):
        at = mark.start()
        if header:
            _headed(files, diffs[header:at])
            header = 0
        kind = mark.lastindex
        if kind == _FILE:
            header = at + 1
        elif kind == _COMMIT:
            yield hash_, files, _patch(diffs, begin, at + 1, limit)
            hash_, begin, files = mark[_COMMIT].decode(), mark.end() + 1, []
        else:
            start, old, new_start, new = mark.group(1, 2, 3, 4)
            hunk = Hunk(int(start), 1 if old is None else int(old), int(new_start), 1 if new is None else int(new))
            file = files[-1]
            file.hunks.append(hunk)
            file.deletions += hunk.old_lines
            file.additions += hunk.new_lines
    if header:
        _headed(files, diffs[header:])
    yield hash_, files, _patch(diffs, begin, len(diffs), limit)


def _patch(diffs: mmap, start: int, end: int, limit: int) -> str:
    """Return a patch, or its start with a mark; a private section cut off by the limit counts as closed."""
    patch = diffs[start : min(end, start + limit)].decode("utf-8", "replace")
    if end - start <= limit:
        return patch
    kept = strip_private_sections(patch, strict=True)
    return f"{kept}\n[patch cut: {limit:,} of {end - start:,} bytes are stored]" if limit else ""


def _headed(files: list[FileChange], header: bytes) -> None:
    """Add the file described by these header lines."""
    changed = _CHANGED.fullmatch(header)
    if changed:
        files.append(FileChange(changed[1].decode("utf-8", "replace"), "M"))
        return
    for line in header.split(b"\n"):
        _header(line, files)


def _header(line: bytes, files: list[FileChange]) -> None:
    """Parse a line between hunks: it starts a file or describes it."""
    if line.startswith(b"diff --git "):
        files.append(FileChange(_new_path(line), "M"))
    elif line.startswith(b"new file"):
        files[-1].kind = "A"
    elif line.startswith(b"deleted file"):
        files[-1].kind = "D"
    elif line.startswith(b"old mode"):
        files[-1].kind = "T"
    elif line.startswith(b"rename from "):
        files[-1].kind, files[-1].previous = "R", _unquoted(line[12:])
    elif line.startswith(b"rename to "):
        files[-1].path = _unquoted(line[10:])
    elif (line.startswith(b"+++ ") and line[4:13] != b"/dev/null") or (
        line.startswith(b"--- ") and files[-1].kind == "D"
    ):
        files[-1].path = _unquoted(line[4:])[2:]
    elif line.startswith(b"Binary files "):
        files[-1].binary = True


def _new_path(line: bytes) -> str:
    """Return the new path of a `diff --git a/X b/X` line; with spaces, both halves are equal (renames repeat the paths)."""
    text = line[11:].rstrip(b"\n")
    if text.startswith(b'"'):
        return _unquoted(text[len(text) // 2 + 1 :])[2:]
    return text[len(text) // 2 + 3 :].decode("utf-8", "replace")


def _unquoted(text: bytes) -> str:
    """Unquote a path as git prints it: C-quoted if it has special characters, with a trailing tab if it has spaces."""
    text = text.rstrip(b"\n").rstrip(b"\t")
    if text.startswith(b'"'):
        text = re.sub(
            rb"\\([0-7]{3}|.)",
            lambda m: (
                bytes([int(m[1], 8)]) if len(m[1]) == 3 else {b"n": b"\n", b"t": b"\t", b"r": b"\r"}.get(m[1], m[1])
            ),
            text[1:-1],
        )
    return text.decode("utf-8", "replace")
