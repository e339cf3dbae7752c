"""Derives relations between definitions: what defines, imports, extends, implements and overrides what."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphmem.codegraph import languages
from graphmem.codegraph.generic import members, names, overloads, values
from graphmem.codegraph.generic.entities import Def, External, Found, Instance, Module
from graphmem.codegraph.generic.summary import Scope
from graphmem.codegraph.records import external_key
from graphmem.model.code import Symbol

if TYPE_CHECKING:
    from graphmem.codegraph.generic.linking import Links
    from graphmem.codegraph.generic.resolver import Resolver

_CLASSES = frozenset({"class", "interface", "struct", "trait", "enum", "type"})
_ABSTRACT = frozenset({"interface", "trait"})


def defines(out: Links, path: str) -> None:
    """Record what each symbol defines: those whose names lie in its scope. Members of an extended type belong to that type."""
    resolver = out.resolver
    facts = resolver.program.facts[path]
    for index, scope in enumerate(facts.summary.scopes):
        owner = facts.symbols[scope.symbol].key
        if scope.kind == "extension":
            target = _extended(resolver, path, index)
            owner = resolver.program.facts[target.path].symbols[target.symbol].key if target else owner
        for bindings in scope.names.values():
            for binding in bindings:
                if binding.symbol >= 0 and binding.kind in ("def", "var", "field", "param"):
                    key = facts.symbols[binding.symbol].key
                    if key != owner:
                        out.edge("DEFINES", owner, key, facts.symbols[binding.symbol].line, "scope", 1.0)
    _unbound(out, path)


def _unbound(out: Links, path: str) -> None:
    """Functions and classes that are values where they stand: what is around them defines them and hands them on."""
    facts = out.resolver.program.facts[path]
    scopes = facts.summary.scopes
    bound = {b.symbol for i, s in enumerate(scopes) for bs in s.names.values() for b in bs if b.scope != i}
    for scope in scopes:
        if scope.kind not in ("function", "class", "block") or scope.parent < 0 or scope.symbol in bound:
            continue
        around = scopes[scope.parent].symbol
        if around != scope.symbol:
            source, target = facts.symbols[around].key, facts.symbols[scope.symbol]
            out.edge("DEFINES", source, target.key, target.line, "scope", 1.0)
            if not target.has_title:  # only a framework runs it
                out.edge("REFERS_TO", source, target.key, target.line, "scope", 1.0)


def imports(out: Links, path: str) -> None:
    """Record what a file imports: a module, or a single definition of it."""
    resolver = out.resolver
    facts = resolver.program.facts[path]
    source = facts.symbols[0].key
    for index, item in enumerate(facts.summary.imports):
        found = names.imported(resolver, path, index)
        if found is None:
            continue
        entity = found.entity
        if found.binding is not None and found.binding.symbol >= 0:
            target = resolver.program.facts[found.path].symbols[found.binding.symbol].key
        elif found.path:
            target = resolver.program.facts[found.path].symbols[0].key
        elif isinstance(entity, Module):
            target = resolver.program.facts[entity.path].symbols[0].key
        elif isinstance(entity, Def):
            target = resolver.program.facts[entity.path].symbols[entity.symbol].key
        elif isinstance(entity, External) and entity.name:
            target = external_key(entity.name)
        else:
            continue
        if target != source:
            out.edge("IMPORTS", source, target, item.line, "import", found.sure)


def require(out: Links, path: str, module: str, line: int) -> None:
    """Record that a file imports the file that `require(module)` or `import(module)` loads."""
    facts = out.resolver.program.facts
    target = values.required_file(out.resolver, path, module)
    if target is not None and target != path:
        out.edge("IMPORTS", facts[path].symbols[0].key, facts[target].symbols[0].key, line, "import", 1.0)


def hierarchy(out: Links, path: str) -> None:
    """Record what the classes of a file extend, implement and override."""
    resolver = out.resolver
    facts = resolver.program.facts[path]
    structural = resolver.language(path).structural
    for index, scope in enumerate(facts.summary.scopes):
        if scope.kind == "class":
            owner = Def(path, scope.symbol, index)
            _bases(out, owner, path, scope)
            _overrides(out, owner, path, index)
        elif scope.kind == "extension":
            target = _extended(resolver, path, index)
            if target is None:
                _of_every_type(out, path, scope)
            else:
                _overrides(out, target, path, index)
                if structural:
                    _fulfilled(out, target, path, scope)
    for scope in facts.summary.scopes:
        if scope.kind in ("module", "namespace", "function", "block", "class"):
            _extensions(out, path, scope)


def _extensions(out: Links, path: str, scope: Scope) -> None:
    """Record what types of a scope get from elsewhere: impl blocks count for the file of their type."""
    resolver = out.resolver
    facts = resolver.program.facts[path]
    for bindings in scope.names.values():
        for binding in bindings:
            if binding.kind == "def" and binding.symbol >= 0 and facts.symbols[binding.symbol].kind in _CLASSES:
                own = Def(path, binding.symbol, binding.scope)
                for where, at in members.extensions(resolver, own):
                    _bases(out, own, where, resolver.program.scope(where, at))
                if resolver.language(path).structural:
                    _implements(out, own)


def _extended(resolver: Resolver, path: str, index: int) -> Def | None:
    entity = resolver.extended(path, index)
    if isinstance(entity, Instance) and isinstance(entity.of, Def):
        return entity.of
    return None


def _bases(out: Links, owner: Def, here: str, scope: Scope) -> None:
    resolver = out.resolver
    facts = resolver.program.facts[owner.path]
    for kind, expr in scope.bases:
        named, found = members.written_base(resolver, here, scope.parent, expr)
        entity = resolver.entity(found) if found else None
        if isinstance(entity, Instance):
            entity = entity.of
        line = facts.symbols[owner.symbol].line
        source = facts.symbols[owner.symbol].key
        if isinstance(entity, Def) and found is not None:
            base = resolver.program.facts[entity.path].symbols[entity.symbol]
            if base.kind in (*_CLASSES, "namespace") and base.key != source:  # Ruby includes modules
                own = facts.symbols[owner.symbol].kind
                type_ = (
                    "IMPLEMENTS"
                    if kind in ("implements", "trait") or (base.kind in _ABSTRACT and own not in _ABSTRACT)
                    else "EXTENDS"
                )
                if own in _ABSTRACT and kind != "trait":
                    type_ = "EXTENDS"
                out.edge(type_, source, base.key, line, found.how, found.sure)
        else:
            away = entity if isinstance(entity, External) else members.outside(named) if entity is None else None
            if away is not None:
                type_ = "IMPLEMENTS" if kind in ("implements", "trait") else "EXTENDS"
                how, sure = (found.how, found.sure) if found is not None else ("unknown name", 0.5)
                out.edge(type_, source, external_key(away.name), line, how, sure)


def _overrides(out: Links, owner: Def, path: str, index: int) -> None:
    """Record that a method overrides the nearest method of its name among the bases; of overloads, the one with its
    parameters."""
    resolver = out.resolver
    symbols = resolver.program.facts[path].symbols
    names = resolver.program.scope(path, index).names
    methods = {n: [b for b in bs if b.symbol >= 0 and symbols[b.symbol].kind == "method"] for n, bs in names.items()}
    if not any(methods.values()):
        return
    constructors = resolver.language(owner.path).constructors
    own_name = resolver.program.facts[owner.path].symbols[owner.symbol].name
    chain = list(members.ancestors(resolver, owner))
    several = resolver.language(path).overloads
    for name, bindings in methods.items():
        if name in constructors or ("=" in constructors and name == own_name):
            continue
        for binding in bindings if several else bindings[-1:]:
            above = _above(resolver, chain, name, Found(path, index, binding))
            if above is not None and above.kind == "method" and above.key != symbols[binding.symbol].key:
                own = symbols[binding.symbol]
                out.edge("OVERRIDES", own.key, above.key, own.line, "type", 0.95)


def _above(resolver: Resolver, chain: list[Def], name: str, method: Found) -> Symbol | None:
    """Return what a method overrides: the nearest definition of its name that takes the same."""
    for base in chain:
        found = members.own(resolver, base, name, True)
        if found is not None and found.binding is not None and found.binding.symbol >= 0:
            meant = overloads.overridden(resolver, method, found)
            if meant is not None and meant.binding is not None:
                return resolver.program.facts[meant.path].symbols[meant.binding.symbol]
    return None


def _of_every_type(out: Links, path: str, scope: Scope) -> None:
    """Rust: record that the methods of `impl<T> Trait for T` override those of the trait."""
    symbols = out.resolver.program.facts[path].symbols
    for _, expr in scope.bases:
        trait = out.resolver.value(path, scope.parent, expr, 1 << 60)
        for name, bindings in scope.names.items() if isinstance(trait, Def) else ():
            found = members.own(out.resolver, trait, name, True)  # type: ignore[arg-type]
            own = symbols[bindings[-1].symbol] if bindings[-1].kind == "def" else None
            if own is not None and found is not None and found.binding is not None and found.binding.symbol >= 0:
                above = out.resolver.program.facts[found.path].symbols[found.binding.symbol]
                out.edge("OVERRIDES", own.key, above.key, own.line, "type", 0.95)


def _implements(out: Links, owner: Def) -> None:
    """Go: a type implements every interface of the tree whose methods it has."""
    facts = out.resolver.program.facts[owner.path]
    symbol = facts.symbols[owner.symbol]
    for interface, _ in _fulfils(out.resolver, owner):
        target = out.resolver.program.facts[interface.path].symbols[interface.symbol]
        out.edge("IMPLEMENTS", symbol.key, target.key, symbol.line, "structural", 0.9)


def _fulfilled(out: Links, owner: Def, path: str, scope: Scope) -> None:
    """Record that the methods of such a type override those of the interfaces."""
    resolver = out.resolver
    symbols = resolver.program.facts[path].symbols
    for interface, wanted in _fulfils(resolver, owner):
        for name in sorted(wanted & scope.names.keys()):
            mine, theirs = scope.names[name][0], members.of_class(resolver, interface, name)
            if theirs is None or theirs.binding is None or theirs.binding.symbol < 0 or mine.symbol < 0:
                continue
            target = resolver.program.facts[theirs.path].symbols[theirs.binding.symbol]
            out.edge("OVERRIDES", symbols[mine.symbol].key, target.key, symbols[mine.symbol].line, "structural", 0.9)


def _fulfils(resolver: Resolver, owner: Def) -> list[tuple[Def, frozenset[str]]]:
    return resolver.settled(("fulfils", owner), _all_fulfilled, resolver, owner) or []


def _all_fulfilled(resolver: Resolver, owner: Def) -> list[tuple[Def, frozenset[str]]]:
    if resolver.program.facts[owner.path].symbols[owner.symbol].kind == "interface":
        return []
    own: dict[str, Found] = {}
    _methods(resolver, owner, own, 0)
    table = _interfaces(resolver) if own else {}
    return [
        (i, wanted) for name in sorted(own) for i, wanted in table.get(name, ()) if i != owner and wanted <= own.keys()
    ]


def _methods(resolver: Resolver, owner: Def, into: dict[str, Found], depth: int) -> None:
    for path, index in members.extensions(resolver, owner):
        for name, bindings in resolver.program.scope(path, index).names.items():
            if bindings[0].kind == "def" and name not in into:
                into[name] = Found(path, index, bindings[0], how="inherited" if depth else "scope")
    if depth < 4:
        for _, base, _ in members.bases(resolver, owner):
            if isinstance(base, Def):
                kind = resolver.program.facts[base.path].symbols[base.symbol].kind
                if kind == "interface":
                    for name in _required(resolver, base, 0):
                        found = members.of_class(resolver, base, name)
                        if found is not None and found.binding is not None:
                            into.setdefault(name, found._replace(how="inherited"))
                else:
                    _methods(resolver, base, into, depth + 1)


_GO_INTERFACES = {
    name: frozenset(methods.split())
    for name, methods in {
        "error": "Error",
        "fmt.Stringer": "String",
        "io.Reader": "Read",
        "io.Writer": "Write",
        "io.Closer": "Close",
        "io.ReadWriter": "Read Write",
        "io.ReadCloser": "Read Close",
        "io.WriteCloser": "Write Close",
        "http.Handler": "ServeHTTP",
        "net.http.Handler": "ServeHTTP",
        "sort.Interface": "Len Less Swap",
        "context.Context": "Deadline Done Err Value",
    }.items()
}


def _interfaces(resolver: Resolver) -> dict[str, list[tuple[Def, frozenset[str]]]]:
    """For each method name, taken as the first of its interface: the interfaces and all they ask for."""
    return resolver.settled("interfaces", _all_interfaces, resolver) or {}


def _all_interfaces(resolver: Resolver) -> dict[str, list[tuple[Def, frozenset[str]]]]:
    table: dict[str, list[tuple[Def, frozenset[str]]]] = {}
    for path in sorted(resolver.program.facts):
        facts = resolver.program.facts[path]
        if facts.language == languages.MANIFEST or not resolver.language(path).structural:
            continue
        for index, scope in enumerate(facts.summary.scopes):
            if scope.kind == "class" and facts.symbols[scope.symbol].kind == "interface":
                owner = Def(path, scope.symbol, index)
                wanted = frozenset(_required(resolver, owner, 0))
                if wanted and all(
                    kind == "extends" and (isinstance(b, Def) or _outside(b))
                    for kind, b, _ in members.bases(resolver, owner)
                ):
                    table.setdefault(min(wanted), []).append((owner, wanted))
    return table


def _required(resolver: Resolver, interface: Def, depth: int) -> set[str]:
    scope = resolver.program.scope(interface.path, interface.scope)
    wanted = {n for n, bs in scope.names.items() if bs[0].kind == "def"}
    for _, base, _ in members.bases(resolver, interface):
        if isinstance(base, Def) and base.scope >= 0 and depth < 5:
            wanted |= _required(resolver, base, depth + 1)
        wanted |= _outside(base)
    return wanted


def _outside(base: object) -> frozenset[str]:
    """Return the methods of an interface of Go's library that other interfaces often embed; empty if it is unknown."""
    return (
        _GO_INTERFACES.get(base.name.removeprefix("<builtin>."), frozenset())
        if isinstance(base, External)
        else frozenset()
    )
