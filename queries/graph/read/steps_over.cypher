// Purpose: one step from given nodes over relations of given types
// Parameters: ids, types
// Columns: source, relation, target
MATCH (n)-[r]-(o) WHERE list_contains($ids, n.id) AND list_contains($types, label(r))
RETURN DISTINCT n.id AS source, label(r) AS relation, o.id AS target
