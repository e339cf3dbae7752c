"""Chat importers: one reader per format, and the table of programs (`programs`)."""
