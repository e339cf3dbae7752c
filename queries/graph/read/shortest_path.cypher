// Purpose: a shortest path between two nodes, at most six steps
// Parameters: a, b
// Columns: nodes, relations
MATCH p = (a {id: $a})-[* SHORTEST 1..6]-(b {id: $b}) RETURN nodes(p) AS nodes, rels(p) AS relations LIMIT 1
