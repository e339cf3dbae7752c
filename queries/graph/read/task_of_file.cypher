// Purpose: open and closed tasks that are about a file
// Parameters: path
// Columns: task, title, status
MATCH (t:Task)-[:ABOUT]->(f:File) WHERE f.path = $path RETURN t.id AS task, t.title AS title, t.status AS status ORDER BY status, task
