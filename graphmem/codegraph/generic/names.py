"""Looks up bare names: in the enclosing scopes, then in what the language makes visible implicitly (package, includes,
star imports), then built-in names."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from graphmem.codegraph.generic import companions, mixins, visible
from graphmem.codegraph.generic.entities import Def, External, Found, Module, Namespace
from graphmem.codegraph.generic.summary import Binding, Expr, Import, Scope

if TYPE_CHECKING:
    from graphmem.codegraph.generic.resolver import Resolver

_INNER = ("function", "block")
_NO_FUNCTIONS = frozenset(  # types of Kotlin and Swift
    "Any Bool Boolean Byte Char Character Data Date Double Float Int Int64 Long Number Short String UInt UInt64 URL".split()
)
_CALLED = ("invoke", "callAsFunction")  # the methods that run when a value of Kotlin or Swift is called
_RENAMING = re.compile(r"#\s*define\s+\w+\s+[A-Za-z_]\w*\s*")
_HEADERS = (".h", ".hh", ".hpp", ".hxx", ".inl")


def lookup(
    resolver: Resolver, path: str, scope: int, name: str, at: int, *, called: bool = False, type_: bool = False
) -> Found | None:
    """Return the meaning of a bare name at a position (`at`: byte offset, which selects among bindings of one name);
    `type_`: where a type is written, which matters if types have a name space of their own."""
    if not name:  # what a parser puts where broken code lacks a name
        return None
    language = resolver.language(path)
    if language.types_apart:
        return companions.meant(resolver, _lookup(resolver, path, scope, name, at, called, type_), type_)
    return _lookup(resolver, path, scope, name, at, called, False)


def _lookup(resolver: Resolver, path: str, scope: int, name: str, at: int, called: bool, type_: bool) -> Found | None:
    language = resolver.language(path)
    if name in language.own_type:
        entity, _ = resolver.this(path, scope)
        return Found(entity=getattr(entity, "of", entity), how="type") if entity else None
    if name == language.root_module:
        return Found(entity=style(language.imports).crate(resolver.program, path), how="import")
    index, later = scope, False
    while index >= 0:
        s = resolver.program.scope(path, index)
        found = _in_scope(resolver, path, index, s, name, at, language.members, called, later, type_)
        if language.module_members and s.kind == "class" and (called or found is not None):
            found = mixins.of_self(resolver, path, scope, index, name, found)
        if found is not None:
            return found
        index, later = s.parent, later or (s.kind == "function" and language.value_flow)
    return _beyond(resolver, path, scope, name)


def _in_scope(resolver: Resolver, path: str, index: int, s: Scope, name: str, at: int, implicit: bool,
              called: bool, later: bool, type_: bool) -> Found | None:  # fmt: skip
    bindings = s.names.get(name)
    if bindings and resolver.language(path).types_apart:
        bindings = companions.apart(resolver, path, bindings, type_)
    if s.kind in ("class", "extension", "object"):
        if bindings:
            for binding in bindings:
                if binding.kind == "typevar":
                    return Found(path, index, binding)
        if s.kind == "extension" and implicit and (found := _type_parameter(resolver, path, index, name)) is not None:
            return found
        if not implicit or s.kind == "object":
            return None
        owner, _ = resolver.this(path, index)
        found = resolver.member(owner, name, called=called)
        if found is None or found.entity is not None or _is_constructor(resolver, found, name):
            return None
        if called and found.binding is not None and _is_no_function(resolver, found.path, found.scope, found.binding):
            return None  # `val config: Config by config("default")`
        return None if type_ and not companions.is_type(resolver, found) else found
    if s.kind == "function" and s.target is not None and implicit:
        owner, _ = resolver.this(path, index)
        if not bindings:
            found = resolver.member(owner, name)
            return (
                found
                if found is not None and found.entity is None and not _is_constructor(resolver, found, name)
                else None
            )
    if not bindings and s.kind == "function" and s.bases:  # Kotlin: `x.apply { ... }`
        found = resolver.member(resolver.value(path, s.parent, s.bases[0][1], at), name, called=called)
        return found if found is not None and found.entity is None else None
    if not bindings and s.kind == "namespace" and name[:1].isupper() and resolver.language(path).module_members:
        around = mixins.module_name(resolver, path, index)
        found = resolver.settled(("in module", around, name), in_namespace, resolver, "ruby", around, name)
        if found is not None:  # what another file adds to the module stands before what is around it
            return found.via("package", 0.98)
    if not bindings and s.kind == "namespace" and s.bases:  # Ruby: what a module includes or extends
        return resolver.member(Def(path, s.symbol, index), name, called=called)
    apart = called and resolver.language(path).separate in ("all", "locals")
    if not bindings or (apart and bindings[0].kind in ("var", "param")):
        return None
    if called and all(_is_no_function(resolver, path, index, binding) for binding in bindings):
        return None  # Kotlin: `fun write(value: Any) = value(value)`
    if s.kind in _INNER and bindings[0].at > at and resolver.language(path).late_names:
        return None  # `node := &node{}`: within what it is given the name still means the type
    if later and len(bindings) > 1 and bindings[0].kind in ("var", "param"):
        binding = bindings[0]  # a function within may run at any time: that has all values
    elif s.kind == "module" and not later and resolver.language(path).value_flow:
        binding = choose(bindings, at) if bindings[0].kind == "var" else choose(bindings, 1 << 60)
    else:
        binding = choose(bindings, at if s.kind in _INNER else 1 << 60)
    how = "import" if binding.kind == "import" else "scope"
    return _follow(resolver, Found(path, index, binding, how=how))


def _is_no_function(resolver: Resolver, path: str, scope: int, binding: Binding) -> bool:
    """Kotlin, Swift: return whether a variable has a declared type that cannot be called."""
    type_ = binding.type if binding.kind in ("var", "param", "field") else None
    if not type_ or type_[0] != "name" or not resolver.language(path).implicit_parameter:
        return False
    if type_[1] in _NO_FUNCTIONS:
        return True
    value = resolver.instance(path, scope, type_, binding.at)
    of = getattr(value, "of", None)
    if not isinstance(of, Def) or resolver.program.facts[of.path].symbols[of.symbol].kind == "type":
        return False
    return all(resolver.member(value, name, called=True) is None for name in _CALLED)


def type_outside(resolver: Resolver, path: str, scope: int, expr: Expr, found: Found) -> Found | None:
    """C#: return the type that `new Name()` means where a class around it has a method of that name."""
    index = scope
    while index > 0 and _is_method(resolver, found):
        while index > 0 and resolver.program.scope(path, index).kind != "class":
            index = resolver.program.scope(path, index).parent
        index = resolver.program.scope(path, index).parent if index > 0 else 0
        again = resolver.resolve(path, index, expr, 1 << 60)
        if again is None:
            return None
        found = again
    return found


