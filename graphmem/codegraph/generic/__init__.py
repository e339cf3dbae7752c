"""The front end for every language but Python: tree-sitter queries to facts, and a linker that resolves them by scope,
import and type. A new language needs data only, unless its imports follow rules of their own."""

from graphmem.codegraph.generic.affected import affected
from graphmem.codegraph.generic.link import link
from graphmem.codegraph.generic.parse import parse

__all__ = ["affected", "link", "parse"]
