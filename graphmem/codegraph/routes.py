"""Finds HTTP routes and their handlers for common frameworks. The form of a route is data: a file `routes.scm` next to a
language's other queries, with the captures @method, @path, @handler and, if a class has a common prefix, @prefix and
@class. Routers: @router, @made with its @base, and @mounted with its @base (`mounts`). @base with @inside is a block
whose routes have a prefix, and @many a resource with all its routes. Handlers are looked up in the graph, so callers and
impact work for them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from graphmem.codegraph import languages
from graphmem.codegraph.clients import Request, RouteIndex, find_requests
from graphmem.codegraph.generic.prepare import readable
from graphmem.codegraph.mounts import Mounted, Prefixes, Routers, join_mounts
from graphmem.codegraph.nesting import Nesting
from graphmem.codegraph.route_loops import Registration, expand_loops
from graphmem.codegraph.route_tables import Statements, Tables, Value, text_of
from graphmem.codegraph.scan import LIMIT
from graphmem.codegraph.view import FUNCTIONS, View
from graphmem.foreignfiles import read_file
from graphmem.model.code import Symbol
from graphmem.privacy.source_masking import mask_preserving_offsets

if TYPE_CHECKING:
    from tree_sitter import Node

_VERBS = ("get", "post", "put", "delete", "patch", "head", "options")
_GET_ALONE = frozenset({"route", "add_url_rule", "add_api_route"})  # where no method is given
_METHODS = re.compile(r"methods?\s*[=:]\s*[\[({]?([^\])},]*(?:,[^\])}=:,]*)*)")
_HINT = re.compile(
    rb"[rR]oute|Mapping|Map(?:Get|Post|Put|Delete|Patch)\b|Http(?:Get|Post|Put|Delete|Patch)\b|Group\(|\.(?:get|post|GET|POST)\("
    rb"|[bB]lueprint|add_url_rule|include|HandleFunc|\bpath\(|re_path|\.use\(|@(?:app|router|api|bp)\b|^\s*(?:get|post) ['\"]",
    re.M,
)


_ASKS = re.compile(
    rb"fetch\(|axios|requests\.|httpx|\.(?:put|delete|patch|request|Get|Post)\(|NewRequest|Async[(<]|Http::|HTTParty"
)
_NO_HANDLERS = frozenset(
    {"object", "array", "string", "template_string", "number", "null", "undefined", "new_expression"}
)
_NAMING = frozenset({"identifier", "attribute", "selector_expression", "member_expression", "call", "call_expression"})
_CLIENT = re.compile(r"(?i)(?:axios|http|client|request|agent|fetch|ky|got|instance|api)\)?$")
# `"orders#show"`, `"OrderController@show"`, `[OrderController::class, "show"]`
_ACTION = re.compile(r"""["']([\w/\\]+)[#@](\w+)["']|\[\s*([\w\\]+)::class\s*,\s*["'](\w+)["']\s*,?\s*\]""")
_RESOURCE = (
    ("GET", "", "index"), ("GET", "/new", "new"), ("POST", "", "create"), ("POST", "", "store"), ("GET", "/:id", "show"),
    ("GET", "/:id/edit", "edit"), ("PUT", "/:id", "update"), ("DELETE", "/:id", "destroy"),
)  # fmt: skip


class Route(NamedTuple):
    """A route. `method` is upper case, "ANY" for all methods; `handler` is None if the graph has no such symbol (an
    inline function has its enclosing symbol); `callers` are symbols that send requests to it, with lines; `name` is what
    Django's `reverse` finds it by."""

    method: str
    path: str
    handler: Symbol | None
    file: str
    line: int
    callers: tuple[tuple[Symbol, int], ...] = ()
    name: str = ""


def find_routes(view: View, root: str | Path) -> list[Route]:
    """Return all routes of the tree by path, those of tests last. Reads only source files that could contain one."""
    said: dict[str, _Said] = {}
    tables = Tables(partial(_parse_module, view, Path(root)), partial(_module_file, view))
    for record in view.graph.files:
        if record.path in view.index.facts and languages.query_about(record.language, "routes") is not None:
            try:
                source = read_file(Path(root) / record.path, LIMIT)
            except OSError:
                continue
            if _HINT.search(source) or _ASKS.search(source):
                said[record.path] = _read(
                    view, record.path, record.language, mask_preserving_offsets(source, record.language).source, tables
                )
    prefixes = Prefixes(view, {path: each.routers for path, each in said.items()})
    each = {
        route._replace(path=_absolute(join_mounts(prefix, route.path)))
        for path, one in said.items()
        for router, route in one.routes
        for prefix in prefixes.of(path, router)
    }
    tests = {view.symbols[key].file for key in view.tests}
    found = sorted(each, key=lambda r: (r.file in tests, r.path, r.method, r.file, r.line))
    return _with_callers(view, found, [request for one in said.values() for request in one.requests])


