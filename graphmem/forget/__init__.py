"""Forget and purge: tombstones, derived data that goes with them, and erasure of payloads."""
