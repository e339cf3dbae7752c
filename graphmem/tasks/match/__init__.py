"""Matches text to tasks: exact keys and aliases, words, vectors and context, combined and calibrated."""
