// Purpose: blockers that await confirmation, surest first
// Parameters: none
// Columns: task, title, kind, blocker, blocker_title, confidence
MATCH (t:Task)-[e:BLOCKED_BY_SUGGESTED]->(b) RETURN t.id AS task, t.title AS title, label(b) AS kind, b.id AS blocker, b.title AS blocker_title, e.confidence AS confidence ORDER BY confidence DESC, task, blocker
