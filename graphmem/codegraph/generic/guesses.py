"""The last resort for a call on something unknown: what its names say. `user.archive!` means the method of the class `User`, and a
name that one method of the tree alone has, and no library, that method. Such calls are less sure than all others."""

from __future__ import annotations

import tomllib
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from graphmem import resources
from graphmem.codegraph.generic import members, mixins, words
from graphmem.codegraph.generic.entities import Def, Entity, Found, Instance, Namespace
from graphmem.codegraph.generic.program import whole_name
from graphmem.codegraph.generic.summary import ANY_KEYWORD, Expr, Reference, Scope

if TYPE_CHECKING:
    from graphmem.codegraph.generic.linking import Links
    from graphmem.codegraph.generic.resolver import Resolver

Arguments = tuple[Expr | None, ...]
_LIKE_ITS_CLASS = 0.7  # what it is called on has the name of a class with that method
_ONLY_ONE = 0.6
_SEVERAL = 0.3
_FEW = 3  # methods that a call may mean; of more it says nothing
_LINKS = 12  # of a chain of calls
_COLUMNS = (
    "_id",
    "_ids",
    "_at",
    "_on",
)  # ends of names that columns of tables have, whichever class has a method of that name
_OF_EVERYTHING = frozenset({"to_s", "inspect", "to_json", "as_json", "hash", "new", "call"})  # whatever it is called on
_FIRST = ("Base", "Application")  # in the names of classes from which the others inherit
_OUT_OF_REACH = ("Controller",)  # classes whose objects nobody holds, only a framework
_CLASS_WORDS = frozenset({"class", "klass", "model", "type", "constantize", "base"})


class _Kind(NamedTuple):
    """What an expression may be, by its name: an object of a class, the class (or a collection of its objects), or either."""

    classes: tuple[Def, ...]
    is_object: bool
    is_class: bool


def record(out: Links, path: str, r: Reference, source: str, callee: Expr, arguments: Arguments) -> bool:
    """Record what a call with an unknown receiver may mean: one method is called, of several each is possible. Return whether
    its names say something."""
    several = _meant(out.resolver, path, r, callee, arguments)
    for one in several:
        assert one.binding is not None
        target = out.resolver.program.facts[one.path].symbols[one.binding.symbol]
        type_ = "CALLS" if target.kind == "method" and len(several) == 1 else "REFERS_TO"
        out.edge(type_, source, target.key, r.line, one.how, one.sure)
    return bool(several)


def _meant(resolver: Resolver, path: str, r: Reference, callee: Expr, arguments: Arguments) -> list[Found]:
    """Return the methods and fields that a call may mean; nothing, if its name says nothing."""
    language = resolver.language(path)
    if not language.guesses or callee[0] not in ("name", "attr"):
        return []
    name = callee[-1] if callee[0] == "name" else callee[2]
    if name in _OF_EVERYTHING:
        return []
    own = resolver.this(path, r.scope)[0] if callee[0] == "name" or callee[1] == ("this",) else None
    kind = _kind(resolver, path, r, callee[1], _LINKS) if callee[0] == "attr" and callee[1] and own is None else None
    found = _of_kind(resolver, path, kind, name, arguments) if kind is not None else []
    if len(found) == 1:
        return [found[0]._replace(how="receiver name", sure=_LIKE_ITS_CLASS)]
    if not found:
        if name.removesuffix("=") in _outside_names(language.family) or _is_outside(resolver, path, r, callee):
            return []
        found = _by_name(resolver, path, callee, arguments, mixed=kind is not None or own is not None)
    sure, how = (_ONLY_ONE, "unique name") if len(found) == 1 else (_SEVERAL, "candidate")
    return [each._replace(how=how, sure=sure) for each in found] if len(found) <= _FEW else []


def _is_outside(resolver: Resolver, path: str, r: Reference, callee: Expr) -> bool:
    """Return whether a chain of calls begins with a constant that the tree does not have, or with a literal."""
    first = callee[1] if callee[0] == "attr" else None
    while first and first[0] in ("attr", "call", "index"):
        if first[0] == "attr" and first[2][:1].isupper():
            break
        first = first[1]
    if not first or first[0] in ("lit", "str", "array"):
        return bool(first)
    is_constant = first[0] in ("name", "attr") and first[-1][:1].isupper()
    return is_constant and not isinstance(resolver.value(path, r.scope, first, r.at), Def | Namespace)


