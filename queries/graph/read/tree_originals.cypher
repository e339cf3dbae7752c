// Purpose: the turns that these memories keep, in order
// Parameters: ids
// Columns: id, originals
UNWIND $ids AS wanted MATCH (m:Memory {id: wanted}) RETURN m.id AS id, m.originals AS originals
