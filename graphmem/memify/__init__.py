"""Memory maintenance: useful memories rank higher, stale ones lower, categories follow the content. Everything is derived
from the log, so no original is lost and a rebuild gives the same state."""
