"""Where values are kept: the cells that they flow into, and the pool that makes one object for each distinct value."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from graphmem.codegraph.python.values import (
    CONSTANT,
    CONTAINER,
    EMPTY,
    INSTANCE,
    MAX_VALUES,
    Arguments,
    Bound,
    Cls,
    Constant,
    Container,
    Decorated,
    External,
    Fn,
    Generator,
    Instance,
    Parameter,
    Partial,
    Super,
    Value,
    Values,
)

_MAX_OF_A_KIND = 8  # constants, containers: more of them in one place tell nothing apart


class Cell:
    """A place that values flow into: a variable, parameter, attribute, element or result. `producers` are the functions
    that must have run before its content means anything; `readers` have to run again when it changes, of each function the
    operations that stand as bits in a number."""

    __slots__ = ("closed", "floor", "producers", "readers", "values", "wide")

    def __init__(self, values: Values = EMPTY, producers: tuple[Fn, ...] = ()) -> None:
        self.values = self.floor = (
            values  # floor: what is declared, and stays when the rest is too much to mean anything
        )
        self.producers = producers
        self.readers: dict[Fn, int] = {}
        self.closed: tuple[int, ...] = ()  # kinds of which there were too many
        self.wide = False

    def add(self, values: Values) -> bool:
        """Adds values; says whether that changed anything."""
        if self.wide or values <= self.values:
            return False
        if self.closed:
            values = frozenset([v for v in values if v.kind not in self.closed])
            if values <= self.values:
                return False
        merged = self.values | values if self.values else values
        if len(merged) > 1:
            merged = _absorbed(merged)
            if merged == self.values:
                return False
        self.values = merged
        if len(merged) > _MAX_OF_A_KIND:
            self._thin_out()
        return True

    def _thin_out(self) -> None:
        for kind in (CONSTANT, CONTAINER):
            some = [v for v in self.values if v.kind == kind]
            if len(some) > _MAX_OF_A_KIND:
                self.closed += (kind,)
                self.values = self.values.difference(some) | self.floor
        if len(self.values) > MAX_VALUES:
            self.wide = True
            self.values = self.floor


def _absorbed(values: Values) -> Values:
    """Without the instances of a class where "some instance of it or of a subclass" is there as well."""
    exact = [v for v in values if v.kind == INSTANCE and not v.is_open and v.cls.some in values]  # type: ignore[attr-defined]
    return values.difference(exact) if exact else values


def union(parts: Iterable[Values]) -> Values:
    """The union; mostly one of the parts is all there is, and is then returned itself."""
    first, others = EMPTY, []
    for part in parts:
        if part and part is not first:
            if first:
                others.append(part)
            else:
                first = part
    return first.union(*others) if others else first


class Pool:
    """Makes values, one object for each distinct one."""

    def __init__(self) -> None:
        self._count = 0
        self._known: dict[tuple[Any, ...], Value] = {}
        self._simplified: dict[Values, Values] = {}

    def new(self, made: type[Value], /, **attributes: Any) -> Any:
        """A value of its own."""
        self._count += 1
        value = made(self._count)
        value.__dict__.update(attributes, only=frozenset((value,)))
        return value

    def _intern(self, key: tuple[Any, ...], /, **attributes: Any) -> Any:
        """A value that is not known yet, and will be; its class comes first in the key. (Whoever asks looks first himself:
        most values are known, and their attributes need not be gathered.)"""
        value = self._known[key] = self.new(key[0], **attributes)
        return value

    def instance(self, cls: Cls, arguments: Arguments = (), *, is_open: bool = False) -> Instance:
        """An instance of a class of the project, perhaps of a generic one with its type variables bound."""
        key = Instance, cls, arguments, is_open
        return self._known.get(key) or self._intern(key, cls=cls, arguments=arguments, is_open=is_open, fixed={})  # type: ignore[return-value]

    def bound(self, target: Value, receiver: Value) -> Bound:
        """A callable bound to a receiver."""
        key = Bound, target, receiver
        return self._known.get(key) or self._intern(key, target=target, receiver=receiver)  # type: ignore[return-value]

    def external(self, name: str, is_instance: bool = False) -> External:
        """A name of the outside world."""
        key = External, name, is_instance
        return self._known.get(key) or self._intern(key, name=name, is_instance=is_instance)  # type: ignore[return-value]

    def builtin(self, name: str) -> External:
        """An instance of a built-in type."""
        return self.external(f"<builtin>.{name}", True)

    def constant(self, value: str | int) -> Constant:
        """A constant; 1 and "1" differ."""
        key = Constant, type(value), value
        return self._known.get(key) or self._intern(key, value=value)  # type: ignore[return-value]

    def container(self, kind: str, place: tuple[Any, ...], owner: Fn | None) -> Container:
        """The container made at a place."""
        known = self._known.get((Container, place))
        if known is None:
            rest = Cell()
            keys = Cell() if kind == "dict" else rest
            known = self.new(Container, type=kind, owner=owner, cells={}, rest=rest, all=Cell(), keys=keys)
            self._known[Container, place] = known
        return known  # type: ignore[return-value]

    def simplified(self, values: Values) -> Values:
        """The same values with mere data (constants, collections of constants) reduced to their types, so that they do
        not keep the program running for nothing."""
        known = self._simplified.get(values)
        if known is None:
            parts = []
            for value in values:
                if isinstance(value, Constant):
                    parts.append(self.builtin(type(value.value).__name__))
                elif isinstance(value, Container) and value.is_plain:
                    parts.append(self.builtin(value.type))
                else:
                    parts.append(value)  # type: ignore[arg-type]
            known = self._simplified[values] = frozenset(parts)
        return known

    def parameter(self, fn: Fn, position: int, instantiated: bool = False) -> Parameter:
        """What a caller passes."""
        key = Parameter, fn, position, instantiated
        return self._known.get(key) or self._intern(key, fn=fn, position=position, instantiated=instantiated)  # type: ignore[return-value]

    def generator(self, fn: Fn) -> Generator:
        """The iterator of a generator function."""
        key = Generator, fn
        return self._known.get(key) or self._intern(key, fn=fn)  # type: ignore[return-value]

    def super(self, cls: Cls, receiver: Value) -> Super:
        """The proxy that `super()` returns."""
        key = Super, cls, receiver
        return self._known.get(key) or self._intern(key, cls=cls, receiver=receiver)  # type: ignore[return-value]

    def decorated(self, wrapper: Value, original: Fn) -> Decorated:
        """A wrapped function."""
        key = Decorated, wrapper, original
        return self._known.get(key) or self._intern(key, wrapper=wrapper, original=original)  # type: ignore[return-value]

    def partial(self, target: Value, args: tuple[Values, ...]) -> Partial:
        """A partly applied callable."""
        key = Partial, target, args
        return self._known.get(key) or self._intern(key, target=target, args=args)  # type: ignore[return-value]
