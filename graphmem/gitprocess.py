"""Runs git; no other module does. A repository is untrusted: its configuration, attributes and hooks can name
programs that git starts even for read commands (`core.fsmonitor`, filters, text converters, signature checks,
transports). All of these are disabled here, and output size and run time are limited.

We use git itself, not a library: libgit2 has neither `log -L` nor `--follow`, reads history three times slower, and
lacks SHA-256 support. Only git applies the user's own trust settings (`safe.directory`, `safe.bareRepository`), which
are respected and never overridden.
"""

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
OUTPUT_LIMIT = 1 << 30  # maximum bytes of output
_MESSAGE_LIMIT = 4_096  # maximum bytes of error output that are kept
_CHUNK = 1 << 20
_SETTINGS = {
    # programs that git starts while reading
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
    # external files, and output formats
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
    # larger files are treated as binary: no patch is generated
    "core.bigFileThreshold": "10m",
}
_PATCHES = ("--no-ext-diff", "--no-textconv", "--ignore-submodules=all", "--no-color")
# Allowed commands, each with mandatory options. Any other command is not run.
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
    "name-rev": (),
    "rev-list": (),
    "rev-parse": (),
    "status": ("--ignore-submodules=all",),
    "tag": ("--list",),  # and nothing is made
    "worktree": (),
}
_FILTERED = frozenset({"diff", "status"})  # these read the work tree, where repository filters would apply
_FILTERS = r"^filter\..*\.(clean|smudge|process|required)$"
_OF_THE_USER = ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM")  # trust settings
_ENVIRONMENT = {
    "GIT_ALLOW_PROTOCOL": "none",  # read only: a partial clone must not access the network
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "",
    "SSH_ASKPASS": "",
    "GIT_SSH_COMMAND": "false",
    "GIT_PAGER": "cat",
    "GIT_EDITOR": "false",
    "GIT_OPTIONAL_LOCKS": "0",  # never write, not even the index
    "GIT_LITERAL_PATHSPECS": "1",  # file names are not patterns
    "GIT_ATTR_NOSYSTEM": "1",
    "LC_ALL": "C.UTF-8",
}
_OWNED = re.compile(rb"dubious ownership in repository at '(.*?)'$|unsafe repository \('(.*?)' is owned", re.M)
_BARE = re.compile(rb"cannot use bare repository '(.*?)'", re.M)


class NotTrusted(SourceError, NotFound):
    """Git refuses to read the repository: it belongs to another user, or is bare and the user does not allow bare
    repositories."""

    exit_status = 1


def run(
    repository: Path,
    *arguments: str,
    stdin: bytes | None = None,
    check: bool = True,
    timeout_s: float = TIMEOUT_S,
    limit: int = OUTPUT_LIMIT,
) -> bytes:
    """Return the output of a git command. Raises NotTrusted if git refuses the repository; SourceError if it fails
    (unless `check` is false), prints more than `limit` bytes, or exceeds `timeout_s`."""
    with open_git(repository, *arguments, stdin=stdin, check=check, timeout_s=timeout_s) as said:
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
def open_git(
    repository: Path,
    *arguments: str,
    stdin: bytes | None = None,
    check: bool = True,
    timeout_s: float = TIMEOUT_S,
    stdout: IO[bytes] | None = None,
) -> Iterator[IO[bytes]]:
    """Start a git command and yield its output stream, which must be read to the end (or write it to the file
    `stdout`). An exception in the block stops it. Raises like `run` when the block ends."""
    environment = _environment(repository if arguments[0] in _FILTERED else None)
    try:
        process = subprocess.Popen(
            _command_line(repository, arguments), stdin=subprocess.DEVNULL if stdin is None else subprocess.PIPE,
            stdout=stdout or subprocess.PIPE, stderr=subprocess.PIPE, env=environment,
        )  # fmt: skip
    except OSError as error:
        raise SourceError(f"cannot start git: {error.strerror}") from error
    late = threading.Event()
    limit = threading.Timer(timeout_s, _end, args=(process, late))
    limit.daemon = True
    complaint = list[bytes]()
    helpers = [threading.Thread(target=_complaint, args=(process.stderr, complaint), daemon=True)]
    if stdin is not None:
        helpers.append(threading.Thread(target=_feed, args=(process.stdin, stdin), daemon=True))
    try:
        for helper in (*helpers, limit):
            helper.start()
        yield process.stdout or stdout  # type: ignore[misc]
        status = process.wait()
    except BaseException:
        process.kill()
        raise
    finally:
        limit.cancel()
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
    """Raise the error for a failed command."""
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
    """Return the path of git from the search path, never from the working directory."""
    places = [place for place in os.environ.get("PATH", os.defpath).split(os.pathsep) if Path(place).is_absolute()]
    found = shutil.which("git", path=os.pathsep.join(places))
    if found is None or (sys.platform == "win32" and not Path(found).is_absolute()):
        raise SourceError("git is not installed")
    return found


def _environment(filtered: Path | None) -> dict[str, str]:
    """Return git's environment without variables that redirect it to another repository or start programs. With
    `filtered` (commands that read the work tree), the repository's filters are cleared by name."""
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
    """Keep the start of git's error output and discard the rest, so that git does not block."""
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
