"""Lowers one file: definitions, and a body of operations for the module and each class and function. A nested scope is
lowered after its enclosing scope, so that all outer names are known. Other files exist here only as names in import
operations."""

from __future__ import annotations

import ast
from collections import deque

from graphmem.codegraph.python import ir, typeparams
from graphmem.codegraph.python.annotations import alias_expression
from graphmem.codegraph.python.definitions import (
    add_definition,
    add_symbol,
    docstring,
    variable_kind,
)
from graphmem.codegraph.python.exports import written_exports
from graphmem.codegraph.python.expressions import lower
from graphmem.codegraph.python.scope import File, Scope
from graphmem.codegraph.python.statements import annotation_references, lower_block
from graphmem.codegraph.python.typeparams import annotation_type, substitute_params
from graphmem.model.code import Symbol

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda

# Decorators that leave a function what it is: a reference to the name still means the function itself.
_TRANSPARENT = frozenset(
    "staticmethod classmethod property abstractmethod abstractproperty cached_property overload override final cache "
    "lru_cache wraps contextmanager asynccontextmanager setter getter deleter fixture total_ordering singledispatch "
    "singledispatchmethod dataclass no_type_check deprecated reify runtime_checkable unique".split()
)
_FLAGS = {
    "staticmethod": ir.STATIC, "classmethod": ir.CLASSMETHOD, "setter": ir.SETTER, "deleter": ir.SETTER,
    "overload": ir.OVERLOAD, "wraps": ir.WRAPS, "contextmanager": ir.CONTEXT, "asynccontextmanager": ir.CONTEXT,
    "reify": ir.PROPERTY, "abstractmethod": ir.ABSTRACT, "abstractproperty": ir.ABSTRACT,
}  # fmt: skip
_IMPLICIT_CLASSMETHODS = ("__new__", "__init_subclass__", "__class_getitem__")


