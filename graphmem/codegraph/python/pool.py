"""The pool of values: one object for each distinct value."""

from __future__ import annotations

from typing import Any

from graphmem.codegraph.python.cells import Cell
from graphmem.codegraph.python.kinds import Arguments, Value, Values
from graphmem.codegraph.python.values import (
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
)


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
