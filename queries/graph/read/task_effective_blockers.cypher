// Purpose: what blocks a task directly, resolved conditions replaced by what they led to, up to five steps
// Parameters: id
// Columns: kind, blocker, title
MATCH (t:Task)-[:BLOCKED_BY|DEPENDS_ON|WAITS_FOR]->(b)-[:RESOLVES_TO*0..5]->(x) WHERE (t.id = $id OR t.ref = $id) AND NOT (label(x) = 'Condition' AND x.resolved) AND NOT (label(x) = 'Task' AND x.status IN ['done', 'cancelled']) RETURN DISTINCT label(x) AS kind, x.id AS blocker, x.title AS title ORDER BY kind, blocker
