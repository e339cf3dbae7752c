// Purpose: categories of one kind, with the digest of what was said of them
// Parameters: kind
// Columns: id, metadata
MATCH (c:Category) WHERE c.kind = $kind RETURN c.id AS id, c.metadata AS metadata
