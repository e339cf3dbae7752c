"""Reads one file: a single query pass over its tree gives captures in source order, and a sweep over them with a stack of
open scopes gives symbols, scopes, references and imports. It resolves nothing.

Capture names (the one after the dot says which kind): @definition.* with @name and where there are @type, @value, @claims
(the function, class or object that gets its name here), @target (the type that is extended); @local.* with @name, @type,
@value, @element (value that is iterated), @listed (type of each element), @given (by an argument); @scope; @base.extends,
@base.implements;
@reference.call, .new, .element (a component of JSX), .type, .value, .macro, .read, .write and .update (of a member),
.key (of a literal, or the name of an argument); @import
with @import.source, .name, .alias; @package; @return; @assign with @left and @right; @mixin with @target and @source;
@lends with @name and @target; @doc (a comment that states types); @branch; @decorator; @export."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from graphmem.codegraph.generic import (
    assignments,
    callbacks,
    definitions,
    documented,
    gains,
    imports,
    lending,
    literal_keys,
    macros,
    positions,
    targets,
)
from graphmem.codegraph.generic.lower import text_of
from graphmem.codegraph.generic.patterns import bound, has_default
from graphmem.codegraph.generic.reader import Captures, OpenScope, Reader
from graphmem.codegraph.generic.summary import ANY_KEYWORD, CONVERSION, ELEMENT, Binding, Expr, names_in

if TYPE_CHECKING:
    from tree_sitter import Node

_PRIMARY = (
    "definition.",
    "local.",
    "reference.",
    "base.",
    "scope",
    "import",
    "export",
    "package",
    "return",
    "assign",
    "reassign",
    "branch",
    "decorator",
    "mixin",
    "lends",
    "error",
    "doc",
)
_SECONDARY = frozenset({"import.source", "import.name", "import.alias", "import.default", "import.namespace",
                        "import.star", "import.module", "import.prefix"})  # fmt: skip
_WORDS = re.compile(rb"[A-Za-z_]\w*")
_PARAMETERS = ("local.parameter", "local.rest")
_FUNCTION_TYPES = frozenset({"function_type", "constructor_type", "call_signature", "construct_signature"})
_UNNAMED = {"local.indexer": ELEMENT, "local.conversion": CONVERSION}
_FOREIGN = ("module", "namespace")


def sweep(reader: Reader, items: Iterable[tuple[str, Node, Captures]]) -> None:
    """Process the captures of a file in source order."""
    definitions.module(reader)
    stack, scopes = reader.stack, reader.scopes
    for primary, node, captures in items:
        start = node.start_byte
        while len(stack) > 1 and scopes[stack[-1]].end <= start:
            stack.pop()
        _HANDLERS[primary](reader, primary, node, captures)
    assignments.bind_undeclared(reader)
    attach_decorators(reader)
    macro_mentions(reader)


def ordered(matches: list[tuple[int, Captures]], primaries: dict[int, str]) -> list[tuple[str, Node, Captures]]:
    """Return the matches of a query in source order, outer before inner; `primaries` caches which capture leads a
    pattern."""
    items = []
    for n, (pattern, captures) in enumerate(matches):
        primary = primaries.get(pattern)
        if primary is None:
            primary = primaries[pattern] = _primary(captures)
        node = captures[primary][0]
        items.append((node.start_byte, -node.end_byte, pattern, n, primary, node, captures))
    items.sort(key=_order)
    return [(primary, node, captures) for *_, primary, node, captures in items]


def _order(item: tuple[Any, ...]) -> tuple[int, int, int, int]:
    return item[:4]


def _primary(captures: Captures) -> str:
    for prefix in _PRIMARY:
        for name in captures:
            if name.startswith(prefix) and name not in _SECONDARY:
                return name
    raise ValueError(f"a pattern without a leading capture: {sorted(captures)}")


def _scope(reader: Reader, primary: str, node: Node, captures: Captures) -> None:
    outer = reader.current()
    if reader.language.titled_blocks and definitions.block(reader, node):
        return
    if outer.kind in ("function", "block", "namespace") and outer.end == node.end_byte and primary == "scope":
        return  # a body adds nothing to the scope of its function
    index = reader.push(OpenScope("block", reader.stack[-1], outer.symbol, node.end_byte, outer.prefix))
    caught = assignments.caught(node) if primary == "scope.catch" and reader.language.value_flow else None
    for name_node in captures.get("name", ()):
        for name, at, type_, value in bound(name_node, None, caught):
            reader.bind(index, name, Binding("var", at.start_byte, type=type_, value=value))


def _local(reader: Reader, primary: str, node: Node, captures: Captures) -> None:
    if primary == "local.places":
        positions.bind_places(reader, node, text_of(captures["name"][0]))
        return
    span = (node.start_byte, node.end_byte)
    name_node = captures["name"][0]
    mark = (name_node.start_byte, name_node.end_byte)
    index = reader.stack[-1]
    scope = reader.scopes[index]
    if span in reader.declared or mark in reader.declared or (primary in _PARAMETERS and scope.kind != "function"):
        return  # a parameter outside of a function belongs to a declaration without a body
    if primary in _PARAMETERS and _is_of_function_type(name_node):
        return
    reader.declared.add(mark)
    type_, value = reader.expr(captures, "type"), reader.expr(captures, "value")
    if primary == "local.described":  # RSpec: what `described_class` means
        reader.bind(index, "described_class", Binding("var", node.start_byte, value=value))
        return
    if primary in _UNNAMED:
        reader.bind(index, _UNNAMED[primary], Binding("field", node.start_byte, type=type_))
        return
    if name_node.type == "init_declarator":
        value = reader.lower.expr(name_node.child_by_field_name("value"))
    if "listed" in captures:
        inner = reader.expr(captures, "listed")
        type_ = ("list", inner) if inner else None
    if "given" in captures:
        value = targets.of_argument(reader.lower, node, 0)
    if "element" in captures:
        value = reader.expr(captures, "element")
        value = _iterated(reader, name_node, value)
    if type_ and type_[0] == "name" and type_[1] in ("var", "auto", "let", "val", "_", "dynamic", "__auto_type"):
        type_ = None
    if primary in ("local.parameter", "local.block") and type_ is None and value is None:
        value = callbacks.handed(reader, name_node)
    if name_node.type == "assignment_pattern":  # a default
        value = reader.lower.expr(name_node.child_by_field_name("right"))
    if primary == "local.parameter" and reader.language.value_flow:
        primary, name_node, type_, value = _whole_parameter(reader, node, name_node, type_, value)
    for name, at, its_type, its_value in bound(name_node, type_, value, reader.lower.expr):
        if reader.language.doc_types:
            its_type = documented.of_local(reader, primary in _PARAMETERS, node, name, its_type)
        _bind_local(reader, primary, node, name, at, its_type, its_value)
        if its_value and its_value[0] == "attr" and at is not name_node and reader.language.accessors:
            row, column = at.start_point  # `const { name } = user` reads the member
            reader.references.append(("read", index, its_value, row + 1, column, at.start_byte))


def _is_of_function_type(name_node: Node) -> bool:
    """Return whether a parameter belongs to a type that is written within a function: `(x: X) => Y`."""
    parameters = name_node.parent.parent if name_node.parent is not None else None
    around = parameters.parent if parameters is not None else None
    return around is not None and around.type in _FUNCTION_TYPES


def _whole_parameter(
    reader: Reader, node: Node, name_node: Node, type_: Expr | None, value: Expr | None
) -> tuple[str, Node, Expr | None, Expr | None]:
    """Bind a parameter that is a pattern to a name of its own, of which the names in the pattern are parts; note one that
    takes the rest."""
    scope = reader.current()
    inner = name_node.named_child(0) if name_node.type == "assignment_pattern" else name_node
    if inner is None or inner.type not in ("object_pattern", "array_pattern"):
        scope.rest = scope.rest or name_node.type == "rest_pattern"
        return "local.parameter", name_node, type_, value
    whole = f"<{len(scope.parameters)}>"
    scope.parameters.append(whole)
    reader.bind(reader.stack[-1], whole, Binding("param", node.start_byte, type=type_, value=value))
    return "local.part", inner, None, ("name", whole)


def _bind_local(
    reader: Reader, primary: str, node: Node, name: str, at: Node, type_: Expr | None, value: Expr | None
) -> None:
    """Bind one variable; those of modules and classes are symbols."""
    index = reader.stack[-1]
    scope = reader.scopes[index]
    if name == "_" or (name[:1].isupper() and reader.language.capital_patterns and primary != "local.typeparameter"):
        return  # in a pattern of Rust a capital is a constant or variant to compare with
    kind, symbol = "var", -1
    if primary == "local.member":
        kind = "field"
    elif primary in ("local.part", "local.taken"):
        kind = "param"
    elif primary == "local.keyword":
        kind = "param"
        scope.parameters.append(ANY_KEYWORD if node.type == "hash_splat_parameter" else f"{name}:")
    elif primary in _PARAMETERS:
        kind = "param"
        label = node.child_by_field_name("external_name") if reader.language.labels else None
        scope.parameters.append(f"{text_of(label)} {name}" if label is not None else name)
        scope.rest = scope.rest or primary == "local.rest"
        scope.required += primary == "local.parameter" and not has_default(node)
    elif primary == "local.typeparameter":
        kind = "typevar"
        type_, value = type_ or value, None  # without a bound its default says what it mostly is
        template = node.parent.parent if node.parent is not None else None
        alias = template is not None and template.type == "type_alias_declaration" and scope.kind == "block"
        if scope.kind not in ("class", "function") and reader.language.value_flow and not alias:
            return  # of a type without a scope
        if template is not None and "implied" in reader.language.lower:
            type_ = lending.bound(reader, template, name)
        elif template is not None and reader.language.using:
            reader.templates.append((name, Binding(kind, node.start_byte, type=type_), template.end_byte))
            return
    elif at.type == "function_declarator":
        kind = "decl"
    elif primary == "local.variable" and scope.kind in _FOREIGN:
        if name in scope.names:
            return  # assigned again: the first one stands for it
        symbol = definitions.variable(reader, name, node, at)
    elif primary == "local.variable" and scope.kind in ("class", "extension"):
        kind, symbol = "field", definitions.plain(reader, "field", name, node, at)
    # a declared name is not yet there in its own initial value: `let x = x.next()`
    at_byte = node.end_byte if primary == "local.variable" else node.start_byte
    reader.bind(index, name, Binding(kind, at_byte, symbol, type=type_, value=value))


def _iterated(reader: Reader, pattern: Node, value: Expr | None) -> Expr | None:
    """Return the element of what is iterated; Go's `for i, x := range xs` gives it to the second name."""
    if value is None:
        return None
    if reader.language.counted_loops:
        return ("tuple", (None, ("index", value))) if pattern.named_child_count > 1 else None
    return ("index", value)


