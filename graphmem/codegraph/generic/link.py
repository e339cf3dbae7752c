"""Linker of the generic front end: from the facts of all files to edges, unresolved call sites and external symbols. A
pure function of the facts; the links of a file depend on that file and what `affected` tracks."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping

from graphmem.codegraph import languages
from graphmem.codegraph.generic import (
    accessors,
    applicability,
    arities,
    companions,
    flow,
    guesses,
    library,
    members,
    names,
    overloads,
    structure,
    values,
)
from graphmem.codegraph.generic.entities import (
    Def,
    Entity,
    External,
    Found,
    Instance,
    Returns,
    Tupled,
)
from graphmem.codegraph.generic.held import Held
from graphmem.codegraph.generic.linking import Links
from graphmem.codegraph.generic.preprocessor import pasted_targets
from graphmem.codegraph.generic.program import Program, accessor
from graphmem.codegraph.generic.resolver import Resolver
from graphmem.codegraph.generic.rules import RULES
from graphmem.codegraph.generic.summary import Expr, Reference, Scope
from graphmem.codegraph.generic.unresolved import call_site, reason_of
from graphmem.codegraph.generic.value_sets import ValueSets, assigned_members, value_sets
from graphmem.codegraph.records import FileFacts, Linked, external_key
from graphmem.makeway import make_way
from graphmem.model.code import Symbol

_FEW = 3  # functions that one call may run; of more each is less sure
# Confidence of a call whose callee is a value that was followed.
_BOUND = 0.9  # one function, bound to a name or to arguments
_FLOW = 0.8  # one of a few functions
_FLOW_OF_SEVERAL = 0.7  # one of several that are passed to the same parameter
_FLOW_OF_MANY = 0.6  # one of more than a few
_RECURSION = 20_000  # frames; inference ends by its fuel, but some of it is deeper than Python's default of 1,000
_CLASSES = frozenset({"class", "interface", "struct", "trait", "enum", "type", "namespace"})
_CALLABLE = frozenset({"function", "method", "macro"})
_FIELDS = frozenset({"field", "constant"})
_RUNNING = frozenset({"call", "new", "iterate"})
_DELEGATES = frozenset({"super", "this"})  # `super(...)` and `this(...)` within a constructor


def link(facts: Mapping[str, FileFacts], *, flow: bool = True, only: Iterable[str] | None = None) -> Linked:
    """Return the relations of all files, or of those in `only`."""
    resolver, links = Resolver(Program(facts), RULES, flow=flow), {}
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, _RECURSION))
    try:
        for path in sorted(facts) if only is None else only:
            out = Links(resolver, facts[path])
            if facts[path].language != languages.MANIFEST:
                _file(out, path)
            links[path] = out.result()
    finally:
        sys.setrecursionlimit(limit)
    return Linked(links)


def _file(out: Links, path: str) -> None:
    make_way()
    facts = out.resolver.program.facts[path]
    structure.defines(out, path)
    structure.imports(out, path)
    structure.hierarchy(out, path)
    used: set[str] = set()
    for reference in facts.summary.references:
        _reference(out, path, facts, reference, used)
    if languages.get_language(facts.language).naming == "folder":
        for target in sorted(used - {path}):  # Go: of an imported package the files that are in fact used
            module = out.resolver.program.facts[target].symbols[0].key
            if out.resolver.program.facts[target].package != facts.package:
                out.edge("IMPORTS", facts.symbols[0].key, module, 1, "import", 1.0)


def _reference(out: Links, path: str, facts: FileFacts, r: Reference, used: set[str]) -> None:
    resolver = out.resolver
    scope = resolver.program.scope(path, r.scope)
    source = _running(facts, scope) if r.kind in _RUNNING else facts.symbols[scope.symbol].key
    if resolver.language(path).accessors:
        accessors.calls(out, path, r, source)
    if r.kind in ("store", "iterate"):
        if r.kind == "iterate":
            _iterate(out, path, r, source)
        return
    if r.kind in ("read", "write", "update"):
        _member_use(out, path, r, source)
        return
    if r.kind == "key":
        if not _member_use(out, path, r, source):  # the literal is of a named map or array type
            value = r._replace(kind="value", expr=("name", r.expr[2]))
            _reference(out, path, facts, value, used)
        return
    if r.kind == "construct":
        _constructed(out, path, r, source, used)
        return
    if r.kind in ("call", "macro", "bare"):
        _call(out, path, facts, r, source, used)
        return
    expr = r.expr
    arguments: overloads.Arguments = ()
    if r.kind == "new" and expr[0] == "new":
        _, expr, arguments = expr
    count = arities.count_arguments(expr)
    if r.kind in ("type", "new", "base"):
        while expr and expr[0] in ("gen", "list", "cast", "func"):
            expr = expr[1]
        if not expr or (expr[0] not in ("name", "attr") and r.kind != "new"):
            return
    found = resolver.resolve(path, r.scope, expr, r.at)
    if r.kind == "new" and found is not None and resolver.language(path).partial:
        found = names.type_outside(resolver, path, r.scope, expr, found)
    if r.kind in ("type", "new", "base"):
        found = arities.found_of_arity(resolver, found, count)
    if found is None and r.kind == "new" and (outside := values.outside_type(resolver, path, expr)) is not None:
        found = Found(entity=outside.of, how="builtin", sure=0.8)
    if found is None:
        if r.kind == "new":
            out.call_sites.append(call_site(source, path, r, expr, "unknown name"))
        return
    _note(used, found)
    if r.kind == "new":
        sets = _value_sets(resolver, path, found)
        made = sets.made(r) if sets is not None and r.expr[0] == "new" else []
        for each in made:
            _construct(out, path, r, source, Found(entity=each, how="flow", sure=_FLOW), arguments)
        if not made:
            _construct(out, path, r, source, found, arguments)
            if isinstance(found.entity, External):
                for given in _called_back(resolver, path, r, expr, arguments):
                    out.edge("CALLS", source, _key(resolver, given), r.line, "flow", _FLOW)
    elif r.kind == "type":
        _mention(out, source, found, r, "USES")
    elif r.kind == "value":
        _mention(out, source, found, r, "REFERS_TO")


def _running(facts: FileFacts, scope: Scope) -> str:
    """Return what runs the calls in an object literal: the code around it, not the variable that has its name."""
    while scope.kind == "object" and scope.parent >= 0:
        scope = facts.summary.scopes[scope.parent]
    return facts.symbols[scope.symbol].key


def _iterate(out: Links, path: str, r: Reference, source: str) -> None:
    """Record the calls of the methods that make an object of the tree iterable."""
    resolver = out.resolver
    if library.ITERATOR not in resolver.program.callables:
        return
    sets = value_sets(resolver, path)
    for whole in sets.iterated(r) if sets is not None else ():
        found = resolver.member(whole, library.ITERATOR) if not isinstance(whole, Held) else None
        made = resolver.entity(found) if found is not None else None
        if found is not None and isinstance(made, Def):
            out.edge("CALLS", source, _key(resolver, made), r.line, found.how, found.sure)
            following = resolver.member(values.result(resolver, made), "next")
            step = resolver.entity(following) if following is not None else None
            if isinstance(step, Def):
                out.edge("CALLS", source, _key(resolver, step), r.line, "flow", _FLOW)


def _member_use(out: Links, path: str, r: Reference, source: str) -> bool:
    """Handle a method of a local that is passed as a value (`router.handle("/", server.index)`), or a field that is read
    or written. Return whether it is a field of the tree."""
    program = out.resolver.program
    if r.expr[0] != "attr" or (
        r.expr[2] not in program.fields and (r.kind != "read" or r.expr[2] not in program.callables)
    ):
        return False
    found = out.resolver.resolve(path, r.scope, r.expr, r.at)
    if (
        found is not None and found.binding is not None and found.binding.symbol < 0
    ):  # what was assigned may be declared
        found = out.resolver.member(out.resolver.value(path, r.scope, r.expr[1], r.at), r.expr[2])
    if found is not None and found.binding is not None and found.binding.kind == "param":
        found = _field_of_parameter(program, found, r.expr[2])
    if found is None or found.binding is None or found.binding.symbol < 0:
        return False
    symbol = program.facts[found.path].symbols[found.binding.symbol]
    handed = found.binding.kind == "def" and symbol.kind in _CALLABLE and r.kind == "read"
    if symbol.kind in _FIELDS or (handed and not accessor(symbol)):
        _mention(out, source, found, r, "REFERS_TO")
    return symbol.kind in _FIELDS


def _field_of_parameter(program: Program, found: Found, name: str) -> Found:
    """Return the field that a parameter of a class is at the same time: `class Point(val x: Int)`."""
    beside = program.scope(found.path, found.scope).names.get(name, ())
    return next((found._replace(binding=binding) for binding in beside if binding.symbol >= 0), found)


def _note(used: set[str], found: Found) -> None:
    if found.path:
        used.add(found.path)
    elif isinstance(found.entity, Def):
        used.add(found.entity.path)


def _call(out: Links, path: str, facts: FileFacts, r: Reference, source: str, used: set[str]) -> None:
    resolver = out.resolver
    if r.expr == ("computed",):
        out.call_sites.append(call_site(source, path, r, None, "computed callee"))
        return
    callee, arguments = (r.expr[1], r.expr[2]) if r.expr[0] == "call" else (r.expr, ())
    if (module := values.required_name(resolver, path, callee, arguments)) is not None:
        structure.require(out, path, module, r.line)
    if resolver.language(path).pastes:
        arguments = ()  # they are for macros alone
    made = values.maker(resolver, path, r.scope, callee, r.at)
    if isinstance(made, Instance):
        _construct(out, path, r, source, Found(entity=made.of, how="type", sure=0.95), arguments)
        return
    again = flow.rebound(resolver, path, r.scope, callee, r.at)
    if isinstance(again, Def):
        if callee[2] != "bind":
            out.edge("CALLS", source, _key(resolver, again), r.line, "flow", _BOUND)
        return
    receiver = applicability.receiver_of(resolver, path, r.scope, callee, r.at)
    found = applicability.taken_inside(resolver, resolver.callee(path, r.scope, callee, r.at), arguments, receiver)
    sets = _value_sets(resolver, path, found, callee)
    several = sets.targets(r) if sets is not None else flow.alternatives(resolver, path, r, callee, found)
    if len(several) == 1 and found is not None and found.binding is not None and found.binding.kind == "def":
        several = [] if resolver.entity(found) == several[0] else several  # what its name says
    for one in several:
        out.edge("CALLS", source, _key(resolver, one), r.line, "flow", _FLOW if len(several) <= _FEW else _FLOW_OF_MANY)
    if several:
        if found is not None:
            _note(used, found)
        return
    entity = resolver.entity(found) if found else None
    if callee == ("super",):
        _super_call(out, facts, r, source, entity, arguments)
    elif callee == ("this",) and isinstance(entity, Instance):  # another constructor of the class
        _construct(out, path, r, source, Found(entity=entity.of, how="type", sure=0.95), arguments)
    else:
        if found is not None:
            _note(used, found)
        is_known = _called(out, path, facts, r, source, found, entity, arguments) or r.kind == "bare"
        if not is_known and not guesses.record(out, path, r, source, callee, arguments):
            out.call_sites.append(call_site(source, path, r, callee, reason_of(resolver, path, r, callee, found)))
        if entity is None or isinstance(entity, External):
            for given in _called_back(resolver, path, r, callee, arguments):
                out.edge("CALLS", source, _key(resolver, given), r.line, "flow", _FLOW)


def _called_back(
    resolver: Resolver, path: str, r: Reference, callee: Expr, arguments: tuple[Expr | None, ...]
) -> list[Def]:
    """Return the functions of the tree that a function of the language calls."""
    if not any(arguments):
        return []
    sets = value_sets(resolver, path) if library.callback_of(r.kind, callee) is not None else None
    return sets.handed(r) if sets is not None else flow.callbacks(resolver, path, r, callee, arguments)


def _value_sets(resolver: Resolver, path: str, found: Found | None, callee: Expr = ()) -> ValueSets | None:
    """Return all values of a file's expressions where a callee is no definition that its name says, or may be another one."""
    if found is not None and found.binding is not None and found.binding.kind == "def":
        is_assigned = callee[:1] == ("attr",) and callee[2] in assigned_members(resolver, path)
        return value_sets(resolver, path) if is_assigned else None
    if found is not None and isinstance(found.entity, External):
        return None
    return value_sets(resolver, path)


