"""The values of expressions: calls, constructors, literals, elements, and declared types."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, cast

from graphmem.codegraph.generic import (
    applicability,
    arities,
    companions,
    contextual,
    elements,
    flow,
    generics,
    members,
    mixins,
    names,
    objects,
    overloads,
)
from graphmem.codegraph.generic.entities import (
    Def,
    Entity,
    External,
    Instance,
    Listed,
    Module,
    Object,
    Returns,
    Tupled,
    Variable,
)
from graphmem.codegraph.generic.imports import rust
from graphmem.codegraph.generic.program import accessor
from graphmem.codegraph.generic.summary import ELEMENT, Binding, Expr, Import, last_name, written_name

if TYPE_CHECKING:
    from graphmem.codegraph.generic.resolver import Resolver
    from graphmem.codegraph.languages import Language

_END = 1 << 60
DELEGATES = frozenset({"Func", "Action", "Predicate"})  # C#: types of functions
_ANYTHING = frozenset(
    f"<builtin>.{name}" for name in ("any", "unknown", "object", "Object", "Function", "never", "void")
)
_GIVE_STRINGS = frozenset(  # methods of strings, of all languages
    "ToLower ToLowerInvariant ToUpper ToUpperInvariant Replace Substring Trim TrimEnd TrimStart PadLeft PadRight capitalize "
    "chomp concat downcase drop dropLast format gsub lowercase lowercased padEnd padStart prependIndent removePrefix "
    "removeSuffix repeat replace replaceFirst replaceIndent reversed strip stripMargin sub substring substringAfter "
    "substringAfterLast substringBefore substringBeforeLast take takeLast toLowerCase toUpperCase trim trimEnd trimIndent "
    "trimMargin trimStart upcase uppercase uppercased".split()
)
_TEXTS = {"ToString": "<builtin>.string", "toString": "<builtin>.String", "to_s": "<builtin>.String"}
_CLASSES = frozenset({"class", "interface", "struct", "trait", "enum", "type"})


def of_binding(resolver: Resolver, path: str, scope: int, binding: Binding) -> Entity | None:
    """Return the value of a binding."""
    if binding.kind == "import":
        found = names.imported(resolver, path, binding.scope)
        return resolver.entity(found) if found else None
    symbol = resolver.program.facts[path].symbols[binding.symbol] if binding.symbol >= 0 else None
    if binding.kind == "def" and symbol is not None:
        if symbol.kind == "type" and binding.type is not None:
            return _alias(resolver, path, scope, binding)
        own = Def(path, binding.symbol, binding.scope)
        language = resolver.language(path)
        computed = language.accessors and accessor(symbol) == "get"
        if computed or (language.bare_calls and companions.is_bare(symbol)):
            return result(resolver, own)
        return own
    if symbol is not None and symbol.kind == "constant":
        owner = resolver.program.scope(path, scope)
        if owner.kind == "class" and owner.symbol >= 0 and binding.type is None:
            return Instance(Def(path, owner.symbol, scope))
    typed = None
    if binding.type is not None:
        typed = instance(resolver, path, _type_scope(resolver, path, scope, binding), binding.type, binding.at)
        if typed is not None and not isinstance(typed, Variable):
            return typed
    if binding.kind == "param" and resolver.flow and resolver.language(path).arguments:
        passed = flow.passed(resolver, path, scope, binding)
        if len(passed) == 1:
            return passed[0]
    if binding.value is not None and typed is None:
        within = binding.scope if binding.kind == "field" and binding.scope >= 0 else scope
        return resolver.inferred(path, within, binding.value, binding.at - 1)
    return typed


def _type_scope(resolver: Resolver, path: str, scope: int, binding: Binding) -> int:
    """Return where the type of a binding is looked up. C#: a property may be named like its type."""
    type_ = binding.type if binding.kind == "field" and resolver.language(path).partial else None
    if type_ and type_[0] == "name" and binding in resolver.program.scope(path, scope).names.get(type_[1], ()):
        return resolver.program.scope(path, scope).parent
    return scope


