"""Starts git: the only module that does. A repository is foreign input. Its configuration, its attributes and its hooks can
name programs, and git runs them while it only reads (`core.fsmonitor`, filters, text converters, signature checks, transports).
Here each of these is switched off, whoever configured it, and what git may say and how long it may take are bounded.

Git itself and no library reads repositories: libgit2 has neither `log -L` nor `--follow`, reads history three times slower, and
does not know SHA-256, and only git decides as the user's own git does whose repositories may be read. That decision is respected
(`safe.directory`, `safe.bareRepository` of the system and the user), never overridden."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import IO

from graphmem.errors import NotFound, SourceError

TIMEOUT_S = 600.0
OUTPUT_LIMIT = 1 << 30  # bytes that one command may say
_MESSAGE_LIMIT = 4_096  # bytes kept of what git complains
_CHUNK = 1 << 20
_SETTINGS = {
    # Programs that git starts while it reads.
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "core.pager": "cat",
    "core.editor": "false",
    "core.sshCommand": "false",
    "core.gitProxy": "",
    "core.askPass": "",
    "core.alternateRefsCommand": "false",
    "credential.helper": "",
    "interactive.diffFilter": "cat",
    "log.showSignature": "false",
    "gpg.program": "false",
    "gpg.ssh.program": "false",
    "gpg.x509.program": "false",
    "gpg.ssh.defaultKeyCommand": "",
    "uploadpack.packObjectsHook": "",
    "protocol.allow": "never",
    "submodule.recurse": "false",
    "fetch.recurseSubmodules": "false",
    "status.submoduleSummary": "false",
    "maintenance.auto": "false",
    "gc.auto": "0",
    # Files elsewhere, and the form of what is said.
    "log.mailmap": "false",
    "diff.orderFile": os.devnull,
    "blame.ignoreRevsFile": "",
    "diff.submodule": "short",
    "diff.ignoreSubmodules": "all",
    "diff.noprefix": "false",
    "diff.mnemonicPrefix": "false",
    "diff.relative": "false",
    "diff.interHunkContext": "0",
    "color.ui": "false",
    "color.diff": "false",
    "color.status": "false",
    "core.quotePath": "false",
    "i18n.logOutputEncoding": "UTF-8",
    # A larger file is told of as binary: no patch of it is made, in memory or on disk.
    "core.bigFileThreshold": "10m",
}
_PATCHES = ("--no-ext-diff", "--no-textconv", "--ignore-submodules=all", "--no-color")
# The commands in use, each with options that no caller may forget. One that is not here is not run.
_COMMANDS: dict[str, tuple[str, ...]] = {
    "blame": ("--no-textconv",),
    "cat-file": (),
    "config": (),
    "diff": _PATCHES,
    "diff-tree": _PATCHES,
    "init": ("--template=",),
    "log": (*_PATCHES, "--no-show-signature", "--no-mailmap"),
    "ls-files": (),
    "ls-tree": (),
    "rev-list": (),
    "rev-parse": (),
    "status": ("--ignore-submodules=all",),
    "worktree": (),
}
_FILTERED = frozenset({"diff", "status"})  # they read the work tree, as the filters of the repository would have it
_FILTERS = r"^filter\..*\.(clean|smudge|process|required)$"
_OF_THE_USER = ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM")  # where trust is written down
_ENVIRONMENT = {
    "GIT_ALLOW_PROTOCOL": "none",  # history is read, never fetched: a partial clone must not go to the network
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "",
    "SSH_ASKPASS": "",
    "GIT_SSH_COMMAND": "false",
    "GIT_PAGER": "cat",
    "GIT_EDITOR": "false",
    "GIT_OPTIONAL_LOCKS": "0",  # nothing is written, the index included
    "GIT_LITERAL_PATHSPECS": "1",  # the name of a file is no pattern
    "GIT_ATTR_NOSYSTEM": "1",
    "LC_ALL": "C.UTF-8",
}
_OWNED = re.compile(rb"dubious ownership in repository at '(.*?)'$|unsafe repository \('(.*?)' is owned", re.M)
_BARE = re.compile(rb"cannot use bare repository '(.*?)'", re.M)


class NotTrusted(SourceError, NotFound):
    """Git refuses to read the repository: it belongs to someone else, or is bare and the user allows no such ones."""

    exit_status = 1


def run(
    repository: Path,
    *arguments: str,
    stdin: bytes | None = None,
    check: bool = True,
    timeout_s: float = TIMEOUT_S,
    limit: int = OUTPUT_LIMIT,
) -> bytes:
    """Return what a git command says. Raises NotTrusted where git refuses the repository, SourceError where it fails (unless
    `check` is false), says more than `limit` bytes or takes longer than `timeout_s`."""
    with started(repository, *arguments, stdin=stdin, check=check, timeout_s=timeout_s) as said:
        found, size = list[bytes](), 0
        while chunk := said.read(_CHUNK):
            found.append(chunk)
            size += len(chunk)
            if size > limit:
                raise SourceError(
                    f"git {arguments[0]} printed more than {limit:,} bytes for {repository}; the output was not read",
                    repository=str(repository),
                )
    return b"".join(found)


@contextlib.contextmanager
def started(
    repository: Path,
    *arguments: str,
    stdin: bytes | None = None,
    check: bool = True,
    timeout_s: float = TIMEOUT_S,
    stdout: IO[bytes] | None = None,
) -> Iterator[IO[bytes]]:
    """Start a git command and yield its output, to be read to its end (or let it write to the file `stdout`). An exception in
    the block ends it. Raises as `run`, once the block is left."""
    environment = _environment(repository if arguments[0] in _FILTERED else None)
    try:
        process = subprocess.Popen(
            _command_line(repository, arguments), stdin=subprocess.DEVNULL if stdin is None else subprocess.PIPE,
            stdout=stdout or subprocess.PIPE, stderr=subprocess.PIPE, env=environment,
        )  # fmt: skip
    except OSError as error:
        raise SourceError(f"cannot start git: {error.strerror}") from error
    late = threading.Event()
    patience = threading.Timer(timeout_s, _end, args=(process, late))
    patience.daemon = True
    complaint = list[bytes]()
    helpers = [threading.Thread(target=_complaint, args=(process.stderr, complaint), daemon=True)]
    if stdin is not None:
        helpers.append(threading.Thread(target=_feed, args=(process.stdin, stdin), daemon=True))
    try:
        for helper in (*helpers, patience):
            helper.start()
        yield process.stdout or stdout  # type: ignore[misc]
        status = process.wait()
    except BaseException:
        process.kill()
        raise
    finally:
        patience.cancel()
        process.wait()
        for helper in helpers:
            helper.join(1)
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
    if late.is_set():
        raise SourceError(f"git {arguments[0]} took more than {timeout_s:g} s", repository=str(repository))
    if status:
        _judge(repository, arguments, b"".join(complaint), check)


def _judge(repository: Path, arguments: Sequence[str], complaint: bytes, check: bool) -> None:
    """Raise what a failed command means."""
    owned, bare = _OWNED.search(complaint), _BARE.search(complaint)
    if owned:
        place = os.fsdecode(owned[1] or owned[2])
        raise NotTrusted(
            f"{place} belongs to another user, so git does not read it: if you trust it, run"
            f" `git config --global --add safe.directory '{place}'`",
            path=place,
        )
    if bare:
        place = os.fsdecode(bare[1])
        raise NotTrusted(
            f"{place} is a bare repository, and your git does not read bare repositories by default: if you trust it, run"
            " `git config --global safe.bareRepository all`",
            path=place,
        )
    if check:
        words = complaint.decode("utf-8", "replace").strip()
        raise SourceError(f"git {arguments[0]}: {words}", repository=str(repository))


def _command_line(repository: Path, arguments: Sequence[str]) -> list[str]:
    settings = [word for name, value in _SETTINGS.items() for word in ("-c", f"{name}={value}")]
    forced = _COMMANDS[arguments[0]]
    return [_program(), "--no-pager", "-C", str(repository), *settings, arguments[0], *forced, *arguments[1:]]


@cache
def _program() -> str:
    """The git of the search path; one in the working directory is never taken."""
    places = [place for place in os.environ.get("PATH", os.defpath).split(os.pathsep) if Path(place).is_absolute()]
    found = shutil.which("git", path=os.pathsep.join(places))
    if found is None or (sys.platform == "win32" and not Path(found).is_absolute()):
        raise SourceError("git is not installed")
    return found


def _environment(filtered: Path | None) -> dict[str, str]:
    """The environment of git without what could redirect it to another repository or start a program; for a command that
    reads the work tree of a repository (`filtered`), its filters are emptied by name."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_") or name in _OF_THE_USER}
    found = kept | _ENVIRONMENT
    if filtered is None:
        return found
    told = run(filtered, "config", "--null", "--name-only", "--get-regexp", _FILTERS, check=False, limit=_CHUNK)
    names = [os.fsdecode(name) for name in dict.fromkeys(told.split(b"\0")) if name]
    for number, name in enumerate(names):
        found[f"GIT_CONFIG_KEY_{number}"] = name
        found[f"GIT_CONFIG_VALUE_{number}"] = "false" if name.endswith(".required") else ""
    return found | {"GIT_CONFIG_COUNT": str(len(names))}


def _end(process: subprocess.Popen[bytes], late: threading.Event) -> None:
    late.set()
    process.kill()


def _complaint(pipe: IO[bytes], found: list[bytes]) -> None:
    """Keep the beginning of what git complains, and read the rest away so that it does not wait."""
    size = 0
    while chunk := pipe.read(_MESSAGE_LIMIT):
        if size < _MESSAGE_LIMIT:
            found.append(chunk)
            size += len(chunk)


def _feed(pipe: IO[bytes], given: bytes) -> None:
    with contextlib.suppress(OSError):
        pipe.write(given)
    with contextlib.suppress(OSError):
        pipe.close()
