// Purpose: facts that contradict each other, and about what; `graphmem supersede OLD NEW` decides
// Parameters: limit=50
// Columns: one, other, about, one_id, other_id
MATCH (n:Fact)-[r:CONTRADICTS]->(o:Fact) WHERE n.status = 'contested' RETURN n.content AS one, o.content AS other, r.resolution AS about, n.id AS one_id, o.id AS other_id LIMIT $limit
