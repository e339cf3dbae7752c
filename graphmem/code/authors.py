"""Finds who added or removed a text, and who wrote existing lines (`git log -S`, `git blame`)."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from graphmem.code.commit_reasons import first_sentences, narrow_patch
from graphmem.code.patch_log import read_patches
from graphmem.code.text_search import revision
from graphmem.errors import SourceError
from graphmem.extract.git import replaces_all
from graphmem.gitprocess import run
from graphmem.model.bounds import to_moment
from graphmem.model.code_answers import Authorship, Revision
from graphmem.privacy import redact, strip_private_sections

_TIMEOUT_S = 30.0
_SHORT = 4  # letters of a word that others contain by chance
_FORMAT = "--format=%x00%H%x00%ad%x00%an%x00%s"
_DEFINING = (
    "def|class|function|func|fn|struct|interface|type|trait|enum|const|let|var|val|fun|object|module|record|protocol"
)


class Occurrence(NamedTuple):
    """A commit that changed how often a text occurs, and by how much."""

    commit: Revision
    change: int


class Pickaxe(NamedTuple):
    """Commits that changed how often a text occurs, newest first. `is_definition`: only its definitions were counted. `unread`
    counts commits of which git lacks objects."""

    changes: list[Occurrence]
    is_definition: bool
    unread: int = 0


def find_occurrence_changes(root: Path, text: str, timeout_s: float = _TIMEOUT_S) -> Pickaxe:
    """Return the commits that changed how often a text occurs below a folder; for a name with definitions, only changes
    of those. Raises SourceError if git fails or times out. Git finds the literal, which is fast; words and definitions
    are counted in the patch lines. (A git regular expression over whole files took 20 s for 1,600 commits, this takes 1
    s.)"""
    name = text.rpartition(".")[2] if re.fullmatch(r"[A-Za-z_][\w.]*", text) else text
    word = re.compile(word_pattern(name))
    defined = re.compile(
        rf"(?<!\w)(?:{_DEFINING})\s+(?:\([^)]*\)\s*)?{re.escape(name)}(?!\w)|^{re.escape(name)}\s*(?::[^=]+)?="
    )
    patches, unread = read_patches(root, (f"-S{name}",), lambda path: True, timeout_s)
    words, definitions = list[Occurrence](), list[Occurrence]()
    for *fields, patch in patches:
        commit = revision(*fields)
        lines = [line for line in patch.split("\n") if line[:1] in ("+", "-") and line[:3] not in ("+++", "---")]
        for pattern, found in ((word, words), (defined, definitions)):
            change = sum(len(pattern.findall(line[1:])) * (1 if line[0] == "+" else -1) for line in lines)
            if change:
                found.append(Occurrence(commit, change))
    return Pickaxe(definitions or words, bool(definitions), unread)


def word_pattern(text: str) -> str:
    """Return a regular expression for a text as a word; a version is not part of another one (3.7 in 1.3.7 or in 3.7.1)."""
    is_version = re.fullmatch(r"\d+(?:\.\d+)+", text)
    return rf"(?<![\w.]){re.escape(text)}(?!\.?\w)" if is_version else rf"(?<!\w){re.escape(text)}(?!\w)"


def find_mentions(root: Path, texts: list[str], limit: int) -> list[Revision]:
    """Return commits whose message contains all of these texts, ignoring case, newest first. A short one begins a word: no `tax` in
    syntax."""
    escaped = (re.sub(r"([][\\.^$*+?(){}|])", r"\\\1", text) for text in texts)
    given = [f"--grep={'(^|[^[:alpha:]])' * (len(text) <= _SHORT and text.isalpha())}{text}" for text in escaped]
    return _log(root, "-i", "--extended-regexp", "--all-match", f"--max-count={limit}", *given)


def read_messages(root: Path) -> list[tuple[Revision, str]]:
    """Return every commit below a folder with the body of its message, newest first, secrets redacted. Merges are left out."""
    answer = run(root, "log", "--no-merges", "--date=raw", f"{_FORMAT}%x00%b", "--", ".", timeout_s=_TIMEOUT_S)
    fields = answer.decode("utf-8", "replace").split("\0")[1:]
    rows = (fields[n : n + 5] for n in range(0, len(fields) - 4, 5))
    return [(revision(*row[:4]), row[4].strip()) for row in rows]


def find_bringing_commit(root: Path, file: str, text: str) -> Revision | None:
    """Return the commit that brought a text into a file; of a text that was removed and came back, the last one that brought it.
    None if git knows none."""
    found = _log(root, f"-S{text}", paths=[file])
    return found[0 if len(found) % 2 else -1] if found else None


def find_text_changes(root: Path, text: str, files: Sequence[str]) -> list[Revision]:
    """Return the commits that changed how often files have a text, newest first. Merges are left out."""
    return _log(root, "--no-merges", f"-S{text}", paths=files)


def count_commits(root: Path) -> tuple[list[tuple[str, int, str]], int]:
    """Return who made how many commits below a folder, and on which day the last one, most first, and the number of all. Merges are
    left out."""
    answer = run(root, "log", "--no-merges", "--format=%x00%aN%x00%at", "--", ".", timeout_s=_TIMEOUT_S)
    fields = answer.decode("utf-8", "replace").split("\0")[1:]
    counts, newest = Counter[str](), dict[str, int]()
    for author, at in zip(fields[::2], fields[1::2], strict=True):
        counts[author] += 1
        newest[author] = max(newest.get(author, 0), int(at) if at.strip().isdigit() else 0)
    rows = [(redact(who).text, count, f"{to_moment(newest[who]):%Y-%m-%d}") for who, count in counts.most_common()]
    return rows, counts.total()


def find_changed_between(root: Path, first: str, last: str, limit: int) -> tuple[list[Revision], int]:
    """Return the newest commits that are in one revision but not in another, and their number. Merges are left out."""
    found = _log(root, "--no-merges", f"{first}..{last}")
    return found[:limit], len(found)


def list_files(root: Path) -> list[str]:
    """Return the files below a folder that git tracks."""
    return os.fsdecode(run(root, "ls-files", "-z", timeout_s=_TIMEOUT_S)).split("\0")[:-1]


def find_changes_of(root: Path, paths: Sequence[str]) -> list[Revision]:
    """Return the commits that changed these files, or files in these folders, newest first. Merges are left out."""
    return _log(root, "--no-merges", paths=paths)


def find_changed_files(root: Path, hashes: Sequence[str]) -> dict[str, list[tuple[str, str]]]:
    """Return the files that commits changed, each with what was done to it ("A" added, "M" modified, "D" deleted)."""
    if not hashes:
        return {}
    wanted = ("log", "--no-walk=unsorted", "--no-renames", "--name-status", "-z", "--format=%x00%H")
    answer = run(root, *wanted, *hashes, "--", ".", timeout_s=_TIMEOUT_S).decode("utf-8", "replace")
    found: dict[str, list[tuple[str, str]]] = {hash_: [] for hash_ in hashes}
    files, change = list[tuple[str, str]](), ""
    for field in (part.strip("\n") for part in answer.split("\0")):
        if field in found:
            files, change = found[field], ""
        elif change:
            files.append((change, field))
            change = ""
        else:
            change = field[:1]
    return found


def blame_lines(root: Path, file: str, first: int, last: int) -> Authorship | None:
    """Return the authors of lines of a file as of the last commit; None if git does not have them."""
    try:
        answer = run(
            root, "blame", "-w", "--line-porcelain", f"-L{first},{last}", "HEAD", "--", file, timeout_s=_TIMEOUT_S
        )
    except SourceError:
        return None
    lines, newest = Counter[str](), dict[str, int]()
    author = ""
    for line in answer.decode("utf-8", "replace").split("\n"):
        if line.startswith("author "):
            author = redact(line[7:]).text
            lines[author] += 1
        elif line.startswith("author-time ") and line[12:].isdigit():
            newest[author] = max(newest.get(author, 0), int(line[12:]))
    rows = [(name, count, f"{to_moment(newest.get(name, 0)):%Y-%m-%d}") for name, count in lines.most_common()]
    return Authorship(file, first, last, tuple(rows)) if rows else None


def read_message(root: Path, hash_: str) -> str:
    """Return the message of a commit, secrets redacted."""
    said = run(root, "log", "-1", "--format=%B", "--end-of-options", hash_, "--", timeout_s=_TIMEOUT_S)
    return redact(said.decode("utf-8", "replace").strip()).text


def read_patch(root: Path, hash_: str) -> str:
    """Return the message and the whole patch of a commit, private sections removed and secrets redacted. Raises SourceError if
    git does not have it."""
    wanted = ("-1", "-p", "-m", "--first-parent", "--format=%H %as %an%n%B")
    said = run(root, "log", *wanted, "--end-of-options", hash_, "--", timeout_s=_TIMEOUT_S)
    return redact(strip_private_sections(said.decode("utf-8", "replace").strip("\n"), strict=True)).text


def read_hunks(root: Path, file: str, first: int, last: int, limit: int) -> list[tuple[Revision, str, str]]:
    """Return the newest commits that changed lines of a file in HEAD, with the reason that the message gives and the hunks."""
    answer = run(
        root, "log", f"--max-count={limit}", "--date=raw", "--format=%x00%x01%x00%H%x00%ad%x00%an%x00%s%x00%b%x00",
        f"-L{first},{last}:{file}", timeout_s=_TIMEOUT_S,
    ).decode("utf-8", "replace")  # fmt: skip
    found, path = [], file
    for one in answer.split("\0\1\0")[1:]:
        hash_, at, author, subject, body, patch = one.split("\0", 5)
        shown, path = narrow_patch(redact(patch.strip("\n")).text, path)
        found.append((revision(hash_, at, author, subject), redact(first_sentences(body, 2)).text, shown))
        if replaces_all(patch):  # what stood there before was something else
            break
    return found


def _log(root: Path, *wanted: str, paths: Sequence[str] = (".",)) -> list[Revision]:
    answer = run(root, "log", "--date=raw", _FORMAT, *wanted, "--", *paths, timeout_s=_TIMEOUT_S).decode(
        "utf-8", "replace"
    )
    fields = answer.split("\0")[1:]
    return [
        revision(*(field.rstrip("\n") if i == 3 else field for i, field in enumerate(fields[n : n + 4])))
        for n in range(0, len(fields) - 3, 4)
    ]
