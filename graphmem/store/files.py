"""File names in a store directory."""

LOG = "log.db"
BUFFER = "buffer.db"
INDEX = "index.db"
CODE = "code.db"
