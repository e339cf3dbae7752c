// Purpose: nodes by their ids, as they are drawn (a join with a list of ids would exhaust the memory of the engine)
// Parameters: ids
// Columns: id, label, title, at, until
MATCH (n) WHERE list_contains($ids, n.id) RETURN n.id, label(n), coalesce(CASE WHEN n.title <> '' THEN n.title END, CASE WHEN n.content <> '' THEN n.content END, n.subject, n.qualified_name, n.path, n.name, n.text, n.command, n.summary, n.ref, n.id), coalesce(n.at, n.started_at, n.created_at, n.recorded_at), coalesce(n.retired_at, n.valid_to)
