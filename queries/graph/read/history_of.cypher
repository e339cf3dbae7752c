// Purpose: the commits that touched a file, newest first
// Parameters: path
// Columns: hash, at, author, subject, change
MATCH (c:Commit)-[t:TOUCHES]->(f:File {path: $path}) RETURN c.hash AS hash, c.at AS at, c.author AS author, c.subject AS subject, t.change AS change ORDER BY at DESC
