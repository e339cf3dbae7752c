"""What runs where the graph is open, one operation a module."""
