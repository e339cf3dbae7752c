// Purpose: the memories that keep these turns
// Parameters: ids
// Columns: turn, id
UNWIND $ids AS wanted MATCH (t:Turn {id: wanted})<-[:DERIVED_FROM]-(m:Memory) RETURN wanted AS turn, m.id AS id
