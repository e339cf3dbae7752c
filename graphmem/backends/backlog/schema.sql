-- buffer.db: what the steps could not do yet, and what calls of a model cost.
CREATE TABLE letters(
  number   INTEGER PRIMARY KEY AUTOINCREMENT,
  step     TEXT    NOT NULL,
  event    TEXT    NOT NULL,
  attempts INTEGER NOT NULL,
  error    TEXT    NOT NULL,
  due      INTEGER NOT NULL,             -- microseconds: not before
  dead     INTEGER NOT NULL,
  UNIQUE(step, event)
);
CREATE TABLE spending(day INTEGER NOT NULL, name TEXT NOT NULL, count INTEGER NOT NULL, PRIMARY KEY(day, name)) WITHOUT ROWID;

PRAGMA user_version = 1;
