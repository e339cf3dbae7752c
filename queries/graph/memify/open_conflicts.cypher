// Purpose: facts that contradict each other and of which neither was superseded
// Parameters: none
// Columns: a, b
MATCH (a:Fact)-[c:CONTRADICTS]->(b:Fact) WHERE a.valid_to IS NULL AND b.valid_to IS NULL RETURN a.id AS a, b.id AS b
