"""Graph engines. `opening.open_graph` opens any of them. Nothing is imported here: each query of a user starts with `reader` in a
process of its own."""
