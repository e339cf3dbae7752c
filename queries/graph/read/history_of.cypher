// Purpose: the commits that touched a file under this name and the names it had before, newest first
// Parameters: path
// Columns: hash, at, author, subject, change
// A rename also removes the old name: that is one commit, told once.
MATCH (now:File {path: $path})-[:SUPERSEDES*0..8]->(f:File) WHERE f.path = $path OR f.gone = true
MATCH (c:Commit)-[t:TOUCHES]->(f) WHERE f.path = $path OR t.change <> 'D'
RETURN DISTINCT c.hash AS hash, c.at AS at, c.author AS author, c.subject AS subject, t.change AS change ORDER BY at DESC