def _reference(reader: Reader, primary: str, node: Node, captures: Captures) -> None:
    kind = primary.partition(".")[2]
    low = reader.lower
    if kind == "type" and _seen_type(reader, node):
        return
    if kind == "macro":
        reader.macros.append((node.start_byte, node.end_byte, reader.stack[-1]))
    if kind == "call" or kind == "macro":
        place, expr = _callee(reader, node, kind)
        if expr is not None and reader.language.value_flow:
            assignments.of_call(reader, node, expr)
    elif kind == "key":
        kind, place, expr = _key(reader, node)
    elif kind == "bare":
        place, expr = node, ("call", low.expr(node), ())
    elif kind == "element":  # <Form.Field/>: to render a component is to call it
        kind, place, expr = "call", node, ("call", low.expr(node), ())
    elif kind == "token":
        place, expr = node, None if node.start_byte < reader.attribute_end else imports.token_path(node)
        if expr is None:
            return
        low.names.update(names_in(expr))
        kind = "call"
    else:
        place, expr = node, low.expr(node)
        if kind == "super":
            kind, expr = "call", ("super",)
        elif kind == "constructor":
            kind, expr = "call", ("call", expr, low.arguments(node.parent, 1)) if node.parent else expr
        elif kind == "new" and expr and (reader.language.overloads or reader.language.value_flow) and node.parent:
            expr = ("new", expr, low.arguments(node.parent, 1))
        elif kind == "implied":
            kind = "new"
        elif kind == "construct" and expr and (given := _constructor_arguments(node)) is not None:
            expr = ("new", expr, tuple(low.expr(each) for each in given))
        elif kind == "initializer":
            kind, expr = "construct", ("name", text_of(node))
            low.names.add(expr[1])
    if expr is None:
        if kind != "call":
            return
        expr = ("computed",)
    if (
        expr[0] in ("lit", "str", "tuple")
        or (kind == "call" and expr[0] in ("index", "cast"))
        or (expr[0] == "fn" and kind != "call")
    ):
        return
    if place.type in ("member_expression", "generic_type") and (kind != "call" or primary == "reference.element"):
        place = place.named_child(place.named_child_count - 1) or place
    row, column = place.start_point
    scope = reader.stack[-1]
    if kind == "write" and reader.scope_at.get(node.start_byte) == scope:  # `o.setter = () => {}`: not in the function
        scope = reader.scopes[scope].parent
    reader.references.append((kind, scope, expr, row + 1, column, node.start_byte))


