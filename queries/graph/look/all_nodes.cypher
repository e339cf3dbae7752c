// Purpose: the nodes of some labels, as they are drawn
// Parameters: labels
// Columns: id, label, title (its first 120 characters), at, until
MATCH (n) WHERE list_contains($labels, label(n)) RETURN n.id, label(n), left(coalesce(CASE WHEN n.title <> '' THEN n.title END, CASE WHEN n.content <> '' THEN n.content END, n.subject, n.qualified_name, n.path, n.name, n.text, n.command, n.summary, n.ref, n.id), 120), coalesce(n.at, n.started_at, n.created_at, n.recorded_at), coalesce(n.retired_at, n.valid_to)