def _called(
    out: Links,
    path: str,
    facts: FileFacts,
    r: Reference,
    source: str,
    found: Found | None,
    entity: Entity | None,
    arguments: overloads.Arguments,
) -> bool:
    """Record what a call runs; return whether its callee was resolved. An unresolved bare name is more likely a variable."""
    resolver = out.resolver
    named = found.binding if found is not None and found.binding and found.binding.kind == "def" else None
    if found is not None and named is not None and named.symbol >= 0:
        defined = resolver.program.facts[found.path].symbols[named.symbol]
        if defined.kind in _CALLABLE and not (isinstance(entity, Def) and accessor(defined) == "get"):
            _edges(out, path, r, source, found, arguments)
            twins = resolver.program.platform_variants.get(defined.qualified_name, ())
            for twin in (*twins, *resolver.alternatives.get(defined.key, ())):
                if twin != defined.key:  # what another platform has in its place
                    out.edge("REFERS_TO", source, twin, r.line, "candidate", 0.5)
            if defined.kind == "macro" and defined.decorators:
                _pasted(out, path, r, source, defined)
            return True
    if found is not None and found.passed:
        found = found.via("flow", _FLOW)
    how, sure = (found.how, found.sure) if found is not None else ("type", 0.9)
    if isinstance(entity, Def):
        symbol = resolver.program.facts[entity.path].symbols[entity.symbol]
        if (
            symbol.kind in _CLASSES and resolver.language(path).conversions and r.kind != "new"
        ):  # a conversion runs nothing
            out.edge("USES", source, symbol.key, r.line, how, sure)
        elif symbol.kind in _CLASSES:
            applied = companions.applied(resolver, entity) if resolver.language(path).companions else None
            run = _edges if applied is not None and applied.entity is None else _construct
            run(out, path, r, source, applied or found or Found(entity=entity), arguments)
        else:
            out.edge("CALLS", source, symbol.key, r.line, how, sure)
        return True
    attribute = _attribute_of(resolver, path, found)
    if attribute is not None:
        out.edge("REFERS_TO", source, attribute.key, r.line, how, sure)
        return True
    if isinstance(entity, External):
        out.edge("CALLS", source, external_key(entity.name), r.line, how, sure)
        return True
    if found is None:
        return _unwrapped(out, path, r, source)
    if isinstance(found.entity, Returns):  # the language gives it to every type of a kind
        return True
    if found.binding is not None and found.binding.symbol >= 0:
        symbol = resolver.program.facts[found.path].symbols[found.binding.symbol]
        out.edge("REFERS_TO", source, symbol.key, r.line, how, sure)
        if symbol.kind == "constant" and isinstance(entity, Instance):  # Rust: a variant is called to make a value
            return True
    return _through_value(out, path, r, source, found)