def _key(reader: Reader, node: Node) -> tuple[str, Node, Expr | None]:
    """Return the key of a literal as a field that is written; in Go it may instead be a value, as in a map."""
    low = reader.lower
    field = literal_keys.field_of_key(low, node)
    if not reader.language.value_keys:
        return "write", node, field
    return ("key", node, field) if field is not None else ("value", node, low.expr(node))


def _constructor_arguments(type_: Node) -> list[Node] | None:
    """C++: return what the constructor of a declared variable gets: `Sound one(buffer), two{buffer}, three;`."""
    declarator = type_.parent.child_by_field_name("declarator") if type_.parent is not None else None
    if declarator is None or declarator.type == "identifier":
        return []
    if declarator.type == "function_declarator":  # `Sound copy(original);` reads like a function
        names = declarator.child_by_field_name("parameters")
        return [child.named_children[0] for child in names.named_children if child.named_child_count] if names else None
    value = declarator.child_by_field_name("value")
    return [child for child in value.named_children if not child.is_extra] if value is not None else None


def _seen_type(reader: Reader, node: Node) -> bool:
    """Return whether the name of a type needs no look: it is the name of a definition or of what is called, a part of a longer
    name, or was mentioned by the same symbol before."""
    if (node.start_byte, node.end_byte) in reader.declared or _is_called(reader, node):
        return True
    if node.named_child_count > 1:
        last = node.named_children[-1]
        reader.declared.add((last.start_byte, last.end_byte))
        return False
    mark = (reader.current().symbol, text_of(node))
    if mark in reader.types:
        return True
    reader.types.add(mark)
    return False


