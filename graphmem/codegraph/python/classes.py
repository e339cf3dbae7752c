"""Classes: their bases and method resolution order (C3), and what an attribute of a class or an instance means. The
order is fixed before anything runs, from what the names of the bases stand for."""

from __future__ import annotations

from dataclasses import dataclass

from graphmem.codegraph.python import ir
from graphmem.codegraph.python.bindings import NOTHING, Binding
from graphmem.codegraph.python.cells import Cell
from graphmem.codegraph.python.kinds import CLASS, EXTERNAL, FUNCTION, Value
from graphmem.codegraph.python.names import Names
from graphmem.codegraph.python.values import Cls, Fn

_LONGEST_ORDER = 200  # classes: of a longer line of bases the nearest


@dataclass(slots=True)
class Member:
    """An attribute of a class: what the first class on the resolution order that has it says, and the cells of instance
    attributes of that name. `home` is that class; `getters` are properties, to be called on access."""

    values: tuple[Value, ...] = ()
    cells: tuple[Cell, ...] = ()  # class level: functions in them bind
    fields: tuple[Cell, ...] = ()  # instance level: they do not
    keys: tuple[str, ...] = ()
    home: Cls | None = None
    getters: tuple[Fn, ...] = ()
    annotations: tuple[tuple[Fn, ir.TypeExpr], ...] = ()

    @property
    def is_fixed(self) -> bool:
        """Does it mean the same whatever happens?"""
        return not (self.cells or self.fields or self.getters or self.annotations)

    @property
    def declared(self) -> bool:
        """Does the source of the project say that there is such an attribute?"""
        return self.home is not None or bool(self.keys)


MISSING = Member()