def _attribute_of(resolver: Resolver, path: str, found: Found | None) -> Symbol | None:
    """Ruby: return the attribute that a call reads, whatever its value."""
    if found is None or found.binding is None or found.binding.symbol < 0 or not resolver.language(path).module_members:
        return None
    symbol = resolver.program.facts[found.path].symbols[found.binding.symbol]
    return symbol if symbol.kind == "field" else None


def _pasted(out: Links, path: str, r: Reference, source: str, macro: Symbol) -> None:
    """Record that a macro that pastes names together uses the functions that have these names."""
    arguments = r.expr[2] if r.expr[0] == "call" else ()
    for found in pasted_targets(out.resolver, path, r.scope, macro.decorators, arguments, r.at):
        _mention(out, source, found, r, "REFERS_TO")


def _unwrapped(out: Links, path: str, r: Reference, source: str) -> bool:
    """Record a call of a method that a wrapper has rather than its content; return whether it is one."""
    callee = r.expr[1] if r.expr[0] == "call" else r.expr
    if callee[0] == "attr" and callee[2] in flow.REBINDING and out.resolver.language(path).value_flow:
        out.edge("CALLS", source, external_key(f"<builtin>.Function.{callee[2]}"), r.line, "type", 0.7)
        return False  # what it is made on is still unknown
    if callee[0] != "attr" or callee[2] not in out.resolver.language(path).unwrap:
        return False
    if out.resolver.value(path, r.scope, callee[1], r.at) is None:
        return False
    out.edge("CALLS", source, external_key(f"<builtin>.{callee[2]}"), r.line, "type", 0.7)
    return True


