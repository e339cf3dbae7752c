"""The front end for all languages except Python: tree-sitter queries extract facts, and a linker resolves them by scope,
import and type. A new language needs only data, unless its imports follow special rules."""

from graphmem.codegraph.generic.affected import affected
from graphmem.codegraph.generic.link import link
from graphmem.codegraph.generic.parse import parse

__all__ = ["affected", "link", "parse"]
