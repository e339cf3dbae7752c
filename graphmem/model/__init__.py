"""Immutable records shared by all packages, with validation only."""
