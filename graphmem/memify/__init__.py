"""Passes that let memory evolve."""
