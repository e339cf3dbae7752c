// Purpose: all tags, with how many memories of the tree carry them
// Parameters: none
// Columns: id, memories
// A filter on the beginning of the id misses nodes here (Kuzu 0.11.3, after removals): the reader filters.
MATCH (t:Tag) OPTIONAL MATCH (m:Memory)-[:TAGGED]->(t) RETURN t.id AS id, count(m) AS memories
