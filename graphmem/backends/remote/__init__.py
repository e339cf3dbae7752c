"""The owner of a store's graph: who it is, how to reach it, and the small protocol between it and everyone else."""
