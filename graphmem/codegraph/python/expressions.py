"""Lowers expressions: one small function per kind of node, in a table. Each returns the register of the value. What
cannot matter to names, calls or types becomes `UNKNOWN` or the instance of a built-in type."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from graphmem.codegraph.python import ir
from graphmem.codegraph.python.scope import Scope
from graphmem.codegraph.python.typeparams import annotation_type

_TEXT_LIMIT = 80
_KEY_LIMIT = 60
_INT_LIMIT = 1 << 31

_BINARY = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.MatMult: "matmul", ast.Div: "truediv", ast.FloorDiv: "floordiv",
    ast.Mod: "mod", ast.Pow: "pow", ast.LShift: "lshift", ast.RShift: "rshift", ast.BitOr: "or", ast.BitXor: "xor",
    ast.BitAnd: "and",
}  # fmt: skip
_COMPARE = {ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge"}
_UNARY = {ast.USub: "__neg__", ast.UAdd: "__pos__", ast.Invert: "__invert__"}


def lower(scope: Scope, node: ast.expr) -> int:
    """Return the register of an expression's value."""
    return _EXPRESSIONS[type(node)](scope, node)


def path_of(node: ast.expr) -> str:
    """Return the access path of `a.b["c"]` as a string, or "" for anything more complicated."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        base = path_of(node.value)
        return base and f"{base}.{node.attr}"
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        base = path_of(node.value)
        return base and f"{base}[{node.slice.value!r}]"
    return ""


def operator_method(node: ast.operator, *, in_place: bool = False) -> str:
    """Return `__add__`, or `__iadd__` for the augmented assignment."""
    return f"__{'i' if in_place else ''}{_BINARY[type(node)]}__"


def _name(scope: Scope, node: ast.Name) -> int:
    return scope.load(node.id, node.lineno)


def _constant(scope: Scope, node: ast.Constant) -> int:
    value = node.value
    key = type(value), value
    register = scope.constants.get(key, -1)
    if register < 0:
        register = scope.constants[key] = _literal(scope, value)
    return register


def _literal(scope: Scope, value: object) -> int:
    if value is None or value is ...:
        return scope.constant(ir.UNKNOWN)
    is_key = len(value) <= _KEY_LIMIT if isinstance(value, str) else type(value) is int and abs(value) < _INT_LIMIT
    return scope.constant(ir.CONST, value) if is_key else scope.constant(ir.INSTANCE, type(value).__name__)


def _attribute(scope: Scope, node: ast.Attribute) -> int:
    base = lower(scope, node.value)
    reaching = scope.reaching(path) if scope.paths and (path := path_of(node)) else -1
    return scope.emit(ir.ATTRIBUTE, base, node.attr, node.end_lineno, reaching)


def _call(scope: Scope, node: ast.Call) -> int:
    callee = lower(scope, node.func)
    args = tuple([~lower(scope, a.value) if type(a) is ast.Starred else lower(scope, a) for a in node.args])
    kwargs = tuple([(k.arg, lower(scope, k.value)) for k in node.keywords]) if node.keywords else ()
    func = node.func
    line, column = func.end_lineno or func.lineno, func.col_offset
    if type(func) is ast.Name:
        register = scope.emit(ir.CALL, callee, args, kwargs, line, column, func.id[:_TEXT_LIMIT])
        return _cast(scope, node, register) if func.id == "cast" else register
    row = scope.file.lines[line - 1]
    begin = column if func.lineno == line else len(row) - len(row.lstrip())
    text = row[begin : min(func.end_col_offset or begin, begin + _TEXT_LIMIT)].decode("utf-8", "ignore")
    register = scope.emit(ir.CALL, callee, args, kwargs, line, column, text)
    return _cast(scope, node, register) if text.endswith(".cast") else register


def _cast(scope: Scope, node: ast.Call, register: int) -> int:
    """Lower `cast("Item", x)` to an instance of the type in the first argument."""
    says = annotation_type(node.args[0], scope.type_params) if len(node.args) == 2 else None
    return register if says is None else scope.emit(ir.TYPED, says, register, True)


def _subscript(scope: Scope, node: ast.Subscript) -> int:
    base = lower(scope, node.value)
    if isinstance(node.slice, ast.Slice):
        bounds = [_slice_bound(scope, b) for b in (node.slice.lower, node.slice.upper, node.slice.step)]
        return scope.emit(ir.SLICE, base, *bounds[:2])
    key = lower(scope, node.slice)
    reaching = scope.reaching(path) if scope.paths and (path := path_of(node)) else -1
    return scope.emit(ir.SUBSCRIPT, base, key, node.lineno, reaching)


def _slice_bound(scope: Scope, node: ast.expr | None) -> int | None:
    """Return a constant slice bound (None if it is left out or unknown)."""
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return node.value
    if node is not None:
        lower(scope, node)
    return None


def _collect(scope: Scope, node: ast.List | ast.Tuple | ast.Set) -> int:
    items = tuple([~lower(scope, e.value) if type(e) is ast.Starred else lower(scope, e) for e in node.elts])
    kind = type(node).__name__.lower()
    if len(items) > 1 and all(i >= 0 and _is_number(scope.ops[i]) for i in items):
        return scope.constant(ir.INSTANCE, kind)
    return scope.emit(ir.COLLECT, kind, items)


def _is_number(op: ir.Op) -> bool:
    """Return whether a value is a number or a collection of numbers: such values are never called or used as names."""
    return op[0] == ir.INSTANCE or (op[0] == ir.CONST and type(op[1]) is int)


def _dict(scope: Scope, node: ast.Dict) -> int:
    keys = tuple([-1 if k is None else lower(scope, k) for k in node.keys])
    return scope.emit(ir.DICT, keys, tuple([lower(scope, v) for v in node.values]))


def _binary(scope: Scope, node: ast.BinOp) -> int:
    left, right = lower(scope, node.left), lower(scope, node.right)
    if isinstance(node.op, ast.Mod) and isinstance(node.left, ast.Constant | ast.JoinedStr):
        return scope.constant(ir.INSTANCE, "str")
    return scope.emit(ir.BINARY, left, right, operator_method(node.op), node.lineno)


def _compare(scope: Scope, node: ast.Compare) -> int:
    left = lower(scope, node.left)
    for op, comparator in zip(node.ops, node.comparators, strict=True):
        right = lower(scope, comparator)
        if isinstance(op, ast.In | ast.NotIn):
            scope.emit(ir.BINARY, right, left, "__contains__", node.lineno)
        elif type(op) in _COMPARE and scope.ops[left][0] not in (ir.CONST, ir.INSTANCE, ir.UNKNOWN):
            scope.emit(ir.BINARY, left, right, f"__{_COMPARE[type(op)]}__", node.lineno)
        left = right
    return scope.constant(ir.INSTANCE, "bool")


def _unary(scope: Scope, node: ast.UnaryOp) -> int:
    if isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant) and type(node.operand.value) is int:
        return scope.constant(ir.CONST, -node.operand.value)
    operand = lower(scope, node.operand)
    if isinstance(node.op, ast.Not):
        return scope.constant(ir.INSTANCE, "bool")
    return scope.emit(ir.BINARY, operand, -1, _UNARY[type(node.op)], node.lineno)


def _bool(scope: Scope, node: ast.BoolOp) -> int:
    """Lower `a and b`: either value. The right side is narrowed by the left one."""
    scope.complexity += len(node.values) - 1
    before = scope.env
    scope.env = dict(before)
    registers = []
    for value in node.values:
        registers.append(lower(scope, value))
        narrow(scope, value, isinstance(node.op, ast.And))
    _restore_environment(scope, before)
    return scope.emit(ir.PHI, tuple(dict.fromkeys(registers)))


def _if(scope: Scope, node: ast.IfExp) -> int:
    scope.complexity += 1
    lower(scope, node.test)
    before, values = scope.env, []
    for branch, positive in ((node.body, True), (node.orelse, False)):
        scope.env = dict(before)
        narrow(scope, node.test, positive)
        values.append(lower(scope, branch))
    _restore_environment(scope, before)
    return scope.emit(ir.PHI, tuple(dict.fromkeys(values)))


def _restore_environment(scope: Scope, before: dict[str, int]) -> None:
    """Restore the environment from before a conditional part, but keep names that `:=` bound in it."""
    for key, register in scope.env.items():
        if key not in before:
            before[key] = register
    scope.env = before


def narrow(scope: Scope, test: ast.expr, positive: bool) -> None:
    """Narrow the variables that `test` checks, on the branch where its result is `positive`."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        narrow(scope, test.operand, not positive)
    elif isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) == positive:
        for value in test.values:
            narrow(scope, value, positive)
    elif isinstance(test, ast.Call) and isinstance(test.func, ast.Name) and test.func.id == "isinstance":
        if len(test.args) == 2:
            _narrow_to(scope, test.args[0], test.args[1], positive)
    elif isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], ast.Is | ast.Eq) and positive:
        left = test.left
        if isinstance(left, ast.Call) and isinstance(left.func, ast.Name) and left.func.id == "type" and left.args:
            _narrow_to(scope, left.args[0], test.comparators[0], positive)


