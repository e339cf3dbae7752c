// Purpose: one step from given nodes over relations of given types
// A filter by list, on nodes of any label, loses relations (Kuzu 0.11.3): so each node is looked up.
// Parameters: ids, types
// Columns: source, relation, target
UNWIND $ids AS id MATCH (n {id: id})-[r]-(o) WHERE list_contains($types, label(r))
RETURN DISTINCT n.id AS source, label(r) AS relation, o.id AS target
