"""Describes a definition: its symbol with signature, first paragraph of its docstring, visibility and a hash of its
source. Reads syntax nodes and source lines; resolves nothing."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from hashlib import blake2b

from graphmem.codegraph.python.scope import File
from graphmem.model.code import Symbol

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef

_DOC_LIMIT = 400
_SIGNATURE_LIMIT = 300


def add_symbol(
    file: File, qualified: str, kind: str, node: ast.stmt | ast.expr, *,
    signature: str = "", doc: str = "", decorators: tuple[str, ...] = (), first_line: int = 0,
) -> int:  # fmt: skip
    """Append the symbol of a definition to the file's; return its index. Redefinitions get keys of their own."""
    name = qualified.rpartition(".")[2]
    key = f"{file.path}:{qualified}"
    seen = file.keys[key] = file.keys.get(key, 0) + 1
    line, end = node.lineno, node.end_lineno or node.lineno
    hidden = name.startswith("_") and not (name.startswith("__") and name.endswith("__"))
    file.symbols.append(
        Symbol(
            key if seen == 1 else f"{key}~{seen}", qualified, name, kind, file.path, line, end, signature, doc,
            "private" if hidden else "public", "python", isinstance(node, ast.AsyncFunctionDef), not hidden, False,
            decorators, _content_hash(file.lines, first_line or line, end, node.col_offset), 1,
        )
    )  # fmt: skip
    return len(file.symbols) - 1


def add_definition(file: File, qualified: str, kind: str, node: Definition) -> int:
    """Return the symbol of a function or class statement."""
    decorators = tuple(_dotted(d) for d in node.decorator_list)
    first = node.decorator_list[0].lineno if node.decorator_list else node.lineno
    return add_symbol(
        file, qualified, kind, node,
        signature=_signature(file.lines, node), doc=docstring(node), decorators=decorators, first_line=first,
    )  # fmt: skip


def docstring(node: Definition | ast.Module) -> str:
    """Return the first paragraph of the docstring, on one line."""
    if not node.body:
        return ""
    first = node.body[0]
    if not (
        isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)
    ):
        return ""
    paragraph = first.value.value.strip().split("\n\n", 1)[0]
    return " ".join(paragraph[: 2 * _DOC_LIMIT].split())[:_DOC_LIMIT]


def variable_kind(scope_kind: str, name: str) -> str:
    """Return the kind of a variable that is in a module or class."""
    if scope_kind == "class":
        return "field"
    return "constant" if name.isupper() else "variable"


def _signature(lines: list[bytes], node: Definition) -> str:
    """From `def` or `class` to before the colon."""
    line, column = node.lineno, node.col_offset
    if not isinstance(node, ast.ClassDef) and node.returns is not None:
        return _source(lines, line, column, node.returns.end_lineno or line, node.returns.end_col_offset or 0)
    end_line, end = max(_line_ends(node), default=(line, column + 1))
    has_parts = (end_line, end) != (line, column + 1)
    close = lines[end_line - 1].find(b")", end)
    while close < 0 and has_parts and end_line < min(len(lines), line + 200):
        end_line += 1
        close = lines[end_line - 1].find(b")")
    text = lines[end_line - 1]
    stop = close + 1 if close >= 0 else text.find(b":", end)
    return _source(lines, line, column, end_line, stop if stop > 0 else len(text))


def _line_ends(node: Definition) -> Iterator[tuple[int, int]]:
    """Yield where the parts between the parentheses end: arguments, defaults and annotations, or base classes."""
    if isinstance(node, ast.ClassDef):
        parts: list[ast.expr | ast.arg] = [*node.bases, *(k.value for k in node.keywords)]
    else:
        a = node.args
        parts = [*a.posonlyargs, *a.args, *a.kwonlyargs, *a.defaults, *(d for d in a.kw_defaults if d)]
        parts += [x for x in (a.vararg, a.kwarg) if x]
    for part in parts:
        yield part.end_lineno or part.lineno, part.end_col_offset or 0


def _source(lines: list[bytes], line: int, column: int, end_line: int, end: int) -> str:
    if line == end_line:
        raw = lines[line - 1][column:end]
    else:
        rows = [lines[line - 1][column:], *lines[line : end_line - 1], lines[end_line - 1][:end]]
        raw = b" ".join(row.partition(b" #")[0] for row in rows)
    return " ".join(raw.decode("utf-8", "replace").split())[:_SIGNATURE_LIMIT]


def _content_hash(lines: list[bytes], line: int, end: int, indent: int) -> str:
    """Of the source without its indentation, blank lines and trailing spaces."""
    rows = [row[indent:] for row in lines[line - 1 : end] if row]
    return blake2b(b"\n".join(rows), digest_size=16).hexdigest()


def _dotted(node: ast.expr) -> str:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return f"{_dotted(node.value)}.{node.attr}"
    if isinstance(node, ast.Call):
        return _dotted(node.func)
    return "<expression>"
