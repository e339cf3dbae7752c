"""Steps that derive facts, skills, patterns, gotchas and links from events."""
