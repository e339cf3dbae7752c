"""The thin client: sends a command line to the owner of the store, if one is running, and prints the answer. It
imports almost nothing, so a command takes little longer than starting Python."""

from __future__ import annotations

import json
import os
import sys

from graphmem.agent_shells import agent_of
from graphmem.interfaces.cli.caller import caller_key
from graphmem.interfaces.hooks.place import find
from graphmem.interfaces.owner_socket import OwnerUnavailable, connect, encode_record, read_record
from graphmem.resources import VERSION, stamp

SERVED = frozenset(
    "search ask explain show details neighbours path timeline history cypher schema stats code tasks tree sessions session"
    " activity analytics around review categories remember feedback".split()
)  # first words of commands that an owner may run
_OF_TERMINAL = ("TERM", "COLORTERM", "NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TZ")
_OF_ALL = frozenset(
    "GRAPHMEM_HOME GRAPHMEM_STORE GRAPHMEM_HOOK_LIMIT_S GRAPHMEM_COMPILE GRAPHMEM_GRAPH__ENGINE".split()
)  # variables that change nothing in a store that has an owner: the last one is for new stores, the one before for builds
_HELP_COLUMNS = 80  # width of the text in help.txt, which wider terminals show, too
_OWN = ("--help", "--store", "--project")  # with these options, the command runs in its own process


def run_thin(words: list[str]) -> int | None:
    """Print the owner's answer to a command and return its exit status. Return None if this process must run the
    command: no owner, an owner with other code or settings, or a refusal."""
    try:
        return _print_help() if words == ["--help"] else _answer(words)
    except BrokenPipeError:  # the reader closed the pipe, as in `graphmem search x | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        sys.stderr.write("graphmem: stopped\n")
        return 130


def _print_help() -> int | None:
    """Print the first page of help, which a file contains: making it takes ten times as long, because it needs all commands.
    Return None if a narrower terminal needs other lines, or a shell wants completions."""
    if "_GRAPHMEM_COMPLETE" in os.environ or _columns() < _HELP_COLUMNS:
        return None
    with open(os.path.join(os.path.dirname(__file__), "help.txt"), encoding="utf-8") as file:  # noqa: PTH118, PTH120
        sys.stdout.write(file.read())
    sys.stdout.flush()
    return 0


def _columns() -> int:
    try:
        return int(os.environ.get("COLUMNS", "0")) or os.get_terminal_size(sys.stdout.fileno()).columns or _HELP_COLUMNS
    except (OSError, ValueError):  # not a terminal
        return _HELP_COLUMNS


def store_without_owner(words: list[str]) -> str:
    """Return the store of a command that an owner would run, if it exists but has no owner; otherwise ""."""
    if not _is_for_owner(words):
        return ""
    try:
        store = find(os.getcwd()).store  # noqa: PTH109
        if os.path.exists(os.path.join(store, "log.db")) and os.access(store, os.W_OK):  # noqa: PTH110, PTH118
            connect(store)[0].close()
    except OwnerUnavailable:
        return store
    except (OSError, ValueError):  # the folder is gone
        pass
    return ""


def _is_for_owner(words: list[str]) -> bool:
    """Return whether an owner may run a command, judged by its first word, its options and the environment."""
    if not words or words[0] not in SERVED or any(word.startswith(_OWN) for word in words):
        return False
    settings = {name for name in os.environ if name.startswith("GRAPHMEM_")} - _OF_ALL  # for one process only
    return not settings


def _answer(words: list[str]) -> int | None:
    if not _is_for_owner(words):
        return None
    try:
        directory = os.getcwd()  # noqa: PTH109
        answered = _ask(find(directory).store, words, directory)
    except (OwnerUnavailable, OSError, ValueError, TypeError):
        return None  # nothing was printed yet
    if answered is None:
        return None
    status, output, errors = answered
    sys.stdout.write(str(output))
    sys.stdout.flush()
    sys.stderr.write(str(errors))
    return int(status)


def _ask(store: str, words: list[str], directory: str) -> list[int | str] | None:
    """Return the owner's answer `[status, output, error output]`, or None. Raises OwnerUnavailable, OSError, ValueError,
    TypeError."""
    connection, token = connect(store)
    with connection:
        connection.sendall(encode_record("Hello", token))
        answers = connection.makefile("rb")
        version, code, settings, *_ = read_record(answers, "Welcome")
        if (version, code, settings) != (VERSION, stamp(), _settings_state(store)):
            return None
        agent = bool(agent_of(os.environ))
        sent = {"words": words, "directory": directory, "terminal": _terminal(), "agent": agent}
        sent["caller"] = caller_key(os.environ)
        connection.sendall(encode_record("Command", json.dumps(sent)))
        (result,) = read_record(answers, "Result")
    return json.loads(result) if result else None


def _terminal() -> dict[str, str]:
    """Return the terminal properties that the owner needs to format output for this process."""
    known = {name: os.environ[name] for name in _OF_TERMINAL if name in os.environ}
    if sys.stdout.isatty():
        columns, lines = os.get_terminal_size(sys.stdout.fileno())
        known |= {"is_terminal": "1", "COLUMNS": str(columns), "LINES": str(lines)}
    return known


def _settings_state(store: str) -> int:
    try:
        return os.stat(os.path.join(store, "settings.toml")).st_mtime_ns  # noqa: PTH116, PTH118
    except OSError:
        return 0