def _key(resolver: Resolver, place: Def) -> str:
    return resolver.program.facts[place.path].symbols[place.symbol].key


def _through_value(out: Links, path: str, r: Reference, source: str, found: Found) -> bool:
    """Record what runs where a parameter or an element is called: the functions passed for it, or those in the list. Return
    whether there are any."""
    resolver, binding = out.resolver, found.binding
    if binding is None or not resolver.language(path).arguments or not resolver.flow:
        return False
    held: tuple[Entity | None, ...] = ()
    if binding.kind == "param":
        held = flow.passed(resolver, found.path, found.scope, binding)
    elif binding.value and binding.value[0] == "index":
        whole = resolver.value(found.path, found.scope, binding.value[1], binding.at)
        held = whole.parts if isinstance(whole, Tupled) and whole.listed else ()
    targets = [e for e in dict.fromkeys(held) if isinstance(e, Def)]
    for target in targets:
        out.edge(
            "CALLS", source, _key(resolver, target), r.line, "flow", _FLOW if len(targets) == 1 else _FLOW_OF_SEVERAL
        )
    return bool(targets)


def _constructed(out: Links, path: str, r: Reference, source: str, used: set[str]) -> None:
    """C++: handle a declaration or initialiser that may run a constructor."""
    type_, arguments = (r.expr[1], r.expr[2]) if r.expr[0] == "new" else (r.expr, ())
    found = out.resolver.resolve(path, r.scope, type_, r.at)
    entity = out.resolver.entity(found) if found else None
    if found is None or not isinstance(entity, Def):
        return
    if out.resolver.program.facts[entity.path].symbols[entity.symbol].kind in _CLASSES:
        _note(used, found)
        _construct(out, path, r, source, found, arguments)


