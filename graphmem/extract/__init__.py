"""Sources: readers for git, transcripts, files and documents that yield event drafts."""
