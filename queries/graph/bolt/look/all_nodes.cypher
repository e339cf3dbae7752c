// Differs: `labels(n)[0]`.
MATCH (n) WHERE labels(n)[0] = $label RETURN n.id, labels(n)[0], left(coalesce(CASE WHEN n.title <> '' THEN n.title END, CASE WHEN n.content <> '' THEN n.content END, n.subject, n.qualified_name, n.path, n.name, n.text, n.command, n.summary, n.ref, n.id), 120), coalesce(n.at, n.started_at, n.created_at, n.recorded_at), coalesce(n.retired_at, n.valid_to)
