"""The abstract values that flow through a program: functions, classes, instances, modules, containers, constants and
external names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from graphmem.codegraph.python.bindings import Binding
from graphmem.codegraph.python.cells import Cell
from graphmem.codegraph.python.kinds import (
    BOUND,
    CLASS,
    CONSTANT,
    CONTAINER,
    DECORATED,
    EXTERNAL,
    FUNCTION,
    GENERATOR,
    INSTANCE,
    MODULE,
    PARAMETER,
    PARTIAL,
    SUPER,
    Arguments,
    Value,
    Values,
)

if TYPE_CHECKING:
    from graphmem.codegraph.python import ir
    from graphmem.codegraph.records import FileFacts

_MAX_DOTS = 10  # in a name of the outside world


class Instance(Value):
    """Some instance of a class of the project; `is_open`: or of a subclass, since only a declaration (an annotation, `self`)
    says so and not a constructor."""

    kind = INSTANCE
    cls: Cls
    is_open: bool
    arguments: Arguments  # what the class's type variables stand for
    fixed: dict[str, Values]  # attributes that mean the same whatever happens


class Bound(Value):
    """A callable together with the receiver that becomes its first argument."""

    kind = BOUND
    target: Value
    receiver: Value


class External(Value):
    """A name outside the project, `os.path.join` or `<builtin>.len`, or an instance of the class of that name."""

    kind = EXTERNAL
    name: str
    is_instance: bool

    def attribute(self, name: str) -> str:
        """Return the dotted name of an attribute. A loop (`node = node.parent`) would make names without end: an
        attribute that is in the name already leads back to where it stood (but `parser.parser` may be a class in
        a module)."""
        parts = self.name.split(".")
        if name not in parts[1:] or (parts[-1] == name and parts.count(name) == 1 and not self.is_instance):
            return f"{self.name}.{name}" if len(parts) <= _MAX_DOTS else self.name
        return ".".join(parts[: parts.index(name, 1) + 1])


class Constant(Value):
    """A string or an integer."""

    kind = CONSTANT
    value: str | int


class Container(Value):
    """A list, tuple, set, dict or iterator made at one place. `cells` holds what is known per key, `rest` what has no
    known key, `all` everything in it, `keys` the keys of a dict. Only `owner` may change it while value flow between
    functions is off."""

    kind = CONTAINER
    type: str
    owner: Fn | None
    cells: dict[str | int, Cell]
    rest: Cell
    all: Cell
    keys: Cell
    is_plain = False  # written out from constants alone: of no interest to other functions
    is_part = False  # a slice of another
    made_of: list[Values | None] | None = None  # the items when it was last written out


class Parameter(Value):
    """In the summary of what a function returns: whatever the caller passes at this position. `instantiated`: not that
    class but an instance of it."""

    kind = PARAMETER
    fn: Fn
    position: int
    instantiated: bool


class Generator(Value):
    """The generator object that a call of a generator function returns."""

    kind = GENERATOR
    fn: Fn


class Super(Value):
    """`super()` in a method of `cls`, for a receiver."""

    kind = SUPER
    cls: Cls
    receiver: Value


class Decorated(Value):
    """A function behind a decorator that put a wrapper before it."""

    kind = DECORATED
    wrapper: Value
    original: Fn


class Partial(Value):
    """`functools.partial(...)`: the callable, and the arguments given so far."""

    kind = PARTIAL
    target: Value
    args: tuple[Values, ...]


class Fn(Value):
    """A scope that can run: a function, or the body of a module or class."""

    kind = FUNCTION
    module: Module
    body: ir.Body
    key: str
    cls: Cls | None  # the class it is a method of, or the body of
    parent: Fn | None
    params: list[Cell]
    defaults: dict[int, Cell]
    result: Cell
    yields: Cell
    forwarded: Cell  # of `__getattr__`: the objects in which it looks for what its own lacks
    variables: dict[str, Cell]  # module or class variables, or those that nested scopes read
    names: dict[str, Binding]  # cache of `names.lookup`
    registers: list[Values]
    received: set[tuple[object, ...]]  # the arguments of calls, without those of `*args`
    passed_on: dict[int, tuple[Values, tuple[Values | int, ...]]]
    users: list[int]  # the operations that use each register, a bit for each; made when one is executed again
    pending: int  # the operations to execute again
    at: int  # the operation that is being executed
    state: int
    is_symbolic: bool  # does `result` hold parameters that each caller replaces?
    places: dict[str, int]  # name -> position of the parameters that can be given by name
    is_simple: bool  # has it neither `*args` nor `**kwargs`?
    star: int  # the position of `*args`, or -1
    promise: Values | None  # what its return annotation promises; None: nobody has asked
    is_varying: bool | None  # does that depend on the call? None: nobody has asked


class Cls(Value):
    """A class of the project."""

    kind = CLASS
    module: Module
    record: ir.ClassRecord
    key: str
    body_fn: Fn
    scope: Fn  # where the class statement stands
    fields: dict[str, Cell]
    field_names: set[str]  # attributes that its methods store on their first parameter
    methods: list[Fn]
    members: dict[Any, Any]  # cache of `classes.member`
    instance: Instance  # made by calling it
    some: Instance  # declared to be one
    mro: tuple[Cls, ...] | None
    external_bases: tuple[str, ...]


class Module(Value):
    """A module, or a directory that can be imported though it has no file (`facts` is None)."""

    kind = MODULE
    name: str
    facts: FileFacts | None
    fns: list[Fn]
    classes: list[Cls]
    members: dict[str, Binding]  # cache of `names.member`
    exports: frozenset[str] | None

    @property
    def is_package(self) -> bool:
        """Does it have submodules of its own?"""
        return self.facts is None or self.facts.summary.is_package

    @property
    def key(self) -> str:
        """Return the key of its symbol."""
        return self.facts.symbols[0].key if self.facts else ""
