"""Records of the code graph: files, symbols, the relations between them, and calls that could not be resolved.
They carry no ids of the store: a symbol is named by its `key`, which depends on its own file alone, so an edit
elsewhere never renames it. Produced by `codegraph/`, consumed by `projections/`."""

from __future__ import annotations

from typing import NamedTuple


class FileRecord(NamedTuple):
    """One file of the tree. `path` is relative to the indexed root, with `/`; `skipped` says why it was not parsed:
    "binary", "too large", "minified", "unreadable"...; or what was read around in one that was: "syntax errors (read around)",
    "not utf-8 (replaced)"; "" where nothing was wrong."""

    path: str
    language: str
    sha256: str
    size: int
    lines: int
    skipped: str = ""


class Symbol(NamedTuple):
    """A definition, or an external name. `key` is `path:qualified_name`, or `ext:dotted.name` where external.
    `qualified_name` is dotted and relative to the root (`pkg.module.Class.method`); the module is a symbol of kind
    "module". Lines count from 1. Kinds: module, namespace, class, interface, struct, trait, enum, type, function,
    method, variable, constant, field, parameter, macro."""

    key: str
    qualified_name: str
    name: str
    kind: str
    file: str
    line: int
    end_line: int
    signature: str = ""
    doc: str = ""
    visibility: str = "public"
    language: str = ""
    is_async: bool = False
    exported: bool = True
    external: bool = False
    decorators: tuple[str, ...] = ()
    content_hash: str = ""
    complexity: int = 0
    words: str = ""  # distinct words of its own lines that signature and docstring lack, see `codegraph/bodies.py`


class CodeEdge(NamedTuple):
    """A relation between two symbols by their keys. Types: DEFINES CALLS REFERS_TO IMPORTS EXTENDS IMPLEMENTS
    OVERRIDES USES TESTS. `strategy` says how it was resolved ("scope", "import", "type", "flow", "unique name", ...); with
    "override" and "candidate" REFERS_TO leads to what may run in place of the method that is called, or as one of many,
    with "from tests" to what a source calls or reads only where a test or an example gives it such a value;
    `confidence` lies in [0, 1]; `line` is where it stands in the source's file (0 where it has no place)."""

    type: str
    source: str
    target: str
    line: int = 0
    strategy: str = "scope"
    confidence: float = 1.0


class CallSite(NamedTuple):
    """A call that was not resolved, and why ("unknown receiver", "dynamic", "computed name", ...)."""

    scope: str  # key of the calling symbol
    file: str
    line: int
    column: int
    name: str  # the called name, last part
    text: str  # the callee expression, shortened
    reason: str


class CodeGraph(NamedTuple):
    """Everything known about a tree, sorted by key, so that two builds of one tree are equal."""

    files: tuple[FileRecord, ...]
    symbols: tuple[Symbol, ...]
    edges: tuple[CodeEdge, ...]
    call_sites: tuple[CallSite, ...]