def _narrow_to(scope: Scope, subject: ast.expr, classes: ast.expr, positive: bool) -> None:
    path = path_of(subject)
    parts = classes.elts if isinstance(classes, ast.Tuple) else [classes]
    if not path or not all(isinstance(p, ast.Name | ast.Attribute) for p in parts):
        return
    register = scope.emit(
        ir.NARROW, lower(scope, subject), tuple([lower(scope, p) for p in parts]), positive
    )  # fmt: skip
    scope.env[path] = register
    if path != (root := path.partition(".")[0].partition("[")[0]):
        scope.paths.setdefault(root, set()).add(path)


def _comprehension(scope: Scope, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> int:
    before, shadowed = dict(scope.env), len(scope.shadowed)
    for generator in node.generators:
        scope.complexity += 1 + len(generator.ifs)
        element = scope.emit(ir.ITERATE, lower(scope, generator.iter), generator.iter.lineno)
        _comprehend(scope, generator.target, element)
        for condition in generator.ifs:
            lower(scope, condition)
            narrow(scope, condition, True)
    if isinstance(node, ast.DictComp):
        key, value = lower(scope, node.key), lower(scope, node.value)
        register = scope.emit(ir.DICT, (key,), (value,))
    else:
        kind = "set" if isinstance(node, ast.SetComp) else "iterator" if isinstance(node, ast.GeneratorExp) else "list"
        one = scope.emit(ir.COLLECT, "list", (lower(scope, node.elt),))
        register = scope.emit(ir.COLLECT, kind, (~one,))
    for name in dict.fromkeys(scope.shadowed[shadowed:]):
        scope.env.pop(name, None)
        if name in before:
            scope.env[name] = before[name]
    del scope.shadowed[shadowed:]
    return register


def _comprehend(scope: Scope, target: ast.expr, register: int) -> None:
    if isinstance(target, ast.Name):
        scope.comprehend(target.id, register)
    elif isinstance(target, ast.Starred):
        _comprehend(scope, target.value, register)
    elif isinstance(target, ast.Tuple | ast.List):
        for part, item in unpack(scope, target, register):
            _comprehend(scope, part, item)


def unpack(scope: Scope, target: ast.Tuple | ast.List, register: int) -> list[tuple[ast.expr, int]]:
    """Return the parts of a tuple of targets, each with the register of its value."""
    count, pairs = len(target.elts), []
    star = next((n for n, e in enumerate(target.elts) if isinstance(e, ast.Starred)), count)
    for n, part in enumerate(target.elts):
        if n == star:
            pairs.append((part.value, scope.emit(ir.UNPACK_REST, register, n, count - n - 1)))  # type: ignore[attr-defined]
        else:
            pairs.append((part, scope.emit(ir.UNPACK, register, n if n < star else n - count)))
    return pairs


def _lambda(scope: Scope, node: ast.Lambda) -> int:
    return scope.file.lambda_(scope, node)


def _yield(scope: Scope, node: ast.Yield) -> int:
    register = lower(scope, node.value) if node.value else scope.constant(ir.UNKNOWN)
    scope.flags |= ir.GENERATOR
    scope.yields.append(register)
    return scope.constant(ir.UNKNOWN)


def _yield_from(scope: Scope, node: ast.YieldFrom) -> int:
    scope.flags |= ir.GENERATOR
    inner = lower(scope, node.value)
    scope.yields.append(scope.emit(ir.ITERATE, inner, node.lineno))
    return inner


def _await(scope: Scope, node: ast.Await) -> int:
    return lower(scope, node.value)


def _walrus(scope: Scope, node: ast.NamedExpr) -> int:
    register = lower(scope, node.value)
    scope.file.assign_variable(scope, node.target, register)
    return register


def _fstring(scope: Scope, node: ast.JoinedStr) -> int:
    for value in node.values:
        if not isinstance(value, ast.Constant):
            _replacement_field(scope, value)
    return scope.constant(ir.INSTANCE, "str")


def _replacement_field(scope: Scope, node: Any) -> None:
    """Lower the expression in the braces of an f-string."""
    lower(scope, node.value)
    if node.format_spec is not None:
        lower(scope, node.format_spec)


def _starred(scope: Scope, node: ast.Starred) -> int:
    return scope.emit(ir.ITERATE, lower(scope, node.value), node.lineno)


def _slice(scope: Scope, node: ast.Slice) -> int:
    for part in (node.lower, node.upper, node.step):
        if part is not None:
            lower(scope, part)
    return scope.constant(ir.UNKNOWN)


_EXPRESSIONS: dict[type, Callable[[Scope, Any], int]] = {
    ast.Name: _name, ast.Constant: _constant, ast.Attribute: _attribute, ast.Call: _call, ast.Subscript: _subscript,
    ast.List: _collect, ast.Tuple: _collect, ast.Set: _collect, ast.Dict: _dict, ast.BinOp: _binary,
    ast.Compare: _compare, ast.UnaryOp: _unary, ast.BoolOp: _bool, ast.IfExp: _if, ast.ListComp: _comprehension,
    ast.SetComp: _comprehension, ast.GeneratorExp: _comprehension, ast.DictComp: _comprehension, ast.Lambda: _lambda,
    ast.Yield: _yield, ast.YieldFrom: _yield_from, ast.Await: _await, ast.NamedExpr: _walrus, ast.JoinedStr: _fstring,
    ast.Starred: _starred, ast.Slice: _slice,
}  # fmt: skip
if hasattr(ast, "TemplateStr"):  # since Python 3.14
    _EXPRESSIONS[ast.TemplateStr] = _fstring
