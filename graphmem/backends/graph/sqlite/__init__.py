"""The graph in plain SQLite tables, for machines without a graph engine: the queries of graphmem, translated to SQL."""
