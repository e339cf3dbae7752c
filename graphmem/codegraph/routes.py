"""HTTP routes and the functions that handle them, for the common frameworks. What a route looks like is data: a file
`routes.scm` beside a language's other queries, with the captures @method, @path, @handler and, where a class gives a common
prefix, @prefix. The handler is then looked up in the graph, so that callers and impact follow."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from graphmem import resources
from graphmem.codegraph import languages
from graphmem.codegraph.generic.prepare import readable
from graphmem.codegraph.view import FUNCTIONS, View
from graphmem.model.code import Symbol

if TYPE_CHECKING:
    from tree_sitter import Node, Query

_VERBS = ("get", "post", "put", "delete", "patch", "head", "options")
_METHODS = re.compile(r"methods\s*=\s*[\[({]([^\])}]*)")
_HINT = re.compile(
    rb"route|Mapping|\.get\(|\.post\(|\.GET\(|\.POST\(|HandleFunc|\bpath\(|re_path|\.use\(|@(?:app|router|api|bp)\b"
)


class Route(NamedTuple):
    """A route. `method` is upper case, "ANY" where every method fits; `handler` is None where the graph has no such symbol
    (an inline function keeps the symbol around it)."""

    method: str
    path: str
    handler: Symbol | None
    file: str
    line: int


def routes(view: View, root: str | Path) -> list[Route]:
    """All routes of the tree by path, those of tests last. Reads those source files that could hold one."""
    found: set[Route] = set()
    for record in view.graph.files:
        if record.skipped in ("", "syntax errors", "not utf-8 (replaced)") and _query(record.language) is not None:
            try:
                source = (Path(root) / record.path).read_bytes()
            except OSError:
                continue
            if _HINT.search(source):
                found.update(in_file(view, record.path, record.language, source))
    tests = {view.symbols[key].file for key in view.tests}
    return sorted(found, key=lambda r: (r.file in tests, r.path, r.method, r.file, r.line))


def in_file(view: View, path: str, language: str, source: bytes) -> Iterator[Route]:
    """The routes of one file."""
    from tree_sitter import QueryCursor

    query = _query(language)
    if query is None:
        return
    tree = languages.parser(language).parse(readable(source))
    for _, captures in QueryCursor(query).matches(tree.root_node):
        place = captures["path"][0] if "path" in captures else captures["handler"][0]
        line = place.start_point[0] + 1
        written = _text(captures.get("path"))
        prefix = _text(captures.get("prefix"))
        whole = _join(prefix, written)
        handler = _handler(view, path, captures.get("handler"), line)
        for method in _methods(_text(captures.get("method")), _text(captures.get("options"))):
            yield Route(method, whole, handler, path, line)


@cache
def _query(language: str) -> Query | None:
    from tree_sitter import Query

    known = languages.all_languages().get(language)
    if known is None:
        return None
    name = f"queries/code/{'ecmascript' if known.family == 'javascript' else known.queries}/routes.scm"
    return Query(languages.grammar(language), resources.text(name)) if resources.path(name).is_file() else None


def _text(nodes: list[Node] | None) -> str:
    return (nodes[0].text or b"").decode("utf-8", "replace").strip("\"'`") if nodes else ""


def _join(prefix: str, path: str) -> str:
    whole = f"{prefix.rstrip('/')}/{path.lstrip('/')}" if prefix else path
    return whole if whole.startswith(("/", "^", "*")) else "/" + whole


def _methods(word: str, options: str) -> list[str]:
    """`get`, `GetMapping`, `route` with `methods=["POST"]`: the methods meant."""
    listed = _METHODS.search(options)
    if listed:
        return sorted({m.strip(" \"'").upper() for m in listed[1].split(",") if m.strip(" \"'")})
    lowered = word.lower()
    for verb in _VERBS:
        if lowered == verb or lowered == f"{verb}mapping" or lowered == f"map{verb}" or lowered == f"http{verb}":
            return [verb.upper()]
    return ["GET"] if lowered == "route" and "methods" not in options else ["ANY"]


def _handler(view: View, path: str, nodes: list[Node] | None, line: int) -> Symbol | None:
    """The symbol of the handler: a function defined there, or what the name refers to."""
    if not nodes:
        return None
    node = nodes[0]
    here = node.start_point[0] + 1
    name = (node.text or b"").decode("utf-8", "replace")
    symbols = view.by_file.get(path, ())
    last = re.split(r"\.|::|->", name)[-1].strip("()&: ")
    if len(name) > 120 or "\n" in name or "=>" in name or name.startswith(("function", "func", "async", "|", "move")):
        inner = [s for s in symbols if s.line == here and s.kind in FUNCTIONS]
        return inner[-1] if inner else next(iter(view.innermost(path, here, here)), None)
    own = [s for s in symbols if s.name == last and s.kind in (*FUNCTIONS, "class")]
    exact = [s for s in own if s.line <= here <= s.end_line]
    if exact:
        return exact[-1]
    for scope in view.innermost(path, here, here):
        for edge in (x for k in view.within(scope.key) for x in view.outgoing.get(k, ())):
            target = view.symbols[edge.target]
            if edge.type in ("REFERS_TO", "CALLS", "USES") and target.name == last and not target.external:
                return target
    return own[0] if len(own) == 1 else None
