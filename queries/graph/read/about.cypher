// Purpose: tasks, gotchas and facts that are about given files or symbols
// Parameters: ids
// Columns: label, title
MATCH (a)-[:ABOUT]->(b) WHERE list_contains($ids, b.id) AND a.retired_at IS NULL RETURN DISTINCT label(a) AS label, CASE WHEN coalesce(a.title, '') <> '' THEN a.title ELSE coalesce(a.content, '') END AS title ORDER BY label, title
