"""Queries about an indexed source tree, and indexing. Call resolution is in `codegraph`."""