def _alias(resolver: Resolver, path: str, scope: int, binding: Binding) -> Entity | None:
    """Return a named type: the class it stands for, unless it has members of its own (Go's `type X map[string]Y`)."""
    own = Def(path, binding.symbol, binding.scope)
    if members.extensions(resolver, own):
        return own
    found = resolver.resolve(path, scope, _bare(binding.type), binding.at)
    entity = resolver.entity(found) if found else None
    if isinstance(entity, (Def, External)):
        return entity
    return instance(resolver, path, scope, binding.type, binding.at) or own


def _bare(type_: Expr | None) -> Expr | None:
    return type_[1] if type_ and type_[0] == "gen" else type_


def instance(resolver: Resolver, path: str, scope: int, type_: Expr | None, at: int) -> Entity | None:
    """Return an instance of a type expression."""
    if not type_:
        return None
    tag = type_[0]
    if tag == "list":
        return Listed(instance(resolver, path, scope, type_[1], at))
    if tag == "tuple":
        return Tupled(tuple(instance(resolver, path, scope, t, at) for t in type_[1]))
    if tag == "func":
        return Returns(instance(resolver, path, scope, type_[1], at))
    if tag == "either":
        first = instance(resolver, path, scope, type_[1], at)
        known = isinstance(first, Instance) and isinstance(first.of, Def)
        return first if known else instance(resolver, path, scope, type_[2], at) or first
    if tag == "gen":
        return _generic(resolver, path, scope, type_, at)
    if tag == "obj":
        where = resolver.program.summaries[path].scope_at.get(type_[1])
        return Object(path, where) if where is not None else None
    found = resolver.resolve(path, scope, type_, at)
    entity = arities.of_arity(resolver, resolver.entity(found) if found else None, 0)
    if found is not None and found.binding is not None and found.binding.kind == "typevar":
        return Variable(found.path, found.scope, last_name(type_), entity)
    if isinstance(entity, (Def, External)):
        return Instance(entity)
    if isinstance(entity, Module):  # `typeof module`, or a default export that is the class
        return None
    return entity if found is not None else outside_type(resolver, path, type_)


def outside_type(resolver: Resolver, path: str, type_: Expr) -> Instance | None:
    """Return an instance of a type of which the tree has none of that name, where all types are visible by their names."""
    name = written_name(type_) if resolver.language(path).outside_types else ""
    return Instance(External(name)) if name and name.rpartition(".")[2] not in resolver.program.types else None


def _generic(resolver: Resolver, path: str, scope: int, type_: Expr, at: int) -> Entity | None:
    base, arguments = type_[1], type_[2]
    language = resolver.language(path)
    found = resolver.resolve(path, scope, base, at)
    entity = arities.of_arity(resolver, resolver.entity(found) if found else None, len(arguments))
    outside = entity is None or isinstance(entity, External)
    if outside and last_name(base) in language.wrappers and arguments:
        return instance(resolver, path, scope, arguments[0], at)
    inner = tuple(instance(resolver, path, scope, a, at) for a in arguments)
    if isinstance(entity, (Def, External)):
        return Instance(entity, inner)
    if language.partial and last_name(base) in DELEGATES:
        return Instance(External(last_name(base)), inner)
    if entity is None and inner and inner[-1] is not None:
        return Listed(inner[-1], last_name(base) == "Record")
    return entity


