"""Frozen records that all layers share; no behaviour beyond validation."""
