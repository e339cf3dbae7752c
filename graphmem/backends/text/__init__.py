"""Full-text indexes."""
