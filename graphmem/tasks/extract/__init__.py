"""Extracts tasks from transcripts, commits and code, as records for the book. Pure functions on text."""
