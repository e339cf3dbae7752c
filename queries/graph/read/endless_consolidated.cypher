// Purpose: which memories endless mode consolidated
// Parameters: none
// Columns: id
MATCH (s:Summary) WHERE s.kind = 'consolidated' RETURN s.id AS id ORDER BY id
