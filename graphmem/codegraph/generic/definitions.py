"""Converts captured definitions to symbols with qualified names, scopes and bindings. `describe` reads their text; the
linker resolves their names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from graphmem.codegraph.generic import callbacks, contexts, describe, documented, lending, mixins, titles
from graphmem.codegraph.generic.lower import text_of
from graphmem.codegraph.generic.patterns import declared_name, intersected_types, is_function
from graphmem.codegraph.generic.reader import Captures, OpenScope, Reader
from graphmem.codegraph.generic.summary import CALLED, Binding, Expr, last_name, spelled
from graphmem.model.code import Symbol

if TYPE_CHECKING:
    from tree_sitter import Node

_CLASSES = {
    "class": "class",
    "interface": "interface",
    "struct": "struct",
    "enum": "enum",
    "trait": "trait",
    "anonymous": "class",
}
_FUNCTIONS = {
    "function": "function",
    "method": "method",
    "lambda": "function",
    "signature": "function",
    "signature_method": "method",
    "extension_function": "method",
}
_DECLARED = frozenset({"field", "variable", "constant"})
_STATEMENT = re.compile(rb"[;{}]")
_MEMBERS = ("class", "extension", "object")
_PUBLIC_MEMBERS = ("interface", "trait", "enum")


def module(reader: Reader) -> None:
    """Open the scope of the file and create its symbol."""
    path = reader.path
    dotted = describe.dotted(path)
    for stem in reader.language.folder_files:
        dotted = dotted.removesuffix(f".{stem}")
    lines = len(reader.lines) - (1 if reader.lines and not reader.lines[-1] else 0)
    reader.symbols.append(
        Symbol(
            f"{path}:{dotted}",
            dotted,
            dotted.rpartition(".")[2],
            "module",
            path,
            1,
            max(lines, 1),
            language=reader.language.name,
        )
    )
    reader.keys[dotted] = 1
    reader.push(OpenScope("module", -1, 0, len(reader.source) + 1, dotted))
    if reader.language.naming == "folder":
        folder = path.rpartition("/")[0]
        reader.package = folder
        reader.current().prefix = folder.replace("/", ".")


def package(reader: Reader, name: str) -> None:
    """Record the declared package, the prefix of all following names."""
    name = name.replace("::", ".").replace("\\", ".").strip(".")
    scope = reader.current()
    if reader.language.naming == "folder":  # Go: the folder is the package, its clause only tells tests from the rest
        reader.package = reader.path.rpartition("/")[0] + ("#test" if name.endswith("_test") else "")
        if not scope.prefix:
            scope.prefix = name
        return
    reader.package = f"{reader.package}.{name}" if reader.package and reader.language.nested_packages else name
    scope.prefix = reader.package
    reader.namespaces.append((reader.package, reader.stack[-1]))


def define(reader: Reader, primary: str, node: Node, captures: Captures) -> None:
    """Handle @definition.*."""
    kind = primary.partition(".")[2]
    span = (node.start_byte, node.end_byte)
    if span in reader.claimed:
        return  # `const f = () => 1`: the function was named by the variable around it
    name_nodes = captures.get("name")
    if name_nodes:
        mark = (name_nodes[0].start_byte, name_nodes[0].end_byte)
        if mark in reader.declared:
            return
        reader.declared.add(mark)
    for claim in captures.get("claims", ()):
        reader.claimed.add((claim.start_byte, claim.end_byte))
    if kind in ("object", "property_object", "object_literal"):
        _object(reader, kind, node, captures)
    elif kind == "property":
        name = _name(reader, name_nodes[0]) if name_nodes else ""
        value = reader.expr(captures, "value")
        if name == "__proto__" and value is not None:
            reader.current().bases.append(("extends", value))
        reader.bind(reader.stack[-1], name, Binding("field", node.start_byte, value=value))
    elif kind == "call_signature":
        if reader.current().kind in ("class", "object"):
            reader.bind(reader.stack[-1], CALLED, Binding("field", node.start_byte, type=reader.lower.expr(node)))
    elif kind == "member":
        _member(reader, node, captures)
    elif kind == "extension":
        _extension(reader, node, captures)
    elif kind == "namespace":
        _namespace(reader, node, captures)
    elif kind in _FUNCTIONS or kind in _CLASSES:
        _definition(reader, kind, node, captures)
    else:
        _plain(reader, kind, node, captures)


def variable(reader: Reader, name: str, node: Node, name_node: Node) -> int:
    """Create a symbol for a module variable; return its index."""
    kind = "constant" if name.isupper() and len(name) > 1 else "variable"
    return _symbol(reader, kind, name, node, name_node, reader.stack[-1])


def plain(reader: Reader, kind: str, name: str, node: Node, name_node: Node) -> int:
    """Create a symbol for a field or macro; return its index."""
    return _symbol(reader, kind, name, node, name_node, reader.stack[-1])


def _member(reader: Reader, node: Node, captures: Captures) -> None:
    """C and C++: handle a field, or a method declared here and possibly defined elsewhere."""
    declarator = captures["name"][0]
    name_node = declared_name(declarator)
    owner = reader.enclosing(*_MEMBERS)
    if name_node is None or owner == 0:
        return
    name = _name(reader, name_node)
    type_ = reader.expr(captures, "type")
    if is_function(declarator):
        symbol = function_scope(reader, "signature_method", name, node, name_node, node, owner)
        reader.symbols[symbol] = reader.symbols[symbol]._replace(decorators=("declared",))
        reader.bind(owner, name, Binding("def", node.start_byte, symbol, reader.stack[-1]))
        return
    symbol = _symbol(reader, "field", name, node, name_node, owner)
    reader.bind(owner, name, Binding("field", node.start_byte, symbol, type=type_))


def function_scope(
    reader: Reader,
    kind: str,
    name: str,
    node: Node,
    name_node: Node | None,
    body: Node,
    owner: int,
    qualified: str = "",
) -> int:
    """Create a function's symbol and open its scope; return the symbol's index. `owner` is the scope whose name precedes
    its own, `body` the node with parameters and body."""
    parent = reader.stack[-1]
    symbol = _symbol(reader, _FUNCTIONS[kind], name, node, name_node, owner, body, qualified)
    reader.branches[symbol] = -kind.startswith("signature")  # no body: complexity 0
    scope = OpenScope("function", parent, symbol, node.end_byte, reader.symbols[symbol].qualified_name)
    returns = reader.language.fields.get("returns")
    if returns:
        scope.returns = reader.lower.expr(body.child_by_field_name(returns))
    if reader.language.doc_types:
        documented.describe_function(reader, scope, node.start_byte)
    scope.static = reader.language.module_members and mixins.of_the_class(node)
    if reader.language.value_flow and any(child.type == "*" for child in body.children):
        scope.results.append(("yield", None))  # a generator, also one that only returns
    index = reader.push(scope)
    reader.scope_at[body.start_byte] = reader.scope_at[node.start_byte] = index
    return symbol


def _definition(reader: Reader, kind: str, node: Node, captures: Captures) -> None:
    name_node = captures["name"][0] if "name" in captures else None
    if "declarator" in captures:
        name_node = declared_name(captures["declarator"][0])
        if name_node is None or name_node.type == "parenthesized_declarator":
            return
    outer = reader.stack[-1]
    if name_node is None and (kind == "lambda" or node.type == "class"):
        own = node.child_by_field_name("name")  # such an expression may have a name of its own
        if own is not None and own.type in ("identifier", "type_identifier") and reader.language.lambdas:
            name_node = own
    if kind == "lambda" and not reader.language.lambdas:
        _unnamed_function(reader, node)
        return
    title = titles.of_block(reader, node) if kind == "lambda" else None
    name = title.text if title is not None else _name(reader, name_node)
    body = captures["claims"][0] if "claims" in captures else node
    owner = outer
    if "target" in captures or (
        name_node is not None
        and title is None
        and ("::" in name or name_node.type in ("dot_index_expression", "method_index_expression"))
    ):
        owner, name = _owner(reader, captures, name)
    inner = kind in _FUNCTIONS
    if inner and reader.language.module_members and mixins.block_around(node) in mixins.ADDING:
        owner = reader.enclosing("class", "namespace")
    if inner:
        qualified = titles.qualified_name(reader, owner, name) if title is not None else ""
        symbol = function_scope(reader, kind, name, node, name_node, body, owner, qualified)
        index = reader.stack[-1]
        if title is not None:
            titles.describe_test(reader, symbol, node, title)
        if owner != outer:
            reader.scopes[index].target = reader.scopes[owner].target
        if "returns" in captures:
            reader.scopes[index].returns = reader.expr(captures, "returns")
        if name_node is not None and kind == "lambda":
            reader.bind(index, text_of(name_node), Binding("def", node.start_byte, symbol, index))
        elif body is not node and reader.language.lambdas and (called := body.child_by_field_name("name")) is not None:
            reader.bind(index, text_of(called), Binding("def", node.start_byte, symbol, index))  # `f = function g() {}`
    else:
        symbol = _symbol(reader, _CLASSES[kind], name, node, name_node, owner)
        index = _open_class(reader, symbol, node, captures)
        reader.scope_at[body.start_byte] = index
    if kind not in ("lambda", "anonymous"):
        reader.bind(owner, name, Binding("def", node.start_byte, symbol, index))


def _open_class(reader: Reader, symbol: int, node: Node, captures: Captures) -> int:
    scope = OpenScope("class", reader.stack[-1], symbol, node.end_byte, reader.symbols[symbol].qualified_name)
    for base in (part for each in captures.get("base.extends", ()) for part in intersected_types(each)):
        type_ = reader.lower.expr(base)
        if type_:
            scope.bases.append(("extends", type_))
    index = reader.push(scope)
    reader.scope_at[node.start_byte] = index
    return index


def _unnamed_function(reader: Reader, node: Node) -> None:
    """Handle an anonymous function in a language where its actions count for the enclosing function."""
    symbol, prefix = _titled(reader, node)
    scope = OpenScope("function", reader.stack[-1], symbol, node.end_byte, prefix)
    returns = reader.language.fields.get("returns")
    if returns:
        scope.returns = reader.lower.expr(node.child_by_field_name(returns))
    reader.scope_at[node.start_byte] = reader.push(scope)
    callbacks.bind_implicit(reader, node)


def block(reader: Reader, node: Node) -> bool:
    """Open the scope of a block that is a test with a title; return whether it is one."""
    symbol, prefix = _titled(reader, node)
    is_test = symbol != reader.current().symbol
    if is_test:
        reader.push(OpenScope("block", reader.stack[-1], symbol, node.end_byte, prefix))
    return is_test


def _titled(reader: Reader, node: Node) -> tuple[int, str]:
    """Return to which symbol the actions of an anonymous function or block belong, with the prefix of names in it: to a test
    with a title, otherwise to what is around it."""
    title = titles.of_block(reader, node)
    if title is None:
        return reader.current().symbol, reader.current().prefix
    qualified = titles.qualified_name(reader, reader.stack[-1], title.text)
    symbol = _symbol(reader, "function", title.text, node, None, reader.stack[-1], qualified=qualified)
    titles.describe_test(reader, symbol, node, title)
    return symbol, qualified


def _name(reader: Reader, name_node: Node | None) -> str:
    if name_node is not None:
        text = text_of(name_node)
        if name_node.type == "computed_property_name" and text[1:2] in "\"'":  # ["x"]: as good as x
            text = text.strip("[]")
        return "".join(text.strip("\"'`:").lstrip(reader.language.sigil or None).split())[:120]
    index = reader.stack[-1]
    while reader.scopes[index].kind == "block":
        index = reader.scopes[index].parent
    scope = reader.scopes[index]
    owner = reader.scopes[reader.scope_of[scope.symbol]] if scope.symbol >= 0 else scope
    owner.unnamed += 1
    return f"<lambda{owner.unnamed}>"


def _owner(reader: Reader, captures: Captures, name: str) -> tuple[int, str]:
    """Return the extension scope for a member defined outside of its type, and the member's own name."""
    if "target" in captures:
        return extension(reader, lending.lent_to(reader, captures)), name
    separator = "::" if "::" in name else (":" if ":" in name else ".")
    owner, _, last = name.rpartition(separator)
    target: Expr | None = None
    for part in owner.replace("::", ".").replace(":", ".").split("."):
        part = part.partition("<")[0]
        target = ("name", part) if target is None else ("attr", target, part)
    return extension(reader, target), last


