"""Implementations of the ports. Only `store` imports them."""
