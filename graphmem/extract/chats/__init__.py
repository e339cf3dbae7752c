"""Chats of other programs as drafts of events: one reader a format, one table of them (`programs`)."""