def extension(reader: Reader, target: Expr | None, *, static: bool = False) -> int:
    """Return the scope of members that this file adds to a type by single definitions; it has no position."""
    base = target
    if target and (target[0] == "list" or (target[0] == "gen" and not reader.language.partial)):
        base = target[1]
    parent = reader.stack[-1] if static else reader.enclosing("namespace", "class", "object")
    where = (base, parent)
    index = reader.extensions.get(where)
    if index is None:
        outer = reader.scopes[parent]
        named = reader.language.naming == "package" and outer.kind == "module" and not reader.package
        prefix = "" if named and base and (base[0] == "attr" or reader.language.module_members) else outer.prefix
        scope = OpenScope("extension", parent, outer.symbol, 0, _join(prefix, spelled(base)))
        scope.target, scope.static = base, static
        reader.scopes.append(scope)
        index = reader.extensions[where] = len(reader.scopes) - 1
    return index


def _extension(reader: Reader, node: Node, captures: Captures) -> None:
    mark = (node.start_byte, node.end_byte)
    if mark in reader.declared:
        return
    reader.declared.add(mark)
    outer = reader.current()
    target = reader.expr(captures, "target")
    base = target[1] if target and target[0] == "gen" else target
    scope = OpenScope("extension", reader.stack[-1], outer.symbol, node.end_byte, _join(outer.prefix, spelled(base)))
    written = node.child_by_field_name("type_parameters")
    scope.target = lending.ANY if written is not None and last_name(base) in lending.parameters(written) else base
    for name in ("base.trait", "base.implements"):
        trait = reader.expr(captures, name)
        if trait:
            scope.bases.append(("implements", trait))
    reader.extensions[mark] = reader.push(scope)


