"""The processes that a coding agent starts for its hooks: they find the store, ask its owner, and end promptly, always
with status 0. What a hook means is decided in the room `hooks`."""
