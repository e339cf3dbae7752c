"""Opens the backends of one store directory: the only room that names them. `opened` holds the store itself, `retrieval` what a
search needs, `access` the graph, `serving` what an owner answers, `repair` how projections are made anew."""

from graphmem.store.opened import RunCommand, Store, finish_interrupted_move, start_owner

__all__ = ["RunCommand", "Store", "finish_interrupted_move", "start_owner"]
