"""Assignments that define something: `this.x = ...`, `exports.f = function () {}`, `Type.prototype.m = ...`, `app.get =
...`. Only languages without a declaration for these (JavaScript, Lua, Ruby, PHP) have patterns for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphmem.codegraph.generic import definitions, gains
from graphmem.codegraph.generic.lower import text_of
from graphmem.codegraph.generic.patterns import bound
from graphmem.codegraph.generic.reader import OpenScope
from graphmem.codegraph.generic.summary import Binding, Expr

if TYPE_CHECKING:
    from tree_sitter import Node

    from graphmem.codegraph.generic.reader import Captures, Reader

_CREATE: Expr = ("attr", ("name", "Object"), "create")
_EXPORTS = (("name", "exports"), ("attr", ("name", "module"), "exports"))
_DEFINING = (("name", "Object"), ("name", "Reflect"))
_DEFINE = {"__defineGetter__": "get", "__defineSetter__": "set"}
_ASSIGNED = 20  # times that a variable is followed
THROWN: Expr = ("thrown",)
_PLAIN = frozenset({"expression_statement", "assignment_expression", "variable_declarator", "lexical_declaration",
                    "variable_declaration", "await_expression", "parenthesized_expression"})  # fmt: skip
_DECLARED = frozenset({"function_declaration", "generator_function_declaration", "method_definition"})
_FUNCTIONS = frozenset({"arrow_function", "function_expression", "generator_function", "function_definition",
                        "anonymous_function"})  # fmt: skip


def assign(reader: Reader, primary: str, node: Node, captures: Captures) -> None:
    """Handle @assign with @left and @right."""
    left, right_node = reader.lower.expr(captures["left"][0]), captures["right"][0]
    right = reader.lower.expr(right_node)
    while right_node.type == "assignment_expression":  # exports = module.exports = f
        inner = right_node.child_by_field_name("right")
        if inner is None:
            break
        right_node = inner
        right = reader.lower.expr(inner)
    if left is None or right is None:
        return
    if primary == "assign.weak":
        if left[0] in ("attr", "index", "item") and left[1]:
            store(reader, node, left, right)
        return
    if left in _EXPORTS:
        reader.exports["="] = right
        _note(reader, right)
        return
    if left[0] in ("item", "index"):
        store(reader, node, left, right)
    if left[0] != "attr" or left[1] is None:
        return
    base, name = left[1], left[2]
    if name == "prototype" and base[0] == "name":
        _prototype(reader, base, right_node, right)
        return
    if name == "__proto__" and base[0] == "name":
        gains.inherit(reader, base, right, static=True)
        return
    owner = _owner(reader, base, name, right)
    if owner is None:
        if name.startswith("@") and not reader.enclosing("function"):  # of a specification, which has no class
            reader.bind(0, name, Binding("var", node.start_byte, value=right))
        elif base not in _EXPORTS:
            store(reader, node, left, right)
        return
    if (base[0] == "name" and reader.scopes[owner].static) or (
        right_node.type in _FUNCTIONS and name in reader.scopes[owner].names
    ):
        store(reader, node, left, right)
    if right_node.type in _FUNCTIONS:
        _define(reader, node, captures["left"][0], owner, name, right_node)
        return
    known = reader.scopes[owner].names.get(name)
    if known is None:
        reader.bind(owner, name, Binding("field", node.start_byte, scope=reader.stack[-1], value=right))
    elif known[-1].kind == "field" and known[-1].value is None:
        known[-1] = known[-1]._replace(scope=reader.stack[-1], value=right)
    elif known[-1].kind in ("field", "def") and not reader.scopes[owner].static:
        store(reader, node, left, right)


def _define(reader: Reader, node: Node, left: Node, owner: int, name: str, function: Node) -> None:
    """Handle `owner.name = function …`: a function of this name, which knows itself by its own."""
    reader.claimed.add((function.start_byte, function.end_byte))
    name_node = left.child_by_field_name("property") or left
    symbol = definitions.function_scope(reader, "function", name, node, name_node, function, owner)
    reader.bind(owner, name, Binding("def", node.start_byte, symbol, reader.stack[-1]))
    inner_name = function.child_by_field_name("name")
    if inner_name is not None:
        reader.bind(reader.stack[-1], text_of(inner_name), Binding("def", node.start_byte, symbol, reader.stack[-1]))


def _prototype(reader: Reader, base: Expr, right_node: Node, right: Expr) -> None:
    """Handle `Type.prototype = {...}`, `= Object.create(Base.prototype)` and `= new Base()`."""
    if right[0] == "obj":
        outer = reader.current()
        reader.claimed.add((right_node.start_byte, right_node.end_byte))
        prefix = f"{outer.prefix}.{base[1]}" if outer.prefix else str(base[1])
        scope = OpenScope("extension", reader.stack[-1], outer.symbol, right_node.end_byte, prefix)
        scope.target = base
        reader.push(scope)
    elif right[0] == "new":
        gains.inherit(reader, base, right[1])
    elif right[0] == "call" and right[1] == _CREATE and right[2] and right[2][0]:
        gains.inherit(reader, base, right[2][0])


def store(reader: Reader, node: Node, target: Expr, value: Expr, scope: int = -1) -> None:
    """Record what a member, an element or a variable of an outer function may also be, or what is thrown, in languages whose
    values are followed."""
    if reader.language.value_flow and value[0] not in ("lit", "str"):
        row, column = node.start_point
        place = row + 1, column, node.start_byte
        within = scope if scope >= 0 else reader.stack[-1]
        reader.references.append(("store", within, ("store", target, value, is_straight(node)), *place))


def of_call(reader: Reader, node: Node, expr: Expr) -> None:
    """Record what a function of the language gives to an object: `Object.assign(o, p)`, `Object.defineProperty(o, "x", ...)`."""
    callee, arguments = expr[1], expr[2]
    if not callee or callee[0] != "attr" or not arguments or not arguments[0]:
        return
    if callee[2] in _DEFINE and callee[1] and arguments[0][0] == "str" and len(arguments) > 1 and arguments[1]:
        _described(reader, node, callee[1], arguments[0][1], {_DEFINE[callee[2]]: arguments[1]})
    if callee[1] not in _DEFINING:
        return
    target, name = arguments[0], callee[2]
    if name == "assign":
        for source in arguments[1:]:
            if source and source[0] != "spread":
                store(reader, node, ("all", target), source)
    elif name == "defineProperty" and len(arguments) > 2 and arguments[1] and arguments[1][0] == "str" and arguments[2]:
        _described(reader, node, target, arguments[1][1], _roles(arguments[2]))
    elif name == "defineProperties" and len(arguments) > 1:
        given = node.child_by_field_name("arguments")
        described = [child for child in given.named_children if not child.is_extra][1] if given is not None else node
        for pair in described.named_children if described.type == "object" else ():
            key, value = pair.child_by_field_name("key"), reader.lower.expr(pair.child_by_field_name("value"))
            if key is not None and value is not None and key.type == "property_identifier":
                _described(reader, node, target, text_of(key), _roles(value))


def throw(reader: Reader, primary: str, node: Node, captures: Captures) -> None:
    """Note what is thrown."""
    value, scope = reader.lower.expr(node), reader.stack[-1]
    if value:
        if reader.scope_at.get(node.start_byte) == scope:  # a function that is itself thrown
            scope = reader.scopes[scope].parent
        store(reader, node, THROWN, value, scope)


def reassign(reader: Reader, primary: str, node: Node, captures: Captures) -> None:
    """Note `x = value` or `[x, y] = values`: what x is from there on, or one more thing that it may be."""
    surely = node.parent is not None and node.parent.type == "expression_statement" and primary == "reassign"
    for name, at, _, value in bound(captures["name"][0], None, reader.expr(captures, "value"), reader.lower.expr):
        if value is not None and at.type == "member_expression":
            target = reader.lower.expr(at)
            if target is not None and target[0] == "attr" and target[1]:
                store(reader, node, target, value)
        elif value is not None:
            _assigned(reader, name, value, node, surely)


def _assigned(reader: Reader, name: str, value: Expr, node: Node, surely: bool) -> None:
    index = reader.stack[-1]
    while index >= 0:
        scope = reader.scopes[index]
        if name in scope.names:
            bindings = scope.names[name]
            last = bindings[-1] = variable(reader, scope, bindings[-1])
            if reader.enclosing("function") != _function_of(reader, index):
                store(reader, node, ("name", name), value)
            if last.kind not in ("var", "param") or (last.kind == "param" and not reader.language.value_flow):
                return
            if last.value is None and last.kind == "var" and len(bindings) == 1:
                bindings[-1] = last._replace(value=value)
            elif surely and index == reader.stack[-1] and reader.language.value_flow and len(bindings) < _ASSIGNED:
                if len(bindings) == 1:  # the first stands for all of them, for functions that run at any time
                    bindings.append(last)
                bindings[0] = last._replace(value=_either(bindings[0].value, value))
                if value[0] == "call" and last.value is not None:  # `x = x.trim()`: if unknown, then of the same kind
                    value = ("or", value, last.value)
                bindings.append(last._replace(kind="var", at=node.end_byte, value=value))
            else:
                for place in {0, len(bindings) - 1}:
                    one = bindings[place]
                    bindings[place] = one._replace(value=_either(one.value, value))
            return
        index = scope.parent
    if reader.language.value_flow and name not in reader.language.builtins:
        reader.undeclared.append((name, value))


def bind_undeclared(reader: Reader) -> None:
    """Bind what was assigned to names that nothing above declares: variables that the file declares further below, or global
    variables of a script."""
    names = reader.scopes[0].names
    for name, value in reader.undeclared:
        if name not in names:
            reader.bind(0, name, Binding("var", 0, value=value))
        elif names[name][0].kind == "var":
            names[name][0] = names[name][0]._replace(value=_either(names[name][0].value, value))


def _function_of(reader: Reader, index: int) -> int:
    while index > 0 and reader.scopes[index].kind != "function":
        index = reader.scopes[index].parent
    return index


def _either(one: Expr | None, other: Expr) -> Expr:
    return other if one is None or one == other else ("either", one, other)


def variable(reader: Reader, scope: OpenScope, binding: Binding) -> Binding:
    """Return the binding of a name that is assigned to: a function that was bound to it is only its first value."""
    if binding.kind != "def" or not reader.language.value_flow or scope.kind not in ("module", "function", "block"):
        return binding
    if reader.symbols[binding.symbol].kind != "function" or binding.at not in reader.scope_at:
        return binding
    return binding._replace(kind="var", scope=-1, value=("fn", binding.at))


def caught(clause: Node) -> Expr | None:
    """Return what a `catch` clause catches: all that is thrown in the block before it."""
    body = clause.parent.child_by_field_name("body") if clause.parent is not None else None
    return ("caught", body.start_byte, body.end_byte) if body is not None else None


def _roles(descriptor: Expr) -> dict[str, Expr]:
    return {role: ("attr", descriptor, role) for role in ("value", "get", "set")}


def _described(reader: Reader, node: Node, target: Expr, name: str, roles: dict[str, Expr]) -> None:
    """Note the value, the getter and the setter that a member is given."""
    value = roles.get("value")
    if "get" in roles:
        given: Expr = ("call", roles["get"], ())
        value = ("either", value, given) if value else given
        store(reader, node, ("get", target, name), roles["get"])
    if "set" in roles:
        store(reader, node, ("set", target, name), roles["set"])
    if value:
        store(reader, node, ("attr", target, name), value)


def is_straight(node: Node) -> bool:
    """Return whether an expression runs whenever its function does: it is part of no branch and no loop."""
    at = node.parent
    while at is not None and at.type in _PLAIN:
        at = at.parent
    if at is not None and at.type == "statement_block":
        at = at.parent
        return at is not None and (at.type in _FUNCTIONS or at.type in _DECLARED)
    return at is not None and at.type == "program"


def _owner(reader: Reader, base: Expr, name: str, right: Expr) -> int | None:
    """Return the scope that gets the member, or None if unknown."""
    if base in _EXPORTS:
        if right[0] != "fn":
            reader.exports[name] = right
            _note(reader, right)
            return None
        reader.exports[name] = right
        return 0
    if base[0] == "this" or (base[0] == "name" and _is_this(reader, base[1])):
        owner = reader.enclosing("class", "object")
        if owner and reader.scopes[owner].kind == "class":
            return owner
        function = reader.scopes[reader.enclosing("function")]
        if owner and function.parent == owner and function.target is None:  # a method of an object literal
            return owner
        named = reader.symbols[function.symbol].name
        if function.kind == "function" and named.startswith("<") and reader.language.value_flow:
            return None  # `o.each(function () { this.x = 1 })`: no constructor, because nothing can name it
        if function.kind == "function" and function.target is None:  # a constructor function
            return definitions.extension(reader, ("name", reader.symbols[function.symbol].name), static=False)
        for index, scope in enumerate(reader.scopes):
            if scope.kind == "extension" and scope.target == function.target and function.target is not None:
                return index
        return owner or None
    if base[0] == "attr" and base[2] == "prototype":
        return definitions.extension(reader, base[1])
    if base[0] == "name":
        return definitions.extension(reader, base, static=True)
    return None


def _is_this(reader: Reader, name: str) -> bool:
    """Return whether a variable is but another name of `this`: `const self = this`."""
    index = reader.stack[-1]
    while index >= 0 and name not in reader.scopes[index].names:
        index = reader.scopes[index].parent
    return index >= 0 and reader.scopes[index].names[name][-1].value == ("this",)


def _note(reader: Reader, value: Expr) -> None:
    reader.depends.setdefault(0, []).append(value)
