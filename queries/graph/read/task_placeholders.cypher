// Purpose: tasks that are blocked by something nobody has named
// Parameters: none
// Columns: task, title, condition
MATCH (t:Task)-[:BLOCKED_BY]->(c:Condition) WHERE c.placeholder AND NOT c.resolved RETURN t.id AS task, t.title AS title, c.id AS condition ORDER BY task
