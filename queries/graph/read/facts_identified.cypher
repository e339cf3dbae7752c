// Purpose: ids of all facts
// Parameters: none
// Columns: id
MATCH (f:Fact) RETURN f.id AS id
