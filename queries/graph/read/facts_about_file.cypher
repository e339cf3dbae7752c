// Purpose: facts that are about a file, newest first
// Parameters: path, limit=50
// Columns: content, kind, outcome, at
MATCH (f:Fact)-[:ABOUT]->(file:File) WHERE file.path = $path RETURN f.content AS content, f.kind AS kind, f.outcome AS outcome, f.at AS at ORDER BY at DESC LIMIT $limit
