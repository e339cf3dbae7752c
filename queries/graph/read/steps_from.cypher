// Purpose: one step from given nodes, whatever the relation (a path search goes level by level: the engine's own search
// over relations of every type at once runs out of memory)
// Parameters: ids
// Columns: source, relation, target
MATCH (n)-[r]-(o) WHERE list_contains($ids, n.id) RETURN DISTINCT n.id AS source, label(r) AS relation, o.id AS target
