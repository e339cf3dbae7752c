// Purpose: the symbols that given commits changed
// Parameters: hashes
// Columns: commit, name, file
MATCH (c:Commit)-[:CHANGED]->(s:Symbol) WHERE c.hash IN $hashes RETURN DISTINCT c.hash AS commit, s.qualified_name AS name, s.file AS file LIMIT 20000