def _with_callers(view: View, found: list[Route], sent: list[Request]) -> list[Route]:
    """Return the routes with the symbols whose requests reach them. An ambiguous match counts as a route."""
    places = {(route.file, route.line) for route in found}
    callers: dict[int, list[tuple[Symbol, int]]] = {}
    named: dict[str, list[int]] = {}
    for number, route in enumerate(found):
        for name in {route.name or (route.handler.name if route.handler is not None else "")} - {""}:
            named.setdefault(name, []).append(number)
    index = RouteIndex([(route.method, route.path, route.file) for route in found], named)
    for request in sent:
        if (request.file, request.line) in places:
            continue
        around = view.innermost(request.file, request.line, request.line) or view.by_file.get(request.file, [])[:1]
        for number in index.reached_by(request) if around else ():
            callers.setdefault(number, []).append((around[0], request.line))
    return [route._replace(callers=tuple(sorted(callers.get(n, ())))) for n, route in enumerate(found)]


class _Said(NamedTuple):
    """Routes of a file with their router names, its routers, and its requests."""

    routes: list[tuple[str, Route]]
    routers: Routers
    requests: list[Request]


def _read(view: View, path: str, language: str, source: bytes, tables: Tables) -> _Said:
    from tree_sitter import QueryCursor

    query = languages.query_about(language, "routes")
    assert query is not None
    readable_source = readable(source)
    root = languages.make_parser(language).parse(readable_source).root_node
    said = _Said([], Routers(source=readable_source.decode("utf-8", "replace")), find_requests(path, language, root))
    statements = Statements(root) if language == "python" else None
    if statements is not None:
        tables.open(path, statements)
    matches = [found for _, found in QueryCursor(query).matches(root)]
    is_javascript = languages.get_language(language).family == "javascript"
    blocks = Nesting(
        (found["inside"][0].start_byte, found["inside"][0].end_byte, _text(found["base"]).lstrip(":"))
        for found in matches
        if "inside" in found
    )
    for found in matches:
        if "inside" in found:
            continue
        if "made" in found:
            said.routers.made[_text(found["made"])] = (_text(found.get("router")), _text(found["base"]))
        elif "mounted" in found or "module" in found:
            name = _text(found.get("mounted") or found["module"]).removesuffix("()").replace("::", ".")
            base = _text(found.get("base"))
            instead = bool(base) and _text(found.get("_f")) == "register_blueprint"  # Flask
            said.routers.mounted.append(Mounted(_router(found), name, base, "module" in found, instead))
        elif not (is_javascript and _is_request(found)):
            written = Registration(_text(found.get("path")))
            expanded = [written] if statements is None else expand_loops(found, path, statements, tables)
            for each in expanded:
                routes = _routes_of(view, path, found, each, blocks)
                said.routes.extend((_router(found), route) for route in routes)
    return said


def _parse_module(view: View, root: Path, path: str) -> Node | None:
    """Return the syntax tree of a Python file of the tree."""
    record = view.index.records.get(path)
    if record is None or record.language != "python":
        return None
    try:
        source = mask_preserving_offsets(read_file(root / path, LIMIT), "python").source
    except OSError:
        return None
    return languages.make_parser("python").parse(readable(source)).root_node


def _module_file(view: View, module: str, file: str) -> str | None:
    """Return the file of a module that another file imports, `.sibling` too."""
    name = module.lstrip(".")
    if up := len(module) - len(name):
        around = file.split("/")[:-up]
        name = ".".join((*around, name)).strip(".")
    return next((s.file for s in view.find(name) if s.kind == "module"), None)


def _router(found: dict[str, list[Node]]) -> str:
    """Return the router of a match: the receiver; the variable or function around a chain of calls; or the list of Django that it
    is an element of, apart from that of the whole file."""
    written = next((found[name][0] for name in ("path", "base", "module") if name in found), None)
    if "router" not in found and "chain" not in found:
        return _list_around(written) if written is not None else ""
    node = found["chain"][0].parent if "chain" in found else None
    while node is not None and node.type not in ("let_declaration", "function_item"):
        node = node.parent
    name = (
        node.child_by_field_name("pattern" if node.type == "let_declaration" else "name") if node is not None else None
    )
    return _text([name]) if name is not None else _text(found.get("router"))


def _list_around(written: Node) -> str:
    """Return the variable of the list that a call with this argument is an element of."""
    call = written.parent.parent if written.parent is not None else None
    around = call.parent if call is not None else None
    assignment = around.parent if around is not None and around.type == "list" else None
    left = assignment.child_by_field_name("left") if assignment is not None else None
    name = _text([left]) if left is not None and left.type == "identifier" else ""
    return "" if name == "urlpatterns" else name


