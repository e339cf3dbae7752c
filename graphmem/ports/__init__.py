"""Ports: protocols for log, graph, text index, vectors, embedder, model and clock. `backends/` implements them; only
`store` knows which implementation is used."""
