"""The cognitive memory tree."""
