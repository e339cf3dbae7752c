"""Searches the text of a tree, a commit or patches for a literal or regular expression.

Reads every text file that git tracks or would track, including configuration and documents, but no lock files, binary
files or links. Regular expressions have a time limit, because patterns are untrusted.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple

import regex
from rapidfuzz import fuzz, process

from graphmem.code.patch_log import read_patches
from graphmem.codegraph import languages
from graphmem.codegraph.scan import is_foreign, is_text, list_files
from graphmem.codegraph.tests_of import is_example
from graphmem.errors import UsageError
from graphmem.extract import documents
from graphmem.foreignfiles import TooLarge, is_inside, read_file
from graphmem.gitprocess import open_git, run
from graphmem.model.bounds import to_authors_moment
from graphmem.model.code_answers import PatchMatch, PatchMatches, Revision
from graphmem.privacy import redact

KINDS = ("code", "test", "document", "config", "other", "example", "vendored")
_LARGEST = 5_000_000  # maximum bytes of a searched file
_LINE_TIMEOUT_S = 1.0  # seconds per line; only an exponential pattern takes that long
_GIT_TIMEOUT_S = 60.0
_COMPARED, _ALIKE = (
    2_500,
    60,
)  # pairs of lines of a block that are compared, and how alike (of 100) one is that replaces another
_PATCH_LINES = 6  # matching lines shown per commit
_LONGEST_LINE = 300  # maximum characters of a shown line
_WITHHELD = "[secret]"
_LOCKS = frozenset({"package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lockb", "go.sum",
                    "requirements.lock", "composer.lock", "packages.lock.json"})  # fmt: skip
_PAGES = (".html", ".ipynb")  # documents that are only searched
_CONFIG = (".toml", ".yaml", ".yml", ".json", ".jsonc", ".ini", ".cfg", ".conf", ".env", ".xml", ".properties", ".lock",
           ".gradle", ".cmake", ".mk", ".nix", ".tf", ".in")  # fmt: skip
_CONFIG_NAMES = frozenset(
    {"Makefile", "Dockerfile", "Justfile", "Procfile", "Jenkinsfile", "CODEOWNERS", "CMakeLists.txt"}
)
_TEST_PATH = re.compile(
    r"(^|/)(tests?|specs?|__tests__|testdata)/|(^|/)(test_[^/]*|conftest)\.|[_.-](test|spec|tests)\.[a-z]+$|Tests?\.[a-z]+$"
)
_TRANSLATED = {r"\d": "[0-9]", r"\D": "[^0-9]", r"\s": "[[:space:]]", r"\S": "[^[:space:]]", r"\w": "[[:alnum:]_]",
               r"\W": "[^[:alnum:]_]", "(?:": "("}  # fmt: skip
_TOKEN = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_NOT_OF_GIT = re.compile(r"\(\?|[*+?}]\?|\\[pPAZbBkgG1-9]")


class Line(NamedTuple):
    """A matching line: path, line number from 1, text."""

    path: str
    number: int
    text: str


class Matches(NamedTuple):
    """Matching lines: the first `limit` of `total`, counts of searched and skipped files, and of the lines of tests that are
    left out."""

    lines: list[Line]
    total: int
    files: int
    searched: int
    skipped: dict[str, int]
    hidden: int = 0


class TextPattern:
    """A literal or regular expression, matched line by line."""

    def __init__(self, text: str, *, is_regex: bool = False, ignore_case: bool = False) -> None:
        if not text or "\n" in text:
            raise UsageError("the pattern must be one non-empty line of text")
        self.text, self.is_regex, self.ignore_case = text, is_regex, ignore_case
        try:
            flags = regex.IGNORECASE if ignore_case else 0
            self._compiled = regex.compile(text if is_regex else regex.escape(text), flags)
        except regex.error as error:
            raise UsageError(f"`{text}` is not a valid regular expression: {error}", pattern=text) from error
        self._needle = None if is_regex or ignore_case else text.encode()

    def lines(self, path: str, data: bytes) -> Iterator[Line]:
        """Yield the matching lines of a file. Raises UsageError if the expression takes too long."""
        if self._needle is not None and self._needle not in data:
            return
        for number, line in enumerate(data.decode("utf-8", "replace").split("\n"), 1):
            if self.matches(line):
                yield Line(path, number, line.rstrip("\r"))

    def matches(self, line: str) -> bool:
        """Return whether a line matches."""
        if self._needle is not None:
            return self.text in line
        try:
            return self._compiled.search(line, timeout=_LINE_TIMEOUT_S) is not None
        except TimeoutError as error:
            raise UsageError(
                f"`{self.text}` takes too long to match: use a simpler expression", pattern=self.text
            ) from error

    def for_git(self) -> str:
        """Return the pattern as a git extended regular expression. Raises UsageError for unsupported syntax."""
        if not self.is_regex:
            return re.sub(r"([][\\.^$*+?(){}|])", r"\\\1", self.text)
        translated = re.sub(r"\\[dDsSwW]|\(\?:", lambda found: _TRANSLATED[found[0]], self.text)
        if unknown := _NOT_OF_GIT.search(translated):
            raise UsageError(
                f"patches are searched by git, whose regular expressions do not support `{unknown[0]}`: omit it"
            )
        return translated


def kind_of_file(path: str) -> str:
    """Return code, test, document, config, other, example or vendored: of others, or generated."""
    if is_foreign(path):
        return "vendored"
    name = path.rpartition("/")[2]
    if languages.for_path(path):
        return "test" if _TEST_PATH.search(path) else "example" if is_example(path) else "code"
    if name in _CONFIG_NAMES or name.lower().endswith(_CONFIG) or name.startswith("."):
        return "config"
    is_document = documents.is_document(name) or name.lower().endswith(_PAGES)
    return "document" if is_document else "other"


def path_filter(path: str | None, kind: str | None, *, no_tests: bool = False) -> Callable[[str], bool]:
    """Return a predicate for paths: below a folder, a file, or a glob (`*.toml`); optionally of a kind, and outside of
    tests. Raises UsageError."""
    if kind is not None and kind not in KINDS:
        raise UsageError(f"`{kind}` is not a kind of file: choose one of {', '.join(KINDS)}", kind=kind)
    below = (path or "").removeprefix("./").rstrip("/")

    def wanted(name: str) -> bool:
        here = not below or below == "." or name == below or name.startswith(f"{below}/")
        here = here or fnmatchcase(name, below) or fnmatchcase(name.rpartition("/")[2], below)
        if not here or (no_tests and _TEST_PATH.search(name)):
            return False
        return (kind is None or kind_of_file(name) == kind) and (name == below or not _is_lock(name))

    return wanted


def search_tree(
    root: Path, pattern: TextPattern, wanted: Callable[[str], bool], limit: int, *, no_tests: bool = False
) -> Matches:
    """Search the current files below a folder. With `no_tests`, lines of tests are counted but not returned."""
    return _search(_files_of_tree(root, wanted), pattern, limit, no_tests)


def find_names(root: Path, names: Iterable[str]) -> dict[str, set[str]]:
    """Return which names each file has, as words or in compounds, in any case (`webdav` in `WebdavClient`, `new_webdav`). Files of
    others are left out."""
    wanted = {re.sub(r"[\W_]", "", name).lower(): name for name in names}
    found = dict[str, set[str]]()
    for path, data in _files_of_tree(root, path_filter(None, None)):
        if isinstance(data, bytes) and kind_of_file(path) != "vendored" and b"\0" not in data[:8192]:
            tokens = set(_TOKEN.findall(data.decode("utf-8", "replace")))
            named = {wanted[part] for token in tokens for part in _parts_of(token) if part in wanted}
            if named:
                found[path] = named
    return found


def _parts_of(token: str) -> Iterator[str]:
    """Yield the parts of a compound, and each two or three that stand side by side as one, in lower case."""
    parts = [part.lower() for part in _PART.findall(token)]
    for size in (1, 2, 3):
        yield from ("".join(parts[at : at + size]) for at in range(len(parts) - size + 1))


def search_commit(
    root: Path, commit: str, pattern: TextPattern, wanted: Callable[[str], bool], limit: int, *, no_tests: bool = False
) -> Matches:
    """Search the files below a folder as of a commit."""
    return _search(files_of_commit(root, commit, wanted), pattern, limit, no_tests)


def search_patches(root: Path, pattern: TextPattern, wanted: Callable[[str], bool], limit: int) -> PatchMatches:
    """Search the patches of all commits reachable from HEAD, newest first (`git log -G`). Commits of which git lacks objects
    are read as far as possible, and counted."""
    extra = ["-i"] if pattern.ignore_case else []
    options = ("--relative", f"-G{pattern.for_git()}", *extra)
    patches, unread = read_patches(root, options, wanted, _GIT_TIMEOUT_S)
    found = list[PatchMatch]()
    total = 0
    for hash_, at, author, subject, patch in patches:
        lines = _matching_lines(patch, pattern, wanted)
        if lines:
            total += 1
        if lines and len(found) < limit:
            clear = set(redact(patch).text.split("\n"))
            shown = tuple((redact(path).text, show_line(line, clear)) for path, line in lines[:_PATCH_LINES])
            found.append(PatchMatch(revision(hash_, at, author, subject), shown, len(lines) - len(shown)))
    return PatchMatches(pattern.text, tuple(found), total, unread)


def revision(hash_: str, at: str, author: str, subject: str) -> Revision:
    """Return a commit from git's output fields (%H, %ad with --date=raw, %an, %s), secrets redacted."""
    return Revision(hash_, to_authors_moment(at), redact(author).text, redact(subject).text)


