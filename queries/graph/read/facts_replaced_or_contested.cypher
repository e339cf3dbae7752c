// Purpose: which fact replaced or contradicts which, by id
// Parameters: none
// Columns: relation, newer, older, reason
MATCH (n:Fact)-[r:SUPERSEDES]->(o:Fact) RETURN 'SUPERSEDES' AS relation, n.id AS newer, o.id AS older, r.reason AS reason
UNION ALL MATCH (n:Fact)-[r:CONTRADICTS]->(o:Fact) RETURN 'CONTRADICTS' AS relation, n.id AS newer, o.id AS older, r.resolution AS reason