def _is_method(resolver: Resolver, found: Found) -> bool:
    if found.binding is None or found.binding.kind != "def" or found.binding.symbol < 0:
        return False
    return resolver.program.facts[found.path].symbols[found.binding.symbol].kind in ("function", "method")


def _type_parameter(resolver: Resolver, path: str, index: int, name: str) -> Found | None:
    """Return a type parameter of the type that an extension extends."""
    extended = resolver.this(path, index)[0]
    of = getattr(extended, "of", None)
    if not isinstance(of, Def) or of.scope < 0:
        return None
    for binding in resolver.program.scope(of.path, of.scope).names.get(name, ()):
        if binding.kind == "typevar":
            return Found(of.path, of.scope, binding)
    return None


def _is_constructor(resolver: Resolver, found: Found, name: str) -> bool:
    """Return whether a constructor has the name of its class: inside the class, the name means the class."""
    if found.binding is None or found.binding.symbol < 0 or found.scope < 0:
        return False
    facts = resolver.program.facts[found.path]
    scope = resolver.program.scope(found.path, found.scope)
    owner = scope.target[-1] if scope.kind == "extension" and scope.target else facts.symbols[scope.symbol].name
    return facts.symbols[found.binding.symbol].kind == "method" and owner == name


def choose(bindings: tuple[Binding, ...], at: int) -> Binding:
    """Return of several bindings of a name the last one before the position, otherwise the first."""
    best = bindings[0]
    for binding in bindings:
        if binding.at <= at and (binding.kind != "decl" or best.kind == "decl"):
            best = binding
    return best


def _follow(resolver: Resolver, found: Found) -> Found | None:
    """Follow an import to its target."""
    assert found.binding is not None
    if found.binding.kind == "decl":
        return None  # a prototype: what it declares is defined elsewhere, and the search continues
    if found.binding.kind != "import":
        return found
    return imported(resolver, found.path, found.binding.scope)


