"""Records of the code graph: files, symbols, relations, and unresolved calls. They contain no store ids: a symbol's `key`
depends only on its own file, so edits elsewhere never rename it. Produced by `codegraph/`, consumed by `projections/`."""

from __future__ import annotations

from typing import NamedTuple

TITLED_TEST = "titled test"  # decorator of a test that has a title in place of a name
TITLED_SUITE = "titled suite"  # and of a group of such tests
_TITLED = frozenset({TITLED_TEST, TITLED_SUITE})


class FileRecord(NamedTuple):
    """A file of the tree. `path` is relative to the indexed root, with `/`. `skipped` says why it was not parsed
    ("binary", "too large", "minified", "unreadable", ...), or what was skipped inside a parsed file ("syntax errors (read
    around)", "not utf-8 (replaced)"); "" if nothing."""

    path: str
    language: str
    sha256: str
    size: int
    lines: int
    skipped: str = ""


class Symbol(NamedTuple):
    """A definition, or an external name. `key` is `path:qualified_name`, or `ext:dotted.name` if external.
    `qualified_name` is dotted and relative to the root (`pkg.module.Class.method`); a module is a symbol of kind
    "module". Lines start at 1. Kinds: module, namespace, class, interface, struct, trait, enum, type, function, method,
    variable, constant, field, parameter, macro. A test or a group of tests with a title (`it("adds")`) is a function whose
    name is the title, with " > " before it in the qualified name if it is in another one."""

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

    @property
    def has_title(self) -> bool:
        """Return whether its name is the title of a test or of a group of tests: words, of which none is a name in the code."""
        return bool(self.decorators) and self.decorators[0] in _TITLED


class CodeEdge(NamedTuple):
    """A relation between two symbols, by key. Types: DEFINES CALLS REFERS_TO IMPORTS EXTENDS IMPLEMENTS OVERRIDES USES
    TESTS. `strategy` says how it was resolved ("scope", "import", "type", "flow", "unique name", ...). REFERS_TO with
    "override" or "candidate" leads to code that may run instead of the called method; with "from tests", to code reached
    only with values from tests or examples. `confidence` is in [0, 1]; `line` is in the source's file (0 if it has none).
    """

    type: str
    source: str
    target: str
    line: int = 0
    strategy: str = "scope"
    confidence: float = 1.0


class CallSite(NamedTuple):
    """An unresolved call with its reason ("unknown receiver", "dynamic", "computed name", ...)."""

    scope: str  # key of the calling symbol
    file: str
    line: int
    column: int
    name: str  # the last part of the called name
    text: str  # the callee expression, shortened
    reason: str


class CodeGraph(NamedTuple):
    """All records of a tree, sorted by key, so that two builds of the same tree are equal."""

    files: tuple[FileRecord, ...]
    symbols: tuple[Symbol, ...]
    edges: tuple[CodeEdge, ...]
    call_sites: tuple[CallSite, ...]
