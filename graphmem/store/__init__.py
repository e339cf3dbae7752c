"""Opens the backends of one store directory: the only package that names them. `opened` has the store itself, `retrieval`
the search, `access` the graph, `serving` the owner's answers, `repair` rebuilds of projections."""

from graphmem.store.opened import RunCommand, Store, finish_interrupted_move, start_owner

__all__ = ["RunCommand", "Store", "finish_interrupted_move", "start_owner"]