def show_line(line: str, clear: Iterable[str]) -> str:
    """Return a line for display: unchanged if it is one of the `clear` lines, which contain no secret, and shortened if
    very long."""
    if line not in clear and (hidden := redact(line).text) != line:
        line = hidden
    elif line not in clear:
        line = _WITHHELD  # part of something longer, such as a multi-line key
    line = line.rstrip()
    return line if len(line) <= _LONGEST_LINE else f"{line[: _LONGEST_LINE - 1]}…"


def _matching_lines(patch: str, pattern: TextPattern, wanted: Callable[[str], bool]) -> list[tuple[str, str]]:
    """Return (path, line with sign) of each added or removed line that matches, and of the one that it replaces or that replaces
    it: the old value beside the new one."""
    found = list[tuple[str, str]]()
    for path, removed, added in _changed_blocks(patch):
        if not wanted(path):
            continue
        pairs = _pairs(removed, added)
        shown = {line for line in (*removed, *added) if pattern.matches(line[1:])}
        shown |= {other for pair in pairs for other in pair if not shown.isdisjoint(pair)}
        found += [(path, line) for line in (*removed, *added) if line in shown]
    return sorted(found, key=lambda one: KINDS.index(kind_of_file(one[0])))


def _pairs(removed: Sequence[str], added: Sequence[str]) -> list[tuple[str, str]]:
    """Return removed lines with the lines in their place: one by one if they are as many, otherwise the most alike."""
    if len(removed) == len(added):
        return list(zip(removed, added, strict=True))
    if len(removed) * len(added) > _COMPARED:
        return []
    pairs = [(old, process.extractOne(old[1:], [new[1:] for new in added], scorer=fuzz.ratio)) for old in removed]
    return [(old, added[best[2]]) for old, best in pairs if best is not None and best[1] >= _ALIKE]


