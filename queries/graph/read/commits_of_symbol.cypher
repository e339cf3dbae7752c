// Purpose: the commits that changed a symbol, newest first
// Parameters: name
// Columns: hash, at, author, subject, change
MATCH (c:Commit)-[t:CHANGED]->(s:Symbol) WHERE s.qualified_name = $name RETURN DISTINCT c.hash AS hash, c.at AS at, c.author AS author, c.subject AS subject, t.change AS change ORDER BY at DESC
