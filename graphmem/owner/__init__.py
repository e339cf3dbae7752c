"""The owner process of a store: holds the graph open, serves all clients, keeps the projections up to date, and exits when
idle. `daemon.py` has its loop; start there. `derive`, `fill`, `fold` and `evolve` are helper processes for heavy work, and
`fork_server` serves forked copies of a client."""
