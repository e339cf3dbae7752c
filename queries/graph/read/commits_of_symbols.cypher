// Purpose: the commits that changed any of some symbols, newest first
// Parameters: names
// Columns: hash, at, author, subject, change
MATCH (c:Commit)-[t:CHANGED]->(s:Symbol) WHERE s.qualified_name IN $names
RETURN DISTINCT c.hash AS hash, c.at AS at, c.author AS author, c.subject AS subject, 'M' AS change ORDER BY at DESC
