"""Reads an index of SCIP: for each document its definitions, its inheritance, and the references at calls. The file comes from
somebody else: its size and the time to read it are limited, its paths may not leave the tree, and it is only parsed."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote, urlsplit

from graphmem.codegraph.scip.callees import Callee, callees_in
from graphmem.codegraph.scip.messages import (
    DOCUMENT,
    METADATA,
    Malformed,
    load_decode_error,
    load_messages,
    split_fields,
)
from graphmem.codegraph.scip.symbols import CONSTRUCTORS, LOCAL, METHOD, TYPE, parse_symbol
from graphmem.errors import SourceError
from graphmem.foreignfiles import TooLarge, read_file

if TYPE_CHECKING:
    from graphmem.codegraph.scip import scip_pb2

MAX_BYTES = 512 << 20  # of an index; a million lines take about 300 MB
MAX_SECONDS = 300.0
OUTSIDE, UNKNOWN_FILE, STALE = "outside of the tree", "not in the code graph", "changed since the index was made"
_DEFINITION = 1  # role of an occurrence
_UTF8, _UTF32 = 1, 3  # encodings of columns; indexers that say nothing are written in JavaScript: UTF-16
_SAMPLE, _WRONG = 3, 0.2  # definitions to judge a document by, and the share of wrong ones that makes it stale
_NOT_IN_A_NAME = re.compile(r"[^\w.+-]+", re.ASCII)
Sources = Callable[[str], tuple[str, bytes] | None]  # path -> language and content of a file, None if not of the tree


class Definition(NamedTuple):
    """Where a symbol is defined; `line` counts from 1, `column` in bytes from 0."""

    symbol: str
    line: int
    column: int


@dataclass(slots=True)
class Document:
    """One file of an index. `references` are the symbols named at calls, several if
    the receiver has one of several types; `implements` pairs a symbol with what it
    implements."""

    path: str
    language: str
    definitions: list[Definition] = field(default_factory=list)
    references: dict[tuple[int, int], list[str]] = field(default_factory=dict)
    implements: list[tuple[str, str]] = field(default_factory=list)
    callees: list[Callee] = field(default_factory=list)


@dataclass(slots=True)
class ScipIndex:
    """An index that was read. `skipped` counts documents that are not used, by reason."""

    tool: str
    root: str
    documents: list[Document] = field(default_factory=list)
    skipped: dict[str, int] = field(default_factory=dict)


def read_scip(path: Path, root: Path, sources: Sources, *, seconds: float = MAX_SECONDS) -> ScipIndex:
    """Return the documents of an index whose files `sources` knows; their paths are relative to `root`. Raises SourceError if
    the file is unreadable, too large, no index of SCIP, or takes longer than `seconds`."""
    messages, until = load_messages(), time.monotonic() + seconds
    try:
        data = read_file(path, MAX_BYTES, follow=True)
    except TooLarge as error:
        raise SourceError(
            f"{path} is larger than {MAX_BYTES >> 20} MiB: index a part of the tree", path=str(path)
        ) from error
    except OSError as error:
        raise SourceError(f"{path} cannot be read: {error.strerror or error}", path=str(path)) from error
    index: ScipIndex | None = None
    prefix = ""
    try:
        for number, body in split_fields(memoryview(data)):
            if number == METADATA and index is None:
                metadata = messages.Metadata.FromString(bytes(body))
                index = ScipIndex(_tool_name(metadata.tool_info.name), _folder_of(metadata.project_root))
                prefix = _prefix(index.root, root)
            elif number == DOCUMENT and index is not None:
                _add(index, messages.Document.FromString(bytes(body)), prefix, sources)
                if time.monotonic() > until:
                    raise SourceError(f"{path} takes longer than {seconds:.0f} s to read", path=str(path))
    except (Malformed, load_decode_error()) as error:
        raise SourceError(f"{path} is not a SCIP index: {error}", path=str(path)) from error
    if index is None:
        raise SourceError(f"{path} is not a SCIP index: it has no metadata", path=str(path))
    return index


def _tool_name(name: str) -> str:
    """Return the provenance of an index's edges, a plain word that starts with `scip`."""
    plain = _NOT_IN_A_NAME.sub("", name)[:40]
    return plain if plain.startswith("scip") else f"scip-{plain or 'unknown'}"


