// Purpose: which commits are said to have changed the symbols of a project
// Parameters: project
// Columns: commit, symbol, file
MATCH (c:Commit)-[:CHANGED]->(s:Symbol) WHERE s.project = $project RETURN c.id AS commit, s.id AS symbol, s.file AS file
