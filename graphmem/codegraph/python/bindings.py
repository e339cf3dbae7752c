"""The meaning of a name in a scope, after lookup."""

from __future__ import annotations

from dataclasses import dataclass

from graphmem.codegraph.python import ir
from graphmem.codegraph.python.cells import Cell, Function
from graphmem.codegraph.python.kinds import EMPTY, Values


@dataclass(slots=True)
class Binding:
    """The meaning of a name in a scope: fixed values, cells whose content varies, the keys of its definitions, and how it
    was found ("scope" or "import"). `aliases` are (scope, type expression) of variables that stand for types."""

    values: Values = EMPTY
    cells: tuple[Cell, ...] = ()
    keys: tuple[str, ...] = ()
    strategy: str = "scope"
    aliases: tuple[tuple[Function, ir.TypeExpr], ...] = ()
    annotations: tuple[tuple[Function, ir.TypeExpr], ...] = ()

    def imported(self) -> Binding:
        """Return the same binding, found by an import."""
        return Binding(self.values, self.cells, self.keys, "import", self.aliases, self.annotations)


NOTHING = Binding()
