"""Hook processes started by a coding agent: they find the store, ask its owner, and exit quickly with status 0. What
each hook does is in the package `graphmem.hooks`."""