def result(resolver: Resolver, callee: Entity | None) -> Entity | None:
    """Return the result of a call."""
    if isinstance(callee, Returns):
        return callee.result
    if isinstance(callee, Instance) and callee.args and callee.of == External("Func"):
        return callee.args[-1]
    if isinstance(callee, External):
        owner, _, last = callee.name.rpartition(".")
        if last in _GIVE_STRINGS and owner in ("<builtin>.String", "<builtin>.string"):
            return Instance(External(owner))
        return Instance(callee) if last[:1].isupper() and callee.name.startswith("<builtin>") else None
    if isinstance(callee, Instance) and isinstance(callee.of, Def):
        return contextual.called(resolver, callee)
    if not isinstance(callee, Def):
        return None
    symbol = resolver.program.facts[callee.path].symbols[callee.symbol]
    if symbol.kind in _CLASSES:
        return Instance(callee)
    if callee.scope < 0:
        return None
    known = resolver.once(("result", callee, resolver.fuel), _returned, resolver, callee)
    return cast("Entity | None", known)


def _returned(resolver: Resolver, callee: Def) -> Entity | None:
    scope = resolver.program.scope(callee.path, callee.scope)
    if scope.returns is not None:
        return instance(resolver, callee.path, callee.scope, scope.returns, _END)
    for expr in scope.results:
        if expr[0] == "yield":  # all that a generator gives has one type, mostly
            return Listed(resolver.inferred(callee.path, callee.scope, expr[1], _END))
        entity = resolver.inferred(callee.path, callee.scope, expr, _END)
        if entity is not None:
            return entity
    return None


def _call(resolver: Resolver, path: str, scope: int, expr: Expr, at: int) -> Entity | None:
    callee, arguments = expr[1], expr[2]
    if (module := required_name(resolver, path, callee, arguments)) is not None:
        return _required(resolver, path, module)
    if resolver.language(path).pastes:
        arguments = ()  # they are for macros alone
    language = resolver.language(path)
    made = maker(resolver, path, scope, callee, at)
    if made is not None:
        return made
    bound = flow.rebound(resolver, path, scope, callee, at)
    if bound is not None:
        return bound if callee and callee[2] == "bind" else result(resolver, bound)
    receiver = applicability.receiver_of(resolver, path, scope, callee, at)
    found = applicability.taken_inside(resolver, resolver.callee(path, scope, callee, at), arguments, receiver)
    if found is not None:
        types = arities.count_arguments(callee)
        found = overloads.chosen(resolver, path, scope, found, arguments, at, types, receiver)[0]
    entity = resolver.entity(found) if found else None
    is_outside = entity is None or isinstance(entity, External)
    supplied = (
        mixins.given_by_outside(resolver, path, scope, callee, at)
        if language.factories and callee and is_outside
        else None
    )
    if supplied is not None:
        return supplied
    if callee and callee[0] == "attr" and is_outside:
        whole = elements.listed(resolver, resolver.value(path, scope, callee[1], at))
        held = unwrapped(language, whole, callee[2])
        if held is not None and not (held == whole and entity is not None and _is_own(whole)):
            return held
    if callee and callee[0] == "attr" and isinstance(entity, Def) and _is_fluent(resolver, entity):
        owner = resolver.value(path, scope, callee[1], at)
        if isinstance(owner, Def):
            return Instance(owner)
        if isinstance(owner, Instance):
            return owner
    if callee and callee[0] == "gen" and isinstance(entity, Def):
        kind = resolver.program.facts[entity.path].symbols[entity.symbol].kind
        if kind in _CLASSES:  # `Box<Item>(item)`
            return instance(resolver, path, scope, callee, at)
    if arguments and callee and _is_list_maker(language, callee) and not isinstance(entity, Def):
        return Listed(resolver.value(path, scope, arguments[0], at))
    if language.companions and isinstance(entity, Def):
        entity = companions.made(resolver, entity)
    returned = result(resolver, entity)
    if returned is None and callee and callee[0] == "attr" and callee[2] in _TEXTS and not isinstance(entity, Def):
        return Instance(External(_TEXTS[callee[2]]))
    if returned is None and language.called_lists and elements.is_collection(entity):  # items(0), byName("id")
        return elements.element(entity)
    if len(expr) > 3 and isinstance(entity, Def) and generics.is_open(returned):
        given = tuple(instance(resolver, path, scope, argument, at) for argument in expr[3])
        returned = generics.called_with(resolver, returned, entity, given)
    return _for_receiver(resolver, path, scope, callee, at, entity, returned) if returned is not None else None


