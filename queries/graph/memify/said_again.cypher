// Purpose: facts that several sessions said
// Parameters: none
// Columns: fact, sessions
MATCH (t:Turn)-[:EVIDENCE_OF]->(f:Fact) WITH f.id AS fact, t.session AS session, count(*) AS said
WITH fact, count(*) AS sessions WHERE sessions >= 2 RETURN fact, sessions