def _folder_of(uri: str) -> str:
    parts = urlsplit(uri)
    return unquote(parts.path) if parts.scheme in ("", "file") else ""


def _prefix(folder: str, root: Path) -> str:
    """Return what leads from the indexed tree to the folder of a SCIP index below it; "" for the tree itself, and for a folder
    elsewhere: then the index was made in another checkout."""
    if not folder or "\0" in folder:
        return ""
    inner = Path(folder)
    return f"{inner.relative_to(root).as_posix()}/" if root in inner.parents else ""


def is_inside(path: str) -> bool:
    """Return whether a path of an index is relative and leads nowhere else."""
    return bool(path) and not {"", ".", ".."}.intersection(path.split("/")) and not {"\\", "\0"}.intersection(path)


def _add(index: ScipIndex, message: scip_pb2.Document, prefix: str, sources: Sources) -> None:
    """Add a document, unless its file is not in the tree or has other content."""
    path = prefix + message.relative_path
    if not is_inside(path):
        index.skipped[OUTSIDE] = index.skipped.get(OUTSIDE, 0) + 1
        return
    found = sources(path)
    if found is None:
        index.skipped[UNKNOWN_FILE] = index.skipped.get(UNKNOWN_FILE, 0) + 1
        return
    language, source = found
    document = Document(path, language, callees=callees_in(language, source))
    positions = {(callee.line, callee.column) for callee in document.callees}
    lines = source.split(b"\n")
    for line, column, symbol, roles in _occurrences(message, lines):
        if roles & _DEFINITION:
            document.definitions.append(Definition(symbol, line, column))
        elif (line, column) in positions:
            document.references.setdefault((line, column), []).append(symbol)
    for information in message.symbols:
        above = (each.symbol for each in information.relationships if each.is_implementation)
        document.implements += [(information.symbol, symbol) for symbol in above]
    if _is_stale(document, lines):
        index.skipped[STALE] = index.skipped.get(STALE, 0) + 1
        return
    index.documents.append(document)


def _occurrences(message: scip_pb2.Document, lines: list[bytes]) -> Iterator[tuple[int, int, str, int]]:
    """Yield line (from 1), column (in bytes from 0), symbol and roles of the occurrences of names that are not local."""
    encoding = message.position_encoding
    for occurrence in message.occurrences:
        place, symbol = occurrence.range, occurrence.symbol
        if len(place) < 3 or not symbol or symbol.startswith(LOCAL) or not 0 <= place[0] < len(lines):
            continue
        line, column = lines[place[0]], place[1]
        if encoding != _UTF8 and not line.isascii():
            column = _bytes_before(line, column, 4 if encoding == _UTF32 else 2)
        yield place[0] + 1, column, symbol, occurrence.symbol_roles


def _bytes_before(line: bytes, column: int, width: int) -> int:
    """Return a column in bytes from one in code units of 2 or 4 bytes."""
    encoding = "utf-16-le" if width == 2 else "utf-32-le"
    before = line.decode("utf-8", "replace").encode(encoding, "surrogatepass")[: max(0, column) * width]
    return len(before.decode(encoding, "replace").encode())


def _is_stale(document: Document, lines: list[bytes]) -> bool:
    """Return whether the definitions of a document are not where it says: its file has changed since."""
    checked = wrong = 0
    for definition in document.definitions:
        symbol = parse_symbol(definition.symbol)
        name, suffix = symbol.descriptors[-1] if symbol is not None else ("", "")
        if suffix not in (TYPE, METHOD) or not name.isidentifier() or name in CONSTRUCTORS:
            continue
        checked += 1
        wrong += not lines[definition.line - 1].startswith(name.encode(), definition.column)
    return checked >= _SAMPLE and wrong > checked * _WRONG


def stem_of(path: str) -> str:
    """Return a path without its suffix, as a dotted name."""
    return ".".join(PurePosixPath(path).with_suffix("").parts)
