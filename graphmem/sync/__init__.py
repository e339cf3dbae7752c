"""Keeps projections up to date with the log. `pipeline` projects new events, `flush` derives from them when a window is
due, `process` completes all pending work, and `rebuild` starts over. `exchange` exports and merges logs, and `health`
reports problems with their fixes. Each function takes an open store; start with `process.py`."""
