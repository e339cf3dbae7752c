// Purpose: one step from given nodes over relations of given types
// A filter by list, on nodes of any label, loses relations, and one on the type mixes up nodes (Kuzu 0.11.3): so each node
// is looked up, and the rows are filtered.
// Parameters: ids, types
// Columns: source, relation, target
UNWIND $ids AS id MATCH (n {id: id})-[r]-(o) WITH DISTINCT n.id AS source, label(r) AS relation, o.id AS target
WHERE list_contains($types, relation) RETURN source, relation, target
