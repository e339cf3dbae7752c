// Purpose: the memory that a shortened id means, or that another one was merged into
// Parameters: id
// Columns: id
MATCH (m:Memory) WHERE m.id ENDS WITH concat('_', $id) OR m.absorbed CONTAINS concat('"', $id, '"') RETURN m.id AS id ORDER BY id
