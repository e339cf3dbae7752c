// Purpose: node and relation tables of the memory graph. The graph is disposable: a changed schema means a rebuild.
// Line breaks do not matter: a relation between many labels has one pair a line.
// Times are UTC. `metadata` is JSON for what has no column of its own.

CREATE NODE TABLE Project(id STRING PRIMARY KEY, name STRING, path STRING, head STRING);
CREATE NODE TABLE Session(id STRING PRIMARY KEY, ref STRING, project STRING, title STRING, source STRING, branch STRING, started_at TIMESTAMP, ended_at TIMESTAMP, summary STRING, metadata STRING);
CREATE NODE TABLE Turn(id STRING PRIMARY KEY, ref STRING, session STRING, project STRING, role STRING, at TIMESTAMP, sequence INT64, content STRING, tool STRING, command STRING, exit_code INT64, failed BOOL, importance DOUBLE, level INT64, status STRING, metadata STRING, origin STRING, suspicious STRING);
CREATE NODE TABLE Fact(id STRING PRIMARY KEY, ref STRING, session STRING, project STRING, kind STRING, title STRING, content STRING, subject STRING, predicate STRING, object STRING, outcome STRING, intent STRING, confidence DOUBLE, level INT64, stage STRING, status STRING, importance DOUBLE, at TIMESTAMP, valid_from TIMESTAMP, valid_to TIMESTAMP, recorded_at TIMESTAMP, retired_at TIMESTAMP, metadata STRING, origin STRING, suspicious STRING);
CREATE NODE TABLE Document(id STRING PRIMARY KEY, ref STRING, project STRING, title STRING, content STRING, path STRING, section STRING, line INT64, at TIMESTAMP, importance DOUBLE, level INT64, status STRING, metadata STRING, origin STRING, suspicious STRING);
CREATE NODE TABLE Skill(id STRING PRIMARY KEY, ref STRING, project STRING, title STRING, content STRING, topic STRING, context STRING, guide STRING, principles STRING[], pitfalls STRING[], confidence DOUBLE, level INT64, stage STRING, status STRING, importance DOUBLE, at TIMESTAMP, metadata STRING);
CREATE NODE TABLE Pattern(id STRING PRIMARY KEY, ref STRING, project STRING, title STRING, content STRING, description STRING, context STRING, example STRING, criteria STRING, frequency INT64, confidence DOUBLE, level INT64, stage STRING, status STRING, importance DOUBLE, at TIMESTAMP, metadata STRING);
CREATE NODE TABLE Gotcha(id STRING PRIMARY KEY, ref STRING, project STRING, title STRING, content STRING, description STRING, trigger STRING, resolution STRING, signature STRING, recurrence INT64, resolved BOOL, confidence DOUBLE, level INT64, stage STRING, status STRING, importance DOUBLE, at TIMESTAMP, last_at TIMESTAMP, metadata STRING);
CREATE NODE TABLE Memory(id STRING PRIMARY KEY, session STRING, project STRING, summary STRING, trigger STRING, content_key STRING, tags STRING[], links STRING[], originals STRING[], absorbed STRING[], turns INT64, recall_mode STRING, reason STRING, depth INT64, at TIMESTAMP, until TIMESTAMP, digest STRING, metadata STRING);
CREATE NODE TABLE Summary(id STRING PRIMARY KEY, session STRING, project STRING, kind STRING, title STRING, content STRING, confidence DOUBLE, importance DOUBLE, level INT64, stage STRING, status STRING, at TIMESTAMP, metadata STRING);
CREATE NODE TABLE Entity(id STRING PRIMARY KEY, name STRING, type STRING, canonical STRING, project STRING);
CREATE NODE TABLE Person(id STRING PRIMARY KEY, name STRING, email STRING);
CREATE NODE TABLE Task(id STRING PRIMARY KEY, ref STRING, project STRING, title STRING, description STRING, status STRING, priority STRING, kind STRING, source STRING, assignee STRING, outcome STRING, level INT64, importance DOUBLE, created_at TIMESTAMP, updated_at TIMESTAMP, closed_at TIMESTAMP, metadata STRING);
CREATE NODE TABLE Condition(id STRING PRIMARY KEY, project STRING, title STRING, placeholder BOOL, resolved BOOL, at TIMESTAMP, metadata STRING);
CREATE NODE TABLE Artifact(id STRING PRIMARY KEY, project STRING, title STRING, kind STRING, url STRING, at TIMESTAMP, metadata STRING);
CREATE NODE TABLE Commit(id STRING PRIMARY KEY, hash STRING, project STRING, subject STRING, body STRING, at TIMESTAMP, committed_at TIMESTAMP, author STRING, merge BOOL, files INT64, additions INT64, deletions INT64, patch STRING, sequence INT64, origin STRING, suspicious STRING);
CREATE NODE TABLE File(id STRING PRIMARY KEY, path STRING, project STRING, language STRING, size INT64, lines INT64, digest STRING, present BOOL, skipped STRING, gone BOOL);
CREATE NODE TABLE Symbol(id STRING PRIMARY KEY, qualified_name STRING, name STRING, kind STRING, file STRING, project STRING, language STRING, line INT64, end_line INT64, signature STRING, doc STRING, visibility STRING, is_async BOOL, exported BOOL, external BOOL, decorators STRING[], complexity INT64, content_hash STRING);
CREATE NODE TABLE CallSite(id STRING PRIMARY KEY, project STRING, file STRING, line INT64, col INT64, name STRING, text STRING, reason STRING);
CREATE NODE TABLE Snapshot(id STRING PRIMARY KEY, project STRING, session STRING, command STRING, cwd STRING, exit_code INT64, trigger STRING, severity STRING, content STRING, signature STRING, importance DOUBLE, level INT64, status STRING, at TIMESTAMP, metadata STRING, origin STRING, suspicious STRING);
CREATE NODE TABLE TestRun(id STRING PRIMARY KEY, project STRING, session STRING, name STRING, tool STRING, passed INT64, failed INT64, skipped INT64, commit_hash STRING, coverage DOUBLE, duration DOUBLE, at TIMESTAMP, metadata STRING, origin STRING, suspicious STRING);
CREATE NODE TABLE Category(id STRING PRIMARY KEY, project STRING, name STRING, kind STRING, terms STRING[], size INT64, at TIMESTAMP, metadata STRING);
CREATE NODE TABLE Tag(id STRING PRIMARY KEY, name STRING, project STRING);
CREATE NODE TABLE Cursor(id STRING PRIMARY KEY, position INT64, body STRING);

