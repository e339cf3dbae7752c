"""Reads the current text of files in an indexed tree: all of them, one, or one line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from graphmem.codegraph.build import Index
from graphmem.codegraph.python.source import decode
from graphmem.codegraph.scan import has_changed, is_text, list_files
from graphmem.codegraph.worker import parse_file
from graphmem.errors import NotFound, UsageError
from graphmem.foreignfiles import MAX_FILE_BYTES, read_file, read_start
from graphmem.model.code import Symbol


def read_sources(index: Index) -> Iterator[tuple[str, str]]:
    """Yield the current files of a tree."""
    for path in index.sources:
        try:
            yield path, read_source(index, path)
        except OSError:
            continue  # deleted since it was listed


def read_all_texts(index: Index) -> Iterator[tuple[str, str]]:
    """Yield the current text files of a tree: sources, then configuration and documents."""
    yield from read_sources(index)
    for path in sorted(list_files(index.root)):
        if path not in index.sources and is_text(path):
            with suppress(OSError):
                data = read_file(Path(index.root) / path, MAX_FILE_BYTES)
                if b"\0" not in data[:8192]:
                    yield path, data.decode("utf-8", "replace")


def read_other_texts(index: Index) -> Iterator[tuple[str, str]]:
    """Yield the current text files of a tree that are no sources."""
    yield from ((path, text) for path, text in read_all_texts(index) if path not in index.sources)


def read_source(index: Index, file: str, max_bytes: int = MAX_FILE_BYTES) -> str:
    """Return the first `max_bytes` bytes of a file, decoded as its language requires. Raises OSError."""
    source = read_start(Path(index.root) / file, max_bytes)
    if file in index.records and index.records[file].language == "python":
        return decode(source)
    return source.decode("utf-8", "replace")


def as_it_is_now(index: Index, symbol: Symbol) -> Symbol:
    """Return a symbol at its place in the current text, if its file has changed since it was indexed. Raises NotFound if the file
    no longer has it, or is gone."""
    source = index.sources.get(symbol.file)
    if source is None or symbol.kind == "module" or not has_changed(index.root, source):
        return symbol
    facts = parse_file(index.root, symbol.file, source.language).facts
    found = facts.symbols if facts is not None else ()
    same = [one for one in found if one.key == symbol.key] or [
        one for one in found if one.qualified_name == symbol.qualified_name
    ]
    if not same:
        raise NotFound(
            f"`{symbol.qualified_name}` is no longer in {symbol.file}, which changed after it was indexed",
            name=symbol.qualified_name, file=symbol.file,
        )  # fmt: skip
    return same[0]


def changed_files(index: Index) -> list[str]:
    """Return the indexed files that changed or went since they were indexed."""
    return [path for path, source in index.sources.items() if has_changed(index.root, source)]


def line_of(index: Index, file: str, number: int) -> str:
    """Return a line of a file, "" beyond its end. Raises UsageError for a number below 1, OSError."""
    if number < 1:
        raise UsageError("line numbers start at 1", line=number)
    lines = read_source(index, file).split("\n")
    return lines[number - 1] if number <= len(lines) else ""


def is_name_at(line: str, name: str, column: int) -> bool:
    """Return whether the name is at this column of the line."""
    start = line.find(name)
    while start >= 0:
        if start <= column < start + len(name):
            return True
        start = line.find(name, start + 1)
    return False
