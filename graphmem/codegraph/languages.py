"""The supported languages, read from `grammars/languages.toml`: file detection, grammar, queries, and properties of names
for the generic resolver."""

from __future__ import annotations

import fnmatch
import importlib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cache, cached_property
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from graphmem import resources

if TYPE_CHECKING:
    import tree_sitter

QUERY_FILES = ("definitions", "references", "imports")
DECLARING = (".pyi", ".d.ts", ".d.mts", ".d.cts")  # files with declarations only
MANIFEST_NAMES = frozenset(
    (
        "go.mod package.json tsconfig.json jsconfig.json Cargo.toml composer.json Package.swift Directory.Build.props "
        "Directory.Build.targets"
    ).split()
)
MANIFEST = "manifest"  # the "language" of a project file such as go.mod


@dataclass(frozen=True)
class Language:
    """One block of languages.toml; the fields are explained at the top of that file."""

    name: str
    grammar: str
    queries: str
    entry: str = "language"
    extensions: tuple[str, ...] = ()
    filenames: tuple[str, ...] = ()
    shebangs: tuple[str, ...] = ()
    family: str = ""
    imports: str = "none"
    naming: str = "path"
    siblings: str = ""
    members: bool = False
    visibility: str = "public"
    constructors: tuple[str, ...] = ()
    comments: tuple[str, ...] = ("//", "/*", "*")
    lambdas: bool = False
    arguments: bool = False
    value_flow: bool = False
    contextual: bool = False
    implicit_parameter: str = ""
    list_makers: tuple[str, ...] = ()
    overloads: bool = False
    labels: bool = False
    pastes: bool = False
    structural: bool = False
    accessors: bool = False
    partial: bool = False
    extension_methods: bool = False
    outside_types: bool = False
    directives: bool = False
    open: bool = False
    constructor_names: tuple[str, ...] = ()
    factories: tuple[str, ...] = ()
    gives_itself: tuple[str, ...] = ()
    gives_relation: tuple[str, ...] = ()
    guesses: bool = False
    separate: str = ""
    sigil: str = ""
    unwraps: str = ""
    ends_members: bool = False
    folder_files: tuple[str, ...] = ()
    root_module: str = ""
    own_type: tuple[str, ...] = ()
    super_means: str = ""
    outside_bases: bool = True
    companions: bool = False
    nested_packages: bool = False
    called_lists: bool = False
    platform_variants: bool = False
    conversions: bool = False
    late_names: bool = False
    value_keys: bool = False  # a key of a literal is a field or, in a map, a value
    several_results: bool = False
    index_arguments: bool = False
    counted_loops: bool = False
    doc_types: bool = False
    module_members: bool = False
    types_apart: bool = False
    bare_calls: bool = False
    imported_extensions: bool = False
    common_members: tuple[str, ...] = ()
    capital_patterns: bool = False
    using: bool = False
    tests: tuple[str, ...] = ()
    titled_tests: tuple[str, ...] = ()
    titled_suites: tuple[str, ...] = ()
    dynamic_titles: bool = False
    titled_blocks: bool = False
    title_owners: tuple[str, ...] = ()
    title_modifiers: tuple[str, ...] = ()
    test_frameworks: tuple[str, ...] = ()
    entry_points: tuple[str, ...] = ()
    wrappers: frozenset[str] = frozenset()
    unwrap: frozenset[str] = frozenset()
    elements: frozenset[str] = frozenset()
    property_accessors: frozenset[str] = frozenset()
    builtins: frozenset[str] = frozenset()
    lower: Mapping[str, Any] = field(default_factory=dict, hash=False)
    fields: Mapping[str, str] = field(default_factory=dict, hash=False)

    @property
    def several_parts(self) -> bool:
        """Return whether several declarations can make one class: partial ones (C#), for several platforms (Kotlin), any (Ruby)."""
        return self.partial or self.imported_extensions or self.module_members

    @cached_property
    def comments_bytes(self) -> tuple[bytes, ...]:
        """Return the line comment markers as bytes."""
        return tuple(c.encode() for c in self.comments)

    def is_test_file(self, path: str) -> bool:
        """Return whether this is a test file by the conventions of the language."""
        name = PurePosixPath(path).name
        return any(fnmatch.fnmatchcase(path if "/" in p else name, p) for p in self.tests)


@cache
def all_languages() -> dict[str, Language]:
    """Return all languages by name."""
    blocks = tomllib.loads(resources.text("grammars/languages.toml"))
    return {name: _language(name, _inherited(name, blocks)) for name in blocks}


