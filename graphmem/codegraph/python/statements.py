"""Lowers statements: one small function per kind of node, in a table. Control flow becomes merges of registers; only
definitions, stores, calls and references leave operations behind."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from graphmem.codegraph.python import ir
from graphmem.codegraph.python.annotations import names_in
from graphmem.codegraph.python.expressions import lower, narrow, operator_method, path_of, unpack
from graphmem.codegraph.python.scope import Env, Scope
from graphmem.codegraph.python.typeparams import annotation_type


def lower_block(scope: Scope, statements: Sequence[ast.stmt]) -> None:
    """Lower statements in order."""
    for statement in statements:
        _STATEMENTS[type(statement)](scope, statement)


def annotation_references(scope: Scope, annotation: ast.expr | None) -> None:
    """Record the references in an annotation, even if it is never evaluated."""
    if annotation is not None:
        for node, line in names_in(annotation):
            _reference(scope, node, line)


def _reference(scope: Scope, node: ast.expr, line: int) -> int:
    if isinstance(node, ast.Attribute):
        return scope.emit(ir.ATTRIBUTE, _reference(scope, node.value, line), node.attr, line, -1)
    return scope.load(node.id, line) if isinstance(node, ast.Name) else lower(scope, node)


# -- assignments -----------------------------------------------------------------------------------------------------


def _assign(scope: Scope, node: ast.Assign) -> None:
    register = lower(scope, node.value)
    for target in node.targets:
        assign(scope, target, register, node.value)


def assign(scope: Scope, target: ast.expr, register: int, value: ast.expr | None = None) -> None:
    """Store a register in a target, whatever kind of target it is."""
    if isinstance(target, ast.Name):
        scope.file.assign_variable(scope, target, register, value)
    elif isinstance(target, ast.Tuple | ast.List):
        items = value.elts if isinstance(value, ast.Tuple | ast.List) and len(value.elts) == len(target.elts) else ()
        for n, (part, item) in enumerate(unpack(scope, target, register)):
            assign(scope, part, item, items[n] if items else None)
    elif isinstance(target, ast.Attribute):
        base = lower(scope, target.value)
        is_own = isinstance(target.value, ast.Name) and target.value.id == scope.receiver
        scope.emit(ir.STORE_ATTRIBUTE, base, target.attr, register, target.end_lineno, is_own)
        if is_own:
            scope.file.declare_field(scope, target)
        if path := path_of(target):
            scope.assign_path(path, register)
    elif isinstance(target, ast.Subscript):
        base, key = lower(scope, target.value), lower(scope, target.slice)
        scope.emit(ir.STORE_ITEM, base, key, register)
        if path := path_of(target):
            scope.assign_path(path, register)
    elif isinstance(target, ast.Starred):
        assign(scope, target.value, register)


def _annotated(scope: Scope, node: ast.AnnAssign) -> None:
    expression = annotation_type(node.annotation, scope.type_params)
    annotation_references(scope, node.annotation)
    register = lower(scope, node.value) if node.value else -1
    typed = (
        scope.emit(ir.TYPED, expression, register, False) if expression else max(register, scope.constant(ir.UNKNOWN))
    )
    if isinstance(node.target, ast.Name):
        scope.file.assign_variable(scope, node.target, typed, node.value, expression, node.annotation)
    else:
        assign(scope, node.target, typed)


def _type_alias(scope: Scope, node: Any) -> None:
    """Lower `type Rows = list[Row]` (parsed by Python 3.12 and later)."""
    assign(scope, node.name, lower(scope, node.value), node.value)


def _augmented(scope: Scope, node: ast.AugAssign) -> None:
    right = lower(scope, node.value)
    left = lower(scope, node.target)  # lowering does not mind that the node says "store"
    method = operator_method(node.op, in_place=True)
    assign(scope, node.target, scope.emit(ir.BINARY, left, right, method, node.lineno))


def _expression(scope: Scope, node: ast.Expr) -> None:
    value = node.value
    if isinstance(value, ast.Constant):
        return
    register = lower(scope, value)
    if (
        isinstance(value, ast.Call)
        and isinstance(value.func, ast.Attribute)
        and value.func.attr == "update"
        and len(value.args) == 1
        and isinstance(value.args[0], ast.Dict)
        and (path := path_of(value.func.value))
    ):
        _lower_update(scope, path, register)


def _lower_update(scope: Scope, path: str, call: int) -> None:
    """Lower `d.update({"key": value})` as an assignment to `d["key"]`."""
    _, keys, values = scope.ops[scope.ops[call][2][0]]
    for key, value in zip(keys, values, strict=True):
        if key >= 0 and scope.ops[key][0] == ir.CONST:
            scope.assign_path(f"{path}[{scope.ops[key][1]!r}]", value)


def _delete(scope: Scope, node: ast.Delete) -> None:
    for target in node.targets:
        if not isinstance(target, ast.Name):
            lower(scope, target)


# -- control flow ----------------------------------------------------------------------------------------------------


def _if(scope: Scope, node: ast.If) -> None:
    scope.complexity += 1
    lower(scope, node.test)
    before = scope.env
    ways = []
    for statements, positive in ((node.body, True), (node.orelse, False)):
        scope.env, scope.live = dict(before), True
        narrow(scope, node.test, positive)
        lower_block(scope, statements)
        ways.append(scope.branch())
    scope.merge(*ways)


def _while(scope: Scope, node: ast.While) -> None:
    scope.complexity += 1
    scope.open_loop()
    lower(scope, node.test)
    narrow(scope, node.test, True)
    lower_block(scope, node.body)
    _leave_loop(scope, node.orelse)


def _for(scope: Scope, node: ast.For | ast.AsyncFor) -> None:
    scope.complexity += 1
    iterable = lower(scope, node.iter)
    scope.open_loop()
    assign(scope, node.target, scope.emit(ir.ITERATE, iterable, node.iter.lineno))
    lower_block(scope, node.body)
    _leave_loop(scope, node.orelse)


def _leave_loop(scope: Scope, otherwise: list[ast.stmt]) -> None:
    scope.env, breaks = scope.close_loop()
    scope.live = True
    lower_block(scope, otherwise)
    scope.merge(scope.branch(), *breaks)


def _break(scope: Scope, _: ast.Break) -> None:
    if scope.loops and scope.live:
        scope.loops[-1].breaks.append(dict(scope.env))
    scope.live = False


def _continue(scope: Scope, _: ast.Continue) -> None:
    if scope.loops and scope.live:
        scope.loops[-1].continues.append(dict(scope.env))
    scope.live = False


def _return(scope: Scope, node: ast.Return) -> None:
    if node.value is not None:
        scope.returns.append(lower(scope, node.value))
    scope.live = False


def _raise(scope: Scope, node: ast.Raise) -> None:
    if node.exc is not None:
        register = lower(scope, node.exc)
        if not isinstance(node.exc, ast.Call):
            scope.emit(ir.RAISE, register, node.lineno)
    if node.cause is not None:
        lower(scope, node.cause)
    scope.live = False


def _assert(scope: Scope, node: ast.Assert) -> None:
    lower(scope, node.test)
    narrow(scope, node.test, True)
    if node.msg is not None:
        lower(scope, node.msg)


def _try(scope: Scope, node: ast.Try) -> None:
    before: Env = dict(scope.env)
    lower_block(scope, node.body)
    after = dict(scope.env)
    lower_block(scope, node.orelse)
    ways = [scope.branch()]
    for handler in node.handlers:
        scope.complexity += 1
        scope.merge(dict(before), dict(after))
        _except_handler(scope, handler)
        ways.append(scope.branch())
    scope.merge(*ways)
    if node.finalbody:
        live = scope.live
        if not live:
            scope.env = before
        lower_block(scope, node.finalbody)
        scope.live = scope.live and live


def _except_handler(scope: Scope, handler: ast.ExceptHandler) -> None:
    if handler.type is not None:
        register = lower(scope, handler.type)
        if handler.name:
            name = ast.copy_location(ast.Name(handler.name), handler)
            scope.file.assign_variable(scope, name, scope.emit(ir.CAUGHT, register))
    lower_block(scope, handler.body)


def _with(scope: Scope, node: ast.With | ast.AsyncWith) -> None:
    for item in node.items:
        register = scope.emit(ir.ENTER, lower(scope, item.context_expr), item.context_expr.lineno)
        if item.optional_vars is not None:
            assign(scope, item.optional_vars, register)
    lower_block(scope, node.body)


def _match(scope: Scope, node: ast.Match) -> None:
    subject, path = lower(scope, node.subject), path_of(node.subject)
    before, ways = scope.env, []
    for case in node.cases:
        scope.complexity += 1
        scope.env, scope.live = dict(before), True
        register = _pattern(scope, case.pattern, subject)
        if path:
            scope.env[path] = register
        if case.guard is not None:
            lower(scope, case.guard)
            narrow(scope, case.guard, True)
        lower_block(scope, case.body)
        ways.append(scope.branch())
    scope.merge(dict(before), *ways)


def _pattern(scope: Scope, pattern: ast.pattern, subject: int) -> int:
    """Bind the names of a pattern; return the register of the subject, narrowed by the match."""
    if isinstance(pattern, ast.MatchClass):
        subject = scope.emit(ir.NARROW, subject, (lower(scope, pattern.cls),), True)
        for name, inner in zip(pattern.kwd_attrs, pattern.kwd_patterns, strict=True):
            _pattern(scope, inner, scope.emit(ir.ATTRIBUTE, subject, name, inner.lineno, -1))
        for inner in pattern.patterns:
            _pattern(scope, inner, scope.constant(ir.UNKNOWN))
    elif isinstance(pattern, ast.MatchAs):
        if pattern.pattern is not None:
            subject = _pattern(scope, pattern.pattern, subject)
        if pattern.name:
            scope.file.assign_variable(scope, ast.copy_location(ast.Name(pattern.name), pattern), subject)
    elif isinstance(pattern, ast.MatchOr):
        return scope.emit(ir.PHI, tuple(dict.fromkeys(_pattern(scope, p, subject) for p in pattern.patterns)))
    elif isinstance(pattern, ast.MatchSequence):
        for n, inner in enumerate(pattern.patterns):
            _pattern(scope, inner, scope.emit(ir.UNPACK, subject, n))
    elif isinstance(pattern, ast.MatchMapping):
        for key, inner in zip(pattern.keys, pattern.patterns, strict=True):
            _pattern(scope, inner, scope.emit(ir.SUBSCRIPT, subject, lower(scope, key), key.lineno, -1))
    elif isinstance(pattern, ast.MatchValue):
        lower(scope, pattern.value)
    return subject


# -- definitions and imports -----------------------------------------------------------------------------------------


def _function(scope: Scope, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
    scope.file.function(scope, node)


def _class(scope: Scope, node: ast.ClassDef) -> None:
    scope.file.class_(scope, node)


def _import(scope: Scope, node: ast.Import) -> None:
    for alias in node.names:
        register = scope.emit(ir.IMPORT, alias.name, 0, "", node.lineno)
        if alias.asname:
            scope.bind(alias.asname, register, "import", alias.name, 0, "")
            continue
        top = alias.name.partition(".")[0]
        if top != alias.name:
            register = scope.emit(ir.IMPORT, top, 0, "", 0)
        scope.bind(top, register, "import", top, 0, "")


def _import_from(scope: Scope, node: ast.ImportFrom) -> None:
    module = node.module or ""
    for alias in node.names:
        if alias.name == "*":
            scope.stars.append((module, node.level))
            scope.emit(ir.IMPORT, module, node.level, "", node.lineno)
        else:
            register = scope.emit(ir.IMPORT, module, node.level, alias.name, alias.lineno)
            scope.bind(alias.asname or alias.name, register, "import", module, node.level, alias.name)


def _global(scope: Scope, node: ast.Global) -> None:
    scope.declared_global.update(node.names)


def _nonlocal(scope: Scope, node: ast.Nonlocal) -> None:
    scope.declared_outer.update(node.names)


def _pass(scope: Scope, node: ast.stmt) -> None:
    """Nothing to do."""


_STATEMENTS: dict[type, Callable[[Scope, Any], None]] = {
    ast.Assign: _assign, ast.AnnAssign: _annotated, ast.AugAssign: _augmented, ast.Expr: _expression,
    ast.Delete: _delete, ast.If: _if, ast.While: _while, ast.For: _for, ast.AsyncFor: _for, ast.Break: _break,
    ast.Continue: _continue, ast.Return: _return, ast.Raise: _raise, ast.Assert: _assert, ast.Try: _try,
    ast.With: _with, ast.AsyncWith: _with, ast.Match: _match, ast.FunctionDef: _function,
    ast.AsyncFunctionDef: _function, ast.ClassDef: _class, ast.Import: _import, ast.ImportFrom: _import_from,
    ast.Global: _global, ast.Nonlocal: _nonlocal, ast.Pass: _pass, ast.TryStar: _try,
}  # fmt: skip
if hasattr(ast, "TypeAlias"):  # since Python 3.12
    _STATEMENTS[ast.TypeAlias] = _type_alias
