// Purpose: these memories of the tree with the digest of what they say
// Parameters: ids
// Columns: id, digest
UNWIND $ids AS wanted MATCH (m:Memory {id: wanted}) RETURN m.id AS id, m.digest AS digest