def count_languages() -> int:
    """Return the number of languages; TSX counts as TypeScript."""
    return len(all_languages().keys() - {"tsx"})


def get_language(name: str) -> Language:
    """Return a language by name. Raises KeyError."""
    return all_languages()[name]


def for_path(path: str, first_line: bytes = b"") -> str:
    """Return the language of a file, from its name or otherwise its first line; "" if unknown."""
    by_extension, by_filename, by_shebang = _recognisers()
    name = path.rpartition("/")[2]
    if name in MANIFEST_NAMES or name.endswith(".csproj"):
        return MANIFEST
    if name in by_filename:
        return by_filename[name]
    stem, dot, extension = name.rpartition(".")
    if dot and stem:
        return by_extension.get(extension) or by_extension.get(extension.lower(), "")
    if first_line.startswith(b"#!"):
        words = first_line[2:].decode("utf-8", "replace").replace("/", " ").split()
        for word in reversed(words):
            if word in by_shebang:
                return by_shebang[word]
    return ""


@cache
def load_grammar(name: str) -> tree_sitter.Language:
    """Return the loaded grammar of a language."""
    import tree_sitter

    language = get_language(name)
    return tree_sitter.Language(getattr(importlib.import_module(language.grammar), language.entry)())


@cache
def make_parser(name: str) -> tree_sitter.Parser:
    """Return the parser of a language, one per process."""
    import tree_sitter

    return tree_sitter.Parser(load_grammar(name))


@cache
def compile_query(name: str) -> tree_sitter.Query:
    """Return the three query files of a language as one query, so that a file is traversed once."""
    import tree_sitter

    return tree_sitter.Query(load_grammar(name), query_text(name))


@cache
def query_about(name: str, subject: str) -> tree_sitter.Query | None:
    """Return the query file `subject` of a language, shared by all JavaScript variants; None if there is none."""
    import tree_sitter

    known = all_languages().get(name)
    if known is None:
        return None
    path = f"queries/code/{'ecmascript' if known.family == 'javascript' else known.queries}/{subject}.scm"
    return tree_sitter.Query(load_grammar(name), resources.text(path)) if resources.path(path).is_file() else None


def query_text(name: str) -> str:
    """Return the text of a language's query files; a line `; inherits: javascript` includes those of another folder."""
    folder = get_language(name).queries
    return "\n".join(_with_inherited(folder, part) for part in QUERY_FILES) + "\n(ERROR) @error (MISSING) @error"


def _with_inherited(folder: str, part: str) -> str:
    text = resources.text(f"queries/code/{folder}/{part}.scm")
    first = text.partition("\n")[0]
    if first.startswith("; inherits:"):
        text = _with_inherited(first.partition(":")[2].strip(), part) + "\n" + text
    return text


@cache
def _recognisers() -> tuple[dict[str, str], dict[str, str], dict[str, str]]:
    known = all_languages().values()
    return (
        {e: x.name for x in known for e in x.extensions},
        {f: x.name for x in known for f in x.filenames},
        {s: x.name for x in known for s in x.shebangs},
    )


def _inherited(name: str, blocks: dict[str, Any]) -> dict[str, Any]:
    """Merge a block with the block it inherits from; lists of node types are added, everything else is replaced."""
    block = dict(blocks[name])
    parent = block.pop("inherits", "")
    if not parent:
        return block
    merged = _inherited(parent, blocks) | block
    for table in ("lower", "fields"):
        merged[table] = _merge(_inherited(parent, blocks).get(table, {}), block.get(table, {}))
    return merged


def _merge(old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    out = dict(old)
    for key, value in new.items():
        if isinstance(value, list) and key in out:
            out[key] = [*out[key], *value]
        elif isinstance(value, dict) and key in out:
            out[key] = {**out[key], **value}
        else:
            out[key] = value
    return out


def _language(name: str, block: dict[str, Any]) -> Language:
    values: dict[str, Any] = {}
    for f in fields(Language):
        if f.name in block:
            value = block[f.name]
            if isinstance(value, list):
                value = (
                    frozenset(value)
                    if f.name in ("wrappers", "unwrap", "elements", "property_accessors", "builtins")
                    else tuple(value)
                )
            values[f.name] = value
    unknown = set(block) - {f.name for f in fields(Language)}
    if unknown:
        raise ValueError(f"languages.toml: [{name}] has unknown settings {sorted(unknown)}")
    values.setdefault("family", name)
    return Language(name=name, **values)
