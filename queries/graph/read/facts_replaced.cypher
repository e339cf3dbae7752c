// Purpose: facts that a later one replaced, newest first, and why; `graphmem supersede OLD NEW --undo` takes it back
// Parameters: limit=50
// Columns: old, new, why, valid_to, old_id, new_id
MATCH (n:Fact)-[r:SUPERSEDES]->(o:Fact) RETURN o.content AS old, n.content AS new, r.reason AS why, o.valid_to AS valid_to, o.id AS old_id, n.id AS new_id ORDER BY valid_to DESC LIMIT $limit