def of_bare_name(resolver: Resolver, path: str, expr: Expr, entity: Entity | None) -> Entity | None:
    """Return the value of an expression that means an entity. Ruby: a method's bare name is a call of it."""
    if expr[0] != "name" or not isinstance(entity, Def) or not resolver.language(path).module_members:
        return entity
    kind = resolver.program.facts[entity.path].symbols[entity.symbol].kind
    return result(resolver, entity) if kind in ("function", "method") else entity


def _is_own(entity: Entity | None) -> bool:
    """Return whether it is an instance of a class of the tree: what it inherits from outside does not give it back."""
    return isinstance(entity, Instance) and isinstance(entity.of, Def)


def _is_list_maker(language: Language, callee: Expr) -> bool:
    """Return whether a function makes a list of its arguments: `listOf(a, b)`, `List.of(a, b)`."""
    owner = callee[1] if callee[0] == "attr" else None
    name = f"{owner[1]}.{callee[2]}" if owner and owner[0] == "name" else callee[1] if callee[0] == "name" else ""
    return name in language.list_makers


def _is_fluent(resolver: Resolver, callee: Def) -> bool:
    """Return whether a method gives back what it is called on."""
    if callee.scope < 0:
        return False
    scope = resolver.program.scope(callee.path, callee.scope)
    own = scope.results == (("this",),) or [result[:2] for result in scope.results] == [("new", ("this",))]
    return scope.returns == ("this",) or (scope.returns is None and own)


def unwrapped(language: Language, owner: Entity | None, name: str) -> Entity | None:
    """Return what a member of an external wrapper or list gives: an element, or the contained value."""
    if owner is None or isinstance(owner, External):
        return None
    if name in language.elements and elements.is_collection(owner):
        return elements.element(owner)
    if name in language.elements and isinstance(owner, Instance) and isinstance(owner.of, External) and owner.args:
        return None  # of a type from outside that may be anything
    return owner if name in language.unwrap else None


def _for_receiver(resolver: Resolver, path: str, scope: int, callee: Expr | None, at: int, entity: Entity | None,
                  returned: Entity) -> Entity | None:  # fmt: skip
    """Return what a call returns, with the type arguments that the call and its receiver give."""
    if not callee or not generics.is_open(returned):
        return returned
    if callee[0] == "gen" and isinstance(entity, Def):
        written = tuple(instance(resolver, path, scope, argument, at) for argument in callee[2])
        returned = generics.called_with(resolver, returned, entity, written) or returned
    target = callee[1] if callee[0] == "gen" else callee
    if not target or target[0] != "attr":
        return generics.seen_from(resolver, returned, resolver.this(path, scope)[0])
    receiver = target[1]
    if receiver and receiver[0] == "gen":  # a static member of `Repo<User>`
        return generics.seen_from(resolver, returned, instance(resolver, path, scope, receiver, at))
    return generics.seen_from(resolver, returned, resolver.value(path, scope, receiver, at))


def maker(resolver: Resolver, path: str, scope: int, callee: Expr | None, at: int) -> Entity | None:
    """Return the instance created by a call such as `Foo.new(1)` or `make_unique<Foo>(1)`."""
    makers = resolver.language(path).constructor_names
    if not makers or not callee:
        return None
    if callee[0] == "gen" and last_name(callee[1]) in makers and callee[2]:
        return instance(resolver, path, scope, callee[2][0], at)
    if callee[0] == "name" and callee[1] in makers:
        return resolver.this(path, scope)[0]
    if callee[0] == "attr" and callee[2] in makers:
        return mixins.made(resolver, resolver.value(path, scope, callee[1], at))
    return None


