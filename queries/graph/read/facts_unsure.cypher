// Purpose: derived facts that are least certain, newest first; `graphmem feedback ID useful` or `wrong` rates one
// Parameters: limit=50
// Columns: content, kind, confidence, at, id
MATCH (n:Fact) WHERE n.status = 'active' AND n.kind <> 'explicit' AND n.confidence < 0.7 RETURN n.content AS content, n.kind AS kind, n.confidence AS confidence, n.at AS at, n.id AS id ORDER BY at DESC, id LIMIT $limit
