-- The log file. Events are append-only: triggers refuse what a program could do by mistake.
CREATE TABLE meta(name TEXT PRIMARY KEY, value) WITHOUT ROWID;

CREATE TABLE events(
  position INTEGER PRIMARY KEY AUTOINCREMENT,
  id       TEXT    NOT NULL,             -- of the act: logs that merge may hold it twice, the earliest stands
  origin   TEXT    NOT NULL,             -- the machine (store) that appended it
  sequence INTEGER NOT NULL,             -- counts within the origin, without gaps
  clock    INTEGER NOT NULL,             -- hybrid logical clock, microseconds
  type     TEXT    NOT NULL,
  version  INTEGER NOT NULL,
  at       INTEGER NOT NULL,             -- world time, microseconds since 1970 UTC
  session  TEXT    NOT NULL,
  project  TEXT    NOT NULL,
  actor    TEXT    NOT NULL,
  digest   BLOB    NOT NULL,             -- sha256(salt, payload)
  checksum BLOB    NOT NULL,             -- sha256(checksum before, envelope, digest)
  UNIQUE(origin, sequence)
);
CREATE INDEX events_clock ON events(clock, origin, sequence);
CREATE INDEX events_session ON events(session, position);
CREATE INDEX events_id ON events(id);
CREATE INDEX events_type ON events(type, position);

CREATE TABLE payloads(
  position INTEGER PRIMARY KEY REFERENCES events(position),
  salt     BLOB NOT NULL,
  body     TEXT NOT NULL
);

CREATE TABLE forgotten(
  position  INTEGER PRIMARY KEY REFERENCES events(position),
  tombstone TEXT NOT NULL
);

CREATE TABLE derivations(
  number     INTEGER PRIMARY KEY AUTOINCREMENT,
  step       TEXT NOT NULL,
  source     TEXT NOT NULL,
  input_hash TEXT NOT NULL,
  body       TEXT NOT NULL,
  checksum   INTEGER,                    -- crc32 of the four before; NULL in rows of version 1
  UNIQUE(step, source, input_hash)
);
CREATE INDEX derivations_source ON derivations(source);

CREATE TABLE blobs(digest TEXT PRIMARY KEY, body BLOB NOT NULL) WITHOUT ROWID;

CREATE TRIGGER events_are_kept BEFORE DELETE ON events
BEGIN SELECT RAISE(ABORT, 'events are never deleted'); END;
CREATE TRIGGER events_stay BEFORE UPDATE ON events
BEGIN SELECT RAISE(ABORT, 'events are never changed'); END;
CREATE TRIGGER payloads_stay BEFORE UPDATE ON payloads
BEGIN SELECT RAISE(ABORT, 'payloads are never changed'); END;
CREATE TRIGGER payloads_are_kept BEFORE DELETE ON payloads
WHEN NOT EXISTS (SELECT 1 FROM forgotten WHERE position = OLD.position)
BEGIN SELECT RAISE(ABORT, 'a payload is only erased after its tombstone'); END;
CREATE TRIGGER tombstones_stay BEFORE DELETE ON forgotten
BEGIN SELECT RAISE(ABORT, 'tombstones are never deleted'); END;
CREATE TRIGGER derivations_stay BEFORE UPDATE ON derivations
BEGIN SELECT RAISE(ABORT, 'derivations are never changed'); END;

PRAGMA user_version = 2;
