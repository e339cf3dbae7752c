"""Names of the files of a store."""

LOG = "log.db"
BUFFER = "buffer.db"
INDEX = "index.db"
CODE = "code.db"