def _is_called(reader: Reader, name: Node) -> bool:
    """Return whether a name is that of a function with type arguments where it is called: `One[int](1)`."""
    around = name.parent if reader.language.index_arguments else None
    if around is None or around.type != "generic_type" or around.child_by_field_name("type") != name:
        return False
    return around.parent is not None and around.parent.type == "type_conversion_expression"


def macro_mentions(reader: Reader) -> None:
    """Record names of this file among the tokens of a macro call."""
    known = {n.encode() for n in reader.scopes[0].names}
    for start, end, scope in reader.macros:
        for word in sorted(known.intersection(_WORDS.findall(reader.source, start, end))):
            line = reader.lines_before(start) + 1
            reader.references.append(("value", scope, ("name", word.decode()), line, 0, start))


def _callee(reader: Reader, node: Node, kind: str) -> tuple[Node, Expr | None]:
    """Return the called expression and the node of its last name, where an editor would put the cursor."""
    whole = reader.lower.expr(node)
    spec = reader.language.lower.get(kind, {}).get(node.type, "")
    if isinstance(spec, list):
        place = node.child_by_field_name(spec[1])
    else:
        place = node.child_by_field_name(spec) if spec else node.named_child(0)
        fields = reader.language.lower.get("attr", {}).get(place.type) if place is not None else None
        if fields and fields[1]:
            place = place.child_by_field_name(fields[1]) or place  # type: ignore[union-attr]
    return place or node, whole if whole and whole[1] else None


