"""`python -m graphmem.backends.graph.reader PACKAGE`: a process that runs untrusted Cypher on one graph file, and may be
killed.

It reads requests from standard input and writes answers to standard output, one JSON object per line, and ends with its
input. After opening the graph it gives up privileges that a query does not need: it cannot open or write files, and has a
memory limit. Its parent (`readers`) enforces the timeout. It imports nothing of graphmem except `values`.
"""

from __future__ import annotations

import contextlib
import datetime
import json
import os
import queue
import sys
import threading
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from graphmem.backends.graph.values import decode_value, encode_value

try:
    import resource
except ImportError:  # no such limits on Windows
    resource = None  # type: ignore[assignment]

_AT_START = (
    {name: resource.getrlimit(name) for name in (resource.RLIMIT_AS, resource.RLIMIT_NOFILE)} if resource else {}
)
_LEAST_REGION = 1 << 32  # bytes of address space that the engine reserves for pages: twice, and a power of two
_CHUNK = 1 << 18  # bytes of rows per line
_MEMORY = ("bad_alloc", "buffer pool is full", "Unable to allocate", "cannot allocate", "failed to allocate")
_MAX_PREPARED = 200  # statements that a connection may keep
_NICE = 5  # lower priority than callers that wait for the owner


class Reader:
    """An open graph of an engine. `answer` yields the lines of an answer."""

    def __init__(self, engine: Any) -> None:
        self._engine = engine
        self._db: Any = None
        self._connection: Any = None
        self._nodes: dict[str, list[str]] = {}
        self._is_nice = False
        self._prepared = 0  # statements that the connection keeps

    def answer(self, request: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """Yield the answer to one request; the last line has "end", "opened" or "error"."""
        try:
            if "open" in request:
                self._open(**request["open"])
                yield {"opened": True}
            else:
                yield from self._query(**request["query"])
        except MemoryError:
            yield {"error": "memory"}
        except RecursionError:
            yield {"error": "engine", "said": "Runtime exception: the result is nested too deeply"}
        except OSError:
            yield {"error": "engine", "said": "Runtime exception: queries must not open files"}
        except Exception as error:  # noqa: BLE001 (the engine raises of every kind)
            text = str(error) or type(error).__name__
            if any(sign in text for sign in _MEMORY):
                yield {"error": "memory"}
            else:
                yield {"error": "timeout" if "Interrupted" in text else "engine", "said": text[:10_000]}

    def _open(self, path: str, pool_bytes: int, memory_bytes: int, nodes: dict[str, list[str]]) -> None:
        if self._db is not None:
            self._connection.close()
            self._db.close()
            self._db = None
        _lift_limits()
        region = max(_LEAST_REGION, 1 << (4 * Path(path).stat().st_size - 1).bit_length())
        self._db = self._engine.Database(
            path, buffer_pool_size=pool_bytes, max_num_threads=1, read_only=True, max_db_size=region
        )
        self._connect()
        self._nodes = nodes
        _limit(memory_bytes)
        if not self._is_nice:  # full priority at start, because a caller is waiting
            self._is_nice = True
            with contextlib.suppress(OSError, AttributeError):
                os.nice(_NICE)

    def _connect(self) -> None:
        # One thread: with two, nodes of several labels were read with property values of other nodes.
        self._connection, self._prepared = self._engine.Connection(self._db, num_threads=1), 0

    def _query(
        self, cypher: str, parameters: Any, limit: int | None, timeout_ms: int, most_bytes: int
    ) -> Iterator[dict[str, Any]]:
        values = decode_value(parameters)
        if self._prepared > _MAX_PREPARED:  # the connection keeps them, as in `engines.GraphConnection`
            self._connection.close()
            self._connect()
        self._prepared += bool(values)
        self._connection.set_query_timeout(timeout_ms)
        prepared = self._connection._prepare(cypher, values) if values else cypher
        result = self._connection.execute(prepared, values)
        if isinstance(result, list):
            yield {"error": "several"}
            return
        yield {"columns": result.get_column_names()}
        rows: list[str] = []
        count = size = pending = 0
        while result.has_next() and (limit is None or count < limit):
            row = json.dumps([encode_value(value, self._nodes) for value in result.get_next()])
            size, pending, count = size + len(row), pending + len(row), count + 1
            if size > most_bytes:
                if count == 1:
                    yield {"error": "size"}
                    return
                yield {"rows": rows}
                yield {"end": True}
                return
            rows.append(row)
            if pending > _CHUNK:
                yield {"rows": rows}
                rows, pending = [], 0
        yield {"rows": rows}
        yield {"end": bool(result.has_next())}
        result.close()


def _line(answer: dict[str, Any]) -> bytes:
    """Join rows that are already JSON: their size had to be known."""
    if "rows" in answer:
        return f'{{"rows":[{",".join(answer["rows"])}]}}\n'.encode()
    return json.dumps(answer).encode() + b"\n"


def _lift_limits() -> None:
    """Remove the limits for opening a graph, before any untrusted text arrives."""
    for name, limits in _AT_START.items():
        resource.setrlimit(name, limits)


def _limit(memory_bytes: int) -> None:
    """Allow, from now on, only so many bytes beyond those mapped, and no further file."""
    if resource is None:
        return
    with contextlib.suppress(OSError, ValueError):  # only Linux reports and enforces a limit of address space
        with open("/proc/self/statm", encoding="ascii") as file:
            mapped = int(file.read().split()[0]) * resource.getpagesize()
        _set(resource.RLIMIT_AS, mapped + memory_bytes)
    free = os.dup(0)
    os.close(free)
    _set(resource.RLIMIT_NOFILE, free)  # the lowest free one: all below are in use


def _set(name: int, value: int) -> None:
    hard = resource.getrlimit(name)[1]
    resource.setrlimit(name, (value if hard == resource.RLIM_INFINITY else min(value, hard), hard))


def _give_up_rights() -> None:
    """For the whole life of the process: files cannot grow, no core dumps, and the kernel kills it first when memory is
    low."""
    if resource is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w", encoding="ascii") as file:
        file.write("1000")


def _make_dates_safe() -> None:
    """Make the engine's binding return text for dates that Python cannot represent. It calls Python's C API without
    checking for failure: `RETURN to_timestamp(999999999999)` ended the process. The patched function table is documented,
    and nothing else in this process uses it."""
    import ctypes

    class Table(ctypes.Structure):
        """`PyDateTime_CAPI` up to the second function."""

        _fields_ = (
            ("types", ctypes.c_void_p * 5),
            ("utc", ctypes.c_void_p),
            ("date", ctypes.c_void_p),
            ("datetime", ctypes.c_void_p),
        )

    number, thing = ctypes.c_int, ctypes.py_object
    date = ctypes.PYFUNCTYPE(thing, number, number, number, thing)(_date)
    moment = ctypes.PYFUNCTYPE(thing, *[number] * 7, thing, thing)(_datetime)
    find = ctypes.pythonapi.PyCapsule_Import
    find.restype, find.argtypes = ctypes.c_void_p, [ctypes.c_char_p, number]
    table = Table.from_address(find(b"datetime.datetime_CAPI", 0))
    table.date, table.datetime = (ctypes.cast(function, ctypes.c_void_p).value for function in (date, moment))
    _KEPT.extend((date, moment))
    datetime.timedelta = _SafeTimeDelta  # type: ignore[misc,assignment]


_KEPT: list[Any] = []
_Date, _DateTime, _TimeDelta = datetime.date, datetime.datetime, datetime.timedelta


def _date(year: int, month: int, day: int, kind: Any) -> Any:
    try:
        return _Date(year, month, day)
    except (ValueError, OverflowError):
        return f"{year:04d}-{month:02d}-{day:02d}"


def _datetime(
    year: int, month: int, day: int, hour: int, minute: int, second: int, micro: int, zone: Any, kind: Any
) -> Any:
    try:
        return _DateTime(year, month, day, hour, minute, second, micro, zone)
    except (ValueError, OverflowError):
        fraction = f".{micro:06d}" if micro else ""
        return f"{year:04d}-{month:02d}-{day:02d}T{hour:02d}:{minute:02d}:{second:02d}{fraction}+00:00"


class _SafeTimeDelta(datetime.timedelta):
    """Replacement for `timedelta` in the engine: text if the interval is out of range."""

    def __new__(cls, *given: int, **named: int) -> Any:
        try:
            return _TimeDelta(*given, **named)
        except OverflowError:
            return ", ".join(f"{value} {name}" for name, value in named.items() if value)


def _import_engine(package: str) -> Any:
    """Import the engine without its asyncio interface, which takes as long as everything else, and with its lazy imports:
    later no file can be opened."""
    import importlib.util
    import uuid  # noqa: F401

    stand_in = types.ModuleType(f"{package}.async_connection")
    stand_in.AsyncConnection = None  # type: ignore[attr-defined]
    sys.modules[stand_in.__name__] = stand_in
    engine = importlib.import_module(package)
    str(engine.__version__)  # loads the native library
    return engine


def _listen(requests: queue.SimpleQueue[bytes]) -> None:
    """Exit when the input ends, even while a query runs."""
    with os.fdopen(0, "rb", closefd=False) as source:  # not `sys.stdin`, whose lock would be held at exit
        for line in source:
            requests.put(line)
    os._exit(0)


def main() -> None:
    """Answer requests until standard input ends."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # output of the engine must not be taken for an answer
    requests: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=[requests], daemon=True).start()
    _give_up_rights()
    engine = _import_engine(sys.argv[1])
    _make_dates_safe()
    reader = Reader(engine)
    while True:
        for answer in reader.answer(json.loads(requests.get())):
            answers.write(_line(answer))
            answers.flush()


if __name__ == "__main__":
    main()
