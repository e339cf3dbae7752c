"""Where failed work and the cost of models are kept."""
