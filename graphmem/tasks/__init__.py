"""Tasks, blockers and conditions that stay true across sessions: folded from events, matched, reported, exchanged."""
