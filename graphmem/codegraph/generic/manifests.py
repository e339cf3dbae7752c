"""Parses project files that affect imports (go.mod, package.json, tsconfig.json, Cargo.toml, *.csproj) to small dictionaries for
the import styles; a malformed file counts as an empty one."""

from __future__ import annotations

import json
import re
import tomllib
from typing import Any

from graphmem.codegraph.generic.summary import Import, Summary
from graphmem.codegraph.languages import MANIFEST
from graphmem.codegraph.records import FileFacts

_MODULE = re.compile(r"^module\s+\"?([^\s\"]+)", re.M)
_REPLACE = re.compile(r"^\s*(?:replace\s+)?(\S+)(?:\s+v\S+)?\s+=>\s+(\.{1,2}/\S*|\.{1,2})", re.M)
_USING = re.compile(r"<Using\b[^<>]*?\bInclude\s*=\s*[\"']([\w.]+)[\"'][^<>]*>")  # C#: opened in all files of a project
_JSON_NOISE = re.compile(r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?\*/|,(?=\s*[}\]])', re.S)


def parse(path: str, source: bytes) -> FileFacts:
    """Return the facts of a project file: no symbols, only import settings."""
    text = source.decode("utf-8", "replace")
    name = path.rpartition("/")[2]
    read = _READERS.get("*.csproj" if name.endswith(".csproj") else name, _nothing)
    try:
        said = read(text)
    except (ValueError, TypeError, AttributeError, RecursionError):
        said = read("{}" if name.endswith(".json") else "")
    said["kind"] = name
    imports = tuple(Import(1, source, "*", "", exported=True) for source in said.get("usings", ()))
    interface = {"#manifest": frozenset({f"={said!r}"})}
    summary = Summary((), (), imports, {}, (), {}, (), frozenset(), interface, manifest=said)
    return FileFacts(path, MANIFEST, (), text.count("\n") + 1, 0, "", summary)


def _nothing(text: str) -> dict[str, Any]:
    return {}


def _go_mod(text: str) -> dict[str, Any]:
    module = _MODULE.search(text)
    return {"module": module[1] if module else "", "replace": dict(_REPLACE.findall(text))}


def _package_json(text: str) -> dict[str, Any]:
    data = json.loads(text)
    workspaces = data.get("workspaces", [])
    if isinstance(workspaces, dict):
        workspaces = workspaces.get("packages", [])
    exports = data.get("exports")
    return {"name": str(data.get("name", "")), "main": str(data.get("main", "") or ""), "exports": _targets(exports),
            "source": str(data.get("source", "") or data.get("module", "") or ""),
            "types": str(data.get("types", "") or data.get("typings", "") or ""),
            "workspaces": [str(w) for w in workspaces], "imports": _targets(data.get("imports"))}  # fmt: skip


def _targets(exports: Any) -> dict[str, list[str]]:
    """Return subpath -> files it may refer to, over all conditions."""
    if isinstance(exports, (str, list)) or (isinstance(exports, dict) and not any(k[:1] in ".#" for k in exports)):
        exports = {".": exports}
    return {str(k): _leaves(v) for k, v in exports.items()} if isinstance(exports, dict) else {}


def _leaves(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [leaf for part in parts for leaf in _leaves(part)]


def _tsconfig(text: str) -> dict[str, Any]:
    data = json.loads(_JSON_NOISE.sub(lambda m: m[1] or "", text))
    options = data.get("compilerOptions", {})
    paths = {str(k): [str(x) for x in v] for k, v in (options.get("paths") or {}).items()}
    return {"base": options.get("baseUrl"), "paths": paths, "extends": data.get("extends")}


def _project(text: str) -> dict[str, Any]:
    return {"usings": _USING.findall(text)}


def _cargo(text: str) -> dict[str, Any]:
    data = tomllib.loads(text)
    package = data.get("package", {})
    dependencies: dict[str, str] = {}
    tables = [data, data.get("workspace", {}), *data.get("target", {}).values()]
    kinds = ("dependencies", "dev-dependencies", "build-dependencies")
    for table in (t.get(kind, {}) for t in tables for kind in kinds):
        for name, spec in table.items():
            dependencies[name.replace("-", "_")] = str(spec.get("package", name)) if isinstance(spec, dict) else name
    lib = data.get("lib", {})
    return {"name": str(package.get("name", "")), "lib": str(lib.get("path", "src/lib.rs")),
            "crate": str(lib.get("name", "")), "dependencies": dependencies}  # fmt: skip


_READERS = {"go.mod": _go_mod, "package.json": _package_json, "tsconfig.json": _tsconfig, "jsconfig.json": _tsconfig,
            "Cargo.toml": _cargo, "*.csproj": _project, "Directory.Build.props": _project,
            "Directory.Build.targets": _project}  # fmt: skip
