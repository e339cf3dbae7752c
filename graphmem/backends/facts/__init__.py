"""Caches of parsed files."""
