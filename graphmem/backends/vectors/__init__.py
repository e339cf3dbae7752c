"""Vector indexes and the outbox."""