class FileLowering(File):
    """The file under construction."""

    __deletable__ = ("_scopes",)  # for the compiled form

    def __init__(self, path: str, module: str, text: str, tree: ast.Module) -> None:
        self.path = path
        self.lines = text.encode("utf-8", "replace").split(b"\n")
        self.symbols = []
        self.keys = {}
        self.classes: list[ir.ClassRecord] = []
        self._scopes: list[Scope] = []
        self._waiting: deque[tuple[Scope, Function | ast.ClassDef]] = deque()
        self._variables: dict[tuple[int, str], int] = {}
        self._has_type_params = typeparams.has_type_params(text)
        self.module = Scope(self, "module", module.rpartition(".")[2], None, tree)
        self.module.prefix = module
        self.module.symbol = self._module_symbol(module, tree)
        lower_block(self.module, tree.body)
        while self._waiting:
            scope, node = self._waiting.popleft()
            if isinstance(node, ast.ClassDef):
                lower_block(scope, node.body)
            else:
                self._function_body(scope, node)
            scope.finish()

    def result(self, is_package: bool) -> tuple[tuple[Symbol, ...], ir.Summary]:
        """Return the symbols, and the linker's input."""
        for scope in self._scopes:
            if scope.kind != "class":
                self.symbols[scope.symbol] = self.symbols[scope.symbol]._replace(complexity=scope.complexity)
        packed = ir.pack([scope.body() for scope in self._scopes], self.classes)
        exports = written_exports(self.module.node)
        imports = {op[1:4] for scope in self._scopes for op in scope.ops if op[0] == ir.IMPORT}
        summary = ir.Summary(self.module.prefix, is_package, exports, tuple(sorted(imports)), packed)
        symbols = tuple(self._exported(s, exports) for s in self.symbols)
        del self.module, self._scopes  # they hold the syntax tree and lead back here: a cycle, which would keep it
        return symbols, summary

    def register(self, scope: Scope) -> int:
        """Assign an index to a scope."""
        self._scopes.append(scope)
        return len(self._scopes) - 1

    # -- definitions ---------------------------------------------------------------------------------------------------

    def function(self, scope: Scope, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        """Lower a function definition: decorators, defaults and the binding of its name."""
        decorators = [(lower(scope, d), d.lineno) for d in node.decorator_list]
        defaults = _defaults(scope, node.args)
        inner = self._scope("function", node.name, scope, node)
        inner.symbol = add_definition(self, inner.prefix, "method" if inner.owner >= 0 else "function", node)
        inner.flags = _flags(node, is_method=inner.owner >= 0)
        register = scope.emit(ir.FUNCTION, inner.index, defaults)
        for decorator, line in reversed(decorators):
            register = scope.emit(ir.DECORATE, register, decorator, line)
        scope.bind(node.name, register, "def", inner.index)
        if inner.flags & ir.OPAQUE and scope.kind != "function":
            scope.emit(ir.STORE_NAME, scope.index, node.name, register)

    def lambda_(self, scope: Scope, node: ast.Lambda) -> int:
        """Lower a lambda; return its register."""
        defaults = _defaults(scope, node.args)
        scope.lambdas += 1
        inner = self._scope("function", f"<lambda{scope.lambdas}>", scope, node)
        inner.symbol = add_symbol(self, inner.prefix, "function", node)
        return scope.emit(ir.FUNCTION, inner.index, defaults)

    def class_(self, scope: Scope, node: ast.ClassDef) -> None:
        """Lower a class statement; its body is lowered later."""
        decorators = [(lower(scope, d), d.lineno) for d in node.decorator_list]
        for base in node.bases:
            lower(scope, base)
        for keyword in node.keywords:
            lower(scope, keyword.value)
        bases = [b.value if isinstance(b, ast.Starred) else b for b in node.bases]
        bases = [a for b in bases for a in (b.args[1:] if _is_with_metaclass(b) else [b])]  # type: ignore[attr-defined]
        inner = self._scope("class", node.name, scope, node)
        inner.owner = len(self.classes)
        last = [ast.unparse(b).rpartition(".")[2] for b in bases[-1:]]
        kind = "enum" if last and last[0].endswith(("Enum", "Flag")) else "class"
        inner.symbol = add_definition(self, inner.prefix, kind, node)
        expressions = tuple(annotation_type(_base(b), inner.type_params) or ("none",) for b in bases)
        if own := self._type_params(node.lineno):
            expressions += (("index", ("generic", "Generic"), tuple(own.values())),)
        self.classes.append(
            ir.ClassRecord(
                node.name, inner.symbol, inner.index, scope.index, expressions, self.symbols[inner.symbol].decorators
            )
        )
        register = scope.emit(ir.CLASS, inner.owner)
        for decorator, line in reversed(decorators):
            scope.emit(ir.DECORATE, register, decorator, line)
        scope.bind(node.name, register, "class", inner.owner)

    def assign_variable(
        self, scope: Scope, target: ast.Name, register: int, value: ast.expr | None = None,
        annotation: ir.TypeExpr | None = None, says: ast.expr | None = None,
    ) -> None:  # fmt: skip
        """Bind a variable; in a module or class it is also a symbol. `annotation` is the type expression."""
        home = self.module if target.id in scope.declared_global else scope
        if home.kind != "function" and (scope is not home or target.id not in scope.shadowed):
            known = home.bindings.get(target.id)
            if not (known and isinstance(value, ast.Constant) and value.value is None):
                alias = alias_expression(value, says) if value is not None else None
                alias = substitute_params(alias, self._type_params(target.lineno)) if alias else None
                if not known or (alias, annotation) != (None, None) or all(b[0] != "var" for b in known):
                    symbol = -1 if known else self._variable(home, target)
                    home.bindings.setdefault(target.id, []).append(("var", symbol, alias, annotation))
        scope.assign(target.id, register)

    def declare_field(self, scope: Scope, target: ast.Attribute) -> None:
        """Record an attribute that a method stores on its own object (or class)."""
        scope.fields[target.attr] = None
        home = scope.parent
        if home is not None and home.kind == "class" and target.attr not in home.bindings:
            self._variable(home, target)

    def _variable(self, home: Scope, target: ast.Name | ast.Attribute) -> int:
        name = target.id if isinstance(target, ast.Name) else target.attr
        known = self._variables.get((home.index, name))
        if known is None:
            text = self.lines[target.lineno - 1].decode("utf-8", "ignore").strip()[:160]
            kind = variable_kind(home.kind, name)
            known = add_symbol(self, f"{home.prefix}.{name}", kind, target, signature=text)
            self._variables[home.index, name] = known
        return known

    def _scope(self, kind: str, name: str, parent: Scope, node: Function | ast.ClassDef) -> Scope:
        inner = Scope(self, kind, name, parent, node)
        inner.prefix = f"{parent.prefix}.{name}" if parent.prefix else name
        if not isinstance(node, ast.Lambda) and (own := self._type_params(node.lineno)):
            inner.type_params = {**inner.type_params, **own}
        if kind == "function" and parent.kind == "class" and not isinstance(node, ast.Lambda):
            inner.owner = parent.owner
        self._waiting.append((inner, node))
        return inner

    def _type_params(self, line: int) -> typeparams.TypeParams:
        return typeparams.type_params_at(self.lines, line) if self._has_type_params else typeparams.NONE

    def _function_body(self, scope: Scope, node: Function) -> None:
        args = node.args
        kinds = [(a, ir.POSITIONAL) for a in (*args.posonlyargs, *args.args)]
        kinds += [(args.vararg, ir.STAR)] if args.vararg else []
        kinds += [(a, ir.KEYWORD) for a in args.kwonlyargs]
        kinds += [(args.kwarg, ir.STARSTAR)] if args.kwarg else []
        params = []
        for position, (arg, kind) in enumerate(kinds):
            annotation_references(scope, arg.annotation)
            params.append(ir.Param(arg.arg, kind, annotation_type(arg.annotation, scope.type_params)))
            register = scope.emit(ir.PARAM, position)
            scope.env[arg.arg] = register
            scope.defs[arg.arg] = [register]
        scope.params = tuple(params)
        if scope.owner >= 0 and params and not scope.flags & ir.STATIC and params[0].kind == ir.POSITIONAL:
            scope.receiver = params[0].name
        if isinstance(node, ast.Lambda):
            scope.returns.append(lower(scope, node.body))
            return
        annotation_references(scope, node.returns)
        scope.returns_type = annotation_type(node.returns, scope.type_params)
        lower_block(scope, node.body)
        if scope.parent is not None and scope.parent.kind == "function":
            scope.flags |= ir.FORWARDS if any(_calls_captured(scope, scope.ops[r]) for r in scope.returns) else 0
            scope.flags |= ir.CALLS_OUTER if any(_calls_captured(scope, op) for op in scope.ops) else 0

    def _module_symbol(self, module: str, tree: ast.Module) -> int:
        add_symbol(
            self,
            module,
            "module",
            ast.Pass(lineno=1, end_lineno=max(len(self.lines) - (not self.lines[-1]), 1), col_offset=0),
        )
        name = module.rpartition(".")[2]
        self.symbols[0] = self.symbols[0]._replace(name=name, doc=docstring(tree), signature=f"module {module}")
        return 0

    def _exported(self, symbol: Symbol, exports: tuple[str, ...] | None) -> Symbol:
        """Exported by `__all__` if there is one, else by its name; members go with their scope."""
        if symbol.kind == "module":
            return symbol
        prefix = self.module.prefix
        parts = symbol.qualified_name[len(prefix) + 1 if prefix else 0 :].split(".")
        exported = parts[0] in exports if exports is not None else not parts[0].startswith("_")
        exported = exported and all(not p.startswith("_") or p.endswith("__") for p in parts[1:])
        return symbol if exported == symbol.exported else symbol._replace(exported=exported)


def _defaults(scope: Scope, args: ast.arguments) -> tuple[tuple[int, int], ...]:
    """Return the defaults as (position of the parameter, register)."""
    positional = len(args.posonlyargs) + len(args.args)
    first = positional - len(args.defaults)
    pairs = [(first + n, lower(scope, d)) for n, d in enumerate(args.defaults)]
    keyword = positional + (args.vararg is not None)
    pairs += [(keyword + n, lower(scope, d)) for n, d in enumerate(args.kw_defaults) if d is not None]
    return tuple(pairs)


def _flags(node: ast.FunctionDef | ast.AsyncFunctionDef, *, is_method: bool) -> int:
    """Return what the header of a function says about it."""
    flags = ir.ASYNC if isinstance(node, ast.AsyncFunctionDef) else 0
    flags |= ir.ABSTRACT if _is_abstract(node) else ir.EMPTY if _is_empty(node) else 0
    flags |= ir.CLASSMETHOD if is_method and node.name in _IMPLICIT_CLASSMETHODS else 0
    for decorator in node.decorator_list:
        target = decorator.func if isinstance(decorator, ast.Call) else decorator
        name = target.attr if isinstance(target, ast.Attribute) else target.id if isinstance(target, ast.Name) else ""
        if name.endswith("property"):
            flags |= ir.PROPERTY
        elif name not in _TRANSPARENT:
            flags |= ir.OPAQUE
        flags |= _FLAGS.get(name, 0)
    return flags


def _is_abstract(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Return whether the body, except for a docstring, consists of `...` or a NotImplementedError."""
    rest = node.body[1:] if docstring(node) else node.body
    if len(rest) != 1:
        return False
    statement = rest[0]
    if isinstance(statement, ast.Raise) and statement.exc is not None:
        raised = statement.exc.func if isinstance(statement.exc, ast.Call) else statement.exc
        return isinstance(raised, ast.Name) and raised.id == "NotImplementedError"
    return (
        isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant) and statement.value.value is ...
    )


def _is_empty(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return all(
        isinstance(s, ast.Pass) or (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant)) for s in node.body
    )


def _calls_captured(scope: Scope, op: ir.Op) -> bool:
    """Return whether this is a call of a variable of an enclosing function, as wrappers make it."""
    if op[0] != ir.CALL:
        return False
    callee = scope.ops[op[1]]
    return bool(callee[0] == ir.NAME and callee[1] not in (0, scope.index))


def _is_with_metaclass(base: ast.expr) -> bool:
    return isinstance(base, ast.Call) and ast.unparse(base.func).endswith("with_metaclass")


def _base(base: ast.expr) -> ast.expr:
    """Return the class of `class A(factory(...))` as far as syntax tells: that of `namedtuple("A", ...)` is
    `namedtuple`."""
    return base.func if isinstance(base, ast.Call) else base
