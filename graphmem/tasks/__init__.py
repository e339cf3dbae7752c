"""Tasks, blockers and conditions that persist across sessions.

The log is the only state. `ledger.Ledger` reads its task events and folds them to a `book.TaskBook`: all tasks,
conditions and artifacts, with indexes. `reads.py` and `blocking.py` answer from the book. `writes.py` finds what names
refer to (`blockers.py`, `match`), lets `actions.py` decide which event is legal, and appends that event through the
ledger, which retries if another process was faster. `exchange.py` imports records of trackers (`formats`) and records
found in transcripts (`extract`, called by `learn.py`); `merge.py` turns both into events.

Start with `service.Tasks`, which is `mem.tasks`. "Find" means: look up what a name refers to. "Resolve" means: record
what a condition turned out to be.
"""