def imported(resolver: Resolver, path: str, index: int) -> Found | None:
    """Return the target of an import, by the import style of its language."""
    return resolver.settled(("import", path, index), _imported, resolver, path, index)


def _imported(resolver: Resolver, path: str, index: int) -> Found | None:
    item: Import = resolver.program.summaries[path].imports[index]
    return style(resolver.language(path).imports).resolve(resolver, path, item)  # type: ignore[no-any-return]


@cache
def style(name: str) -> Any:
    """Return the module of an import style."""
    return import_module(f"graphmem.codegraph.generic.imports.{name}")


def _beyond(resolver: Resolver, path: str, scope: int, name: str) -> Found | None:
    """Return names from outside the file."""
    mark = ("beyond", path, _namespace_of(resolver, path, scope), name)
    return resolver.settled(mark, _outside, resolver, path, scope, name)


def _outside(resolver: Resolver, path: str, scope: int, name: str) -> Found | None:
    return (
        _in_namespaces(resolver, path, scope, name)
        or _starred(resolver, path, name)
        or _crate(resolver, path, name)
        or visible.extension(resolver, path, name, bare=True)
        or _global(resolver, path, name)
        or _builtin(resolver, path, name)
        or _open(resolver, path, name)
    )


def _namespace_of(resolver: Resolver, path: str, scope: int) -> int:
    index = scope
    while index > 0:
        s = resolver.program.scope(path, index)
        if s.kind == "namespace":
            return index
        index = s.parent
    return 0


def _in_namespaces(resolver: Resolver, path: str, scope: int, name: str) -> Found | None:
    """Return the names that other files add to the package or enclosing namespaces."""
    program = resolver.program
    language, facts = resolver.language(path), program.facts[path]
    if language.siblings not in ("package", "includes", "global"):
        return None
    own = [facts.package] if facts.package or language.naming == "folder" else [""]
    index = _namespace_of(resolver, path, scope)
    for dotted, at in program.summaries[path].namespaces:
        if at == index and at:
            own = [dotted]
    if language.naming == "folder":
        if own[0].endswith("#test"):
            own = own[:1]
    else:
        parts = own[0].split(".") if own[0] else []
        own = [".".join(parts[:i]) for i in range(len(parts), 0, -1)]
    for dotted in own:
        found = in_namespace(resolver, language.family, dotted, name, path if language.using else "")
        if found is not None:
            return found.via("package", 0.98)
    return _at_the_root(resolver, path, name) if language.naming == language.siblings == "package" else None


def _at_the_root(resolver: Resolver, path: str, name: str) -> Found | None:
    """Return the start of a qualified name; and names outside of namespaces, for files without a namespace, and in C# for
    all."""
    program, language = resolver.program, resolver.language(path)
    mark = (language.family, name)
    if mark in program.by_namespace or mark in program.namespace_parents:
        return Found(entity=Namespace(*mark), how="import", sure=0.95)
    if program.facts[path].package and not language.partial:
        return None
    found = in_namespace(resolver, language.family, "", name)
    return found.via("package", 0.95) if found is not None else None


def in_namespace(resolver: Resolver, family: str, dotted: str, name: str, near: str = "") -> Found | None:
    """Return a name in a namespace, across all files; or a nested namespace. Of several definitions (for other platforms, or in
    an amalgamated copy) it is the one that the file `near` includes, otherwise the one with the most folders in common with it."""
    program = resolver.program
    several = [Found(*one, how="import") for one in program.in_namespace(family, dotted).get(name, ())]
    if several and not near and family != "ruby":
        return several[0]
    if several and not near:
        return max(several, key=lambda one: mixins.says_most(resolver, one))
    if several:
        if len(several) == 1:
            return several[0]
        parts, reached = near.split("/"), reached_files(resolver, near)
        return max(
            several, key=lambda one: (one.path in reached, len(posixpath.commonprefix([parts, one.path.split("/")])))
        )
    if dotted and (found := _added_to_namespace(resolver, family, dotted, name)) is not None:
        return found
    below = f"{dotted}.{name}" if dotted else name
    if (family, below) in program.by_namespace or (family, below) in program.namespace_parents:
        return Found(entity=Namespace(family, below), how="import")
    return None


def beside_class(resolver: Resolver, owner: Def, name: str) -> Found | None:
    """Return a class in the namespace that has the name of a class (PHP's `Installer\\Runner` beside `Installer`)."""
    symbol = resolver.program.facts[owner.path].symbols[owner.symbol]
    family = resolver.language(owner.path).family
    if (family, symbol.qualified_name) not in resolver.program.by_namespace:
        return None
    return in_namespace(resolver, family, symbol.qualified_name, name)


