"""Look around in a store: pages of events and sessions, one node with its neighbours, paths, named queries."""