def _kind(resolver: Resolver, path: str, r: Reference, expr: Expr | None, links: int) -> _Kind | None:
    """Return what an expression is, or what its name says that it is."""
    if not expr or not links:
        return None
    known = resolver.value(path, r.scope, expr, r.at)
    if isinstance(known, Instance) and isinstance(known.of, Def):
        return _Kind((known.of,), is_object=True, is_class=False)
    if isinstance(known, Def):
        return _Kind((known,), is_object=False, is_class=True)
    if known is not None:
        return None
    if expr[0] == "index":
        whole = _kind(resolver, path, r, expr[1], links - 1)
        return whole._replace(is_object=True, is_class=False) if whole is not None and not whole.is_object else None
    callee = expr[1] if expr[0] == "call" else expr
    if not callee or callee[0] not in ("name", "attr") or callee[3:] == ("key",):
        return None
    name = callee[-1] if callee[0] == "name" else callee[2]
    classes, many = _named_like(resolver, path, name)
    if classes:
        return _Kind(classes, is_object=not many, is_class=many)
    return _given(resolver, path, r, callee[1], name, links) if callee[0] == "attr" else None


def _given(resolver: Resolver, path: str, r: Reference, owner: Expr | None, name: str, links: int) -> _Kind | None:
    """Return what a method gives, by what it is called on."""
    language = resolver.language(path)
    whole = _kind(resolver, path, r, owner, links - 1)
    if whole is None:
        return None
    if name == "class":
        return whole._replace(is_object=False, is_class=True)
    if whole.is_object and not whole.is_class:
        return whole if name in language.gives_itself else None
    if name in language.factories:
        return whole._replace(is_object=True, is_class=False)
    if name in language.gives_relation:
        return whole._replace(is_object=False)
    its = [found for each in whole.classes if (found := resolver.member(each, name)) is not None and found.binding]
    return whole._replace(is_object=True, is_class=True) if its else None


def _named_like(resolver: Resolver, path: str, name: str) -> tuple[tuple[Def, ...], bool]:
    """Return the classes that a variable or method is named like, and whether it is named like several of their objects."""
    table = resolver.program.types_by_word.get(resolver.language(path).family, {})
    for word, many in words.of(name):
        if word in table:
            return table[word], many
    return (), False


def _of_kind(resolver: Resolver, path: str, kind: _Kind, name: str, arguments: Arguments) -> list[Found]:
    """Return the members with a name that objects of these classes have, or the classes themselves; if they have none, those that
    objects of classes below have."""
    found: dict[tuple[str, int], Found] = {}
    for each in kind.classes:
        for entity in (Instance(each),) * kind.is_object + (each,) * kind.is_class:
            member = _member(resolver, entity, name, arguments)
            if member is not None and member.binding is not None and _is_seen(resolver, path, member):
                found.setdefault((member.path, member.binding.symbol), member)
                break
    return list(found.values()) or _of_heirs(resolver, path, kind, name, arguments)


def _member(resolver: Resolver, entity: Entity, name: str, arguments: Arguments) -> Found | None:
    for written in (name, name.removesuffix("=")):  # an attribute is assigned to without a method of its own
        found = resolver.member(entity, written, called=True)
        if found is None or found.binding is None or found.binding.symbol < 0:
            continue
        kind = resolver.program.facts[found.path].symbols[found.binding.symbol].kind
        if kind == "field":
            return found
        fits = kind == "method" and written == name and _takes(resolver, found, name, arguments)
        if fits and not (isinstance(entity, Instance) and mixins.is_of_class(resolver, found)):
            return found
    return None


