"""The event log in SQLite: `sqlite.SqliteLog` appends events with a checksum chain (`chain`) and stores derivations.
`state` has watermarks and unfinished operations, `browser` reads from the end, `exchange` exports and merges logs, and
`merges` decides which merged events are trusted. The tables are in `schema.sql`."""
