"""The daemon that owns a store: it serves everyone else, keeps the projections up to the log, and leaves when idle."""