CREATE REL TABLE MENTIONS(
  FROM Turn TO Entity,
  FROM Fact TO Entity,
  FROM Document TO Entity,
  FROM Commit TO Entity,
  FROM Task TO Entity,
  FROM Gotcha TO Entity,
  FROM Skill TO Entity,
  FROM Pattern TO Entity,
  FROM Summary TO Entity,
  FROM Snapshot TO Entity,
  FROM Memory TO Entity,
  FROM Turn TO Person,
  FROM Fact TO Person,
  FROM Turn TO Commit,
  FROM Turn TO Task,
  count INT64, confidence DOUBLE
);
CREATE REL TABLE EVIDENCE_OF(
  FROM Turn TO Fact,
  FROM Turn TO Entity,
  FROM Turn TO Gotcha,
  FROM Turn TO Task,
  FROM Commit TO Fact,
  FROM Commit TO Pattern,
  FROM Commit TO Task,
  FROM Snapshot TO Gotcha,
  FROM Snapshot TO Fact,
  FROM TestRun TO Gotcha,
  FROM Document TO Fact,
  FROM Fact TO Fact,
  FROM Fact TO Skill,
  FROM Gotcha TO Fact,
  FROM Skill TO Fact,
  FROM Pattern TO Fact,
  FROM Summary TO Fact,
  FROM Fact TO Entity,
  confidence DOUBLE, start_offset INT64, end_offset INT64, method STRING, quote_hash STRING, at TIMESTAMP
);
CREATE REL TABLE DERIVED_FROM(
  FROM Fact TO Turn,
  FROM Fact TO Commit,
  FROM Fact TO Snapshot,
  FROM Fact TO Document,
  FROM Fact TO Fact,
  FROM Fact TO Gotcha,
  FROM Fact TO Skill,
  FROM Fact TO Pattern,
  FROM Fact TO Summary,
  FROM Skill TO Fact,
  FROM Skill TO Turn,
  FROM Skill TO Snapshot,
  FROM Pattern TO Commit,
  FROM Pattern TO Fact,
  FROM Gotcha TO Snapshot,
  FROM Gotcha TO Turn,
  FROM Gotcha TO Fact,
  FROM Gotcha TO TestRun,
  FROM Summary TO Turn,
  FROM Summary TO Fact,
  FROM Memory TO Turn,
  FROM Snapshot TO Turn,
  FROM Task TO Turn,
  FROM Task TO Commit,
  at TIMESTAMP
);
CREATE REL TABLE SUPERSEDES(
  FROM Fact TO Fact,
  FROM Task TO Task,
  FROM Document TO Document,
  FROM Gotcha TO Gotcha,
  FROM File TO File,
  at TIMESTAMP, reason STRING
);
CREATE REL TABLE CONTRADICTS(FROM Fact TO Fact, at TIMESTAMP, confidence DOUBLE, resolution STRING);
CREATE REL TABLE BLOCKED_BY(
  FROM Task TO Task,
  FROM Task TO Condition,
  FROM Task TO Artifact,
  raw_text STRING, confidence DOUBLE, label STRING, at TIMESTAMP
);
CREATE REL TABLE BLOCKED_BY_SUGGESTED(
  FROM Task TO Task,
  FROM Task TO Condition,
  FROM Task TO Artifact,
  raw_text STRING, confidence DOUBLE, label STRING, at TIMESTAMP
);
CREATE REL TABLE RESOLVES_TO(
  FROM Condition TO Task,
  FROM Condition TO Artifact,
  FROM Condition TO Condition,
  FROM Condition TO Entity,
  FROM Entity TO Entity,
  FROM Entity TO Symbol,
  FROM Entity TO File,
  FROM Commit TO Commit,
  resolution STRING, confidence DOUBLE, at TIMESTAMP
);
CREATE REL TABLE DEPENDS_ON(
  FROM Task TO Task,
  FROM Entity TO Entity,
  FROM Project TO Entity,
  at TIMESTAMP
);
CREATE REL TABLE PART_OF(
  FROM Turn TO Session,
  FROM Session TO Project,
  FROM Session TO Session,
  FROM Task TO Task,
  FROM Task TO Project,
  FROM File TO Project,
  FROM Commit TO Project,
  FROM Document TO Project,
  FROM Document TO File,
  FROM Memory TO Session,
  FROM Summary TO Session,
  FROM Snapshot TO Session,
  FROM CallSite TO Symbol,
  FROM CallSite TO File
);
CREATE REL TABLE NEXT(
  FROM Turn TO Turn,
  FROM Commit TO Commit,
  FROM Memory TO Memory,
  position INT64
);
CREATE REL TABLE SUMMARIZES(
  FROM Summary TO Session,
  FROM Summary TO Turn,
  FROM Summary TO Fact,
  FROM Memory TO Turn,
  FROM Summary TO Category
);
CREATE REL TABLE ASSOCIATED_WITH(
  FROM Fact TO Fact,
  FROM Turn TO Turn,
  FROM Document TO Document,
  FROM Fact TO Document,
  FROM Fact TO Turn,
  FROM Memory TO Memory,
  FROM Fact TO Gotcha,
  FROM Fact TO Skill,
  FROM Turn TO Document,
  FROM Gotcha TO Turn,
  FROM Gotcha TO Gotcha,
  FROM Entity TO Entity,
  weight DOUBLE, at TIMESTAMP
);
CREATE REL TABLE SIMILAR_TO(
  FROM Fact TO Fact,
  FROM Document TO Document,
  FROM Memory TO Memory,
  FROM Task TO Task,
  FROM Gotcha TO Gotcha,
  similarity DOUBLE
);
CREATE REL TABLE SHARES_TAG(
  FROM Memory TO Memory,
  FROM Fact TO Fact,
  weight DOUBLE
);
CREATE REL TABLE MEMBER_OF(
  FROM Fact TO Category,
  FROM Document TO Category,
  FROM Turn TO Category,
  FROM Skill TO Category,
  FROM Pattern TO Category,
  FROM Gotcha TO Category,
  FROM Summary TO Category,
  FROM Task TO Category,
  FROM Entity TO Category,
  FROM Category TO Category,
  distance DOUBLE, at TIMESTAMP
);
CREATE REL TABLE TAGGED(
  FROM Fact TO Tag,
  FROM Document TO Tag,
  FROM Task TO Tag,
  FROM Memory TO Tag,
  FROM Skill TO Tag,
  FROM Pattern TO Tag,
  FROM Gotcha TO Tag,
  FROM Summary TO Tag,
  FROM Turn TO Tag
);
CREATE REL TABLE DISCOVERED_FROM(FROM Task TO Task, at TIMESTAMP);
CREATE REL TABLE DUPLICATES(
  FROM Task TO Task,
  FROM Fact TO Fact,
  at TIMESTAMP
);
CREATE REL TABLE WAITS_FOR(
  FROM Task TO Task,
  FROM Task TO Condition,
  FROM Task TO Artifact,
  at TIMESTAMP
);
CREATE REL TABLE RECORDED_IN(
  FROM Fact TO Commit,
  FROM Task TO Commit,
  FROM Gotcha TO Commit,
  at TIMESTAMP
);
CREATE REL TABLE TOUCHES(
  FROM Turn TO File,
  FROM Session TO File,
  FROM Commit TO File,
  FROM Task TO File,
  change STRING, additions INT64, deletions INT64, previous STRING, at TIMESTAMP
);
CREATE REL TABLE FAILED_IN(
  FROM Gotcha TO Snapshot,
  FROM Gotcha TO TestRun,
  FROM Task TO Snapshot,
  at TIMESTAMP
);
CREATE REL TABLE FIXED_BY(
  FROM Gotcha TO Commit,
  FROM Gotcha TO Turn,
  FROM Task TO Commit,
  at TIMESTAMP, confidence DOUBLE
);
CREATE REL TABLE PRODUCED(
  FROM Turn TO Commit,
  FROM Session TO Commit,
  FROM Turn TO Fact,
  FROM Turn TO Task,
  FROM Turn TO Snapshot,
  FROM Turn TO TestRun,
  FROM Commit TO Task,
  FROM Task TO Commit,
  FROM Task TO Fact,
  at TIMESTAMP
);
CREATE REL TABLE SOURCE_OF(
  FROM Turn TO Entity,
  FROM Turn TO Fact,
  FROM Turn TO Task,
  FROM Commit TO Fact,
  FROM Commit TO Task,
  FROM File TO Document,
  FROM File TO Task
);
CREATE REL TABLE ABOUT(
  FROM Fact TO Symbol,
  FROM Fact TO File,
  FROM Fact TO Person,
  FROM Fact TO Task,
  FROM Task TO Symbol,
  FROM Task TO File,
  FROM Gotcha TO Symbol,
  FROM Gotcha TO File,
  FROM Snapshot TO Symbol,
  FROM Snapshot TO File,
  FROM Turn TO Symbol,
  FROM Turn TO File,
  FROM Document TO Symbol,
  FROM Document TO File,
  FROM Document TO Entity,
  FROM Summary TO File,
  FROM Commit TO Symbol,
  confidence DOUBLE
);
CREATE REL TABLE DEFINES(
  FROM File TO Symbol,
  FROM Symbol TO Symbol,
  line INT64, strategy STRING, confidence DOUBLE
);
CREATE REL TABLE CALLS(FROM Symbol TO Symbol, line INT64, strategy STRING, confidence DOUBLE);
CREATE REL TABLE REFERS_TO(
  FROM Symbol TO Symbol,
  FROM CallSite TO Symbol,
  line INT64, strategy STRING, confidence DOUBLE
);
CREATE REL TABLE IMPORTS(FROM Symbol TO Symbol, line INT64, strategy STRING, confidence DOUBLE);
CREATE REL TABLE EXTENDS(FROM Symbol TO Symbol, line INT64, strategy STRING, confidence DOUBLE);
CREATE REL TABLE IMPLEMENTS(FROM Symbol TO Symbol, line INT64, strategy STRING, confidence DOUBLE);
CREATE REL TABLE OVERRIDES(FROM Symbol TO Symbol, line INT64, strategy STRING, confidence DOUBLE);
CREATE REL TABLE USES(
  FROM Symbol TO Symbol,
  FROM Turn TO File,
  FROM Session TO File,
  line INT64, strategy STRING, confidence DOUBLE, at TIMESTAMP
);
CREATE REL TABLE TESTS(
  FROM Symbol TO Symbol,
  FROM TestRun TO Symbol,
  line INT64, strategy STRING, confidence DOUBLE
);
CREATE REL TABLE CHANGED(
  FROM Commit TO Symbol,
  FROM Turn TO Symbol,
  change STRING, additions INT64, deletions INT64
);
CREATE REL TABLE AUTHORED(
  FROM Person TO Commit,
  FROM Person TO Turn,
  at TIMESTAMP
);
