"""Tasks that transcripts, commits and code speak of, as records for the book. Pure functions on text."""