class Classes:
    """Resolution orders and members."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self._overridden: dict[Fn, Fn | None] = {}
        self._subclasses: dict[Cls, list[Cls]] | None = None
        self.stored_elsewhere: frozenset[str] = frozenset()  # attributes that are stored on other objects than `self`

    def mro(self, cls: Cls) -> tuple[Cls, ...]:
        """Return the classes of the project in method resolution order, the class itself first."""
        waiting = [cls] if cls.mro is None else []
        bases: dict[Cls, list[Value]] = {}
        while waiting:  # not by recursion: a line of classes can be longer than any stack
            last = waiting[-1]
            if last.mro is None:
                last.__dict__["mro"] = (last,)  # for bases that go round in a circle
                bases[last] = self.bases(last)
                waiting += [b for b in reversed(bases[last]) if isinstance(b, Cls) and b.mro is None]
                continue
            waiting.pop()
            if last in bases:
                self._order(last, bases.pop(last))
        return cls.mro or (cls,)

    def _order(self, cls: Cls, bases: list[Value]) -> None:
        own = [b for b in bases if isinstance(b, Cls) and b is not cls]
        order = _merge([[cls], *[list(b.mro or (b,)) for b in own], list(own)])[:_LONGEST_ORDER]
        outside = [b.name for b in bases if b.kind == EXTERNAL]  # type: ignore[attr-defined]
        outside += [name for b in own for name in b.external_bases]
        cls.__dict__.update(mro=tuple(order), external_bases=tuple(dict.fromkeys(outside)))

    def bases(self, cls: Cls) -> list[Value]:
        """Return the direct bases, ours and external, in the order written."""
        found: list[Value] = []
        for expression in cls.record.bases:
            named = [v for v in self.names.class_of(cls.scope, expression) if v.kind in (CLASS, EXTERNAL)]
            found += sorted(named, key=lambda v: v.key if isinstance(v, Cls) else f"~{v.name}")[:1]  # type: ignore[attr-defined]
        return found

    def overridden(self, method: Fn) -> Fn | None:
        """Return the method of a base class that this one overrides (constructors do not count)."""
        if method not in self._overridden:
            found, name = [], method.body.name
            if method.cls is not None and method.body.kind == "function" and name not in ("__init__", "__new__"):
                found = [v for v in self.member(method.cls, name, method.cls).values if isinstance(v, Fn)]
            self._overridden[method] = found[0] if found else None
        return self._overridden[method]

    def subclasses(self, cls: Cls) -> list[Cls]:
        """Return all classes of the program below a class. (Looks through every file once.)"""
        if self._subclasses is None:
            self._subclasses = {}
            program = self.names.program
            for module in program.by_path.values():
                program.load(module)
                for other in module.classes:
                    for base in self.mro(other)[1:]:
                        self._subclasses.setdefault(base, []).append(other)
        return self._subclasses.get(cls, [])

    def is_subclass(self, cls: Cls, base: Cls) -> bool:
        """Return whether `base` is on the resolution order of `cls`."""
        return base in self.mro(cls)

    def is_enum(self, cls: Cls) -> bool:
        """Return whether the class variables of a class are its instances."""
        self.mro(cls)
        return any(n.startswith("enum.") for n in cls.external_bases)

    def is_row(self, cls: Cls) -> bool:
        """Return whether a class is a NamedTuple or a TypedDict."""
        self.mro(cls)
        return any(base.endswith((".NamedTuple", ".TypedDict", ".namedtuple")) for base in cls.external_bases)

    def field(self, cls: Cls, name: str) -> Cell:
        """Return the cell of an instance attribute that methods of this very class (or anybody, with value flow)
        store."""
        cell = cls.fields.get(name)
        if cell is None:
            writers = tuple(m for m in cls.methods if name in m.body.fields)
            cell = cls.fields[name] = Cell(frozenset(), writers)
        return cell

    def member(self, cls: Cls, name: str, after: Cls | None = None) -> Member:
        """Return the attribute `name`, looked up from the start of the resolution order, or behind the class
        `after`."""
        key = name if after is None else (name, after)
        known = cls.members.get(key)
        if known is None:
            known = cls.members[key] = self._member(cls, name, after)
        return known

    def _member(self, cls: Cls, name: str, after: Cls | None) -> Member:
        order = self.mro(cls)
        if after is not None and after in order:
            order = order[order.index(after) + 1 :]
        binding, home = NOTHING, None
        for candidate in order:
            if name in candidate.body_fn.body.bindings:
                binding, home = self.names.lookup(candidate.body_fn, name), candidate
                break
        anywhere = name in self.stored_elsewhere
        fields = tuple(
            self.field(c, name)
            for c in order
            if anywhere or (name in c.field_names and self._is_stored(order, c, name))
        )
        if home is None and not fields:
            return MISSING
        functions = [v for v in binding.values if v.kind == FUNCTION]
        getters = tuple(f for f in functions if f.body.flags & ir.PROPERTY)  # type: ignore[attr-defined]
        values = tuple(sorted(v for v in binding.values if v not in getters))
        keys = binding.keys or self._field_keys(order, name)
        return Member(values, binding.cells, fields, keys, home, getters, binding.annotations)  # type: ignore[arg-type]

    def _is_stored(self, order: tuple[Cls, ...], cls: Cls, name: str) -> bool:
        """Return whether a method of `cls` that stores this attribute runs for the first class of the order: not one that a
        class before it has replaced without calling it."""
        before = order[: order.index(cls)]
        for writer in cls.methods if before else ():
            if name in writer.body.fields:
                instead = [m for c in before for m in c.methods if m.body.name == writer.body.name]
                if all(_names_attribute(m, writer.body.name) for m in instead):
                    return True
        return not before

    def _field_keys(self, order: tuple[Cls, ...], name: str) -> tuple[str, ...]:
        for cls in order:
            if name in cls.field_names:
                return _field_key(cls, name)
        return ()

    def dataclass_fields(self, cls: Cls) -> list[tuple[str, Binding]] | None:
        """Return the fields that the generated constructor takes, in order; None if it is not that kind of class."""
        return self.annotated(cls) if self._generates_init(cls) else None

    def annotated(self, cls: Cls) -> list[tuple[str, Binding]]:
        """Return the class variables that have annotations, those of bases first."""
        found: dict[str, Binding] = {}
        for candidate in reversed(self.mro(cls)):
            for name in candidate.body_fn.body.bindings:
                binding = self.names.lookup(candidate.body_fn, name)
                if binding.annotations:
                    found[name] = binding
        return list(found.items())

    def _generates_init(self, cls: Cls) -> bool:
        self.mro(cls)
        decorators = {d.rpartition(".")[2] for c in self.mro(cls) for d in c.record.decorators}
        names = {n.rpartition(".")[2] for n in cls.external_bases}
        return bool(decorators & {"dataclass", "define", "attrs", "frozen"} or names & {"NamedTuple", "BaseModel"})


def _names_attribute(method: Fn, name: str) -> bool:
    """Return whether a method reads an attribute of that name, as in `super().__init__(...)`."""
    return any(op[0] == ir.ATTRIBUTE and op[2] == name for op in method.body.ops)


def _merge(sequences: list[list[Cls]]) -> list[Cls]:
    """Return the C3 linearisation; where the bases contradict each other, depth first."""
    result: list[Cls] = []
    pending = [list(s) for s in sequences if s]
    while pending:
        for sequence in pending:
            head = sequence[0]
            if not any(head in other[1:] for other in pending):
                break
        else:
            return list(dict.fromkeys([*result, *(c for s in sequences for c in s)]))
        result.append(head)
        without_head = ([cls for cls in sequence if cls is not head] for sequence in pending)
        pending = [sequence for sequence in without_head if sequence]
    return result


def _field_key(cls: Cls, name: str) -> tuple[str, ...]:
    """Return the key of a field's symbol. Where a class is defined again, keys of its members do not follow from its
    own."""
    symbol = cls.module.facts.symbols[cls.record.symbol] if cls.module.facts else None
    if symbol is None or symbol.key == f"{symbol.file}:{symbol.qualified_name}":
        return (f"{cls.key}.{name}",)
    qualified = f"{symbol.qualified_name}.{name}"
    inside = (s for s in cls.module.facts.symbols if symbol.line <= s.line <= symbol.end_line)  # type: ignore[union-attr]
    return tuple(s.key for s in inside if s.qualified_name == qualified)[:1]
