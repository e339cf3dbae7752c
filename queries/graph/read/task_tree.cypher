// Purpose: the parts of a task at every depth, up to ten
// Parameters: id
// Columns: task, title, status
MATCH (p:Task)-[:PART_OF*1..10]->(t:Task) WHERE t.id = $id OR t.ref = $id RETURN DISTINCT p.id AS task, p.title AS title, p.status AS status ORDER BY task