def required_name(resolver: Resolver, path: str, callee: Expr | None, arguments: Sequence[Expr | None]) -> str | None:
    """Return the module that a call such as `require("./x")` or `import("./x")` loads; None for any other call."""
    given = arguments[0] if arguments else None
    is_loading = callee is not None and callee[0] == "name" and callee[1] in ("require", "import")
    return given[1] if is_loading and given and given[0] == "str" and resolver.language(path).arguments else None


def required_file(resolver: Resolver, path: str, source: str) -> str | None:
    """Return the file of the tree that a module's name means in another file."""
    found = names.style(resolver.language(path).imports).resolve(resolver, path, Import(0, source, "", ""))
    entity = resolver.entity(found) if found else None
    return entity.path if isinstance(entity, Module) else found.path or None if found else None


def _required(resolver: Resolver, path: str, source: str) -> Entity | None:
    found = names.style(resolver.language(path).imports).resolve(resolver, path, Import(0, source, "", ""))
    entity = resolver.entity(found) if found else None
    if isinstance(entity, Module):
        exports = resolver.program.summaries[entity.path].exports
        if "=" in exports:
            whole = resolver.resolve(entity.path, 0, exports["="], _END)
            value = resolver.entity(whole) if whole else None
            if value is not None and not isinstance(value, Object):
                return value
    return entity


def _new(resolver: Resolver, path: str, scope: int, expr: Expr, at: int) -> Entity | None:
    return instance(resolver, path, scope, expr[1], at)


def _this(resolver: Resolver, path: str, scope: int, expr: Expr, at: int) -> Entity | None:
    return resolver.this(path, scope)[0]


def _super(resolver: Resolver, path: str, scope: int, expr: Expr, at: int) -> Entity | None:
    if resolver.language(path).super_means == "module":
        return rust.parent(resolver, path, scope)
    owner, _ = resolver.this(path, scope)
    if isinstance(owner, Instance) and isinstance(owner.of, Def):
        for kind, base, _ in members.bases(resolver, owner.of):
            if kind == "extends" and isinstance(base, (Def, External)):
                return Instance(base)
    if isinstance(owner, Object):
        return next(iter(objects.prototypes(resolver, owner)), None)
    return None


def _literal(resolver: Resolver, path: str, scope: int, expr: Expr, at: int) -> Entity | None:
    return Instance(External(f"<builtin>.{expr[1]}"))


def _string(resolver: Resolver, path: str, scope: int, expr: Expr, at: int) -> Entity | None:
    return Instance(External("<builtin>.String"))


def _element(resolver: Resolver, path: str, scope: int, expr: Expr, at: int) -> Entity | None:
    whole = resolver.value(path, scope, expr[1], at)
    if isinstance(whole, Def) and resolver.language(path).index_arguments:  # `Zero[int]` is that function
        return whole
    return _indexed(resolver, whole) or elements.element(elements.listed(resolver, whole))


def _indexed(resolver: Resolver, whole: Entity | None) -> Entity | None:
    """Return what the class of a value says that an index gives: C#'s `this[...]`, C++'s `operator[]`."""
    if not isinstance(whole, Instance) or not isinstance(whole.of, Def):
        return None
    found = resolver.member(whole, ELEMENT) or resolver.member(whole, "operator[]")
    entity = resolver.entity(found) if found is not None and found.binding is not None else None
    if isinstance(entity, Def):
        entity = result(resolver, entity)
    return generics.seen_from(resolver, entity, whole)


def _item(resolver: Resolver, path: str, scope: int, expr: Expr, at: int) -> Entity | None:
    whole = elements.listed(resolver, resolver.value(path, scope, expr[1], at))
    if isinstance(whole, Tupled):
        return whole.parts[expr[2]] if expr[2] < len(whole.parts) else None
    if isinstance(whole, Listed):
        return whole.element
    return whole if expr[2] == 0 and resolver.language(path).several_results else None


