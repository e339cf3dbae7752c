"""A worker process that parses files, and links some: it reads jobs from standard input and writes results, both as
frames of `model.packed`. A separate process instead of a `multiprocessing` pool, to avoid forking a threaded parent and
importing the caller's main module."""

from __future__ import annotations

import gc
import hashlib
import os
import subprocess
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import NamedTuple, TypeVar

from graphmem import privacy
from graphmem.codegraph import cache, frontends, scan
from graphmem.codegraph.bodies import with_words
from graphmem.codegraph.links import link_tree
from graphmem.codegraph.python.source import encoding_of
from graphmem.codegraph.records import FileFacts, FileLinks
from graphmem.foreignfiles import read_start
from graphmem.model.packed import Damaged, Schema, read_frame, write_frame
from graphmem.privacy.source_masking import mask_preserving_offsets

_TURNS = 4_000
_COMMAND = "from graphmem.codegraph.worker import main; main()"

_Work = TypeVar("_Work")


class Parsed(NamedTuple):
    """A file that was read. `facts` is None if `skipped` says why; `clean`: its text contained no secrets."""

    path: str
    sha256: str
    size: int
    lines: int
    skipped: str
    facts: FileFacts | None
    clean: bool = False


def read(root: str, path: str) -> bytes | None:
    """Return a file's content, or None if unreadable."""
    try:
        return read_start(f"{root}{os.sep}{path}", scan.LIMIT + 1)  # not Path: this runs for every file of the tree
    except OSError:
        return None


def parse_file(root: str, path: str, language: str) -> Parsed:
    """Read and parse one file; any problem becomes a reason."""
    source = read(root, path)
    if source is None:
        return Parsed(path, "", 0, 0, "unreadable", None)
    return parse_source(path, source, language)


def parse_source(path: str, source: bytes, language: str) -> Parsed:
    """Parse a file's content; secrets do not get into the facts."""
    reason = scan.reason_to_skip(path, source)
    if reason:
        return described(path, source, None)._replace(skipped=reason)
    safe, clean = mask_preserving_offsets(source, language)
    try:
        facts = frontends.load(frontends.name_for(language)).parse(path, safe)
    except RecursionError:
        return described(path, source, None)._replace(skipped="nested too deep")
    except (LookupError, AttributeError, TypeError, ValueError, AssertionError) as error:
        # A fault of a front end costs this file, not the index of the whole tree.
        return described(path, source, None)._replace(skipped=f"reader failed ({type(error).__name__})")
    return described(path, source, with_words(_safe(facts), safe))._replace(clean=clean)


def _safe(facts: FileFacts) -> FileFacts:
    """Without the secrets of signatures and docstrings: facts are kept on disk."""
    texts = [text for symbol in facts.symbols for text in (symbol.signature, symbol.doc)]
    safe = privacy.redact_each(texts)
    if safe == texts:
        return facts
    pairs = zip(facts.symbols, safe[::2], safe[1::2], strict=True)
    return replace(facts, symbols=tuple(s._replace(signature=signature, doc=doc) for s, signature, doc in pairs))


def described(path: str, source: bytes, facts: FileFacts | None) -> Parsed:
    """Return a file with its facts, and a note about problems."""
    lines = source.count(b"\n") + (not source.endswith(b"\n") and bool(source))
    note = "" if _is_utf8(source) or _is_as_declared(facts, source) else "not utf-8 (replaced)"
    if facts is not None and facts.errors:
        note = note or "syntax errors (read around)"
    return Parsed(path, hashlib.sha256(source).hexdigest(), len(source), lines, note, facts)


def _is_utf8(source: bytes) -> bool:
    try:
        source.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _is_as_declared(facts: FileFacts | None, source: bytes) -> bool:
    """Return whether a file in Python names its encoding, and is in it."""
    if facts is None or facts.language != "python":
        return False
    try:
        source.decode(encoding_of(source))
    except (UnicodeDecodeError, SyntaxError, LookupError):
        return False
    return True


