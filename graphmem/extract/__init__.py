"""Readers of external sources: git, chats, documents, test runs, terminal logs. Each reads one source, which is untrusted,
and yields event drafts in order; it writes nothing. `sources.py` is the table of readers; start there."""
