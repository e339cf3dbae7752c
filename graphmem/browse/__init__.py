"""Browse a store: pages of events and sessions, a node with its neighbours, paths, named queries."""
