"""Storage of dead letters and model costs."""
