// Purpose: the nodes of one label, as they are drawn (Kuzu 0.11.3 mixes nodes up if a list filters those of all labels)
// Parameters: label
// Columns: id, label, title (its first 120 characters), at, until
MATCH (n) WHERE label(n) = $label RETURN n.id, label(n), left(coalesce(CASE WHEN n.title <> '' THEN n.title END, CASE WHEN n.content <> '' THEN n.content END, n.subject, n.qualified_name, n.path, n.name, n.text, n.command, n.summary, n.ref, n.id), 120), coalesce(n.at, n.started_at, n.created_at, n.recorded_at), coalesce(n.retired_at, n.valid_to)
