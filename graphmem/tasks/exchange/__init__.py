"""Tasks from and for others: trackers' exports, checklists, and a text that lives in git."""
