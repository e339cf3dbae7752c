"""`graphmem run -- CMD`: runs a command transparently (same output, same exit status) and records its output. A
failure of graphmem never affects the command."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import IO, Annotated

import typer

from graphmem.memory import Memory

_HEAD, _TAIL = 64_000, 192_000  # bytes of output that are recorded


class _Output:
    """Head and tail of the output, in order."""

    def __init__(self) -> None:
        self._head, self._tail = bytearray(), bytearray()
        self._lock = threading.Lock()

    def add(self, chunk: bytes) -> None:
        with self._lock:
            room = max(0, _HEAD - len(self._head))
            self._head += chunk[:room]
            self._tail += chunk[room:]
            if len(self._tail) > 2 * _TAIL:
                del self._tail[:-_TAIL]

    def text(self) -> str:
        return bytes(self._head + self._tail[-_TAIL:]).decode("utf-8", "replace")


def register(app: typer.Typer) -> None:
    """Add the command. It is not a verb, because its output is that of the command it runs."""
    settings = {"ignore_unknown_options": True, "allow_interspersed_args": False}
    app.command("run", context_settings=settings, help="Run a command and record its output.")(run)


def run(
    arguments: Annotated[list[str], typer.Argument(help="the command and its arguments, after --")],
    store: Annotated[Path | None, typer.Option(help="store directory", envvar="GRAPHMEM_STORE")] = None,
    project: Annotated[str | None, typer.Option(help="project name")] = None,
    session: Annotated[str, typer.Option(help="session id", envvar="GRAPHMEM_SESSION")] = "",
) -> None:
    """Run a command and record its output."""
    output = _Output()
    code = _on_terminal(arguments, output) if sys.stdin.isatty() and sys.stdout.isatty() else _piped(arguments, output)
    try:
        with Memory.open(store, project=project, daemon=True, around=".") as mem:
            mem.capture(arguments, output=output.text(), exit_code=code, session=session)
    except Exception as error:  # noqa: BLE001 - the command ran: nothing may hide how it ended
        if os.environ.get("GRAPHMEM_DEBUG"):
            sys.stderr.write(f"graphmem: not recorded: {error}\n")
    raise SystemExit(code)


def _on_terminal(arguments: list[str], output: _Output) -> int:
    """Run the command in a pseudo-terminal, so that it behaves as in a terminal (colours, prompts)."""
    import pty

    def read(descriptor: int) -> bytes:
        chunk = os.read(descriptor, 65_536)
        output.add(chunk)
        return chunk

    if not _exists(arguments[0]):
        return _missing(arguments[0], output)
    return _status(os.waitstatus_to_exitcode(pty.spawn(arguments, read)))


def _piped(arguments: list[str], output: _Output) -> int:
    try:
        child = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0)
    except OSError:
        return _missing(arguments[0], output)
    assert child.stdout and child.stderr
    pumps = [
        threading.Thread(target=_pump, args=(source, sink, output))
        for source, sink in ((child.stdout, sys.stdout.buffer), (child.stderr, sys.stderr.buffer))
    ]
    for pump in pumps:
        pump.start()
    while True:
        try:
            code = child.wait()
            break
        except KeyboardInterrupt:  # the child got the signal, too, and decides
            continue
    for pump in pumps:
        pump.join()
    return _status(code)


def _pump(source: IO[bytes], sink: IO[bytes], output: _Output) -> None:
    while chunk := source.read(65_536):
        output.add(chunk)
        try:
            sink.write(chunk)
            sink.flush()
        except OSError:  # our reader closed the pipe; the command continues, as with tee
            continue


def _exists(program: str) -> bool:
    import shutil

    return shutil.which(program) is not None


def _missing(program: str, output: _Output) -> int:
    known = Path(program).exists()
    sentence = f"graphmem: {program}: {'cannot be run' if known else 'command not found'}\n"
    output.add(sentence.encode())
    sys.stderr.write(sentence)
    return 126 if known else 127


def _status(code: int) -> int:
    """Return the exit status as a shell does: 128 + signal number if a signal ended the command."""
    return code if code >= 0 else 128 - code
