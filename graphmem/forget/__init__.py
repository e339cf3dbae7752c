"""Forget and purge: tombstones, what follows from them, and the erasure of payloads."""
