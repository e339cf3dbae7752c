// Purpose: what tasks wait for directly, with the words that named it
// Parameters: none
// Columns: task, title, kind, blocker, blocker_title, words, confidence
MATCH (t:Task)-[e:BLOCKED_BY]->(b) RETURN t.id AS task, t.title AS title, label(b) AS kind, b.id AS blocker, b.title AS blocker_title, e.raw_text AS words, e.confidence AS confidence ORDER BY task, blocker