def _added_to_namespace(resolver: Resolver, family: str, dotted: str, name: str) -> Found | None:
    """C++, Ruby: return what is defined outside of its namespace (`bool Joystick::isConnected() {}`, `class Shop::Order`)."""
    for path, index in resolver.program.extensions.get((family, dotted.rpartition(".")[2]), ()):
        scope = resolver.program.scope(path, index)
        bindings = scope.names.get(name)
        language = resolver.language(path)
        if not bindings or not (language.using or language.module_members):
            continue
        found = resolver.resolve(path, scope.parent, scope.target, 1 << 60)
        entity = resolver.entity(found) if found is not None else None
        if entity == Namespace(family, dotted) or (isinstance(entity, Def) and _is_namespace(resolver, entity, dotted)):
            return Found(path, index, bindings[-1], how="import")
    return None


def _is_namespace(resolver: Resolver, entity: Def, dotted: str) -> bool:
    symbol = resolver.program.facts[entity.path].symbols[entity.symbol]
    return symbol.kind == "namespace" and symbol.qualified_name == dotted


def _included(resolver: Resolver, path: str, name: str) -> Found | None:
    """C and similar: return the definition in the first file along the includes."""
    places = resolver.program.top_level.get((resolver.language(path).family, name))
    if not places:
        return None
    reached = reached_files(resolver, path)
    for place in sorted((p for p in places if p in reached), key=lambda p: reached[p]):
        binding = choose(resolver.program.scope(place, 0).names[name], 1 << 60)
        if not _renames(resolver, place, binding):
            return Found(place, 0, binding, how="import", sure=0.95) if binding.kind != "decl" else None
    return None


def _renames(resolver: Resolver, path: str, binding: Binding) -> bool:
    """Return whether it is a macro that only gives a function of the tree another name (`#define inflate z_inflate`, where
    symbols get a prefix): the definition is renamed as well, so the name still means it."""
    if binding.symbol < 0:
        return False
    symbol = resolver.program.facts[path].symbols[binding.symbol]
    if symbol.kind != "macro" or not _RENAMING.fullmatch(symbol.signature):
        return False
    program = resolver.program
    for place in program.top_level.get((resolver.language(path).family, symbol.name), ()):
        defined = [b.symbol for b in program.scope(place, 0).names[symbol.name] if b.kind == "def" and b.symbol >= 0]
        if any(program.facts[place].symbols[other].kind == "function" for other in defined):
            return True
    return False


def reached_files(resolver: Resolver, path: str) -> dict[str, int]:
    """Return all files that a file of C or C++ includes, directly or through others, with their rank: nearer ones first."""
    return resolver.settled(("reached", path), _reached, resolver, path) or {}


def _reached(resolver: Resolver, path: str) -> dict[str, int]:
    """Return all directly or indirectly included files with their rank: nearer ones first."""
    rank: dict[str, int] = {}
    queue = [path]
    while queue:
        here = queue.pop(0)
        for index, item in enumerate(resolver.program.summaries[here].imports):
            target = imported(resolver, here, index) if item.name == "*" else None
            entity = target.entity if target is not None else None
            if isinstance(entity, Module) and entity.path not in rank and entity.path != path:
                rank[entity.path] = len(rank)
                queue.append(entity.path)
    return rank


def _starred(resolver: Resolver, path: str, name: str) -> Found | None:
    """Return names from a star import or include."""
    includes = resolver.language(path).siblings == "includes"
    if includes:
        found = _included(resolver, path, name)
        if found is not None:
            return found
    for where, index in star_imports(resolver, path):
        target = imported(resolver, where, index)
        if target is None or isinstance(target.entity, External) or target == Found():
            continue
        entity = resolver.entity(target)
        if not isinstance(entity, (Def, Module, Namespace)) or (includes and isinstance(entity, Module)):
            continue
        found = resolver.member(entity, name)
        if found is not None and found.binding is not None and found.binding.kind == "decl":
            continue
        if found is not None and not isinstance(found.entity, (External, Namespace)):
            return found.via("import", 0.95)
    return None


