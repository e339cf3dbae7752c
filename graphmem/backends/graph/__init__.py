"""Graph engines."""
