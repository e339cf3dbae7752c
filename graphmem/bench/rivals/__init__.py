"""Adapters for other memories and search engines, one module each, for `graphmem bench compare`. They run as scripts in an
interpreter in which the reader has installed the rivals, and never in that of graphmem."""
