// Purpose: the newest facts that hold
// Parameters: limit=1000
// Columns: id, kind, title, content
MATCH (n:Fact) WHERE n.status = 'active' RETURN n.id AS id, n.kind AS kind, n.title AS title, n.content AS content ORDER BY n.at DESC, id LIMIT $limit
