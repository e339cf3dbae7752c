// Purpose: every memory of the tree with the digest of what it says
// Parameters: none
// Columns: id, digest
MATCH (m:Memory) RETURN m.id AS id, m.digest AS digest
