"""Vector indexes: `outbox` lists items to embed, `table` stores their vectors in SQLite, and `flat` (exact) or `usearch`
(approximate) searches them. Both keep copies in files (`matrix_file`, `vector_cache_files`) that can be deleted at any
time."""