def _base(reader: Reader, primary: str, node: Node, captures: Captures) -> None:
    type_ = reader.lower.expr(node)
    kinds = ("class", "extension", "object", *(("namespace",) if reader.language.module_members else ()))
    index = reader.enclosing(*kinds)
    if type_ is None or index == 0:
        return
    scope = reader.scopes[index]
    kind = primary.partition(".")[2]
    if (("extends", type_) in scope.bases) or (("implements", type_) in scope.bases):
        return
    scope.bases.append((kind, type_))
    if kind == "embeds":  # Go: an embedded type is a field named like it
        base = type_[1] if type_[0] == "gen" else type_
        reader.bind(index, base[-1], Binding("field", node.start_byte, type=type_))
    elif scope.kind != "object":
        row, column = node.start_point
        reader.references.append(("base", reader.stack[-1], type_, row + 1, column, node.start_byte))


def _return(reader: Reader, primary: str, node: Node, captures: Captures) -> None:
    index = reader.enclosing("function")
    if index and reader.scope_at.get(node.start_byte) == index:  # what is returned is itself a function
        index = reader.scopes[index].parent
        while index > 0 and reader.scopes[index].kind != "function":
            index = reader.scopes[index].parent
    scope = reader.scopes[index]
    if scope.kind == "function" and scope.returns is None and len(scope.results) < 6:
        value = reader.lower.expr(node)
        if value and primary == "return.yield":
            around = node.parent
            every = around is not None and any(child.type == "*" for child in around.children)
            value = ("yieldall" if every else "yield", value)
        if value and value not in scope.results:
            scope.results.append(value)
            reader.depends.setdefault(scope.symbol, []).append(value)


def _branch(reader: Reader, primary: str, node: Node, captures: Captures) -> None:
    symbol = reader.current().symbol
    reader.branches[symbol] = reader.branches.get(symbol, 0) + 1


def _decorator(reader: Reader, primary: str, node: Node, captures: Captures) -> None:
    reader.attribute_end = node.end_byte
    if primary == "decorator.inner":
        return
    reader.decorators.append((node.end_byte, " ".join(text_of(node).split())[:120]))


def _export(reader: Reader, primary: str, node: Node, captures: Captures) -> None:
    reader.export_end = max(reader.export_end, node.end_byte)


def _package(reader: Reader, primary: str, node: Node, captures: Captures) -> None:
    definitions.package(reader, text_of(node))


def _error(reader: Reader, primary: str, node: Node, captures: Captures) -> None:
    reader.errors += 1


def attach_decorators(reader: Reader) -> None:
    """Attach each decorator to the first definition whose name follows it."""
    starts = sorted(reader.name_starts)
    given: dict[int, list[str]] = {}
    for end, text in sorted(reader.decorators):
        at = bisect_left(starts, (end, -1))
        if at < len(starts):
            given.setdefault(starts[at][1], []).append(text.lstrip("@#[").rstrip("]"))
    for index, texts in given.items():
        reader.symbols[index] = reader.symbols[index]._replace(decorators=tuple(texts))


class _Handlers(dict[str, Callable[[Reader, str, "Node", Captures], None]]):
    """Handlers by leading capture; `definition.x` and the like fall back to `definition`."""

    def __missing__(self, key: str) -> Callable[[Reader, str, Node, Captures], None]:
        handler = self[key.partition(".")[0]]
        self[key] = handler
        return handler


_HANDLERS = _Handlers(
    {
        "definition": definitions.define,
        "definition.macro": macros.define,
        "local": _local,
        "scope": _scope,
        "reference": _reference,
        "base": _base,
        "return": _return,
        "return.yield": _return,
        "return.throw": assignments.throw,
        "assign": assignments.assign,
        "assign.weak": assignments.assign,
        "reassign": assignments.reassign,
        "reassign.weak": assignments.reassign,
        "branch": _branch,
        "decorator": _decorator,
        "export": _export,
        "export.names": imports.read,
        "export.star": imports.read,
        "export.default": imports.read,
        "export.module": imports.read,
        "import": imports.read,
        "package": _package,
        "mixin": gains.mixin,
        "lends": gains.lend,
        "error": _error,
        "doc": documented.read,
    }
)