def _routes_of(
    view: View, path: str, found: dict[str, list[Node]], registered: Registration, blocks: Nesting[str]
) -> Iterator[Route]:
    """Yield the routes of one match, as it is registered in one round of the loops around it."""
    written = registered.path
    place = (found.get("path") or found["handler"])[0]
    line = place.start_point[0] + 1
    if _text(found.get("handler")).startswith("include("):
        return
    prefix = _text(found.get("prefix")).replace("[controller]", _text(found.get("class")).removesuffix("Controller"))
    around = "".join(f"/{base.strip('/')}" for base in reversed(blocks.around(place.start_byte)))
    whole = join_mounts(join_mounts(around, prefix), written)
    if "many" in found:
        for verb, rest, action in _RESOURCE:
            name = f"{_class_of(written, _text(found.get('handler')))}#{action}"
            handler = _named(view, name)
            if handler is not None:
                yield Route(verb, join_mounts(around, written.lstrip(":")) + rest, handler, path, line)
        return
    handler = _defined(view, registered.handler) or _handler(view, path, found.get("handler"))
    verb, _, rest = whole.partition(" ")
    if rest.startswith("/") and verb.isupper():  # Go: "GET /x"
        yield Route(verb, rest, handler, path, line)
        return
    name = _route_name(place)
    for method in registered.methods or _methods(_text(found.get("method")), _text(found.get("options"))):
        yield Route(method, whole, handler, path, line, name=name)


def _route_name(place: Node) -> str:
    """Return the name that a route of Django is given: `path("x/", view, name="orders")`."""
    for argument in place.parent.named_children if place.parent is not None else ():
        name = argument.child_by_field_name("name") if argument.type == "keyword_argument" else None
        if name is not None and _text([name]) == "name":
            return _text([value]) if (value := argument.child_by_field_name("value")) is not None else ""
    return ""


def _is_request(found: dict[str, list[Node]]) -> bool:
    """Return whether it is a JavaScript request such as `api.post("/x", body)`, which looks like a route except for its
    arguments."""
    given = found["handler"][0].type if "handler" in found else ""
    return given in _NO_HANDLERS or (given == "identifier" and _CLIENT.search(_text(found.get("router"))) is not None)


def _class_of(resource: str, handler: str) -> str:
    """Return the controller of a resource: the named one, otherwise the one with the corresponding name."""
    return handler.rpartition("::")[0].strip("\\") or resource.strip(":'\"")


def _named(view: View, target: str) -> Symbol | None:
    """Return the method for `orders#show` or `OrderController@show`."""
    owner, _, action = target.replace("@", "#").partition("#")
    last = re.split(r"[\\/]", owner)[-1]
    camel = "".join(part[:1].upper() + part[1:] for part in last.split("_"))
    for name in (last, f"{camel}Controller"):
        found = [s for s in view.find(f"{name}.{action}") if s.kind in FUNCTIONS and not s.external]
        if found:
            return found[0]
    return None


def _absolute(path: str) -> str:
    return path if path.startswith(("/", "^", "*")) else f"/{path}"


def _text(nodes: list[Node] | None) -> str:
    return (nodes[0].text or b"").decode("utf-8", "replace").strip("\"'`") if nodes else ""


def _methods(word: str, options: str) -> list[str]:
    """Return the HTTP methods for `get`, `GetMapping`, or `route` with `methods=["POST"]`."""
    listed = _METHODS.search(options)
    if listed:
        named = {m.upper() for m in re.findall(r"['\".](\w+)\b", listed[1])}
        return sorted({m for m in named if m.lower() in _VERBS} or named or {"ANY"})
    lowered = word.lower()
    for verb in _VERBS:
        if lowered == verb or lowered == f"{verb}mapping" or lowered == f"map{verb}" or lowered == f"http{verb}":
            return [verb.upper()]
    return ["GET"] if lowered in _GET_ALONE and "methods" not in options else ["ANY"]


def _defined(view: View, definition: Value | None) -> Symbol | None:
    """Return the symbol of a definition that a table names."""
    if definition is None:
        return None
    name, line = text_of(definition.node.child_by_field_name("name")), definition.node.start_point[0] + 1
    own = (s for s in view.by_file.get(definition.file, ()) if s.name == name and s.line <= line <= s.end_line)
    return next(own, None)


def _wrapped(view: View, path: str, call: Node) -> Symbol | None:
    """Return the handler within what wraps it: `may(hasID(a.GetOrder), "orders:get")`; the last function that is given."""
    arguments = call.child_by_field_name("arguments")
    for given in reversed(arguments.named_children if arguments is not None else ()):
        found = _handler(view, path, [given]) if given.type in _NAMING else None
        if found is not None and found.kind in (*FUNCTIONS, "class"):
            return found
    return None


def _handler(view: View, path: str, nodes: list[Node] | None) -> Symbol | None:
    """Return the handler's symbol: a function defined there, or the target of the name."""
    if not nodes:
        return None
    node = nodes[0]
    if (function := node.child_by_field_name("function")) is not None and ".as_view" not in _text([node]):
        if (wrapped := _wrapped(view, path, node)) is not None:
            return wrapped
        if node.type == "call" or (node.type == "call_expression" and function.type == "identifier"):
            node = function  # `add_route(path, make("orders"))`: what makes it
    here = node.start_point[0] + 1
    name = re.sub(r"\.as_view\(.*", "", (node.text or b"").decode("utf-8", "replace"), flags=re.S)  # Django
    action = _ACTION.fullmatch(name)
    if action:
        return _named(view, f"{action[1] or action[3]}#{action[2] or action[4]}")
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