def _namespace(reader: Reader, node: Node, captures: Captures) -> None:
    outer = reader.current()
    name_node = captures["name"][0] if "name" in captures else None
    name = text_of(name_node) if name_node is not None else "<namespace>"
    name = name.replace("::", ".").replace("\\", ".").strip("\"'")
    dotted = name if outer.kind == "module" and reader.language.naming == "package" else _join(outer.prefix, name)
    if reader.language.naming == "package" and outer.kind == "module" and reader.package:
        dotted = f"{reader.package}.{name}"
    symbol = _symbol(reader, "namespace", name, node, name_node, reader.stack[-1], qualified=dotted)
    owner = reader.stack[-1]
    index = reader.push(OpenScope("namespace", owner, symbol, node.end_byte, dotted))
    first, dot, _ = name.partition(".")
    if (
        not dot or reader.language.naming != "package"
    ):  # `namespace A.B` adds to B; what else A has is looked up by name
        reader.bind(owner, first, Binding("def", node.start_byte, symbol, index))
    of_file = f"{reader.symbols[0].qualified_name}." if reader.language.module_members else ""  # of a module in a class
    reader.namespaces.append((dotted.removeprefix(of_file), index))


def _object(reader: Reader, kind: str, node: Node, captures: Captures) -> None:
    """Handle an object literal: its properties are members of the variable or property it is assigned to."""
    outer = reader.current()
    literal = captures["claims"][0] if "claims" in captures else node
    symbol, prefix = outer.symbol, outer.prefix
    if "name" in captures:
        name_node = captures["name"][0]
        name = text_of(name_node).strip("\"'`")
        value: Expr = ("obj", literal.start_byte)
        if kind == "object" and outer.kind in ("module", "namespace"):
            symbol = variable(reader, name, node, name_node)
            reader.bind(reader.stack[-1], name, Binding("var", node.start_byte, symbol, value=value))
        else:
            at = "field" if outer.kind == "object" else "var"
            reader.bind(reader.stack[-1], name, Binding(at, node.start_byte, value=value))
            if name == "__proto__" and outer.kind == "object":
                outer.bases.append(("extends", value))
        prefix = _join(outer.prefix, name)
    index = reader.push(OpenScope("object", reader.stack[-1], symbol, literal.end_byte, prefix))
    reader.scope_at[literal.start_byte] = index
    if reader.language.contextual:
        reader.current().returns = contexts.written_type(reader.lower, literal)