def _edges(
    out: Links, path: str, r: Reference, source: str, found: Found, arguments: overloads.Arguments, sure: float = 1.0
) -> None:
    """Record edges to a function found by name: to all overloads that match the arguments; of more than a few to one."""
    callee = r.expr[1] if r.expr[0] == "call" else None
    receiver = applicability.receiver_of(out.resolver, path, r.scope, callee, r.at)
    types = arities.count_arguments(callee)
    several = overloads.chosen(out.resolver, path, r.scope, found, arguments, r.at, types, receiver)
    for place, meant in enumerate(several):
        if meant.binding is not None:
            target = out.resolver.program.facts[meant.path].symbols[meant.binding.symbol]
            type_ = "REFERS_TO" if place and len(several) > _FEW else "CALLS"
            how = meant.how if type_ == "CALLS" else "candidate"
            out.edge(type_, source, target.key, r.line, how, min(meant.sure, sure))


def _super_call(
    out: Links, facts: FileFacts, r: Reference, source: str, entity: Entity | None, arguments: overloads.Arguments
) -> None:
    if isinstance(entity, Instance) and isinstance(entity.of, Def):
        symbol = facts.symbols[out.resolver.program.scope(facts.path, r.scope).symbol]
        if (
            symbol.kind == "method" and out.resolver.language(facts.path).super_means == "method"
        ):  # the same method of the base
            above = members.of_class(out.resolver, entity.of, symbol.name)
            if above is not None and above.binding is not None and above.binding.symbol >= 0:
                target = out.resolver.program.facts[above.path].symbols[above.binding.symbol]
                out.edge("CALLS", source, target.key, r.line, "inherited", 0.95)
            return
        _construct(out, facts.path, r, source, Found(entity=entity.of, how="inherited", sure=0.95), arguments)
    elif isinstance(entity, Instance) and isinstance(entity.of, External):
        out.edge("CALLS", source, external_key(entity.of.name), r.line, "inherited", 0.9)