def _of_heirs(resolver: Resolver, path: str, kind: _Kind, name: str, arguments: Arguments) -> list[Found]:
    found = []
    for place, index, binding in resolver.program.methods_by_name.get((resolver.language(path).family, name), ()):
        scope, one = resolver.program.scope(place, index), Found(place, index, binding)
        if (
            scope.kind == "class"
            and mixins.is_of_class(resolver, one) is not kind.is_object
            and _is_seen(resolver, path, one)
        ):
            above = members.ancestors(resolver, Def(place, scope.symbol, index))
            if any(each in kind.classes for each in above) and _takes(resolver, one, name, arguments):
                found.append(one)
    return found


def _by_name(resolver: Resolver, path: str, callee: Expr, arguments: Arguments, *, mixed: bool) -> list[Found]:
    """Return the methods with a name that the tree has, one of each class; of modules only, where the class of the receiver is
    known and has none (`mixed`)."""
    program, found = resolver.program, dict[str, Found]()
    name: str = callee[-1] if callee[0] == "name" else callee[2]
    on_object = callee[0] == "attr" and not _names_a_class(callee[1])
    mixed = mixed or name.removesuffix("=").endswith(_COLUMNS)
    for place, index, binding in program.methods_by_name.get((resolver.language(path).family, name), ()):
        facts, scope, one = program.facts[place], program.scope(place, index), Found(place, index, binding)
        owner = whole_name(facts, facts.symbols[scope.symbol])
        if not _is_seen(resolver, path, one):
            continue
        if scope.kind == "class" and facts.symbols[binding.symbol].kind == "field":
            return []  # fields of one name are in many tables
        if mixed and scope.kind == "class":
            continue
        if mixed and scope.kind == "namespace" and not _is_for_all(resolver, place, index):
            continue
        if on_object and (mixins.is_of_class(resolver, one) or owner.endswith(_OUT_OF_REACH)):
            continue
        if _takes(resolver, one, name, arguments):
            found.setdefault(owner, one)
    return list(found.values())


def _is_for_all(resolver: Resolver, path: str, index: int) -> bool:
    """Return whether a module may be part of classes that do not name it: none does, or one from which others inherit."""
    facts, scope = resolver.program.facts[path], resolver.program.scope(path, index)
    known = resolver.program.including.get(facts.symbols[scope.symbol].name, ())
    return not known or any(name.startswith(_FIRST) or name.endswith(_FIRST) for name in known)


def _names_a_class(receiver: Expr | None) -> bool:
    """Return whether what a method is called on may be a class, by its name: `model.table`, `record.class.table`."""
    last = receiver[1] if receiver and receiver[0] == "call" else receiver
    return last is not None and last[:1] in (("name",), ("attr",)) and str(last[-1]).rpartition("_")[2] in _CLASS_WORDS


def _is_seen(resolver: Resolver, path: str, found: Found) -> bool:
    """Return whether a file may run a definition: what tests define is not there outside of them."""
    summaries = resolver.program.summaries
    return summaries[path].test or not summaries[found.path].test


def _takes(resolver: Resolver, found: Found, name: str, arguments: Arguments) -> bool:
    """Return whether a method takes what a call gives it."""
    if found.binding is None or found.binding.scope < 0 or name.endswith("="):
        return True
    function: Scope = resolver.program.scope(found.path, found.binding.scope)
    if function.kind != "function":
        return True
    given = [argument for argument in arguments if not argument or argument[0] != "named"]
    named = {argument[1] for argument in arguments if argument and argument[0] == "named"}
    places = [each for each in function.parameters if not each.endswith(":") and each != ANY_KEYWORD]
    keywords = {each[:-1] for each in function.parameters if each.endswith(":")}
    any_number = any(argument and argument[0] == "spread" for argument in arguments)
    if named and not (named <= keywords or ANY_KEYWORD in function.parameters):
        if keywords and not named & keywords:
            return False
        given = [*given, None]  # they are one hash
    if not function.rest and len(given) > len(places):
        return False
    return any_number or len(given) >= function.required


@cache
def _outside_names(family: str) -> frozenset[str]:
    """Return the names of methods that a language and its usual frameworks have."""
    return frozenset(tomllib.loads(resources.text("grammars/outside_names.toml")).get(family, "").split())
