"""A helper process that parses files: reads one pickled job from standard input, writes one pickled answer. A process of its
own (not a pool of `multiprocessing`) so that it neither forks a threaded parent nor imports the caller's main module."""

from __future__ import annotations

import gc
import hashlib
import os
import pickle
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from graphmem import privacy
from graphmem.codegraph import frontends, scan
from graphmem.codegraph.records import FileFacts
from graphmem.privacy.blank import blanked

_COMMAND = "from graphmem.codegraph.worker import main; main()"


class Parsed(NamedTuple):
    """One file that was read. `facts` is None where `skipped` says why."""

    path: str
    sha256: str
    size: int
    lines: int
    skipped: str
    facts: FileFacts | None


def read(root: str, path: str) -> bytes | None:
    """A file's content, or None where it cannot be read."""
    try:
        with Path(root, path).open("rb") as file:
            return file.read(scan.LIMIT + 1)
    except OSError:
        return None


def parse_file(root: str, path: str, language: str) -> Parsed:
    """Reads and parses one file; whatever is wrong with it becomes a reason."""
    source = read(root, path)
    if source is None:
        return Parsed(path, "", 0, 0, "unreadable", None)
    return parse_source(path, source, language)


def parse_source(path: str, source: bytes, language: str) -> Parsed:
    """Parses one file's content; no secret of it gets into the facts."""
    reason = scan.unfit(path, source)
    if reason:
        return described(path, source, None)._replace(skipped=reason)
    try:
        facts = frontends.load(frontends.name_for(language)).parse(path, blanked(source))
    except RecursionError:
        return described(path, source, None)._replace(skipped="nested too deep")
    return described(path, source, _safe(facts))


def _safe(facts: FileFacts) -> FileFacts:
    """Without the secrets of signatures and docstrings: facts are kept on disk."""
    texts = [text for symbol in facts.symbols for text in (symbol.signature, symbol.doc)]
    safe = privacy.redact_each(texts)
    if safe == texts:
        return facts
    pairs = zip(facts.symbols, safe[::2], safe[1::2], strict=True)
    return replace(facts, symbols=tuple(s._replace(signature=signature, doc=doc) for s, signature, doc in pairs))


def described(path: str, source: bytes, facts: FileFacts | None) -> Parsed:
    """A file with its facts, and a note on what was wrong with it."""
    lines = source.count(b"\n") + (not source.endswith(b"\n") and bool(source))
    note = "" if _is_utf8(source) else "not utf-8 (replaced)"
    if facts is not None and facts.errors:
        note = note or "syntax errors"
    return Parsed(path, hashlib.sha256(source).hexdigest(), len(source), lines, note, facts)


def _is_utf8(source: bytes) -> bool:
    try:
        source.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def start(root: str, jobs: Sequence[tuple[str, str]]) -> subprocess.Popen[bytes]:
    """A helper that works on (path, language) jobs; `finish` takes its answer."""
    return helper(_COMMAND, (root, list(jobs)))


def helper(command: str, job: object) -> subprocess.Popen[bytes]:
    """A process that runs a line of Python, with a pickled job on its standard input."""
    process = subprocess.Popen(
        [sys.executable, "-P", "-c", command], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)},
    )  # fmt: skip
    assert process.stdin is not None
    process.stdin.write(pickle.dumps(job))
    process.stdin.close()
    return process


def finish(process: subprocess.Popen[bytes]) -> list[Any] | None:
    """The records that a helper found, or None if it died; then the caller does its work."""
    assert process.stdout is not None
    with process.stdout as stream:
        try:
            found = [pickle.load(stream) for _ in range(pickle.load(stream))]
        except (EOFError, pickle.UnpicklingError):
            found = None
    return None if process.wait() else found


def answer(records: Iterable[object]) -> None:
    """The helper's side of `finish`. Each record is put in bytes as soon as it is made, which takes a tenth of the room."""
    packed = [pickle.dumps(record, protocol=pickle.HIGHEST_PROTOCOL) for record in records]
    stream = sys.stdout.buffer
    pickle.dump(len(packed), stream)
    stream.writelines(packed)
    stream.flush()
    os._exit(0)  # freeing everything one by one would take longer than the answer


def main() -> None:
    """A parsing helper."""
    gc.disable()
    root, jobs = pickle.load(sys.stdin.buffer)
    answer(parse_file(root, path, language) for path, language in jobs)
