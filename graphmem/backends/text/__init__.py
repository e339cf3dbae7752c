"""The full-text index in SQLite. Items come in through `fts5.Fts5Index`, which converts them to rows (`rows`, `words`);
matches go out, scored with BM25 by `lexical` over columns in memory (`columns`). `pages` detects damaged pages, and
`renew` replaces the tables of other versions."""