def _construct(
    out: Links, path: str, r: Reference, source: str, found: Found, arguments: overloads.Arguments = ()
) -> None:
    """Record the edges of creating an instance: to the class, and to its constructor if the class or a base defines one.
    A constructor that calls another one of the same object only uses its class."""
    resolver = out.resolver
    entity = resolver.entity(found)
    if isinstance(entity, Instance):
        entity = entity.of
    if isinstance(entity, External):
        out.edge("CALLS", source, external_key(entity.name), r.line, found.how, found.sure)
        return
    if not isinstance(entity, Def):
        out.call_sites.append(call_site(source, path, r, r.expr, "unknown name"))
        return
    symbol = resolver.program.facts[entity.path].symbols[entity.symbol]
    delegates = r.expr[0] in _DELEGATES or (r.expr[0] == "call" and r.expr[1] in (("super",), ("this",)))
    for name in resolver.language(entity.path).constructors:
        made = members.of_class(resolver, entity, symbol.name if name == "=" else name)
        if made is not None and made.binding is not None and made.binding.symbol >= 0 and made.binding.kind == "def":
            target = resolver.program.facts[made.path].symbols[made.binding.symbol]
            if target.kind == "method":
                _edges(out, path, r, source, made._replace(how=found.how), arguments, found.sure)
                break
    else:
        delegates = False
    out.edge("USES" if delegates else "CALLS", source, symbol.key, r.line, found.how, found.sure)


def _mention(out: Links, source: str, found: Found, r: Reference, type_: str) -> None:
    """Record the use of a name without a call as an edge to its definition."""
    resolver = out.resolver
    target = ""
    if found.binding is not None and found.binding.symbol >= 0:
        symbol = resolver.program.facts[found.path].symbols[found.binding.symbol]
        target, kind = symbol.key, symbol.kind
        if type_ == "REFERS_TO" and kind in ("class", "struct", "interface", "enum", "trait", "type"):
            type_ = "USES"
        elif type_ == "REFERS_TO" and kind == "macro" and "calls" in symbol.decorators:
            type_ = "CALLS"  # C: to name what expands to a call
    elif isinstance(found.entity, Def):
        target = resolver.program.facts[found.entity.path].symbols[found.entity.symbol].key
    elif isinstance(found.entity, External) and found.how != "builtin" and "." in found.entity.name:
        out.edge(type_, source, external_key(found.entity.name), r.line, found.how, found.sure)
        return
    if target and target != source:
        out.edge(type_, source, target, r.line, found.how, found.sure)
    entity = resolver.entity(found) if type_ == "REFERS_TO" else None
    if isinstance(entity, Def):  # a variable that holds a function
        held = resolver.program.facts[entity.path].symbols[entity.symbol].key
        if held not in (target, source):
            out.edge(type_, source, held, r.line, found.how, min(found.sure, 0.9))
