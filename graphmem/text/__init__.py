"""Pure functions on text: keys, alignment, times, references, entities, tokens."""
