"""The command line: commands generated from the verbs; results printed as text or JSON."""
