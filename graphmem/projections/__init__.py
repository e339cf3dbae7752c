"""From events to changes of the graph and the indexes: pure functions, and the runner that applies them."""
