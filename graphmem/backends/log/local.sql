-- log.db of a store whose log is on a PostgreSQL server: what concerns the projections and the owner of this store alone.
CREATE TABLE meta(name TEXT PRIMARY KEY, value) WITHOUT ROWID;

-- Always empty: `moved.sql` marks it when the store is moved to another disk.
CREATE TABLE events(position INTEGER PRIMARY KEY);

PRAGMA user_version = 1000;