def _plain(reader: Reader, kind: str, node: Node, captures: Captures) -> None:
    """Handle a definition without its own scope: fields, constants, types."""
    type_, value, parameter = reader.expr(captures, "type"), reader.expr(captures, "value"), kind == "parameter_field"
    if reader.language.doc_types and (parameter or kind == "field"):
        type_ = documented.of_definition(reader, parameter, node, text_of(captures["name"][0]), type_)
    if parameter:  # TypeScript: constructor(private x: T) is a parameter and a field
        name = text_of(captures["name"][0])
        reader.current().parameters.append(name)
        reader.bind(reader.stack[-1], name, Binding("param", node.start_byte, type=type_))
        kind = "field"
    owner = reader.enclosing(*_MEMBERS) if kind == "field" else reader.stack[-1]
    if kind in ("attribute", "class_attribute"):
        if kind == "attribute":  # objects keep it; what only the class has, has no value
            value = ("attr", ("this",), "@" + _name(reader, captures["name"][0]))
        kind, owner = "field", reader.enclosing(*_MEMBERS, "namespace")
    for name_node in captures["name"]:
        name = _name(reader, name_node)
        if name == "_":
            continue
        where = reader.scopes[owner].kind
        if kind == "field" and where == "module":
            continue
        unnamed = where == "object" or (where in ("function", "block") and kind in ("constant", "variable"))
        symbol = -1 if unnamed else _symbol(reader, kind, name, node, name_node, owner)
        if kind == "type":
            inner = _open_alias(reader, symbol, node)
            reader.bind(owner, name, Binding("def", node.start_byte, symbol, inner, type=type_))
        else:
            bound = "field" if kind == "field" else "var"
            reader.bind(owner, name, Binding(bound, node.start_byte, symbol, type=type_, value=value))
            around = reader.scopes[owner]
            if kind == "constant" and reader.language.family == "c" and around.kind == "class":
                reader.bind(around.parent, name, Binding("var", node.start_byte, symbol))  # C: an enum is no scope


