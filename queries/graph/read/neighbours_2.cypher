// Purpose: nodes within 2 steps of a node
// Parameters: id, kinds
// Columns: id, label, title, distance
MATCH p = (n {id: $id})-[* SHORTEST 1..2]-(o) WHERE o.id <> $id AND ($kinds = [''] OR list_contains($kinds, label(o))) RETURN o.id AS id, label(o) AS label, coalesce(CASE WHEN o.title <> '' THEN o.title END, o.content, o.subject, o.qualified_name, o.path, o.name) AS title, length(p) AS distance ORDER BY distance, id
