"""What graphmem needs from the outside: a log, a graph, a text index, vectors, an embedder, a model, a clock.
Each port is a small protocol; `backends/` implements them and only `store` knows which one is used."""
