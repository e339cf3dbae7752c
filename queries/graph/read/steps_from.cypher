// Purpose: one step from given nodes, whatever the relation (a path search goes level by level: the engine's own search
// over relations of every type at once runs out of memory)
// A filter by list, on nodes of any label, loses relations (Kuzu 0.11.3): so each node is looked up.
// Parameters: ids
// Columns: source, relation, target
UNWIND $ids AS id MATCH (n {id: id})-[r]-(o) RETURN DISTINCT n.id AS source, label(r) AS relation, o.id AS target
