// Purpose: tasks, gotchas and facts that are about given files or symbols
// Parameters: ids
// Columns: label, title
MATCH (a)-[:ABOUT]->(b) WHERE list_contains($ids, b.id) RETURN DISTINCT label(a) AS label, coalesce(a.title, a.content) AS title ORDER BY label, title
