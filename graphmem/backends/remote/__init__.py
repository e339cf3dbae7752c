"""The owner of a store: who it is, how to connect to it, and the protocol between it and its clients."""