class Helper:
    """The caller's side of a worker process: it parses files from the front, while the caller takes those that are
    `left`; it can link in the same way. If it dies, the caller does its work."""

    def __init__(self, root: str, jobs: Sequence[tuple[str, str]]) -> None:
        """`jobs` are (path, language)."""
        self._turns, self._more = os.pipe()
        os.set_blocking(self._turns, False)
        self._offer(jobs)
        self._process = helper(_COMMAND, _JOB.pack((root, tuple(jobs), self._turns)), self._turns)
        self._has: set[str] = set()

    def _offer(self, work: Collection[object]) -> None:
        os.write(self._more, bytes(-(-len(work) // _step(work))))

    def left(self, work: Sequence[_Work]) -> Iterator[_Work]:
        """Yield files from the end, until both processes meet."""
        return _taken(work[::-1], self._turns)

    def parsed(self) -> list[Parsed]:
        """Return the files that it parsed."""
        found = [_parsed(each) for each in receive(self._process, _PARSED) or []]
        self._has = {parsed.path for parsed in found}
        return found

    def link(self, name: str, facts: Mapping[str, FileFacts]) -> None:
        """Make it link files from the front, with a front end that has these facts."""
        self._offer(facts)
        with suppress(OSError):  # it died; who asks for the answer will notice
            others = tuple(cache.dump(facts[path]) for path in facts if path not in self._has)
            _tell(self._process, _LINKED.pack((name, others)))

    def linked(self) -> dict[str, FileLinks]:
        """Return the links that it made."""
        return dict(receive(self._process, _LINKS) or ())

    def close(self) -> None:
        """Let it exit."""
        finish(self._process)
        os.close(self._turns)
        os.close(self._more)


def _step(work: Collection[object]) -> int:
    """Return how many files are one turn: a pipe must hold all turns."""
    return len(work) // _TURNS + 1


def _taken(work: Sequence[_Work], turns: int) -> Iterator[_Work]:
    """Some of the files: two processes share them, one from either end, and each takes one turn after another out of a pipe
    that holds a byte for each."""
    step = _step(work)
    for start in range(0, len(work), step):
        try:
            os.read(turns, 1)
        except BlockingIOError:  # none is left
            return
        yield from work[start : start + step]


def helper(command: str, job: bytes, *files: int) -> subprocess.Popen[bytes]:
    """Start a process that runs a line of Python, with a job on its standard input and these files inherited."""
    process = subprocess.Popen(
        [sys.executable, "-P", "-c", command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, pass_fds=files,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)},
    )  # fmt: skip
    _tell(process, job)
    return process


def _tell(process: subprocess.Popen[bytes], job: bytes) -> None:
    assert process.stdin is not None
    write_frame(process.stdin, job)


def receive(process: subprocess.Popen[bytes], schema: Schema[_Work]) -> list[_Work] | None:
    """Return the records that a worker found, or None if it died; then the caller does its work."""
    assert process.stdout is not None
    found = []
    try:
        while data := read_frame(process.stdout):
            found.append(schema.unpack(data))
    except (EOFError, Damaged):
        return None
    return found


def finish(process: subprocess.Popen[bytes]) -> None:
    """Let a worker exit."""
    with suppress(OSError):
        process.communicate()


def answer(records: Iterable[_Work], schema: Schema[_Work]) -> None:
    """Send records from the worker to `receive`. Each is serialised immediately, which uses a tenth of the memory."""
    packed = [schema.pack(record) for record in records]
    for data in [*packed, b""]:
        write_frame(sys.stdout.buffer, data)


def main() -> None:
    """Run a parsing and linking worker."""
    gc.disable()
    root, jobs, turns = _JOB.unpack(read_frame(sys.stdin.buffer))
    parsed = [parse_file(root, path, language) for path, language in _taken(jobs, turns)]
    answer(map(_sent, parsed), _PARSED)
    own = {each.path: each.facts for each in parsed if each.facts is not None}
    with suppress(EOFError):  # nothing more is asked
        while True:
            name, others = _LINKED.unpack(read_frame(sys.stdin.buffer))
            facts = {path: each for path, each in own.items() if frontends.name_for(each.language) == name}
            facts |= {each.path: each for each in map(cache.load, others) if each is not None}
            found = link_tree(
                name, facts, flow=not frontends.flows_everywhere(name), only=_taken(sorted(facts), turns)
            ).links
            answer(found.items(), _LINKS)
    os._exit(0)  # freeing everything one by one would take longer than the answer


_Sent = tuple[str, str, int, int, str, bytes, bool]
_JOB: Schema[tuple[str, tuple[tuple[str, str], ...], int]] = Schema(tuple[str, tuple[tuple[str, str], ...], int])
_PARSED: Schema[_Sent] = Schema(_Sent)
_LINKED: Schema[tuple[str, tuple[bytes, ...]]] = Schema(tuple[str, tuple[bytes, ...]])
_LINKS: Schema[tuple[str, FileLinks]] = Schema(tuple[str, FileLinks])


def _sent(parsed: Parsed) -> _Sent:
    return (*parsed[:5], cache.dump(parsed.facts) if parsed.facts is not None else b"", parsed.clean)


def _parsed(sent: _Sent) -> Parsed:
    facts = cache.load(sent[5]) if sent[5] else None
    if sent[5] and facts is None:
        raise Damaged("a helper sent no facts")
    return Parsed(*sent[:5], facts, sent[6])
