// Purpose: open tasks with what they wait for in the end, through resolved conditions, up to five steps
// Parameters: none
// Columns: task, status, kind, resolved, state
MATCH (t:Task)-[:BLOCKED_BY]->(b)-[:RESOLVES_TO*0..5]->(x) WHERE t.status IN ['blocked', 'pending'] RETURN t.id AS task, t.status AS status, label(x) AS kind, x.resolved AS resolved, x.status AS state
