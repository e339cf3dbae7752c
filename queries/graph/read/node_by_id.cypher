// Purpose: one node by its id
// Parameters: id
// Columns: node, label
MATCH (n {id: $id}) RETURN n AS node, label(n) AS label
