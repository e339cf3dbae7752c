-- index.db: what can be found (symbols by their own names, too). Everything here is derived from the log, so the file may be deleted at any time;
-- vectors alone are worth keeping over a rebuild, because they are keyed by what they were made from.
CREATE TABLE meta(name TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE cursors(projection TEXT PRIMARY KEY, position INTEGER NOT NULL) WITHOUT ROWID;

-- of kinds, sessions, projects and speakers
CREATE TABLE names(number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);

-- A row is never changed: an item that changes gets a new one, so that readers need only look past the rows they know.
CREATE TABLE items(
  row      INTEGER PRIMARY KEY AUTOINCREMENT,
  id       TEXT    NOT NULL UNIQUE,
  kind     INTEGER NOT NULL,
  session  INTEGER NOT NULL,
  project  INTEGER NOT NULL,
  at       INTEGER NOT NULL,
  sequence INTEGER NOT NULL,
  length   INTEGER NOT NULL,             -- words in title and text
  marks    INTEGER NOT NULL,             -- what the text shows, see `text_flags.py`
  speaker  INTEGER NOT NULL,
  embed    INTEGER NOT NULL,
  cite     TEXT    NOT NULL,             -- the six letters of its citation, of each item its own; '' for a passage
  digest   BLOB    NOT NULL,             -- of what is embedded of it: the key of its vector
  parent   INTEGER NOT NULL,             -- of a passage: the row of its item; 0 for an item
  start    INTEGER NOT NULL,             -- of a passage: its first character in the text of its item
  passages INTEGER NOT NULL,             -- in how many passages it is found: they follow in the next rows; 0: as a whole
  settles  INTEGER NOT NULL              -- how much it settles, 0 to 100, see `text/settling.py`
);
CREATE INDEX items_session ON items(session, sequence);
CREATE INDEX items_digest ON items(digest);
CREATE INDEX items_cite ON items(cite) WHERE cite <> '';
CREATE INDEX items_parent ON items(parent) WHERE parent <> 0;

CREATE TABLE contents(
  row   INTEGER PRIMARY KEY,
  title TEXT NOT NULL,
  text  TEXT NOT NULL,
  ref   TEXT NOT NULL,
  role  TEXT NOT NULL,
  event TEXT NOT NULL,
  tags  TEXT NOT NULL,                   -- one to a line
  body  TEXT NOT NULL                    -- further words to find it by, in the row that is searched
);
CREATE INDEX contents_ref ON contents(ref) WHERE ref <> '';

-- Items that hold no more, or that another contradicts: the last line of an id counts.
CREATE TABLE standings(
  number    INTEGER PRIMARY KEY AUTOINCREMENT,
  id        TEXT    NOT NULL UNIQUE,
  until     INTEGER NOT NULL,            -- microseconds: not told since; 0: told
  contested INTEGER NOT NULL             -- 1: another says otherwise; 2: told, but most of what it says was replaced
);

CREATE TABLE removed(number INTEGER PRIMARY KEY AUTOINCREMENT, row INTEGER NOT NULL);

-- `grams` holds what the words do not show: parts of compound identifiers, versions as one word, names before a Korean particle,
-- pairs of Korean, Chinese and Japanese letters.
CREATE VIRTUAL TABLE words USING fts5(
  title, text, grams, body, content='', columnsize=0, detail=column, tokenize='porter unicode61');

-- The distinct words, for finding them by a part or by a misspelling.
CREATE TABLE spellings(number INTEGER PRIMARY KEY, word TEXT NOT NULL UNIQUE, uses INTEGER NOT NULL);
CREATE VIRTUAL TABLE trigrams USING fts5(word, content='', columnsize=0, detail=none, tokenize='trigram');

-- One spelling of one entity, and which items mention it so.
CREATE TABLE entities(
  number INTEGER PRIMARY KEY,
  entity TEXT NOT NULL,
  name   TEXT NOT NULL,
  folded TEXT NOT NULL,
  UNIQUE(entity, name)
);
CREATE INDEX entities_folded ON entities(folded);
CREATE TABLE mentions(row INTEGER NOT NULL, number INTEGER NOT NULL, PRIMARY KEY(row, number)) WITHOUT ROWID;
CREATE INDEX mentions_number ON mentions(number, row);

-- Which items speak of which file, module or symbol, see `text/placenames.py`.
CREATE TABLE places(key TEXT NOT NULL, row INTEGER NOT NULL, PRIMARY KEY(key, row)) WITHOUT ROWID;
CREATE INDEX places_row ON places(row);

CREATE TABLE models(number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, dimensions INTEGER NOT NULL);
CREATE TABLE vectors(
  number INTEGER PRIMARY KEY AUTOINCREMENT,   -- so that readers need only look past those they know
  model  INTEGER NOT NULL,
  digest BLOB    NOT NULL,
  vector BLOB    NOT NULL,                    -- float16
  UNIQUE(model, digest)
);

-- The outbox. A row stands for an item with its content, so (row, model) is a job's whole key.
CREATE TABLE jobs(
  number  INTEGER PRIMARY KEY AUTOINCREMENT,
  row     INTEGER NOT NULL,
  model   INTEGER NOT NULL,
  status  TEXT    NOT NULL DEFAULT 'pending' CHECK(status IN ('pending', 'processing', 'done', 'failed')),
  retries INTEGER NOT NULL DEFAULT 0,
  error   TEXT    NOT NULL DEFAULT '',
  due     INTEGER NOT NULL DEFAULT 0,    -- microseconds: not before
  since   INTEGER NOT NULL DEFAULT 0,    -- microseconds: when it came to this status
  UNIQUE(row, model)
);
CREATE INDEX jobs_status ON jobs(model, status, number);

PRAGMA user_version = 1;