def _either(resolver: Resolver, path: str, scope: int, expr: Expr, at: int) -> Entity | None:
    first = resolver.value(path, scope, expr[1], at)
    if (
        first is None
        or isinstance(first, (External,))
        or (isinstance(first, Instance) and isinstance(first.of, External))
    ):
        return resolver.value(path, scope, expr[2], at) or first
    return first


def _as(resolver: Resolver, path: str, scope: int, expr: Expr, at: int) -> Entity | None:
    said = instance(resolver, path, scope, expr[1], at)
    return said if said is not None and not is_vague(said) else resolver.value(path, scope, expr[2], at) or said


def is_vague(said: Entity) -> bool:
    """Return whether a type says nothing of a value."""
    return isinstance(said, Instance) and isinstance(said.of, External) and said.of.name in _ANYTHING


def _or(resolver: Resolver, path: str, scope: int, expr: Expr, at: int) -> Entity | None:
    return resolver.value(path, scope, expr[1], at) or resolver.value(path, scope, expr[2], at)


def _tuple(resolver: Resolver, path: str, scope: int, expr: Expr, at: int) -> Entity | None:
    return Tupled(tuple(resolver.value(path, scope, e, at) for e in expr[1]))


def _array(resolver: Resolver, path: str, scope: int, expr: Expr, at: int) -> Entity | None:
    if not expr[1]:
        return Instance(External("<builtin>.Array"))
    parts: list[Entity | None] = []
    for part in expr[1]:
        whole = resolver.value(path, scope, part[1], at) if part and part[0] == "spread" else None
        known = isinstance(whole, Tupled) and whole.listed
        parts += whole.parts if known else [resolver.value(path, scope, part, at)]  # type: ignore[union-attr]
    return Tupled(tuple(parts), True)


def _slice(resolver: Resolver, path: str, scope: int, expr: Expr, at: int) -> Entity | None:
    whole = resolver.value(path, scope, expr[1], at)
    return whole._replace(parts=whole.parts[expr[2] :]) if isinstance(whole, Tupled) else whole


def _function(resolver: Resolver, path: str, scope: int, expr: Expr, at: int) -> Entity | None:
    where = resolver.program.summaries[path].scope_at.get(expr[1])
    if where is None:
        return None
    s = resolver.program.scope(path, where)
    if resolver.language(path).lambdas or resolver.program.scope(path, s.parent).symbol != s.symbol:
        return Def(path, s.symbol, where)
    return Returns(instance(resolver, path, where, s.returns, _END))


def _object(resolver: Resolver, path: str, scope: int, expr: Expr, at: int) -> Entity | None:
    where = resolver.program.summaries[path].scope_at.get(expr[1])
    if where is None:
        return None
    s = resolver.program.scope(path, where)
    return Def(path, s.symbol, where) if s.kind == "class" else Object(path, where)


def _generic_value(resolver: Resolver, path: str, scope: int, expr: Expr, at: int) -> Entity | None:
    found = resolver.resolve(path, scope, expr[1], at)
    entity = arities.of_arity(resolver, resolver.entity(found) if found else None, len(expr[2]))
    if resolver.language(path).companions and isinstance(entity, Def):  # Scala: `Eq[Int]` is `Eq.apply[Int]`
        applied = companions.made(resolver, entity)
        returned = result(resolver, applied) if applied != entity else None
        if returned is not None:
            given = tuple(instance(resolver, path, scope, argument, at) for argument in expr[2])
            return generics.called_with(resolver, returned, applied, given) if isinstance(applied, Def) else returned
    return entity


Handler = Callable[["Resolver", str, int, Expr, int], Entity | None]
HANDLERS: dict[str, Handler] = {
    "call": _call, "new": _new, "cast": _new, "this": _this, "super": _super, "lit": _literal, "str": _string,
    "index": _element, "item": _item, "either": _either, "default": _either, "tuple": _tuple, "fn": _function, "obj": _object,
    "gen": _generic_value, "list": _new, "array": _array, "slice": _slice, "or": _or, "as": _as,
}  # fmt: skip
