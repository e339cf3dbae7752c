// Purpose: every symbol from outside of the indexed trees
// Parameters: none
// Columns: id, label
MATCH (s:Symbol) WHERE s.external = true RETURN s.id AS id, label(s) AS label
