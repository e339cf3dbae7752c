"""The owner process of a store: serves all clients, keeps the projections up to date, and exits when idle."""
