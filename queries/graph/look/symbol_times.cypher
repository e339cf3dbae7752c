// Purpose: when each symbol was first changed by a commit, and its file, for going back in time
// Parameters: none
// Columns: id, first
MATCH (c:Commit)-[:CHANGED]->(s:Symbol) RETURN s.id, min(c.at)