def _changed_blocks(patch: str) -> Iterator[tuple[str, list[str], list[str]]]:
    """Yield (path, removed lines, added lines), with their signs, of each run of changed lines."""
    path, in_hunk, old = "", False, ""
    removed, added = list[str](), list[str]()
    for line in (*patch.split("\n"), ""):
        sign = line[:1] if in_hunk else ""
        if (removed or added) and (sign not in ("+", "-") or (sign == "-" and added)):
            yield path, removed, added
            removed, added = [], []
        if line.startswith("diff --git "):
            path, old, in_hunk = "", "", False
        elif line.startswith("@@ "):
            in_hunk = True
        elif not in_hunk and line.startswith("--- "):
            old = line[6:].rstrip("\t")
        elif not in_hunk and line.startswith("+++ "):
            path = line[6:].rstrip("\t") if line[4:] != "/dev/null" else old
        elif sign in ("+", "-"):
            (removed if sign == "-" else added).append(line)


def _search(files: Iterable[tuple[str, bytes | str]], pattern: TextPattern, limit: int, no_tests: bool) -> Matches:
    lines = list[Line]()
    total = matching = searched = hidden = 0
    skipped = Counter[str]()
    for path, data in files:
        if isinstance(data, str):
            skipped[data] += 1
            continue
        if b"\0" in data[:8192]:
            skipped["binary"] += 1
            continue
        found = list(pattern.lines(path, data))
        if no_tests and _TEST_PATH.search(path):
            hidden += len(found)
            continue
        searched += 1
        if not found:
            continue
        total += len(found)
        matching += 1
        if shown := found[: max(0, limit - len(lines))]:
            clear = set(redact(data.decode("utf-8", "replace")).text.split("\n"))
            clear |= {line.rstrip("\r") for line in clear}
            lines += [line._replace(text=show_line(line.text, clear)) for line in shown]
    return Matches(lines, total, matching, searched, dict(skipped), hidden)


