"""Finds tasks in transcripts, commits, tool calls and code: pure functions from text to `TaskRecord`s, which
`tasks/merge.py` imports. `events.py` calls the other modules for each event of the log; start there."""
