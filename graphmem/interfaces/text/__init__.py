"""Results of verbs as text, for terminals and agents: pure functions of the results."""
