"""Converts events and derivations to changes of the graph and the indexes. `registry` maps each type to a pure function;
`runner.Runner` reads the log from a cursor, projects in batches, and commits changes and cursor together. `lineage`
notices an index of another log."""
