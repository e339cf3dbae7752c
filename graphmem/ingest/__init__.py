"""Imports external data on request: `record.py` reads a source with `extract` and appends its events to the log,
`capture.py` records the output of a command, `watch.py` re-indexes folders whose files change."""
