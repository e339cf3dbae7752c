"""Questions about an indexed source tree, and the indexing that answers them. How calls are resolved is in `codegraph`."""
