// Purpose: tasks, gotchas and facts that are about given files or symbols
// A filter by list, on nodes of any label, loses relations (Kuzu 0.11.3): so each node is looked up.
// Parameters: ids
// Columns: label, title
UNWIND $ids AS id MATCH (a)-[:ABOUT]->(b {id: id}) WHERE a.retired_at IS NULL RETURN DISTINCT label(a) AS label, CASE WHEN coalesce(a.title, '') <> '' THEN a.title ELSE coalesce(a.content, '') END AS title ORDER BY label, title
