-- code.db: facts of parsed files by content. A cache: it may be deleted at any time.
CREATE TABLE facts(key TEXT PRIMARY KEY, body BLOB NOT NULL) WITHOUT ROWID;
PRAGMA user_version = 1;
