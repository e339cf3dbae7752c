// Purpose: the titles of tasks by the names that their tracker gave them
// Parameters: project, refs
// Columns: ref, title
MATCH (t:Task) WHERE t.project = $project AND t.ref IN $refs RETURN t.ref AS ref, t.title AS title ORDER BY ref
