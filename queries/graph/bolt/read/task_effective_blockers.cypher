// Differs: `labels(n)[0]`.
MATCH (t:Task)-[:BLOCKED_BY|DEPENDS_ON|WAITS_FOR]->(b)-[:RESOLVES_TO*0..5]->(x) WHERE (t.id = $id OR t.ref = $id) AND NOT (labels(x)[0] = 'Condition' AND x.resolved) AND NOT (labels(x)[0] = 'Task' AND x.status IN ['done', 'cancelled']) RETURN DISTINCT labels(x)[0] AS kind, x.id AS blocker, x.title AS title ORDER BY kind, blocker
