// Purpose: the relations that start at these memories of the tree
// Parameters: ids
// Columns: id, type, target
UNWIND $ids AS wanted
MATCH (m:Memory {id: wanted})-[r:PART_OF|DERIVED_FROM|NEXT|TAGGED|SHARES_TAG|SIMILAR_TO]->(other)
RETURN m.id AS id, label(r) AS type, other.id AS target
