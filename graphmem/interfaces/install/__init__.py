"""Adds graphmem to the configuration of other programs (`graphmem install --for NAME`) and removes it again. Entries
of others are never changed."""
