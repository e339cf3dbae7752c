"""Import syntax of each language: reads one import from its captures. The modules in this package locate the imported
source among the indexed files, one module per style."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphmem.codegraph.generic.imports import packages, rust
from graphmem.codegraph.generic.lower import text_of
from graphmem.codegraph.generic.summary import Expr, Import

if TYPE_CHECKING:
    from tree_sitter import Node

    from graphmem.codegraph.generic.reader import Captures, Reader

_QUOTES = "\"'`<>"


def read(reader: Reader, primary: str, node: Node, captures: Captures) -> None:
    """Handle @import and those forms of @export that name something."""
    if primary == "import.tree":
        for found in rust.use_tree(node):
            reader.import_name(found, node.start_byte)
        return
    line = node.start_point[0] + 1
    if primary == "import.mod":
        name = text_of(captures["import.module"][0])
        rust.declare_module(reader, node, name, line)
        return
    if primary.startswith("export"):
        _export(reader, primary, node, captures, line)
        return
    source = text_of(captures["import.source"][0]).strip(_QUOTES) if "import.source" in captures else ""
    alias = _text(captures, "import.alias")
    if "import.prefix" in captures:  # PHP: `use A\{B, C}`
        source = f"{text_of(captures['import.prefix'][0])}\\{source}"
    if primary == "import.path":
        _path(reader, node, source, alias, line, star="import.star" in captures)
    elif primary == "import.clause":
        for found in packages.clause(node, line):
            reader.import_name(found, node.start_byte)
    elif primary == "import.using":
        everywhere = node.type == "using_directive" and node.children[0].type == "global"  # C#: in the whole project
        reader.import_name(Import(line, source.replace("::", "."), "*", "", everywhere), node.start_byte)
    elif primary == "import.include":
        reader.import_name(Import(line, source, "*", ""), node.start_byte)
    elif "import.name" in captures:
        name = _text(captures, "import.name")
        reader.import_name(Import(line, source, name, alias or name), node.start_byte)
    elif "import.default" in captures:
        local = _text(captures, "import.default")
        reader.import_name(Import(line, source, "default", local), node.start_byte)
    elif "import.namespace" in captures:
        reader.import_name(Import(line, source, "", _text(captures, "import.namespace")), node.start_byte)
    elif primary == "import.side":
        reader.import_name(Import(line, source, "", ""), node.start_byte)
    else:  # a whole package under its last name
        local = alias if alias and alias not in ("_", ".") else ("" if alias else _last(source))
        reader.import_name(Import(line, source, "*" if alias == "." else "", local), node.start_byte)


def _path(reader: Reader, node: Node, source: str, alias: str, line: int, *, star: bool) -> None:
    """Handle `import a.b.C` (Java and similar): the last part is a name in the rest."""
    source = source.replace("\\", ".").replace("::", ".").strip(".")
    text = text_of(node)
    if star or text.rstrip("; \n").endswith(("*", "_")):
        reader.import_name(Import(line, source.removesuffix(".*").removesuffix("._"), "*", ""), node.start_byte)
        return
    package, _, name = source.rpartition(".")
    reader.import_name(Import(line, package, name, alias or name), node.start_byte)


def _export(reader: Reader, primary: str, node: Node, captures: Captures, line: int) -> None:
    source = _text(captures, "import.source").strip(_QUOTES)
    if primary == "export.module":  # Lua: what the file returns
        whole = reader.expr(captures, "value")
        if whole:
            reader.exports["="] = whole
            reader.depends.setdefault(0, []).append(whole)
        return
    if primary == "export.star":
        local = _text(captures, "import.namespace").removeprefix("* as ").strip()
        found = Import(line, source, "" if local else "*", "", exported=True)
        reader.import_name(found, node.start_byte)
        if local:
            reader.exports[local] = ("import", len(reader.imports) - 1)
    elif primary == "export.names":
        name = _text(captures, "import.name")
        alias = _text(captures, "import.alias") or name
        if source:
            reader.import_name(Import(line, source, name, "", exported=True), node.start_byte)
            reader.exports[alias] = ("import", len(reader.imports) - 1)
        else:
            reader.exports[alias] = ("name", name)
    else:
        reader.export_end = max(reader.export_end, node.end_byte)
        value: Expr | None = ("name", _text(captures, "name")) if "name" in captures else reader.expr(captures, "value")
        if value:
            reader.exports["default"] = value


def _text(captures: Captures, name: str) -> str:
    return text_of(captures[name][0]).strip("\"'`") if name in captures else ""


def _last(source: str) -> str:
    """Return the local name of an import path: `example.com/mod/v2` is `mod`, `gopkg.in/yaml.v3` is `yaml`."""
    parts = source.rstrip("/").split("/")
    last = parts[-1]
    if len(parts) > 1 and last[:1] == "v" and last[1:].isdigit():
        last = parts[-2]
    stem, dot, version = last.rpartition(".")
    if dot and version[:1] == "v" and version[1:].isdigit():
        last = stem
    return last.removeprefix("go-") if last.startswith("go-") else last


def token_path(node: Node) -> Expr | None:
    """Handle a call inside a macro, where the grammar only sees tokens."""
    return rust.token_path(node)
