"""How well an argument suits a parameter, by their types."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphmem.codegraph.generic import members
from graphmem.codegraph.generic.entities import Def, Entity, External, Instance, Listed, Returns, Tupled, Variable
from graphmem.codegraph.generic.summary import CONVERSION, written_name

if TYPE_CHECKING:
    from graphmem.codegraph.generic.resolver import Resolver

# How an argument suits a parameter: int is nearly Integer; of wider numbers the nearest suits best.
_SAME, _NEARLY, _LIKE, _OPEN, _UNLIKELY, WRONG = 30, 20, 10, 0, -10, -80
_ANY_TYPE = 1  # a type parameter is nearer than `object`
_ALIASES = {"integer": "int", "character": "char", "boolean": "bool", "str": "string"}
_WIDENING = {"byte": 0, "sbyte": 0, "short": 1, "ushort": 1, "char": 1, "int": 2, "uint": 2, "unsigned": 2, "long": 3, "ulong": 3,
             "size_t": 3, "float": 4, "double": 5, "decimal": 6, "number": 8}  # fmt: skip
PLAIN = frozenset(_WIDENING) | {"string", "bool", "class"}
_PLAIN_ARE = frozenset({"charsequence", "comparable", "serializable", "type"})  # what values of those also are
_DELEGATES = frozenset({"func", "action", "predicate", "expression"})  # C#
_ANYTHING = frozenset({"object", "any", "anyref", "anyval", "dynamic"})


def suits(resolver: Resolver, given: Entity | None, wanted: Entity | None) -> int:
    """Return how well a value fits where a type is expected: negative if hardly."""
    if given is None and type_name(wanted) in _DELEGATES:
        return _UNLIKELY  # what is no function that is written there
    if given is None or wanted is None or type_name(wanted) in _ANYTHING:
        return _OPEN
    if isinstance(wanted, Variable):
        return _ANY_TYPE if wanted.bound is None else _OPEN
    if isinstance(wanted, Returns) or isinstance(given, (Returns, Def)):
        return _function_suits(resolver, given, wanted)
    if isinstance(given, (Listed, Tupled)) or isinstance(wanted, (Listed, Tupled)):
        return _list_suits(resolver, given, wanted)
    if not isinstance(given, Instance) or not isinstance(wanted, Instance):
        return _OPEN
    if given.of == wanted.of:
        return _SAME if type_name(wanted) not in _DELEGATES else _delegate_suits(resolver, given, wanted)
    if isinstance(given.of, Def):
        return _class_suits(resolver, given.of, wanted)
    have, want = type_name(given), type_name(wanted)
    if isinstance(wanted.of, Def):
        return _LIKE if _converts(resolver, wanted.of, have) else WRONG if have in PLAIN else _UNLIKELY
    if have == want:
        return _NEARLY
    if have in _WIDENING and want in _WIDENING and want != "char":
        further = _WIDENING[want] - _WIDENING[have]
        return _LIKE - further if further > 0 else _UNLIKELY
    if have in PLAIN:
        return _LIKE if want in _PLAIN_ARE else WRONG if want in PLAIN else _UNLIKELY
    return WRONG if want in PLAIN and want != "number" else _OPEN


def _delegate_suits(resolver: Resolver, given: Instance, wanted: Instance) -> int:
    """C#: return how well a function of known parameters fits where one is expected."""
    if len(given.args) != len(wanted.args):
        return WRONG
    return _SAME + min((0, *(suits(resolver, *pair) for pair in zip(given.args, wanted.args, strict=True))))


def _converts(resolver: Resolver, class_: Def, other: str) -> bool:
    """C#: return whether a class converts from or to a type by itself (`implicit operator`)."""
    names = resolver.program.scope(class_.path, class_.scope).names if class_.scope >= 0 else {}
    return any(_lower(written_name(binding.type)) == other for binding in names.get(CONVERSION, ()))


def _class_suits(resolver: Resolver, given: Def, wanted: Instance) -> int:
    """Return how well an instance of one class of the tree fits where another is expected."""
    if isinstance(wanted.of, Def):
        return _LIKE if wanted.of in members.ancestors(resolver, given) else WRONG
    name = type_name(wanted)
    if _converts(resolver, given, name):
        return _LIKE
    lineage = [given, *members.ancestors(resolver, given)]
    outside = [b for c in lineage for _, b, _ in members.bases(resolver, c) if isinstance(b, External)]
    if any(_last(b) == name for b in outside):
        return _LIKE
    excluded = name in PLAIN or (not outside and resolver.language(given.path).partial)
    return WRONG if excluded else _UNLIKELY


def _function_suits(resolver: Resolver, given: Entity, wanted: Entity) -> int:
    """Return how well a function fits where a value is expected, or the reverse."""
    function = isinstance(given, Returns)
    if isinstance(given, Def):
        function = resolver.program.facts[given.path].symbols[given.symbol].kind in ("function", "method")
    if isinstance(wanted, Returns) or type_name(wanted) in _DELEGATES:
        return _SAME if function else _UNLIKELY
    if not function:
        return _OPEN
    if isinstance(wanted, Instance) and isinstance(wanted.of, Def):
        kind = resolver.program.facts[wanted.of.path].symbols[wanted.of.symbol].kind
        return _LIKE if kind in ("interface", "trait") else WRONG
    return WRONG if type_name(wanted) in PLAIN else _OPEN


def _list_suits(resolver: Resolver, given: Entity, wanted: Entity) -> int:
    if isinstance(given, Listed) and isinstance(wanted, Listed):
        return min(_NEARLY, _LIKE + suits(resolver, given.element, wanted.element))
    if isinstance(given, Tupled) and isinstance(wanted, (Listed, Tupled)):
        return _LIKE
    if isinstance(given, Instance) and (isinstance(given.of, Def) or type_name(given) in PLAIN):
        return WRONG
    if isinstance(wanted, Instance) and (isinstance(wanted.of, Def) or type_name(wanted) in PLAIN):
        return _UNLIKELY
    return _OPEN


def are_equal(one: Entity | None, other: Entity | None) -> bool:
    """Return whether two types are the same."""
    if isinstance(one, Instance) and isinstance(other, Instance):
        return one.of == other.of or (bool(type_name(one)) and type_name(one) == type_name(other))
    return one == other


def type_name(entity: Entity | None) -> str:
    """Return the simple name of an external type; "" for anything else."""
    return _last(entity.of) if isinstance(entity, Instance) and isinstance(entity.of, External) else ""


def _last(outside: External) -> str:
    return _lower(outside.name)


def _lower(dotted: str) -> str:
    name = dotted.rpartition(".")[2].lower()
    return _ALIASES.get(name, name)
