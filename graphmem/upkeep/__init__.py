"""Keeping the store: rebuild, doctor, forget, export, merge."""