def _files_of_tree(root: Path, wanted: Callable[[str], bool]) -> Iterator[tuple[str, bytes | str]]:
    """Yield (path, content, or the reason for skipping) of each wanted file; links are not followed."""
    real = os.path.realpath(root)
    inside = dict[str, bool]()
    for path in sorted(list_files(root), key=_sources_first):
        if not wanted(path):
            continue
        folder = path.rpartition("/")[0]
        if folder not in inside:
            inside[folder] = is_inside(real, f"{real}/{folder}") and os.path.realpath(f"{real}/{folder}") == (
                f"{real}/{folder}".rstrip("/")
            )
        try:
            yield path, read_file(f"{real}/{path}", _LARGEST) if inside[folder] else "link"
        except TooLarge:
            yield path, "too large"
        except OSError:
            continue  # a link, a submodule, or deleted


def files_of_commit(root: Path, commit: str, wanted: Callable[[str], bool]) -> Iterator[tuple[str, bytes | str]]:
    """Yield (path, content, or why it is not read) of each text file below a folder as a commit left it."""
    blobs = list[tuple[str, str]]()
    for entry in run(root, "ls-tree", "-r", "-l", "-z", commit).split(b"\0"):
        about, _, name = entry.partition(b"\t")
        mode, _, blob, size = about.split() or (b"", b"", b"", b"")
        path = os.fsdecode(name)
        if not mode.startswith(b"100") or not size.isdigit() or not is_text(path) or not wanted(path):
            continue
        if int(size) > _LARGEST:
            yield path, "too large"
        else:
            blobs.append((path, blob.decode()))
    blobs.sort(key=lambda each: _sources_first(each[0]))
    given = "".join(f"{blob}\n" for _, blob in blobs).encode()
    with open_git(root, "cat-file", "--batch", stdin=given, timeout_s=_GIT_TIMEOUT_S) as said:
        for path, _ in blobs:
            length = int(said.readline().split()[2])
            yield path, said.read(length)
            said.read(1)


def _is_lock(path: str) -> bool:
    name = path.rpartition("/")[2]
    return name in _LOCKS or name.endswith(".lock")


def _sources_first(path: str) -> tuple[int, str]:
    return KINDS.index(kind_of_file(path)), path
