"""Endless mode."""
