"""Implementations of the ports: `log`, `graph`, `text`, `vectors`, `embed`, `rerank`, `writer`, and small stores beside
them. `remote` is the socket between a store's owner and its clients. Only `store` imports this package; start with
`log/sqlite.py`, which holds the only data that cannot be rebuilt."""
