// Purpose: the memory that another one was merged into
// Parameters: id
// Columns: id
MATCH (m:Memory) WHERE list_contains(m.absorbed, $id) RETURN m.id AS id
