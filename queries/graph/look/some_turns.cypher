// Purpose: ids of some turns, for measuring
// Parameters: none
// Columns: id
MATCH (t:Turn) RETURN t.id AS id LIMIT 200
