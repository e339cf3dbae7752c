// Differs: `labels(n)[0]`.
MATCH (t:Task)-[e:BLOCKED_BY]->(b) RETURN t.id AS task, t.title AS title, labels(b)[0] AS kind, b.id AS blocker, b.title AS blocker_title, e.raw_text AS words, e.confidence AS confidence ORDER BY task, blocker
