"""Sources: what reads git, transcripts, files and documents and records them as events."""
