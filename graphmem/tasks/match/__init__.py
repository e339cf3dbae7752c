"""Which task a text means: exact keys and aliases, words, vectors and surroundings, fused and calibrated."""