def star_imports(resolver: Resolver, path: str) -> Iterator[tuple[str, int]]:
    """Yield the imports of all names of something that count for a file, as (file, number): its own, and in C# those that
    another file of its project makes for all."""
    javascript = resolver.language(path).family == "javascript"
    for index, item in enumerate(resolver.program.summaries[path].imports):
        if item.name == "*" and not (javascript and item.exported and not item.local):
            yield path, index
    if resolver.language(path).partial:
        for folder, where, index in resolver.program.global_imports:
            if where != path and (not folder or path.startswith(f"{folder}/")):
                yield where, index


def _global(resolver: Resolver, path: str, name: str) -> Found | None:
    """For languages with one global namespace: return the definition, if unique."""
    language = resolver.language(path)
    if language.siblings not in ("global", "includes") or name in language.common_members:
        return None
    if (language.family, name) in resolver.program.by_namespace:
        return Found(entity=Namespace(language.family, name), how="global", sure=0.95)
    places = resolver.program.top_level.get((language.family, name), [])
    if not resolver.program.summaries[path].test:  # tests may use sources, not the reverse
        places = [place for place in places if not resolver.program.summaries[place].test]
    if language.siblings == "includes" and any(place.endswith(_HEADERS) for place in places):
        reached = reached_files(resolver, path)  # what a header defines is visible where it is included
        places = [place for place in places if not place.endswith(_HEADERS) or place in reached]
    found = []
    for place in places:
        for binding in resolver.program.scope(place, 0).names[name]:
            if binding.symbol >= 0 and not _private(resolver, place, binding, language.siblings):
                found.append(Found(place, 0, binding, how="global", sure=0.9))
                break
    if len(found) == 1:
        return found[0]
    if found and language.module_members and all(mixins.is_class_found(resolver, each) for each in found):
        return max(found, key=lambda each: mixins.says_most(resolver, each))  # parts of one class
    near = [f for f in found if f.path.rpartition("/")[0] == path.rpartition("/")[0]]
    if not near and language.siblings == "global":
        near = _in_module(resolver, path, found)
    return near[0].via("global", 0.7) if len(near) == 1 else None


def _in_module(resolver: Resolver, path: str, found: list[Found]) -> list[Found]:
    """Return which of several global definitions a file sees: those with the most folders in common, and then those of
    the modules that it imports (Swift, where a folder is a module)."""
    parts = path.split("/")
    common = [len(posixpath.commonprefix([parts, f.path.split("/")])) for f in found]
    near = [f for f, count in zip(found, common, strict=True) if count == max(common)]
    if len(near) > 1:
        modules = {item.source.partition(".")[0] for item in resolver.program.summaries[path].imports}
        near = [f for f in near if modules.intersection(f.path.split("/"))]
    return near


def _private(resolver: Resolver, path: str, binding: Binding, siblings: str) -> bool:
    symbol = resolver.program.facts[path].symbols[binding.symbol]
    linked = symbol.kind in ("function", "variable", "class", "struct") and not symbol.signature.startswith("static ")
    return siblings == "includes" and not linked


def macro(resolver: Resolver, path: str, name: str) -> Found | None:
    """Rust: return the macro with that name in the file's crate, or the only one in the tree; macros belong to no module."""
    program = resolver.program
    found = []
    for place in program.top_level.get(("rust", name), ()):
        for binding in program.scope(place, 0).names[name]:
            if binding.symbol >= 0 and program.facts[place].symbols[binding.symbol].kind == "macro":
                found.append(Found(place, 0, binding, how="global", sure=0.9))
                break
    near = program.nearest("Cargo.toml", path)
    own = [f for f in found if near is not None and f.path.startswith(near[0])]
    if own:
        return own[0]
    return found[0] if len(found) == 1 else None


def _crate(resolver: Resolver, path: str, name: str) -> Found | None:
    """Rust: return a dependency crate, or an exported macro; both are visible everywhere."""
    if not resolver.language(path).root_module:
        return None
    found = macro(resolver, path, name)
    if found is not None:
        return found
    return style(resolver.language(path).imports).outside(resolver, path, name)  # type: ignore[no-any-return]


def _open(resolver: Resolver, path: str, name: str) -> Found | None:
    """For languages where undefined names are external: C libraries, shell programs."""
    if not resolver.language(path).open or not name or name.startswith("$"):
        return None
    return Found(entity=External(name), how="builtin", sure=0.6)


def _builtin(resolver: Resolver, path: str, name: str) -> Found | None:
    language = resolver.language(path)
    if name in language.builtins:
        return Found(entity=External(f"<builtin>.{name}"), how="builtin", sure=0.95)
    return None