def _open_alias(reader: Reader, symbol: int, node: Node) -> int:
    """Open the scope of the type parameters of a named type; return its index, -1 without any."""
    if not reader.language.contextual or node.child_by_field_name("type_parameters") is None:
        return -1
    outer = reader.current()
    return reader.push(OpenScope("block", reader.stack[-1], outer.symbol, node.end_byte, outer.prefix))


def _symbol(
    reader: Reader,
    kind: str,
    name: str,
    node: Node,
    name_node: Node | None,
    owner: int,
    body: Node | None = None,
    qualified: str = "",
) -> int:
    scope = reader.scopes[owner]
    parent = reader.symbols[scope.symbol]
    name = name or "<unnamed>"
    qualified = qualified or _join(scope.prefix, name)
    count = reader.keys[qualified] = reader.keys.get(qualified, 0) + 1
    key = f"{reader.path}:{qualified}" + (f"#{count}" if count > 1 else "")
    source, start, end = reader.source, node.start_byte, node.end_byte
    if name_node is not None and not start <= name_node.start_byte < end:
        start = name_node.start_byte
    at, after = (name_node.start_byte, name_node.end_byte) if name_node is not None else (start, start)
    line = reader.lines_before(start)
    head = source[max(start, at - 200) : at]
    if kind in _DECLARED:  # the words before a declarator belong to the declaration around it
        head = _STATEMENT.split(source[max(0, at - 200) : at])[-1]
    member = scope.kind in _MEMBERS
    if kind == "function" and member:
        kind = "method"
    exported = start < reader.export_end
    visible = describe.visibility(reader.language, name, head, exported, _default(reader, scope, parent))
    reader.symbols.append(
        Symbol(
            key,
            qualified,
            name,
            kind,
            reader.path,
            line + 1,
            max(line, node.end_point[0] - (node.end_point[1] == 0)) + 1,  # C: the node of a macro ends on the next line
            signature=describe.signature(source, start, body or node, reader.language.fields.get("body", "")),
            doc=describe.doc_above(reader.lines, line, reader.language),
            visibility=visible,
            language=reader.language.name,
            is_async=describe.is_async(head),
            exported=exported if reader.language.visibility == "export" else visible == "public",
            content_hash=describe.fingerprint(source, start, end, at, after),
        )
    )
    index = len(reader.symbols) - 1
    reader.name_starts.append((at, index))
    reader.owners.append(owner)
    return index


def _default(reader: Reader, scope: OpenScope, parent: Symbol) -> str:
    """Return the default visibility of a member; members of an interface are public everywhere."""
    of_trait = scope.kind == "extension" and bool(scope.bases)
    if (
        parent.kind in _PUBLIC_MEMBERS
        or of_trait
        or (reader.language.visibility == "export" and scope.kind in _MEMBERS)
    ):
        return "public"
    return ""


def _join(prefix: str, name: str) -> str:
    return f"{prefix}.{name}" if prefix else name
