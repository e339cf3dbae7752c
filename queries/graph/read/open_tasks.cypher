// Purpose: tasks that are not done, with what blocks them
// Parameters: none
// Columns: ref, title, status, priority, blocked_by
MATCH (t:Task) WHERE NOT t.status IN ['done', 'cancelled'] OPTIONAL MATCH (t)-[:BLOCKED_BY]->(b) RETURN t.ref AS ref, t.title AS title, t.status AS status, t.priority AS priority, coalesce(collect(b.title), []) AS blocked_by ORDER BY priority, title LIMIT 200
