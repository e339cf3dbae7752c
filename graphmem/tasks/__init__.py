"""Tasks, blockers and conditions that persist across sessions: computed from events, matched, reported, exchanged."""
